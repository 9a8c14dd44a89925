// Limits that architectures must keep to be proposed at all.
import { describeArchitecture, type NetworkDescription } from '../spaces/describe.js';
import type { AnySpace, NetworkOptions } from '../spaces/space.js';
import type { Constraint, Scorer } from './contract.js';
import { scored } from './scorers.js';

export interface Range {
  readonly least?: number;
  readonly most?: number;
}

const isWithin = (value: number, { least, most }: Range): boolean =>
  value >= (least ?? Number.NEGATIVE_INFINITY) && value <= (most ?? Number.POSITIVE_INFINITY);

function nameOf(what: string, { least, most }: Range): string {
  return `${least === undefined ? '' : `${least} <= `}${what}${most === undefined ? '' : ` <= ${most}`}`;
}

/**
 * A limit on what a network costs.
 *
 * @example
 * costWithin(autoFormerTiny, 'parameters', { most: 9e6 });
 */
export function costWithin(
  space: AnySpace,
  what: keyof NetworkDescription,
  range: Range,
  options: NetworkOptions = {},
): Constraint {
  return {
    name: nameOf(what, range),
    allows: (arch) => isWithin(describeArchitecture(space, space.parse(arch), options)[what], range),
  };
}

/** A limit on what a proxy or a predictor says, such as a latency. NaN is never within. */
export function scoreWithin(scorer: Scorer, range: Range): Constraint {
  return {
    name: nameOf(scorer.name, range),
    allows: async (arch) => isWithin((await scored(scorer, [arch]))[0]!, range),
  };
}
