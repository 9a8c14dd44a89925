// Whether Dropout is used in training was an attribute until opset 6, and is an input since 12; the mask that it gives is
// of booleans since 10.
import { codeOfDataType } from '../../../graph/dtype.js';
import type { VersionRule } from '../../versions.js';

const inInference: VersionRule = (step) => {
  if (!step.node.attributes.has('is_test')) return;
  step.change({ attributes: { is_test: undefined } }, 'it changes nothing, as in inference');
};

/** The mask in the type of the input, as it was. */
const maskOfBooleans: VersionRule = (step) => {
  const { call, node } = step;
  const [y, mask] = node.outputs;
  if (!mask) return;
  if (!step.isUsed(1)) return step.change({ outputs: [y!] }, 'the mask that nothing reads is left out');
  const dtype = call.dtype(0) ?? step.refuse('the element type of its input is not known');
  const booleans = step.freshName('mask');
  step.change({ outputs: [y!, booleans] }, 'the mask is converted to the type of the input');
  step.append({
    ...node,
    name: step.freshName('Cast'),
    opType: 'Cast',
    inputs: [booleans],
    outputs: [mask],
    attributes: new Map([['to', { type: 'int', value: codeOfDataType(dtype) }]]),
  });
};

const ratioAsInput: VersionRule = (step) => {
  const ratio = step.call.float('ratio');
  if (!step.node.attributes.has('ratio') || ratio === undefined) return;
  const inputs = [step.node.inputs[0]!, step.constant([ratio], 'float32', [])];
  step.change({ inputs, attributes: { ratio: undefined } }, 'ratio is an input');
};

export const dropoutVersions = {
  Dropout: [
    { since: 7, upgrade: inInference },
    { since: 10, upgrade: maskOfBooleans },
    { since: 12, upgrade: ratioAsInput },
  ],
};
