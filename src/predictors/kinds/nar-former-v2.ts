// NAR-Former V2 for accuracies and latencies of cells, and its options for whole networks.
import * as z from 'zod';
import { KIND_TITLES } from '../kind-titles.js';
import { NAR_FORMER_V2_ACCURACY, narFormerV2Accuracy } from '../models/nar-former-v2.js';
import type { GraphInputs } from '../models/nn-former.js';
import { NAR_FORMER_V2_LOSS } from '../ranking-loss.js';
import { cellRecipe, seesCells } from './cell-recipe.js';
import { graphKind } from './graph-kind.js';
import { dropout, layers, width } from './options.js';

/** Of both models of the paper. */
export const NAR_FORMER_V2_OPTIONS = {
  width: width(96),
  layers: layers(2),
  groups: z.int().min(1).max(64).default(NAR_FORMER_V2_ACCURACY.groups),
  expansion: z.int().min(1).max(16).default(NAR_FORMER_V2_ACCURACY.expansion),
  // Without a term of its own a node hears of itself only by way of its neighbours, and learns far worse.
  root: z.boolean().default(true),
  dropout: dropout(NAR_FORMER_V2_ACCURACY.dropout),
};

/** The groups are parts of the width. */
export const GROUPS_DIVIDE: [
  (o: { width: number; groups: number }) => boolean,
  { path: string[]; message: string },
] = [(o) => o.width % o.groups === 0, { path: ['width'], message: 'the number of groups must divide it' }];

const OPTIONS = z
  .strictObject({
    ...NAR_FORMER_V2_OPTIONS,
    width: width(192),
    layers: layers(4),
    codes: z.enum(['exact', 'released']).default(NAR_FORMER_V2_ACCURACY.codes),
  })
  .refine(...GROUPS_DIVIDE)
  .refine((o) => (o.width * o.layers) % 4 === 0, { path: ['width'], message: 'it must be a multiple of 4' });

graphKind({
  name: 'nar-former-v2',
  title: KIND_TITLES['nar-former-v2'],
  paper: 'Yi et al., NeurIPS 2023',
  summary: 'cells: linear attention to neighbours',
  ...seesCells('fixed'),
  standard: { kind: 'ratio' },
  options: OPTIONS,
  recipe: (rows, scale) => ({
    ...cellRecipe(rows, scale),
    loss: NAR_FORMER_V2_LOSS,
    model: OPTIONS.parse({}),
  }),
  build: (s, inputs, options, outputs) =>
    narFormerV2Accuracy(s, inputs as unknown as GraphInputs, { ...options, outputs }),
});
