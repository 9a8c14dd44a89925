// Where published numbers were read, and what several tables say of them.
import type { Published, ResultCell } from '../table.js';

export const PINAT = 'PINAT (Lu et al., AAAI 2023), Table 1';
export const V2_SUPPLEMENT = 'NAR-Former V2 (Yi et al., NeurIPS 2023), supplement, Table 3';
export const NN_FORMER = 'NN-Former (Xu et al., CVPR 2025), as summaries of the paper quote it';
export const NN_FORMER_ABLATION =
  'NN-Former (Xu et al., CVPR 2025), ablations, as summaries of the paper quote them';
export const HELP = 'HELP (Lee et al., NeurIPS 2021), as the README of its code has it';
export const FROM_MEMORY = 'quoted from memory';

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
  'Training rows are drawn at random, anew for every seed; the papers take the first rows of their file, once.',
  'Rows of training and validation are not tested on; the papers test on all architectures, those among them.',
  'Of a table of at least 10,000 rows, the 1,000 on which recipes were chosen are in no set.',
  '200 rows validate; NN-Former has 1,024, NAR-Former V2 200.',
];

export const RECIPE_DIFFERS =
  'Models are smaller than in the papers and trained for fewer steps at a higher rate (NN-Former has width 160 and 12 layers there, and 3,000 epochs). Each result has its whole recipe.';

/** NN-Former begins with what was learned of the space, unless it is told to begin from nothing. */
export function beginning(kind: string, start?: 'scratch'): Pick<ResultCell, 'isPretrained' | 'recipe'> {
  if (kind !== 'nn-former') return {};
  return start === 'scratch' ? { recipe: { isFromScratch: true } } : { isPretrained: true };
}

export const PRETRAINING_DIFFERS =
  'nn-former begins with what it learned of the space before any label: parameters, MACs, depth, and what flows through cells whose operations are random. The papers begin with random weights, as the cells named scratch do. That training is done once for a space and is not part of the seconds.';
