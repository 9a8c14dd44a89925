import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { multiply, symbol } from '../../../graph/dim.js';
import { isTensor, optionalType, sequenceType, TensorType, UNKNOWN } from '../../../graph/types.js';
import { apply, float } from '../../cases.testing.js';
import {
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  known,
  knownScalar,
  modelOf,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const table = { ...known([1, 2, 3, 4, 5, 6]), dims: [2, 3] };

const CASES: readonly TestCase[] = [
  apply('Shape', [float(2, 3, 4)]),
  apply('Shape', [float()], {}, { opset: 12 }),
  apply('Shape', [float(2, 3, 4)], { start: 1 }),
  apply('Shape', [float(2, 3, 4)], { start: -2, end: -1 }),
  apply('Shape', [float(2, 3, 4)], { start: -9, end: 9 }),
  apply('Shape', [float(2, 3, 4)], { start: 2, end: 1 }),
  apply('Size', [float(2, 3, 4)]),
  apply('Size', [float(0, 3)]),
  apply('Reshape', [float(2, 3, 4), known([4, 6])]),
  apply('Reshape', [float(2, 3, 4), known([0, -1])]),
  apply('Reshape', [float(2, 3, 4), known([0, 0, 2, -1])]),
  apply('Reshape', [float(1, 1), known([])]),
  apply('Reshape', [float(0, 3), known([3, 0])], { allowzero: 1 }),
  apply('Reshape', [float(0, 3), known([0, 7])]),
  apply('Reshape', [float(2, 6)], { shape: [3, -1] }, { opset: 4 }),
  apply('Reshape', [table, known([3, 2])]),
  apply('Flatten', [float(2, 3, 4)]),
  apply('Flatten', [float(2, 3, 4)], { axis: 0 }),
  apply('Flatten', [float(2, 3, 4)], { axis: 3 }),
  apply('Flatten', [float(2, 3, 4)], { axis: -1 }),
  apply('Squeeze', [float(1, 3, 1)]),
  apply('Squeeze', [float(1, 3, 1), known([-1])]),
  apply('Squeeze', [float(1, 3, 1), known([])]),
  apply('Squeeze', [float(1, 3, 1)], { axes: [0, 2] }, { opset: 11 }),
  apply('Unsqueeze', [float(3, 4), known([0, -1])]),
  apply('Unsqueeze', [float(3, 4), known([2, 0, 4])]),
  apply('Unsqueeze', [knownScalar(7), known([0])]),
  apply('Unsqueeze', [float(3)], { axes: [1] }, { opset: 11 }),
  apply('Transpose', [float(2, 3, 4)]),
  apply('Transpose', [float(2, 3, 4)], { perm: [2, 0, 1] }),
  apply('Transpose', [table]),
  apply('Transpose', [{ ...table, dims: [1, 3, 2] }], { perm: [2, 0, 1] }),
  apply('Transpose', [float()]),
  apply('Identity', [table]),
];

/** What comes out for a first input of symbolic sizes and known others. */
const SYMBOLIC: readonly [test: TestCase, sizes: string[], expected: string][] = [
  [apply('Reshape', [float(1), known([0, -1])]), ['n', '3', 'h', 'w'], '[n,3*h*w]'],
  [apply('Reshape', [float(1), known([-1, 12])]), ['n', 's', '24'], '[2*n*s,12]'],
  [apply('Reshape', [float(1), known([0, -1, 85])]), ['n', '3', 'h', 'w'], '[n,floor(3*h*w/85),85]'],
  [apply('Reshape', [float(1), known([1, 12])]), ['n', '12'], '[1,12]'],
  [apply('Flatten', [float(1)]), ['n', '3', 'h', 'w'], '[n,3*h*w]'],
  [apply('Squeeze', [float(1)]), ['n', '1', 'h'], '[n,h]'],
  [apply('Squeeze', [float(1), known([0])]), ['n', '1', 'h'], '[1,h]'],
  [apply('Unsqueeze', [float(1), known([1])]), ['n', 'h'], '[n,1,h]'],
  [apply('Transpose', [float(1)]), ['n', 's', '8'], '[8,s,n]'],
];

const WRONG: readonly [why: string, test: TestCase, code: string][] = [
  ['elements are lost', apply('Reshape', [float(2, 3), known([4])]), 'SHAPE_MISMATCH'],
  ['the rest is no whole size', apply('Reshape', [float(2, 3), known([4, -1])]), 'SHAPE_MISMATCH'],
  ['two sizes are free', apply('Reshape', [float(2, 3), known([-1, -1])]), 'OP_INPUT'],
  ['a size is negative', apply('Reshape', [float(2, 3), known([-2, 3])]), 'OP_INPUT'],
  ['a size to keep is missing', apply('Reshape', [float(6), known([6, 0])]), 'SHAPE_MISMATCH'],
  ['the free size could be any', apply('Reshape', [float(0, 3), known([0, -1])]), 'SHAPE_MISMATCH'],
  ['the shape is no list', apply('Reshape', [float(6), knownScalar(6)]), 'OP_INPUT'],
  ['the shape is no integer', apply('Reshape', [float(6), known([6], 'float32')]), 'OP_INPUT'],
  ['the axis is too far', apply('Flatten', [float(2)], { axis: 2 }), 'SHAPE_MISMATCH'],
  ['more than 1 is squeezed', apply('Squeeze', [float(2, 3), known([1])]), 'SHAPE_MISMATCH'],
  ['an axis occurs twice', apply('Unsqueeze', [float(2), known([0, -3])]), 'SHAPE_MISMATCH'],
  ['axes are missing', apply('Unsqueeze', [float(2)]), 'OP_INPUT'],
  ['perm is too short', apply('Transpose', [float(2, 3)], { perm: [0] }), 'OP_ATTRIBUTE'],
  ['perm repeats', apply('Transpose', [float(2, 3)], { perm: [0, 0] }), 'SHAPE_MISMATCH'],
];

describe('operators of shapes', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives (%#)', (test) => expectSameAsOrt(test));

  it.each(SYMBOLIC)('keeps symbols (%#)', (test, sizes, expected) => {
    expect(shapesOf(inferSymbolic(test, { 0: sizes }))).toEqual([expected]);
  });

  it.each(WRONG)('fails when %s', (_, test, code) => {
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code }));
  });

  it('makes known elements of symbolic sizes', () => {
    const test = apply('Shape', [float(1)]);
    const [shape] = inferSymbolic(test, { 0: ['n', '3', 'h'] });
    expect(isTensor(shape) && shape.elements?.map(String)).toEqual(['n', '3', 'h']);
    const [size] = inferSymbolic({ ...test, op: 'Size' }, { 0: ['n', '3', 'h'] });
    expect(isTensor(size) && size.elements?.map(String)).toEqual(['3*h*n']);
  });

  it('reshapes to symbolic sizes', () => {
    const [n, s] = [symbol('n'), symbol('s')];
    const test = apply('Reshape', [float(1), input('int64', [3])]);
    const types = {
      x0: new TensorType('float32', [n, s, 64]),
      x1: new TensorType('int64', [3], [multiply(n, s), 4, -1]),
    };
    expect(shapesOf(inferShapes(modelOf(test), { types }).graph.outputTypes)).toEqual(['[n*s,4,16]']);
  });

  it('knows the rank when only the number of sizes or axes is known', () => {
    const list = (n: number) => input('int64', [n]);
    expect(shapesOf(inferTypes(apply('Reshape', [float(2, 3), list(2)])))).toEqual(['[y0[0],y0[1]]']);
    expect(shapesOf(inferTypes(apply('Reshape', [float(2, 3), list(1)])))).toEqual(['[6]']);
    expect(shapesOf(inferTypes(apply('Squeeze', [float(1, 3), list(1)])))).toEqual(['[y0[0]]']);
    expect(shapesOf(inferTypes(apply('Unsqueeze', [float(3), list(1)])))).toEqual(['[y0[0],y0[1]]']);
  });

  it.each(['Shape', 'Size', 'Reshape', 'Flatten', 'Squeeze', 'Unsqueeze', 'Transpose', 'Identity'])(
    '%s degrades when nothing is known of its input',
    (op) => {
      const types = { x0: UNKNOWN, x1: UNKNOWN };
      const model = modelOf({ op, inputs: [float(1), input('int64', [1])] });
      expect(() => inferShapes(model, { types })).not.toThrow();
    },
  );

  it('passes any kind of value through Identity', () => {
    const model = modelOf(apply('Identity', [float(1)]));
    const type = optionalType(sequenceType(new TensorType('float32', [2])));
    expect(inferShapes(model, { types: { x0: type } }).graph.outputTypes).toEqual([type]);
  });

  it('limits the rank', () => {
    const axes = Array.from({ length: 300 }, (_, i) => i);
    const test = apply('Unsqueeze', [float(2), known(axes)]);
    expect(() => inferTypes(test)).toThrowError(/rank 301/);
  });
});
