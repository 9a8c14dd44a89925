import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { TensorType } from '../../../graph/types.js';
import {
  attributesOf,
  costOf,
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  modelOf,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const float = (...dims: number[]) => input('float32', dims);
const bytes = (...dims: number[]) => input('uint8', dims);
const scale = float();
const zero = bytes();

const MATMUL_SHAPES: readonly [number[], number[]][] = [
  [[3], [3]],
  [[3], [3, 4]],
  [[2, 3], [3]],
  [
    [2, 3],
    [3, 4],
  ],
  [[3], [5, 3, 4]],
  [[5, 2, 3], [3]],
  [
    [5, 2, 3],
    [3, 4],
  ],
  [
    [1, 7, 2, 3],
    [5, 1, 3, 4],
  ],
  [
    [2, 0],
    [0, 3],
  ],
];

const CASES: readonly TestCase[] = [
  ...MATMUL_SHAPES.map(([a, b]): TestCase => ({ op: 'MatMul', inputs: [float(...a), float(...b)] })),
  { op: 'MatMulInteger', inputs: [bytes(5, 2, 3), bytes(3, 4)] },
  { op: 'MatMulInteger', inputs: [bytes(2, 3), bytes(3, 4), zero, bytes(4)] },
  { op: 'QLinearMatMul', inputs: [bytes(5, 2, 3), scale, zero, bytes(5, 3, 4), scale, zero, scale, zero] },
  {
    op: 'QLinearMatMul',
    inputs: [bytes(2, 3), scale, zero, input('int8', [3, 4]), scale, input('int8', []), scale, zero],
  },
  { op: 'Gemm', inputs: [float(2, 3), float(3, 4)] },
  { op: 'Gemm', inputs: [float(2, 3), float(3, 4), float(4)] },
  { op: 'Gemm', inputs: [float(2, 3), float(3, 4), float()] },
  { op: 'Gemm', opset: 7, inputs: [float(2, 3), float(3, 4), float(2, 1)] },
  {
    op: 'Gemm',
    inputs: [float(3, 2), float(4, 3), float(2, 4)],
    attributes: attributesOf({ transA: 1, transB: 1 }),
  },
  { op: 'Det', inputs: [float(3, 3)] },
  { op: 'Det', inputs: [float(2, 5, 3, 3)] },
];

describe('matrix products', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('takes the broadcast attribute of old Gemms', () => {
    const inputs = [float(2, 3), float(3, 4), float(4)];
    const test: TestCase = { op: 'Gemm', opset: 6, inputs, attributes: attributesOf({ broadcast: 1 }) };
    expect(shapesOf(inferTypes(test))).toEqual(['[2,4]']);
  });

  it('keeps symbols', () => {
    const test: TestCase = { op: 'MatMul', inputs: [float(1, 2, 3), float(3, 4)] };
    expect(shapesOf(inferSymbolic(test, { 0: ['batch', 'seq', 'k'] }))).toEqual(['[batch,seq,4]']);
    const gemm: TestCase = { op: 'Gemm', inputs: [float(2, 3), float(3, 4)] };
    expect(shapesOf(inferSymbolic(gemm, { 0: ['batch', '3'] }))).toEqual(['[batch,4]']);
  });

  it('leaves open what is unknown', () => {
    const unknown = { x0: new TensorType('float32', undefined) };
    const infer = (test: TestCase) =>
      shapesOf(inferShapes(modelOf(test), { types: unknown }).graph.outputTypes);
    expect(infer({ op: 'MatMul', inputs: [float(2, 3), float(3, 4)] })).toEqual(['[?]']);
    expect(infer({ op: 'Gemm', inputs: [float(2, 3), float(3, 4)] })).toEqual(['[y0[0],4]']);
  });

  it.each<[string, TestCase, RegExp]>([
    [
      'inner sizes that differ',
      { op: 'MatMul', inputs: [float(2, 3), float(4, 5)] },
      /3 columns meet 4 rows/,
    ],
    ['scalars', { op: 'MatMul', inputs: [float(), float(3)] }, /scalar/],
    ['batches that differ', { op: 'MatMul', inputs: [float(2, 1, 3), float(3, 3, 1)] }, /broadcast/],
    ['types that differ', { op: 'MatMul', inputs: [float(2, 3), input('int32', [3, 4])] }, /different types/],
    ['a vector in Gemm', { op: 'Gemm', inputs: [float(3), float(3, 4)] }, /rank 2/],
    ['a C that is too large', { op: 'Gemm', inputs: [float(1, 3), float(3, 4), float(2, 4)] }, /broadcast/],
    ['a matrix that is not square', { op: 'Det', inputs: [float(2, 3)] }, /square/],
  ])('rejects %s', (_, test, message) => {
    expect(() => inferTypes(test)).toThrow(message);
  });

  it('counts a multiply-accumulate per product', () => {
    expect(costOf({ op: 'MatMul', inputs: [float(5, 2, 3), float(3, 4)] })).toEqual({ macs: 5 * 2 * 3 * 4 });
    expect(costOf({ op: 'MatMul', inputs: [float(3), float(3)] })).toEqual({ macs: 3 });
    const gemm = [float(2, 3), float(3, 4), float(4)];
    expect(costOf({ op: 'Gemm', inputs: gemm })).toEqual({ macs: 24, otherFlops: 8 });
    expect(costOf({ op: 'Gemm', inputs: gemm.slice(0, 2) })).toEqual({ macs: 24, otherFlops: 0 });
    expect(costOf(CASES.find((test) => test.op === 'QLinearMatMul')!)).toEqual({ macs: 120, otherFlops: 80 });
    expect(costOf({ op: 'Det', inputs: [float(2, 3, 3)] })).toEqual({ otherFlops: 36 });
  });
});
