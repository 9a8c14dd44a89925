// Whether two runs of a loop's body do the same work, so that one can be counted for both.
import { isTensor, sameType, type ValueType, valueBytes } from '../graph/types.js';
import type { Body } from '../ops/operator.js';
import type { InferredGraph } from './infer.js';

/** Whether two inferences of one graph found the same types everywhere. */
export function sameWork(a: InferredGraph, b: InferredGraph): boolean {
  return a.nodes.every(({ call }, i) => {
    const other = b.nodes[i]!.call;
    return (
      call.inputs.every((type, k) => type === undefined || sameBytes(type, other.inputs[k]!)) &&
      call.outputs.every((type, k) => sameBytes(type, other.outputs[k]!)) &&
      call.bodies.length === other.bodies.length &&
      call.bodies.every((body, k) => sameRuns(body, other.bodies[k]!))
    );
  });
}

/** Sequences of one type may still hold more or fewer tensors. */
function sameBytes(a: ValueType, b: ValueType): boolean {
  return sameType(a, b) && (isTensor(a) || String(valueBytes(a)) === String(valueBytes(b)));
}

function sameRuns(a: Body, b: Body): boolean {
  return (
    a.name === b.name &&
    String(a.times) === String(b.times) &&
    sameWork(a.graph as InferredGraph, b.graph as InferredGraph)
  );
}
