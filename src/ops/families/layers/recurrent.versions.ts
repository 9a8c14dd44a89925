// What recurrent layers give was an attribute until opset 6, and is what is asked for since.
import type { VersionChange, VersionRule } from '../../versions.js';
import { asItIs } from '../../versions.js';

const outputsAskedFor: VersionRule = (step) => {
  if (!step.node.attributes.has('output_sequence')) return;
  step.change({ attributes: { output_sequence: undefined } }, 'it gives what is read');
};

const SINCE_7: readonly VersionChange[] = [{ since: 7, upgrade: outputsAskedFor }];

export const recurrentVersions = {
  // The default direction of opset 1 is misspelt in the standard.
  GRU: [{ since: 3, upgrade: asItIs }, ...SINCE_7],
  LSTM: SINCE_7,
  RNN: SINCE_7,
};
