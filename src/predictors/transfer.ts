// A new label from few rows: what a predictor says of other labels, combined. Devices are alike, so a latency on a new one
// is nearly a product of powers of latencies on known ones, and a handful of rows is enough to find them. The
// combination is a head over the same trunk, and can be trained further.
import type { Weights } from '../nn/trainer.js';
import { memberWeights } from './entries.js';
import type { Prepared } from './fit.js';
import { type LabelScale, learnedLabels, type Standard } from './labels.js';
import { LinearRegression } from './linear-regression.js';
import type { OnnxPredictor } from './onnx-predictor.js';
import { FeatureRows } from './views/feature-rows.js';

/** Parameters of the layers that are not kept when a predictor is trained further for other labels. */
const HEAD = /^head\./;
const HEAD_WEIGHT = 'head.weight';
const HEAD_BIAS = 'head.bias';

/** Weights of ridge regressions that are tried. */
const RIDGES = [0.01, 0.1, 1, 10, 100];
const FOLDS = 5;

/** A linear head: weight (width, labels), bias (labels). */
export interface LinearHead {
  readonly weight: Float32Array;
  readonly bias: Float32Array;
}

/**
 * Weights to begin with for other labels: the trunk of every member and, where its head is one linear layer, the head that
 * combines the known labels to the new ones.
 */
export async function startFrom(
  from: OnnxPredictor,
  { set, labels, scales }: Prepared,
  standard: Standard,
): Promise<Weights[]> {
  const members = memberWeights(from.model);
  const heads = members.map((member) => ({ weight: member.get(HEAD_WEIGHT), bias: member.get(HEAD_BIAS) }));
  const starts = members.map((member) => new Map([...member].filter(([name]) => !HEAD.test(name))));
  const isLinear = heads.every((head): head is LinearHead => !!head.weight && !!head.bias);
  if (!isLinear || standard.kind !== 'standard') return starts;
  const own = (from.info.recipe as unknown as { readonly scales: readonly LabelScale[] }).scales;
  const known = learnedLabels(await from.valuesOf(set), own);
  const targets = learnedLabels(labels.values, scales);
  combinedHeads(heads, standard.centre, known, targets, scales.length).forEach(({ weight, bias }, member) => {
    starts[member]!.set(HEAD_WEIGHT, weight).set(HEAD_BIAS, bias);
  });
  return starts;
}

/**
 * Heads that give y = c + Σ aₖ·fₖ, fₖ being the known labels as they were learned (logarithms of latencies), for the a
 * and c that fit best. One ridge regression for every new label, its weight chosen by five-fold cross-validation.
 *
 * @param heads of every member of the ensemble
 * @param centre what the model adds to the head's outputs
 * @param known what all members together say of the rows, as it was learned: (rows, known labels)
 * @param targets the new labels of the rows, as they are to be learned: (rows, labels); NaN where a row lacks one
 */
export function combinedHeads(
  heads: readonly LinearHead[],
  centre: number,
  known: Float64Array,
  targets: Float64Array,
  labels: number,
): LinearHead[] {
  const count = heads[0]!.bias.length;
  const rows = Array.from({ length: known.length / count }, (_, row) => row);
  const combinations = Array.from({ length: labels }, (_, label) => {
    const present = rows.filter((row) => !Number.isNaN(targets[row * labels + label]));
    return combination(
      present.map((row) => known.subarray(row * count, (row + 1) * count)),
      present.map((row) => targets[row * labels + label]!),
    );
  });
  return heads.map(({ weight, bias }) => {
    const width = weight.length / count;
    const next = { weight: new Float32Array(width * labels), bias: new Float32Array(labels) };
    combinations.forEach(({ factors, offset }, label) => {
      const combined = (of: (k: number) => number): number =>
        factors.reduce((sum, a, k) => sum + a * of(k), 0);
      for (let i = 0; i < width; i++) {
        next.weight[i * labels + label] = combined((k) => weight[i * count + k]!);
      }
      next.bias[label] = combined((k) => bias[k]! + centre) + offset - centre;
    });
    return next;
  });
}

interface Combination {
  readonly factors: readonly number[];
  readonly offset: number;
}

function combination(rows: readonly Float64Array[], targets: readonly number[]): Combination {
  const names = Array.from({ length: rows[0]!.length }, (_, k) => `label${k}`);
  const featuresOf = (of: readonly number[]): FeatureRows =>
    new FeatureRows(
      names,
      of.flatMap((row) => [...rows[row]!]),
    );
  const all = rows.map((_, row) => row);
  const fit = (of: readonly number[], ridge: number): LinearRegression =>
    LinearRegression.fit(
      featuresOf(of),
      of.map((row) => targets[row]!),
      { ridge },
    );
  const errorOf = (ridge: number): number => {
    let error = 0;
    for (let fold = 0; fold < FOLDS; fold++) {
      const held = all.filter((row) => row % FOLDS === fold);
      const kept = all.filter((row) => row % FOLDS !== fold);
      if (held.length === 0 || kept.length < 2) continue;
      fit(kept, ridge)
        .predict(featuresOf(held))
        .forEach((y, i) => {
          error += (y - targets[held[i]!]!) ** 2;
        });
    }
    return error;
  };
  const errors = RIDGES.map(errorOf);
  const { means, deviations, weights, bias } = fit(
    all,
    RIDGES[errors.indexOf(Math.min(...errors))]!,
  ).toJSON();
  const factors = weights.map((w, k) => w / deviations[k]!);
  return { factors, offset: factors.reduce((sum, a, k) => sum - a * means[k]!, bias) };
}
