// Two networks beside each other: what was added, removed and changed, what that costs, how far weights and outputs are
// apart, and one word for all of it.
import type { Counts } from '../../analysis/cost.js';
import { structureHash } from '../../analysis/hash.js';
import { inferShapes } from '../../analysis/infer.js';
import { type GraphMatch, matchGraphs } from '../../analysis/match.js';
import type { Model } from '../../graph/graph.js';
import { simplified } from '../../transform/simplify/simplify.js';
import { AuspexError } from '../../util/errors.js';
import type { Network } from '../network.js';
import { compareOutputs, type OutputComparison } from './outputs.js';
import { compareWeights, type WeightComparison } from './weights.js';

/** From the closest to the farthest. */
export type Verdict =
  /** The same nodes, edges and weights; only names and order may differ. */
  | 'identical'
  /** The same after simplification: constants computed, layers folded. */
  | 'same up to folding'
  /** Other nodes or weights, but the same outputs on all inputs that were tried. */
  | 'same function'
  /** The same nodes and edges with other weights. */
  | 'same structure'
  | 'different';

export interface Comparison {
  readonly verdict: Verdict;
  readonly match: GraphMatch;
  readonly weights: WeightComparison;
  readonly costs: { readonly a: Counts; readonly b: Counts };
  readonly nodes: { readonly a: number; readonly b: number };
  /** Undefined where they were not to be run. */
  readonly outputs: OutputComparison | undefined;
}

export interface CompareOptions {
  /** How many inputs both networks are run on; 0 for none. */
  readonly samples?: number;
  readonly seed?: number;
  /** The largest relative difference of outputs that counts as the same. */
  readonly tolerance?: number;
  readonly threads?: number;
  readonly signal?: AbortSignal;
}

export const COMPARE_DEFAULTS = { samples: 16, seed: 0, tolerance: 1e-5 } as const;

/**
 * Compares two networks.
 *
 * @example
 * const { verdict, match } = await compareNetworks(network('a.onnx'), network('b.onnx'));
 */
export async function compareNetworks(
  a: Network,
  b: Network,
  options: CompareOptions = {},
): Promise<Comparison> {
  const { samples, seed, tolerance, threads, signal } = { ...COMPARE_DEFAULTS, ...options };
  const [left, right] = [a.inference().graph, b.inference().graph];
  const match = matchGraphs(left, right);
  const weights = compareWeights(match, left, right);
  const run = { samples, seed, ...(threads ? { threads } : {}), ...(signal ? { signal } : {}) };
  const outputs = samples > 0 ? await compareOutputs(a.model(), b.model(), run) : undefined;
  const isSameFunction =
    outputs?.status === 'run' && outputs.outputs.every(({ relative }) => relative <= tolerance);
  const isSameStructure = a.hash() === b.hash();
  const hasSameWeights = weights.different.length === 0;
  let verdict: Verdict = 'different';
  if (isSameStructure && hasSameWeights) verdict = 'identical';
  else if (isSameFunction)
    verdict = (await isFolded(a.model(), b.model())) ? 'same up to folding' : 'same function';
  else if (isSameStructure) verdict = 'same structure';
  return {
    verdict,
    match,
    weights,
    costs: { a: a.cost().totals, b: b.cost().totals },
    nodes: { a: left.nodes.length, b: right.nodes.length },
    outputs,
  };
}

/** Whether both have the same structure once they are simplified. */
async function isFolded(a: Model, b: Model): Promise<boolean> {
  try {
    const [x, y] = [await simplified(a), await simplified(b)].map(({ model }) =>
      structureHash(inferShapes(model)),
    );
    return x === y;
  } catch (error) {
    if (error instanceof AuspexError) return false;
    throw error;
  }
}

/** Whether a verdict says that both networks compute the same. */
export function isSame(verdict: Verdict): boolean {
  return verdict !== 'different' && verdict !== 'same structure';
}
