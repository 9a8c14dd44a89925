// NN-Former for accuracies and latencies of cells.
import * as z from 'zod';
import { KIND_TITLES } from '../kind-titles.js';
import { type GraphInputs, NN_FORMER, nnFormer } from '../models/nn-former.js';
import { cellRecipe, seesCells } from './cell-recipe.js';
import { graphKind, PRETRAINING } from './graph-kind.js';
import { dropout, layers, width } from './options.js';

// Smaller than the paper's, trained for fewer epochs at a higher rate: minutes on two cores.
const OPTIONS = z
  .strictObject({
    width: width(64),
    layers: layers(6),
    relations: z
      .array(z.enum(['successors', 'predecessors', 'commonParents', 'commonChildren', 'all']))
      .min(1)
      .max(8)
      .default([...NN_FORMER.relations]),
    maskVariant: z.enum(['meant', 'released']).default(NN_FORMER.maskVariant),
    messages: z.boolean().default(NN_FORMER.messages),
    dropout: dropout(NN_FORMER.dropout),
  })
  .refine(({ width: d, relations }) => d % relations.length === 0, {
    path: ['width'],
    message: 'there is one attention head for each of the relations, and their number must divide it',
  });

graphKind({
  name: 'nn-former',
  title: KIND_TITLES['nn-former'],
  paper: 'Xu et al., CVPR 2025',
  summary: 'cells: attention to neighbours and siblings',
  ...seesCells('any'),
  standard: { kind: 'standard', centre: 0.5 },
  options: OPTIONS,
  recipe: (rows, scale) => ({
    ...cellRecipe(rows, scale),
    model: OPTIONS.parse(scale === 'log' ? { dropout: 0 } : {}),
    pretraining: scale === 'log' ? undefined : PRETRAINING,
  }),
  build: (s, inputs, options, outputs) =>
    nnFormer(s, inputs as unknown as GraphInputs, { ...options, outputs }),
});
