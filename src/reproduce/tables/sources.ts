// Where published numbers were read, and what several tables say of them.
import type { Published, ResultCell } from '../table.js';

export const PINAT = 'PINAT (Lu et al., AAAI 2023), Table 1';
export const V2_SUPPLEMENT = 'NAR-Former V2 (Yi et al., NeurIPS 2023), supplement, Table 3';
export const NN_FORMER = 'NN-Former (Xu et al., CVPR 2025), as quoted in summaries of the paper';
export const NN_FORMER_ABLATION =
  'NN-Former (Xu et al., CVPR 2025), ablations, as quoted in summaries of the paper';
export const HELP = 'HELP (Lee et al., NeurIPS 2021), from the README of its code';
const FROM_MEMORY = 'quoted from memory';

/** τ-b that somebody published. */
export function tau(by: string, value: number, source: string, deviation?: number): Published {
  return { by, metric: 'tau-b', value, source, ...(deviation === undefined ? {} : { deviation }) };
}

/** τ-b that is remembered, but could not be looked up again. */
export function recalledTau(by: string, value: number): Published {
  return { by, metric: 'tau-b', value, source: FROM_MEMORY, isUnverified: true };
}

/** What all tables of accuracies do otherwise. */
export const SPLIT_DIFFERS: readonly string[] = [
  'Training rows are drawn at random for every seed; the papers use the first rows of their file.',
  'Training and validation rows are not tested on; the papers test on all architectures, including those.',
  'In tables of at least 10,000 rows, the 1,000 rows used to choose recipes are left out of all sets.',
  '200 rows are used for validation; NN-Former uses 1,024, NAR-Former V2 200.',
];

export const RECIPE_DIFFERS =
  'Models are smaller than in the papers and trained for fewer steps at a higher rate (in the paper, NN-Former has width 160, 12 layers and 3,000 epochs). Each result stores its full recipe.';

/** NN-Former starts from the pretrained model of the space by default. */
export function beginning(kind: string, start?: 'scratch'): Pick<ResultCell, 'isPretrained' | 'recipe'> {
  if (kind !== 'nn-former') return {};
  return start === 'scratch' ? { recipe: { isFromScratch: true } } : { isPretrained: true };
}

export const PRETRAINING_DIFFERS =
  'nn-former starts from a model pretrained on unlabelled architectures: parameters, MACs, depth, and the flow through cells of random operations. The papers start from random weights, as the cells named scratch do. Pretraining is done once per space and is not included in the seconds.';
