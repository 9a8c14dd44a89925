// For few labels of any family: a Gaussian process and a forest on features of the whole network, mixed. The
// process extrapolates from 50 rows where trees cannot, and learns quantiles, as a few networks that learned nothing would
// bend it; trees take labels as they are, and find such networks.
import * as z from 'zod';
import { KernelRegression } from '../kernel-regression.js';
import { RisingCurve, rankQuantiles } from '../quantile-curve.js';
import { RandomForest } from '../trees/random-forest.js';
import { treeValues } from '../trees/random-forest-onnx.js';
import { featureKind } from './feature-kind.js';

featureKind({
  name: 'few-shot',
  title: 'Few labels',
  paper: 'Rasmussen & Williams 2006; Breiman 2001',
  summary: 'any network, few labels: paths, segments and cost',
  features: 'segments',
  options: z.strictObject({
    trees: z.int().min(1).max(10_000).default(100),
    maxFeatures: z.number().gt(0).max(1).default(0.5),
    /** How much of the prediction is the forest's. */
    forest: z.number().min(0).max(1).default(0.3),
  }),
  *fit(rows, targets, { trees, maxFeatures, forest: share }, seed) {
    const quantiles = rankQuantiles(targets);
    const curve = new RisingCurve(quantiles, targets);
    const process = yield* KernelRegression.fitting(rows, quantiles);
    const { forest } = yield* RandomForest.fitting(rows, targets, { trees, maxFeatures, seed });
    return (x) =>
      curve
        .apply(process.apply(x))
        .mul(1 - share)
        .add(treeValues(x, forest.trees).mean([1], true).mul(share));
  },
});
