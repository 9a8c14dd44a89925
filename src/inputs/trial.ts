// The first inputs that a network runs on: sizes that it leaves open are tried one after another until it does.
import { inferShapes } from '../analysis/infer.js';
import type { Model } from '../graph/graph.js';
import { type Feeds, type HostTensor, hostTensor } from '../runtime/session.js';
import { type GivenSizes, runningSizes } from '../transform/sizes.js';
import { AuspexError } from '../util/errors.js';
import { drawInputs, type InputBatch } from './drawn.js';

export interface Trial<T> {
  readonly inputs: InputBatch;
  /** Sizes that were chosen, by name. */
  readonly sizes: Readonly<Record<string, number>>;
  readonly result: T;
}

/**
 * Runs a network on made-up inputs.
 *
 * @param run throws an AuspexError where the network does not take the inputs
 * @throws AuspexError the latest of those, or why no inputs can be made up
 */
export async function firstRun<T>(
  model: Model,
  run: (feeds: Feeds) => Promise<T>,
  { seed = 0, given = {} }: { readonly seed?: number; readonly given?: GivenSizes } = {},
): Promise<Trial<T>> {
  let found: Trial<T> | undefined;
  let problem: AuspexError | undefined;
  const isRun = async (sizes: Readonly<Record<string, number>>): Promise<boolean> => {
    try {
      const { types } = inferShapes(model, { ...given, dims: { ...given.dims, ...sizes } }).graph;
      const inputs = drawInputs(model, { seed, types });
      found = { inputs, sizes, result: await run(await feedsOf(inputs)) };
      return true;
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      problem = error;
      return false;
    }
  };
  const chosen = await runningSizes(model, given, ({ sizes }) => isRun(sizes));
  if (chosen === undefined) await isRun({});
  if (found !== undefined) return found;
  throw problem ?? new AuspexError('INPUT_SIZES', 'no sizes were found that the network runs with');
}

/** Inputs as a session takes them. */
export async function feedsOf(inputs: InputBatch): Promise<Feeds> {
  const feeds: Record<string, HostTensor> = {};
  for (const [name, { type, data, dims }] of Object.entries(inputs)) {
    feeds[name] = await hostTensor(type, data, dims);
  }
  return feeds;
}
