// Gemm broadcasts what it adds without being told since opset 7.
import type { VersionRule } from '../../versions.js';

const broadcastAlways: VersionRule = (step) => {
  if (!step.node.attributes.has('broadcast')) return;
  step.change({ attributes: { broadcast: undefined } }, 'what it adds is broadcast without being told');
};

export const matMulVersions = { Gemm: [{ since: 7, upgrade: broadcastAlways }] };
