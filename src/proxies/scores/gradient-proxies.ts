// The proxies made of weights and gradients, and those that only count, by name.

import type { ZeroCostProxy } from '../proxy.js';
import { flops, l2Norm, macs, params } from './counts.js';
import { fisher, gradNorm, grasp, plain, snip } from './gradient-scores.js';
import { epeNas, jacov } from './jacobian-scores.js';
import { logSynflow, synflow } from './synflow.js';
import { zico } from './zico.js';

export const GRADIENT_PROXIES: readonly ZeroCostProxy[] = [
  params,
  flops,
  macs,
  l2Norm,
  plain,
  snip,
  gradNorm,
  grasp,
  synflow,
  logSynflow,
  fisher,
  jacov,
  epeNas,
  zico,
];
