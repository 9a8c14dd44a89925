// Until opset 8, Scan ran over every sequence of a batch; since 9 it takes one. A Scan over the batch runs it then.
import { makeGraph, makeNode, type ValueInfo } from '../../../graph/graph.js';
import { isTensor, TensorType, UNKNOWN, type ValueType } from '../../../graph/types.js';
import type { VersionRule } from '../../versions.js';

const overTheBatch: VersionRule = (step) => {
  const { call, node } = step;
  const [lengths, ...given] = node.inputs;
  if (lengths) return step.refuse('its sequences have different lengths');
  const scanned = call.required(call.int('num_scan_inputs'), 'num_scan_inputs');
  const formal = given.map(
    (_, i): ValueInfo => ({ name: step.freshName(`in${i}`), type: withoutBatch(call.inputs[i + 1]) }),
  );
  const results = node.outputs.map((_, i) => step.freshName(`out${i}`));
  const inner = makeNode(
    node.opType,
    formal.map(({ name }) => name),
    results,
    {
      body: call.required(node.attributes.get('body'), 'body'),
      num_scan_inputs: { type: 'int', value: scanned },
      ...(call.ints('directions') && {
        scan_input_directions: { type: 'ints', value: call.ints('directions')! },
      }),
    },
    { name: step.freshName('sequence') },
  );
  const body = makeGraph({
    name: step.freshName('batch'),
    nodes: [inner],
    inputs: formal,
    outputs: results.map((name) => ({ name, type: UNKNOWN })),
  });
  step.become(
    node.opType,
    given,
    { body: { type: 'graph', value: body }, num_scan_inputs: given.length },
    'a Scan over the batch runs the one over a sequence',
  );
};

function withoutBatch(type: ValueType | undefined): ValueType {
  return isTensor(type) ? new TensorType(type.dtype, type.shape?.slice(1)) : UNKNOWN;
}

export const scanVersions = { Scan: [{ since: 9, upgrade: overTheBatch }] };
