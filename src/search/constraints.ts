// Limits that architectures must keep to be proposed at all.
import type { NetworkDescription } from '../spaces/describe.js';
import type { Constraint, Scorer } from './contract.js';
import { countsOf } from './costs.js';
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
 * costWithin('parameters', { most: 9e6 });
 */
export function costWithin(what: keyof NetworkDescription, range: Range): Constraint {
  return {
    name: nameOf(what, range),
    allows: async (networks, signal) =>
      (await countsOf(networks, signal)).map((counts) => isWithin(counts[what], range)),
  };
}

/** A limit on what a proxy or a predictor says, such as a latency. NaN is never within. */
export function scoreWithin(scorer: Scorer, range: Range): Constraint {
  return {
    name: nameOf(scorer.name, range),
    allows: async (networks, signal) =>
      Array.from(await scored(scorer, networks, signal), (score) => isWithin(score, range)),
  };
}
