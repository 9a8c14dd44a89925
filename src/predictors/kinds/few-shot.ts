// For few labels of any family; see `few-shot.ts` of the predictors.
import * as z from 'zod';
import { FEW_SHOT, fewShotFitting } from '../few-shot.js';
import { KIND_TITLES } from '../kind-titles.js';
import { featureKind } from './feature-kind.js';

featureKind({
  name: 'few-shot',
  title: KIND_TITLES['few-shot'],
  paper: 'Rasmussen & Williams 2006; Breiman 2001',
  summary: 'any network, few labels: paths, segments and cost',
  features: 'segments',
  options: z.strictObject({
    trees: z.int().min(1).max(10_000).default(FEW_SHOT.trees),
    maxFeatures: z.number().gt(0).max(1).default(FEW_SHOT.maxFeatures),
    /** How much of the prediction is the forest's; `auto` for what rows say that were left out. */
    forest: z.union([z.number().min(0).max(1), z.literal('auto')]).default(FEW_SHOT.forest),
  }),
  learnsHeldOut: true,
  fit: fewShotFitting,
});
