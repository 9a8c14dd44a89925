// What can be chosen of GENNAPE, and what its members are called.
import * as z from 'zod';
import { STRUCTURE } from '../gennape/structure-order.js';
import { CLUSTER_OPTIONS, HEAD_OPTIONS } from './head-kind.js';

/** Widths that keep the file small; the paper's are 256 for regressors and 128 for classifiers. */
export const OPTIONS = HEAD_OPTIONS.extend({
  width: HEAD_OPTIONS.shape.width.default(64),
  latent: z.int().min(1).max(256).default(16),
  clusters: CLUSTER_OPTIONS.clusters.default(16),
  fuzzifier: CLUSTER_OPTIONS.fuzzifier.default(4),
  /** Of regressors with a head per cluster; `width` is of those with one. */
  clusterWidth: HEAD_OPTIONS.shape.width.default(64),
  classifierWidth: HEAD_OPTIONS.shape.width.default(64),
  combine: z.enum(['ranks', 'quantiles']).default('ranks'),
  /** How members weigh for networks unlike those of the training; `equal` is the paper's for all. */
  far: z.enum(['structure', 'equal']).default('structure'),
});
export type Options = z.infer<typeof OPTIONS>;

export const REGRESSORS = ['cl-fcm-t', 'cl-t'] as const;
export const CLASSIFIERS = ['cl-fcm-pairwise', 'cl-pairwise'] as const;
export const K_GNN = 'k-gnn';
export const FLOPS = 'flops';
/** Those of the paper. */
export const PAPER_MEMBERS = [...REGRESSORS, ...CLASSIFIERS, K_GNN, FLOPS] as const;
export const MEMBERS = [...PAPER_MEMBERS, STRUCTURE] as const;
/** Of predictors that were trained further. */
export const FEW_SHOT_MEMBER = 'few-shot';
export const NEAR = 'near';
export const hasClusters = (member: string): boolean => member.includes('fcm');
