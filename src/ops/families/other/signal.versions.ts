// The axis of DFT became an input in opset 20.
import type { VersionRule } from '../../versions.js';

const axisAsInput: VersionRule = (step) => {
  const { call, node } = step;
  const axis = step.constant([call.int('axis', 1)], 'int64', []);
  step.change(
    { inputs: [node.inputs[0]!, node.inputs[1] ?? '', axis], attributes: { axis: undefined } },
    'axis is an input',
  );
};

const axisAsAttribute: VersionRule = (step) => {
  const { call, node } = step;
  const given = call.has('axis') ? call.numbers('axis')?.[0] : -2;
  if (given === undefined) return step.refuse('its axis is computed');
  const rank = call.tensor(0).rank;
  if (given < 0 && rank === undefined) return step.refuse('the rank of its input is not known');
  const axis = given < 0 ? given + rank! : given;
  const inputs = call.has(1) ? node.inputs.slice(0, 2) : node.inputs.slice(0, 1);
  step.change({ inputs, attributes: { axis } }, 'axis is an attribute');
};

export const signalVersions = {
  DFT: [{ since: 20, upgrade: axisAsInput, downgrade: axisAsAttribute }],
};
