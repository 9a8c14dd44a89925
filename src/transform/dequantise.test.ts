// Scales here are powers of two and inputs whole steps, so that nothing is rounded: floats are the integers' numbers to
// the bit. Where an operator rounds in any case, they are near.
import * as ort from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';
import type { GraphText } from '../analysis/models.testing.js';
import { gradients } from '../autodiff/gradients.js';
import type { DataType } from '../graph/dtype.js';
import type { Tensor } from '../graph/tensor.js';
import { isQuantised } from '../ops/float.js';
import { operatorFor } from '../ops/index.js';
import { inFloat } from './dequantise.js';
import { floats, of, outputsOf, typedModel } from './outputs.testing.js';

const size = (dims: readonly number[]): number => dims.reduce((n, d) => n * d, 1);

/** Whole steps of a half, of both signs. */
function steps(dims: readonly number[], low = -8, high = 8): number[] {
  return Array.from({ length: size(dims) }, (_, i) => (low + ((i * 7) % (high - low + 1))) / 2);
}

function integers(name: string, dtype: DataType, dims: readonly number[], low: number, high: number): Tensor {
  const values = Array.from({ length: size(dims) }, (_, i) => low + ((i * 5) % (high - low + 1)));
  return of(name, dtype, dims, values);
}

const number = (name: string, value: number, dtype: DataType = 'float32'): Tensor =>
  of(name, dtype, [], [value]);

interface Case extends Partial<GraphText> {
  readonly nodes: readonly string[];
  readonly inputs?: readonly string[];
  /** How far the result may be from that of the integers. */
  readonly within?: number;
}

/** x in steps of a half as integers around 10, and back: y is what nodes make of q. */
const IN = ['q = QuantizeLinear(x, half, ten)'];
const OUT = ['y = DequantizeLinear(r, eighth, hundred)'];
const NUMBERS = [
  number('half', 0.5),
  number('quarter', 0.25),
  number('eighth', 0.125),
  number('ten', 10, 'uint8'),
  number('zero', 0, 'uint8'),
  number('hundred', 100, 'uint8'),
  number('three', 3, 'int8'),
];

const CASES: Readonly<Record<string, Case>> = {
  'weights with a scale and a zero point for each channel': {
    inputs: ['x: 1,2,4,4'],
    nodes: ['w = DequantizeLinear(qw, s, z) axis=0', 'y = Conv(x, w)'],
    initializers: [
      integers('qw', 'uint8', [3, 2, 2, 2], 0, 20),
      of('s', 'float32', [3], [0.5, 0.25, 2]),
      of('z', 'uint8', [3], [3, 10, 7]),
    ],
  },
  'weights in blocks': {
    inputs: ['x: 2,4'],
    nodes: ['w = DequantizeLinear(qw, s, z) axis=0 block_size=2', 'y = MatMul(x, w)'],
    initializers: [
      integers('qw', 'int8', [4, 3], -9, 9),
      of('s', 'float32', [2, 3], [0.5, 1, 2, 0.25, 4, 0.125]),
      of('z', 'int8', [2, 3], [0, 1, 2, 3, -4, 5]),
    ],
  },
  'weights that are quantised in the graph': {
    inputs: ['x: 2,4'],
    nodes: [
      'qw = QuantizeLinear(fw, quarter, three)',
      'w = DequantizeLinear(qw, quarter, three)',
      'y = MatMul(x, w)',
    ],
    initializers: [of('fw', 'float32', [4, 2], [0.3, -0.61, 1.2, 900, -900, 0.375, 0.125, -0.125])],
  },
  'values that are kept from 0 on, as by a ReLU': {
    nodes: ['q = QuantizeLinear(x, half, zero)', 'y = DequantizeLinear(q, half, zero)'],
  },
  'values beyond what the integers can say': {
    nodes: [
      'big = Mul(x, hundreds)',
      'q = QuantizeLinear(big, half, ten)',
      'y = DequantizeLinear(q, half, ten)',
    ],
    initializers: [number('hundreds', 256)],
  },
  'integers that are moved, pooled, padded and joined': {
    nodes: [
      ...IN,
      't = Transpose(q) perm=0,1,3,2',
      'm = MaxPool(t) kernel_shape=2,2',
      'p = Pad(m, pads)',
      'c = Concat(p, p) axis=1',
      'y = DequantizeLinear(c, half, ten)',
    ],
    initializers: [of('pads', 'int64', [8], [0, 0, 1, 0, 0, 0, 0, 1])],
  },
  'integers that are read with another scale': {
    nodes: [...IN, 'y = DequantizeLinear(q, quarter, zero)'],
  },
  QLinearConv: {
    nodes: [...IN, 'r = QLinearConv(q, half, ten, w, s, zw, eighth, hundred, b) pads=1,1,1,1', ...OUT],
    initializers: [
      integers('w', 'int8', [2, 2, 3, 3], -1, 1),
      of('s', 'float32', [2], [0.25, 0.5]),
      of('zw', 'int8', [2], [0, 0]),
      of('b', 'int32', [2], [4, -8]),
    ],
  },
  QLinearMatMul: {
    inputs: ['x: 2,4'],
    nodes: [...IN, 'r = QLinearMatMul(q, half, ten, w, quarter, three, eighth, hundred)', ...OUT],
    initializers: [integers('w', 'int8', [4, 3], 1, 5)],
  },
  'ConvInteger with a scale for each channel': {
    nodes: [
      'q, s, z = DynamicQuantizeLinear(x)',
      'r = ConvInteger(q, w, z, three)',
      'f = Cast(r) to=1',
      'scale = Mul(s, sw)',
      'y = Mul(f, scale)',
    ],
    initializers: [
      integers('w', 'int8', [2, 2, 3, 3], -4, 9),
      of('sw', 'float32', [1, 2, 1, 1], [0.25, 0.5]),
    ],
    within: 0.5,
  },
  'MatMulInteger with one scale': {
    inputs: ['x: 2,4'],
    nodes: [
      'q, s, z = DynamicQuantizeLinear(x)',
      'r = MatMulInteger(q, w, z, three)',
      'f = Cast(r) to=1',
      'scale = Mul(s, quarter)',
      'y = Mul(f, scale)',
    ],
    initializers: [integers('w', 'int8', [4, 3], -4, 9)],
    within: 0.2,
  },
  'a bias in the steps of the products': {
    inputs: ['x: 2,4'],
    nodes: [
      'q, s, z = DynamicQuantizeLinear(x)',
      'r = MatMulInteger(q, w, z, three)',
      'scale = Mul(s, quarter)',
      'd = Div(bias, scale)',
      'whole = Floor(d)',
      'qb = Cast(whole) to=6',
      'sum = Add(r, qb)',
      'f = Cast(sum) to=1',
      'y = Mul(f, scale)',
    ],
    initializers: [integers('w', 'int8', [4, 3], -4, 9), of('bias', 'float32', [3], [0.3, -1.7, 5.1])],
    within: 0.2,
  },
  DynamicQuantizeMatMul: {
    inputs: ['x: 2,4'],
    nodes: ['y = com.microsoft.DynamicQuantizeMatMul(x, w, s, z, bias)'],
    initializers: [
      integers('w', 'int8', [4, 3], -4, 9),
      of('s', 'float32', [3], [0.25, 0.5, 1]),
      of('z', 'int8', [3], [1, 0, 2]),
      of('bias', 'float32', [3], [1, 2, 3]),
    ],
    within: 0.4,
  },
  MatMulIntegerToFloat: {
    inputs: ['x: 2,4'],
    nodes: [...IN, 'y = com.microsoft.MatMulIntegerToFloat(q, w, half, quarter, ten, three)'],
    initializers: [integers('w', 'int8', [4, 3], -4, 9)],
  },
  QGemm: {
    inputs: ['x: 2,4'],
    nodes: [...IN, 'y = com.microsoft.QGemm(q, half, ten, w, quarter, three, b) transB=1'],
    initializers: [integers('w', 'int8', [3, 4], -4, 9), of('b', 'int32', [3], [4, -8, 1])],
  },
  QLinearAdd: {
    nodes: [...IN, 'r = com.microsoft.QLinearAdd(q, half, ten, q, half, ten, eighth, hundred)', ...OUT],
  },
  QLinearMul: {
    nodes: [...IN, 'r = com.microsoft.QLinearMul(q, half, ten, c, half, ten, eighth, hundred)', ...OUT],
    initializers: [of('c', 'uint8', [1, 1, 1, 4], [9, 10, 11, 12])],
  },
  QLinearConcat: {
    nodes: [
      ...IN,
      'o = QuantizeLinear(x, quarter, hundred)',
      'r = com.microsoft.QLinearConcat(eighth, hundred, q, half, ten, o, quarter, hundred) axis=1',
      ...OUT,
    ],
  },
  QLinearSigmoid: {
    nodes: [...IN, 'r = com.microsoft.QLinearSigmoid(q, half, ten, eighth, hundred)', ...OUT],
    within: 0.07,
  },
  QLinearLeakyRelu: {
    nodes: [...IN, 'r = com.microsoft.QLinearLeakyRelu(q, half, ten, eighth, hundred)', ...OUT],
    within: 0.07,
  },
  QLinearAveragePool: {
    nodes: [
      ...IN,
      'r = com.microsoft.QLinearAveragePool(q, half, ten, eighth, hundred) kernel_shape=2,2 strides=2,2',
      ...OUT,
    ],
  },
  QLinearGlobalAveragePool: {
    nodes: [...IN, 'r = com.microsoft.QLinearGlobalAveragePool(q, half, ten, eighth, hundred)', ...OUT],
    within: 0.07,
  },
  QLinearSoftmax: {
    nodes: [
      ...IN,
      'r = com.microsoft.QLinearSoftmax(q, half, ten, small, zero) opset=13 axis=3',
      'y = DequantizeLinear(r, small, zero)',
    ],
    initializers: [number('small', 1 / 256)],
    within: 0.01,
  },
  QLinearWhere: {
    nodes: [
      ...IN,
      'r = com.microsoft.QLinearWhere(mask, q, half, ten, c, quarter, zero, eighth, hundred)',
      ...OUT,
    ],
    initializers: [of('mask', 'bool', [4], [1, 0, 1, 0]), of('c', 'uint8', [1], [8])],
  },
  'MatMulNBits without zero points': {
    inputs: ['x: 2,32'],
    nodes: ['y = com.microsoft.MatMulNBits(x, w, s) K=32 N=3 bits=4 block_size=16'],
    initializers: [
      integers('w', 'uint8', [3, 2, 8], 0, 255),
      of('s', 'float32', [6], [0.5, 1, 0.25, 2, 1, 0.125]),
    ],
  },
  'MatMulNBits with zero points': {
    inputs: ['x: 2,32'],
    nodes: ['y = com.microsoft.MatMulNBits(x, w, s, z) K=32 N=3 bits=4 block_size=16'],
    initializers: [
      integers('w', 'uint8', [3, 2, 8], 0, 255),
      of('s', 'float32', [6], [0.5, 1, 0.25, 2, 1, 0.125]),
      of('z', 'uint8', [3], [0x37, 0x81, 0xf0]),
    ],
  },
  GatherBlockQuantized: {
    inputs: ['x: 1,32'],
    nodes: [
      'g = com.microsoft.GatherBlockQuantized(t, i, s) bits=4 block_size=16 quantize_axis=1',
      'y = Add(g, x)',
    ],
    initializers: [
      integers('t', 'uint8', [4, 16], 0, 255),
      of('i', 'int64', [2], [3, 1]),
      of('s', 'float32', [4, 2], [0.5, 1, 0.25, 2, 1, 0.125, 4, 0.5]),
    ],
  },
  DynamicQuantizeLSTM: {
    inputs: ['x: 3,1,4'],
    nodes: ['y, h, c = com.microsoft.DynamicQuantizeLSTM(x, w, r, , , , , , s, z, s, z) hidden_size=2'],
    initializers: [
      integers('w', 'int8', [1, 4, 8], -60, 60),
      integers('r', 'int8', [1, 2, 8], -60, 60),
      of('s', 'float32', [1], [1 / 128]),
      of('z', 'int8', [1], [3]),
    ],
    within: 0.02,
  },
  QAttention: {
    inputs: ['x: 1,3,4'],
    nodes: [...IN, 'y = com.microsoft.QAttention(q, w, b, half, quarter, , ten, three) num_heads=2'],
    initializers: [integers('w', 'int8', [4, 12], -4, 9), of('b', 'float32', [12], steps([12], -2, 2))],
    within: 1e-5,
  },
};

function built({ nodes, inputs = ['x: 1,2,4,4'], initializers = [] }: Case) {
  const used = new Set(nodes.flatMap((line) => line.split(/[\s,()]+/)));
  const numbers = NUMBERS.filter(({ name }) => used.has(name));
  const outputs = nodes.some((line) => line.includes('y, h, c')) ? ['y', 'h', 'c'] : ['y'];
  return typedModel({ inputs, nodes, outputs, initializers: [...numbers, ...initializers] });
}

function feeds({ inputs = ['x: 1,2,4,4'] }: Case) {
  const dims = inputs[0]!.split(':')[1]!.split(',').map(Number);
  return { x: floats(dims, steps(dims)) };
}

describe('a quantised network in floats', () => {
  it.each(Object.entries(CASES))('%s', async (_, test) => {
    const model = built(test);
    const float = inFloat(model);
    expect(float.model.graph.nodes.filter((node) => isQuantised(operatorFor(node)))).toEqual([]);
    expect(float.changes.length).toBeGreaterThan(0);
    const [before, after] = [await outputsOf(model, feeds(test)), await outputsOf(float.model, feeds(test))];
    for (const [name, numbers] of Object.entries(before)) {
      const difference = Math.max(...numbers.map((x, i) => Math.abs(x - after[name]![i]!)));
      expect(after[name]!.length).toBe(numbers.length);
      expect(difference).toBeLessThanOrEqual(test.within ?? 0);
    }
  });

  it.each(Object.entries(CASES))('gives something else than nothing: %s', async (_, test) => {
    const { y } = await outputsOf(built(test), feeds(test));
    expect(new Set(y).size).toBeGreaterThan(1);
  });

  it('has the real weights where a scale comes behind a product', () => {
    const test = CASES['MatMulInteger with one scale']!;
    const { model } = inFloat(built(test));
    expect(model.graph.nodes.map((node) => node.opType)).toEqual(['MatMul', 'Identity']);
    const weights = [...model.graph.initializers.values()];
    expect(weights).toHaveLength(1);
    expect(weights[0]!.dims).toEqual([4, 3]);
  });

  it('has a rectifier where the lowest integer stands for 0, and no second one', () => {
    const operators = (nodes: readonly string[], options = {}) =>
      inFloat(built({ nodes }), options).model.graph.nodes.map((node) => node.opType);
    const pair = ['q = QuantizeLinear(a, half, zero)', 'y = DequantizeLinear(q, half, zero)'];
    expect(operators(['a = Neg(x)', ...pair])).toEqual(['Neg', 'Clip', 'Identity']);
    expect(operators(['a = Relu(x)', ...pair], { saturation: 'rectifiers' })).toEqual(['Relu', 'Identity']);
    expect(operators(['a = Sigmoid(x)', ...pair])).toEqual(['Sigmoid', 'Identity']);
  });

  it('gives the rounded numbers where that is wanted, with the gradient of the float network', async () => {
    const model = built({
      nodes: ['q = QuantizeLinear(x, third, ten)', 'd = DequantizeLinear(q, third, ten)', 'y = Mul(d, d)'],
      initializers: [number('third', 1 / 3)],
    });
    const given = {
      x: floats(
        [1, 2, 4, 4],
        steps([1, 2, 4, 4], -8, 8).map((x) => x * 0.77),
      ),
    };
    const [rounded, whole, before] = await Promise.all([
      outputsOf(inFloat(model, { rounding: 'straight-through' }).model, given),
      outputsOf(inFloat(model).model, given),
      outputsOf(model, given),
    ]);
    const far = (numbers: readonly number[]) =>
      Math.max(...before.y!.map((x, i) => Math.abs(x - numbers[i]!)));
    expect(far(rounded.y!)).toBeLessThan(1e-6);
    expect(far(whole.y!)).toBeGreaterThan(0.1);
    const { model: both, gradients: of } = gradients(
      inFloat(model, { rounding: 'straight-through' }).model,
      'y',
      ['x'],
    );
    const slopes = (await outputsOf(both, given))[of.get('x')!]!;
    // The gradient of d² is 2d where x is within the range.
    before.y!.forEach((square, i) => {
      const x = Number(given.x.data[i]);
      const isInside = x > -10 / 3;
      expect(slopes[i]).toBeCloseTo(isInside ? 2 * Math.sign(x) * Math.sqrt(square) : 0, 2);
    });
  });

  it.each([
    ['of both signs', -0.9, 1.3],
    ['above 0', 0.4, 1.3],
    ['below 0', -2.1, -0.3],
    ['all 0', 0, 0],
  ])('rounds by the range of the data where that is wanted: %s', async (_, low, high) => {
    const model = built({
      inputs: ['x: 6,8'],
      nodes: [
        'q, s, z = DynamicQuantizeLinear(x)',
        'p = MatMulInteger(q, qw, z)',
        'f = Cast(p) to=1',
        'sw = Mul(s, third)',
        'y = Mul(f, sw)',
      ],
      initializers: [integers('qw', 'int8', [8, 5], -9, 11), number('third', 1 / 3)],
    });
    const x = Array.from({ length: 48 }, (_, i) => low + (high - low) * ((i * 0.618034) % 1));
    const given = { x: floats([6, 8], x) };
    const [rounded, whole, before] = await Promise.all([
      outputsOf(inFloat(model, { rounding: 'straight-through' }).model, given),
      outputsOf(inFloat(model).model, given),
      outputsOf(model, given),
    ]);
    const far = (numbers: readonly number[]) =>
      Math.max(...before.y!.map((each, i) => Math.abs(each - numbers[i]!)));
    expect(far(rounded.y!)).toBeLessThan(2e-5);
    if (low !== high) expect(far(whole.y!)).toBeGreaterThan(1e-3);
  });

  it('gives floats for outputs of integers, and takes integers as inputs', async () => {
    const model = typedModel(
      {
        inputs: ['x: 1,4'],
        nodes: ['d = DequantizeLinear(x, half, ten)', 'y = QuantizeLinear(d, quarter, hundred)'],
        outputs: ['y'],
        initializers: NUMBERS,
      },
      { x: 'uint8' },
    );
    const float = inFloat(model);
    expect(String(float.model.graph.outputs[0]!.type)).toBe('float32[1,4]');
    expect(float.changes.at(-1)!.what).toContain("output 'y' is float32");
    const x = new ort.Tensor('uint8', Uint8Array.of(0, 9, 10, 30), [1, 4]);
    expect((await outputsOf(float.model, { x })).y).toEqual([-5, -0.5, 0, 10]);
    expect((await outputsOf(model, { x })).y).toEqual([80, 98, 100, 140]);
  });

  it('keeps integers for operators that need them', async () => {
    const model = built({ nodes: [...IN, 'm = Mod(q, ten)', 'y = DequantizeLinear(m, half, ten)'] });
    const float = inFloat(model);
    expect(await outputsOf(float.model, feeds({ nodes: [] }))).toEqual(
      await outputsOf(model, feeds({ nodes: [] })),
    );
  });

  it('refuses integers of a scale that the data decides, where an operator needs them', () => {
    const model = built({
      nodes: ['q, s, z = DynamicQuantizeLinear(x)', 'm = Mod(q, ten)', 'y = DequantizeLinear(m, s, z)'],
    });
    expect(() => inFloat(model)).toThrow(
      expect.objectContaining({ code: 'FLOAT_UNSUPPORTED', where: { node: 'n_m', operator: 'Mod' } }),
    );
  });

  it('leaves other networks alone', () => {
    const model = built({ nodes: ['y = Relu(x)'] });
    expect(inFloat(model)).toEqual({ model, changes: [] });
  });
});
