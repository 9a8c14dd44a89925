// Search spaces.
import { SPACES } from '../spaces/index.js';
import { sampleSpace } from '../spaces/sample.js';
import type { AnySpace } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import { here } from './environment.js';
import { checkedOptions, count, expectText, isObject, whole } from './options.js';

/**
 * A search space by name; `onnx:net.onnx` is the neighbourhood of a file.
 *
 * @throws AuspexError SPACE_UNKNOWN
 * @example
 * const cells = space('nasbench201');
 * cells.size; // 15625n
 * cells.choices(cells.parse(cells.example)).length; // 6
 */
export function space(name: string): AnySpace {
  expectText('space', 'the name of a space', name);
  return here().resolver().space(name);
}

/**
 * All search spaces, those of plugins last.
 *
 * @example
 * spaces().some(({ name }) => name === 'autoformer-tiny'); // true
 */
export function spaces(): readonly AnySpace[] {
  return SPACES;
}

export interface SampleOptions {
  /** Default 1. */
  readonly count?: number;
  /** Default 0. */
  readonly seed?: number;
}

/**
 * Texts of random architectures of a space; the same for the same seed.
 *
 * @example
 * sample('nats-size', { count: 2, seed: 1 }).length; // 2
 */
export function sample(space: string | AnySpace, options?: SampleOptions): string[] {
  const fields = { count: count.optional(), seed: whole.optional() };
  const { count: many = 1, seed = 0 } = checkedOptions<SampleOptions>('sample', fields, options);
  return sampleSpace(anySpace(space), many, seed);
}

/** A space, or the one of a name. */
export function anySpace(given: string | AnySpace): AnySpace {
  if (typeof given === 'string') return space(given);
  if (isObject(given) && typeof given.sample === 'function' && typeof given.parse === 'function')
    return given;
  throw new AuspexError('BAD_OPTION', 'this is neither a space nor the name of one', {
    hint: 'spaces() lists them',
  });
}
