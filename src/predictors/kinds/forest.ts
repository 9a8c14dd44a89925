// A random forest on features of the structure: GRAF's where a space has them.
import * as z from 'zod';
import type { Value } from '../../ops/build.js';
import { KIND_TITLES } from '../kind-titles.js';
import { FOREST, RandomForest } from '../trees/random-forest.js';
import { treeValues } from '../trees/random-forest-onnx.js';
import type { FeatureRows } from '../views/feature-rows.js';
import { featureKind } from './feature-kind.js';

export const FOREST_OPTIONS = {
  trees: z.int().min(1).max(10_000),
  maxFeatures: z.number().gt(0).max(1),
  minSamplesLeaf: z.int().min(1).max(1_000_000).default(FOREST.minSamplesLeaf),
  bootstrap: z.boolean().default(FOREST.bootstrap),
};
const OPTIONS = z.strictObject({
  ...FOREST_OPTIONS,
  trees: FOREST_OPTIONS.trees.default(FOREST.trees),
  maxFeatures: FOREST_OPTIONS.maxFeatures.default(FOREST.maxFeatures),
});

featureKind({
  name: 'forest',
  title: KIND_TITLES.forest,
  paper: 'Breiman 2001; features: Kadlecová et al., ICML 2024',
  summary: 'random forest on GRAF features, or on operator counts',
  features: 'structure',
  options: OPTIONS,
  fit: fittedForest,
});

/** The mean of the trees, as a graph: (batch, F) → (batch, 1). */
export function* fittedForest(
  rows: FeatureRows,
  targets: Float64Array,
  options: z.infer<typeof OPTIONS>,
  seed: number,
): Generator<number, (x: Value) => Value> {
  const { forest } = yield* RandomForest.fitting(rows, targets, { ...options, seed });
  return (x) => treeValues(x, forest.trees).mean([1], true);
}
