// The GraphSAGE of NNLP for accuracies and latencies of cells.
import * as z from 'zod';
import { KIND_TITLES } from '../kind-titles.js';
import type { GraphInputs } from '../models/nn-former.js';
import { SAGE_CELLS, sageCells } from '../models/sage-cells.js';
import { cellRecipe, onePass, seesCells } from './cell-recipe.js';
import { graphKind } from './graph-kind.js';
import { dropout, width } from './options.js';

const OPTIONS = z.strictObject({ width: width(SAGE_CELLS.width), dropout: dropout(SAGE_CELLS.dropout) });

graphKind({
  name: 'sage',
  title: KIND_TITLES.sage,
  paper: 'Liu et al., ICPP 2022',
  summary: 'cells: GraphSAGE, as in NNLP',
  ...seesCells('fixed'),
  standard: { kind: 'standard', centre: 0 },
  options: OPTIONS,
  recipe: (rows, scale) => ({ ...onePass(cellRecipe(rows, scale)), model: OPTIONS.parse({}) }),
  build: (s, inputs, options, outputs) =>
    sageCells(s, inputs as unknown as GraphInputs, { ...options, outputs }),
});
