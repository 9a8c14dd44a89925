// Folded networks before and after, in ONNX Runtime.
import { expect, it } from 'vitest';
import type { Model } from '../graph/graph.js';
import { tensorNumbers } from '../graph/tensor.js';
import { floats, of, outputsOf, typedModel } from './outputs.testing.js';
import { simplified } from './simplify/simplify.js';
import { unfoldBatchNorm } from './unfold.js';

const numbers = (count: number, seed: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.sin(seed + i * 1.7));

/** Two convolutions; the first with constants of these names. */
function network(weight: string, bias: string, last = 'head.weight'): Model {
  return typedModel({
    inputs: ['x: 1,2,5,5'],
    nodes: [`c = Conv(x, ${weight}, ${bias})`, 'r = Relu(c)', `y = Conv(r, ${last}, head_bias)`],
    outputs: ['y'],
    initializers: [
      of(weight, 'float32', [3, 2, 3, 3], numbers(54, 1)),
      of(bias, 'float32', [3], numbers(3, 2)),
      of(last, 'float32', [2, 3, 1, 1], numbers(6, 3)),
      of('head_bias', 'float32', [2], numbers(2, 4)),
    ],
  });
}

const x = floats([1, 2, 5, 5], numbers(50, 5));

it.each([
  ['onnx::Conv_12', 'onnx::Conv_13'],
  ['block/Conv2D_weights_fused_bn', 'block/Conv2D_bias_fused_bn'],
  ['ConvBnFusion_W_a', 'ConvBnFusion_BN_B_b'],
  ['421', '422'],
])('unfolds %s and %s: the network computes the same', async (weight, bias) => {
  const before = network(weight, bias);
  const { model, changes, untold } = unfoldBatchNorm(before);
  expect(model.graph.nodes.map(({ opType }) => opType)).toEqual([
    'Conv',
    'BatchNormalization',
    'Relu',
    'Conv',
  ]);
  expect(changes).toHaveLength(1);
  expect(untold).toEqual(['n_y']);
  const [a, b] = [await outputsOf(before, { x }), await outputsOf(model, { x })];
  a.y!.forEach((value, i) => void expect(b.y![i]).toBeCloseTo(value, 5));
  const filters = tensorNumbers([...model.graph.initializers.values()].find(({ dims }) => dims[1] === 2)!);
  const squares = Array.from(filters)
    .slice(0, 18)
    .reduce((sum, w) => sum + Number(w) ** 2, 0);
  expect(squares).toBeCloseTo(2, 5);
});

it('gives back what --simplify folded into weights without names', async () => {
  const { model } = unfoldBatchNorm(network('onnx::Conv_1', 'onnx::Conv_2'));
  const folded = (await simplified(model)).model;
  expect(folded.graph.nodes.map(({ opType }) => opType)).toEqual(['Conv', 'Relu', 'Conv']);
  const [a, b] = [await outputsOf(folded, { x }), await outputsOf(model, { x })];
  a.y!.forEach((value, i) => void expect(b.y![i]).toBeCloseTo(value, 5));
});

it.each([
  ['weights with names', network('stem.weight', 'stem.bias')],
  ['numbers where no constant has a name', network('421', '422', '423')],
  ['a bias with a name: the weights were normalised, not the data', network('onnx::Conv_1', 'stem.bias')],
])('leaves %s alone, and says so', (_, model) => {
  expect(unfoldBatchNorm(model)).toEqual({ model, changes: [], untold: ['n_c', 'n_y'] });
});

it('needs opset 9', () => {
  const model = { ...network('421', '422'), opsetImports: new Map([['', 8]]) };
  expect(() => unfoldBatchNorm(model)).toThrowError(expect.objectContaining({ code: 'OPSET_TOO_OLD' }));
});
