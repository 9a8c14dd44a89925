// For few labels of any family: ridge regression and a forest on features of the whole network, with equal weights. The
// regression extrapolates from 50 rows where trees cannot; trees bend where it is straight.
import * as z from 'zod';
import { LinearRegression } from '../linear-regression.js';
import { RandomForest } from '../trees/random-forest.js';
import { treeValues } from '../trees/random-forest-onnx.js';
import { FeatureRows } from '../views/feature-rows.js';
import { featureKind } from './feature-kind.js';

/** Of ridge regression: the one with the least error on rows left out is taken. */
const RIDGES = [1, 3, 10, 30, 100, 300] as const;
const FOLDS = 10;

featureKind({
  name: 'few-shot',
  title: 'Few labels',
  paper: 'Hoerl & Kennard 1970; Breiman 2001',
  summary: 'any network, few labels: paths, widths and cost',
  features: 'flow',
  options: z.strictObject({
    trees: z.int().min(1).max(10_000).default(100),
    maxFeatures: z.number().gt(0).max(1).default(0.5),
  }),
  *fit(rows, targets, { trees, maxFeatures }, seed) {
    const ridge = yield* bestRidge(rows, targets);
    const plane = LinearRegression.fit(rows, targets, { ridge });
    const { forest } = yield* RandomForest.fitting(rows, targets, { trees, maxFeatures, seed });
    return (x) =>
      plane
        .apply(x)
        .add(treeValues(x, forest.trees).mean([1], true))
        .div(2);
  },
});

/** By cross-validation: every tenth row is left out, ten times. */
function* bestRidge(rows: FeatureRows, targets: Float64Array): Generator<number, number> {
  if (rows.count < 2) return RIDGES.at(-1)!;
  const folds = Math.min(FOLDS, rows.count);
  const all = Array.from(targets.keys());
  const errors = RIDGES.map(() => 0);
  for (let fold = 0; fold < folds; fold++) {
    yield 0;
    const kept = all.filter((row) => row % folds !== fold);
    const left = all.filter((row) => row % folds === fold);
    const truths = Float64Array.from(kept, (row) => targets[row]!);
    for (const [i, ridge] of RIDGES.entries()) {
      const found = LinearRegression.fit(some(rows, kept), truths, { ridge }).predict(some(rows, left));
      left.forEach((row, at) => {
        errors[i]! += (found[at]! - targets[row]!) ** 2;
      });
    }
  }
  return RIDGES[errors.indexOf(Math.min(...errors))]!;
}

function some({ names, data }: FeatureRows, chosen: readonly number[]): FeatureRows {
  const width = names.length;
  const part = new Float32Array(chosen.length * width);
  chosen.forEach((row, i) => void part.set(data.subarray(row * width, (row + 1) * width), i * width));
  return new FeatureRows(names, part);
}
