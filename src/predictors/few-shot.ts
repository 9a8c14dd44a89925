// For few labels of any family: a Gaussian process and a forest on features of the whole network, mixed. The process
// extrapolates from 50 rows where trees cannot, and learns labels with their tails bent inwards, as a few networks that learned
// nothing would bend it; trees take labels as they are, and find such networks. How they are mixed follows from rows that each
// has not seen.
import { kendallTauB } from '../metrics/index.js';
import type { Value } from '../ops/build.js';
import { KernelRegression } from './kernel-regression.js';
import { TailWarp } from './tail-warp.js';
import { RandomForest } from './trees/random-forest.js';
import { treeValues } from './trees/random-forest-onnx.js';
import type { FeatureRows } from './views/feature-rows.js';
import { SEGMENT_FEATURES } from './views/flow/segments.js';

export interface FewShotOptions {
  readonly trees: number;
  /** The share of features that is looked at for each split. */
  readonly maxFeatures: number;
  /** How much of the prediction is the forest's; `auto` for what held-out rows say. */
  readonly forest: number | 'auto';
}

export const FEW_SHOT: FewShotOptions = { trees: 100, maxFeatures: 0.5, forest: 'auto' };

/** Shares of the forest that are tried. */
const SHARES = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
/** Shares are averaged by e^(τ/T − share/S): with 50 rows, differences of τ below T are chance, and the process is better. */
const TEMPERATURE = 0.01;
const USUAL_SHARE = 0.25;
const SEGMENTS = new Set(SEGMENT_FEATURES);
/** What names of embeddings begin with. They are behind the other features, and trees do not see them. */
export const EMBEDDING = 'embedding ';
/** Where tails of labels begin to be bent, in usual deviations: how much families need it differs. */
const BENDS = [0.5, 1, 2];
/** How much segments and embeddings count beside the other features differs by family. */
const SCALES = { segments: [1, 0.5, 0], embeddings: [0, 0.5] };

function groupOf(name: string): number {
  return SEGMENTS.has(name) ? 1 : name.startsWith(EMBEDDING) ? 2 : 0;
}

/** Fits targets, in steps; gives what writes the prediction into a graph: (batch, F) → (batch, 1). */
export function* fewShotFitting(
  rows: FeatureRows,
  targets: Float64Array,
  { trees, maxFeatures, forest: given }: FewShotOptions,
  seed: number,
): Generator<number, (x: Value) => Value> {
  const curves = BENDS.map((bend) => new TailWarp(targets, bend));
  const width = rows.names.filter((name) => groupOf(name) < 2).length;
  const embeddings = width === rows.names.length ? [0] : SCALES.embeddings;
  const scalings = SCALES.segments.flatMap((segments) => embeddings.map((scale) => [1, segments, scale]));
  const process = yield* KernelRegression.fitting(rows, targets, { of: groupOf, scalings }, curves);
  const own = rows.first(width);
  const { forest, outOfBag } = yield* RandomForest.fitting(own, targets, { trees, maxFeatures, seed });
  const share = given === 'auto' ? sharedBy(process.leftOut, outOfBag, targets) : given;
  return (x) =>
    process
      .apply(x)
      .mul(1 - share)
      .add(
        treeValues(x.slice([0], [width], [1]), forest.trees)
          .mean([1], true)
          .mul(share),
      );
}

/** The share of the second of two predictions of rows that neither had seen. */
function sharedBy(first: Float64Array, second: Float64Array, targets: Float64Array): number {
  const known = [...first.keys()].filter((row) => Number.isFinite(second[row]));
  const truths = known.map((row) => targets[row]!);
  if (new Set(truths).size < 2) return SHARES[0]!;
  const powers = SHARES.map((share) => {
    const mixed = known.map((row) => (1 - share) * first[row]! + share * second[row]!);
    return new Set(mixed).size < 2
      ? 0
      : Math.exp(kendallTauB(mixed, truths) / TEMPERATURE - share / USUAL_SHARE);
  });
  const total = powers.reduce((sum, power) => sum + power, 0);
  return total > 0 ? SHARES.reduce((sum, share, i) => sum + (share * powers[i]!) / total, 0) : SHARES[0]!;
}
