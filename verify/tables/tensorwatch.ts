// FLOPs as the tables of NASLib have them.
import { inferShapes } from '../../src/analysis/infer.js';
import type { Model } from '../../src/graph/graph.js';
import { isTensor } from '../../src/graph/types.js';

/**
 * FLOPs as NASLib's tensorwatch counts them: multiply-accumulates, one for each element of a ReLU, two for each of a
 * normalisation, k² for each that a k×k pool puts out, and (H + 1)·(W + 1) for each channel of the last pool.
 */
export function tensorwatchFlops(model: Model): number {
  const { nodes, types } = inferShapes(model).graph;
  const sizes = (name: string): readonly number[] => {
    const type = types.get(name);
    return type !== undefined && isTensor(type) ? (type.shape as readonly number[]) : [];
  };
  let flops = 0;
  for (const { node, call, operator } of nodes) {
    flops += Number(operator!.cost.of(call)?.macs ?? 0);
    const elements = sizes(node.outputs[0]!).reduce((n, d) => n * d, 1);
    if (node.opType === 'Relu') flops += elements;
    if (node.opType === 'BatchNormalization') flops += 2 * elements;
    if (node.opType === 'AveragePool') flops += elements * call.ints('kernel_shape')!.reduce((a, b) => a * b);
    const [, channels, height, width] = sizes(node.inputs[0]!);
    if (node.opType === 'ReduceMean') flops += channels! * (height! + 1) * (width! + 1);
  }
  return flops;
}
