// Gemm broadcasts what it adds without being told since opset 7.
import type { VersionRule } from '../../versions.js';

const broadcastAlways: VersionRule = (step) => {
  if (!step.node.attributes.has('broadcast')) return;
  step.change({ attributes: { broadcast: undefined } }, 'the added input is broadcast implicitly');
};

export const matMulVersions = { Gemm: [{ since: 7, upgrade: broadcastAlways }] };
