// NN-Former for latencies and other labels of whole networks. Narrower than the paper's: minutes on two cores.
import * as z from 'zod';
import { KIND_TITLES } from '../kind-titles.js';
import type { NetworkInputs } from '../models/network-heads.js';
import { NN_FORMER_LATENCY, nnFormerLatency } from '../models/nn-former-network.js';
import { graphKind } from './graph-kind.js';
import { networkRecipe, seesNetworks } from './network-recipe.js';
import { dropout, layers, width } from './options.js';

const OPTIONS = z
  .strictObject({ width: width(96), blocks: layers(2), dropout: dropout(NN_FORMER_LATENCY.dropout) })
  .refine((o) => o.width % 4 === 0, { path: ['width'], message: 'it must be a multiple of the 4 heads' });

graphKind({
  name: 'nn-former-network',
  title: KIND_TITLES['nn-former-network'],
  paper: 'Xu et al., CVPR 2025',
  summary: 'whole networks: like nn-former',
  ...seesNetworks('nn-former'),
  options: OPTIONS,
  recipe: (rows) => ({ ...networkRecipe(rows), model: OPTIONS.parse({}) }),
  build: (s, inputs, options, outputs) =>
    nnFormerLatency(s, inputs as unknown as NetworkInputs, {
      ...NN_FORMER_LATENCY,
      ...options,
      outputs,
      positive: false,
    }),
});
