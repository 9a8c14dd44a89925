// NNLP, the GraphSAGE of NNLQP, for latencies and other labels of whole networks. Narrower than the paper's.
import * as z from 'zod';
import { KIND_TITLES } from '../kind-titles.js';
import type { NetworkInputs } from '../models/network-heads.js';
import { NNLP, nnlp } from '../models/nnlp.js';
import { graphKind } from './graph-kind.js';
import { networkRecipe, seesNetworks } from './network-recipe.js';
import { dropout, width } from './options.js';

const OPTIONS = z.strictObject({ width: width(128), dropout: dropout(NNLP.dropout) });

graphKind({
  name: 'nnlp-network',
  title: KIND_TITLES['nnlp-network'],
  paper: 'Liu et al., ICPP 2022',
  summary: 'whole networks: GraphSAGE, as in NNLP',
  ...seesNetworks('nnlp'),
  options: OPTIONS,
  recipe: (rows) => ({ ...networkRecipe(rows), model: OPTIONS.parse({}) }),
  build: (s, inputs, options, outputs) =>
    nnlp(s, inputs as unknown as NetworkInputs, { ...NNLP, ...options, outputs, positive: false }),
});
