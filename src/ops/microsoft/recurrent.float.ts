// An LSTM with quantised weights, in floats.
import { computedTensor, numbersIn } from '../../graph/computed-tensor.js';
import { tensorNumbers } from '../../graph/tensor.js';
import type { Value } from '../build.js';
import type { Dequantisation, FloatRule } from '../float.js';

const ATTRIBUTES = [
  'activation_alpha',
  'activation_beta',
  'activations',
  'clip',
  'direction',
  'hidden_size',
  'input_forget',
];

/** Weights (directions, inputs, 4·hidden) as LSTM takes them: transposed. Scales are one a direction, or one a column. */
function weights(node: Dequantisation, name: string): Value | undefined {
  const names = [name, `${name}_scale`, `${name}_zero_point`];
  const [q, scale, zeroPoint] = names.map((n) => node.constant(node.named(n)));
  if (q === undefined || scale === undefined) return undefined;
  const [directions, rows, columns] = q.dims as [number, number, number];
  const dims = [directions, columns, rows];
  const tensor = computedTensor(node.builder.freshName(name), 'float32', dims, (from, to) => {
    const numbers = numbersIn(q);
    const scales = tensorNumbers(scale);
    const zeroPoints = zeroPoint ? tensorNumbers(zeroPoint) : [0];
    const of = (list: readonly number[], direction: number, column: number): number =>
      list.length <= directions ? list[direction % list.length]! : list[direction * columns + column]!;
    return Float32Array.from({ length: to - from }, (_, i) => {
      const row = (from + i) % rows;
      const column = Math.floor((from + i) / rows) % columns;
      const direction = Math.floor((from + i) / (rows * columns));
      const q8 = numbers[(direction * rows + row) * columns + column]!;
      return (q8 - of(zeroPoints, direction, column)) * of(scales, direction, column);
    });
  });
  return node.builder.initializer(tensor);
}

export const dynamicQuantizeLstmFloat: FloatRule = (node) => {
  const [w, r] = [weights(node, 'W'), weights(node, 'R')];
  if (w === undefined || r === undefined) return undefined;
  const rest = ['B', 'sequence_lens', 'initial_h', 'initial_c', 'P'].map((name) => node.named(name));
  const given = Object.fromEntries(ATTRIBUTES.map((name) => [name, node.call.node.attributes.get(name)]));
  return node.builder.apply('LSTM', [node.required('X'), w, r, ...rest], given, {
    outputs: node.call.outputCount,
  });
};
