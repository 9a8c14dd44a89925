// A network whose inputs have the sizes that one gives, and whose outputs have those that follow.
import { type InferOptions, inferShapes } from '../analysis/infer.js';
import type { Model, ValueInfo } from '../graph/graph.js';
import { formatType, isTensor, TensorType, type ValueType } from '../graph/types.js';
import type { Change, Transformed } from './transform.js';

/**
 * The network with sizes of inputs fixed, or left open under a name.
 *
 * @throws AuspexError UNKNOWN_INPUT, UNKNOWN_DIM, and where shapes do not fit
 * @example
 * withInputSizes(model, { shapes: { x: ['batch', 3, 224, 224] } });
 */
export function withInputSizes(model: Model, given: Pick<InferOptions, 'dims' | 'shapes'>): Transformed {
  const { graph } = model;
  const { types, outputTypes } = inferShapes(model, given).graph;
  const changes: Change[] = [];
  const sized = (info: ValueInfo, type: ValueType): ValueInfo => {
    // Known elements are no part of a declaration.
    const plain = isTensor(type) ? new TensorType(type.dtype, type.shape) : type;
    return formatType(plain) === formatType(info.type) ? info : { ...info, type: plain };
  };
  const inputs = graph.inputs.map((info) => {
    if (graph.initializers.has(info.name)) return info;
    const after = sized(info, types.get(info.name)!);
    const what = `input '${info.name}' is ${formatType(after.type)}`;
    if (after !== info) changes.push({ transform: 'sizes', what });
    return after;
  });
  if (changes.length === 0) return { model, changes };
  const outputs = graph.outputs.map((info, i) => sized(info, outputTypes[i]!));
  return { model: { ...model, graph: { ...graph, inputs, outputs, valueInfo: new Map() } }, changes };
}
