// NAR-Former V2 for latencies and other labels of whole networks. Narrower than the paper's: minutes on two cores.
import * as z from 'zod';
import { KIND_TITLES } from '../kind-titles.js';
import { narFormerV2Latency } from '../models/nar-former-v2.js';
import type { NetworkInputs } from '../models/network-heads.js';
import { graphKind } from './graph-kind.js';
import { GROUPS_DIVIDE, NAR_FORMER_V2_OPTIONS } from './nar-former-v2.js';
import { networkRecipe, seesNetworks } from './network-recipe.js';

const OPTIONS = z.strictObject(NAR_FORMER_V2_OPTIONS).refine(...GROUPS_DIVIDE);

graphKind({
  name: 'nar-former-v2-network',
  title: KIND_TITLES['nar-former-v2-network'],
  paper: 'Yi et al., NeurIPS 2023',
  summary: 'whole networks: like nar-former-v2',
  ...seesNetworks('nar-former-v2'),
  options: OPTIONS,
  recipe: (rows) => ({ ...networkRecipe(rows), model: OPTIONS.parse({}) }),
  build: (s, inputs, options, outputs) =>
    narFormerV2Latency(s, inputs as unknown as NetworkInputs, { ...options, outputs, positive: false }),
});
