// A random forest on features of the structure: GRAF's where a space has them.
import * as z from 'zod';
import { FOREST, RandomForest } from '../trees/random-forest.js';
import { treeValues } from '../trees/random-forest-onnx.js';
import { featureKind } from './feature-kind.js';

featureKind({
  name: 'forest',
  title: 'Random forest',
  paper: 'Breiman 2001; features: Kadlecová et al., ICML 2024',
  summary: 'random forest on GRAF features, or on operator counts',
  features: 'structure',
  options: z.strictObject({
    trees: z.int().min(1).max(10_000).default(FOREST.trees),
    maxFeatures: z.number().gt(0).max(1).default(FOREST.maxFeatures),
    minSamplesLeaf: z.int().min(1).max(1_000_000).default(FOREST.minSamplesLeaf),
    bootstrap: z.boolean().default(FOREST.bootstrap),
  }),
  *fit(rows, targets, options, seed) {
    const { forest } = yield* RandomForest.fitting(rows, targets, { ...options, seed });
    return (x) => treeValues(x, forest.trees).mean([1], true);
  },
});
