// The graph convolutional network of BRP-NAS for accuracies and latencies of cells.
import * as z from 'zod';
import { KIND_TITLES } from '../kind-titles.js';
import { GCN, gcn } from '../models/gcn.js';
import type { GraphInputs } from '../models/nn-former.js';
import { cellRecipe, onePass, seesCells } from './cell-recipe.js';
import { graphKind } from './graph-kind.js';
import { dropout, layers, width } from './options.js';

const OPTIONS = z.strictObject({
  width: width(GCN.width),
  layers: layers(GCN.layers),
  dropout: dropout(GCN.dropout),
});

graphKind({
  name: 'gcn',
  title: KIND_TITLES.gcn,
  paper: 'Dudziak et al., NeurIPS 2020',
  summary: 'cells: graph convolutions, as in BRP-NAS',
  ...seesCells('fixed'),
  standard: { kind: 'standard', centre: 0 },
  options: OPTIONS,
  recipe: (rows, scale) => ({
    ...onePass(cellRecipe(rows, scale)),
    model: OPTIONS.parse(scale === 'log' ? { dropout: 0.002 } : {}),
  }),
  build: (s, inputs, options, outputs) => gcn(s, inputs as unknown as GraphInputs, { ...options, outputs }),
});
