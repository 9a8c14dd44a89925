// How many elements TopK gives became an input in opset 10: a vector of one number.
import type { VersionRule } from '../../versions.js';

const countAsInput: VersionRule = (step) => {
  const { node, call } = step;
  const count = call.required(call.int('k'), 'k');
  step.change(
    { inputs: [node.inputs[0]!, step.constant([count])], attributes: { k: undefined } },
    'k is an input',
  );
};

export const selectionVersions = { TopK: [{ since: 10, upgrade: countAsInput }] };
