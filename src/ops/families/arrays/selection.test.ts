import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { symbol } from '../../../graph/dim.js';
import { TensorType, UNKNOWN } from '../../../graph/types.js';
import { apply, costOf, float } from '../../cases.testing.js';
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

const matrix = { ...known([3, 0, 2, 2, 5, 0]), dims: [2, 3] };
const mask = (...values: number[]) => known(values, 'bool');
const two = { outputs: 2 };

const CASES: readonly TestCase[] = [
  apply('NonZero', [matrix]),
  apply('NonZero', [known([0, 0])]),
  apply('Compress', [matrix, mask(0, 1)], { axis: 0 }),
  apply('Compress', [matrix, mask(1, 0, 1)], { axis: -1 }),
  apply('Compress', [matrix, mask(0, 1, 1, 0, 1)]),
  apply('Compress', [float(3), mask(1, 0, 1, 1, 1)], { axis: 0 }),
  apply('TopK', [float(3, 5), known([2])], {}, two),
  apply('TopK', [float(3, 5), known([2])], { axis: 0, sorted: 0 }, two),
  apply('TopK', [matrix, known([2])], {}, two),
  apply('TopK', [matrix, known([2])], { axis: 0, largest: 0 }, two),
  apply('TopK', [known([2, 1, 2, 3, 1]), known([5])], { largest: 0 }, two),
  apply('TopK', [float(3, 5), known([5])], { axis: 1 }, { opset: 10, outputs: 2 }),
  apply('TopK', [float(3, 5)], { axis: 1, k: 3 }, { opset: 9, outputs: 2 }),
  apply('ArgMax', [float(2, 3, 4)], { axis: 1 }),
  apply('ArgMax', [float(2, 3, 4)], { axis: -1, keepdims: 0 }),
  apply('ArgMax', [{ ...matrix, dtype: 'int32' }]),
  apply('ArgMax', [{ ...matrix, dtype: 'int32' }], { axis: 1, keepdims: 0 }),
  apply('ArgMin', [known([1, 2, 1], 'int32')], { select_last_index: 1 }),
  apply('ArgMin', [known([1, 2, 1], 'int32')]),
  apply('ArgMin', [float(4, 2)], { axis: 0 }, { opset: 11 }),
  apply('OneHot', [input('int64', [2, 3]), knownScalar(5), input('float32', [2])]),
  apply('OneHot', [input('int64', [2, 3]), known([5]), input('float32', [2])], { axis: 0 }),
  apply('OneHot', [input('int64', [2, 3]), knownScalar(5), input('int64', [2])], { axis: 1 }),
  apply('OneHot', [known([0, -1, 5, -4]), knownScalar(3), known([7, 8])]),
  apply('OneHot', [known([0, 2]), knownScalar(3), known([0, 1])], { axis: 0 }),
];

const WRONG: readonly [why: string, test: TestCase, code: string][] = [
  ['k is too large', apply('TopK', [float(3), known([4])], {}, two), 'SHAPE_MISMATCH'],
  ['k is negative', apply('TopK', [float(3), known([-1])], {}, two), 'OP_INPUT'],
  ['k is no integer', apply('TopK', [float(3), known([1], 'float32')], {}, two), 'OP_INPUT'],
  ['k is missing', apply('TopK', [float(3)], {}, two), 'OP_INPUT'],
  ['the axis is too far', apply('ArgMax', [float(2, 3)], { axis: 2 }), 'SHAPE_MISMATCH'],
  ['the depth is negative', apply('OneHot', [float(2), knownScalar(-2), float(2)]), 'OP_INPUT'],
  ['the condition is a matrix', apply('Compress', [float(3), input('bool', [1, 3])]), 'OP_INPUT'],
];

describe('operators that select', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives (%#)', (test) => expectSameAsOrt(test));

  it.each(WRONG)('fails when %s', (_, test, code) => {
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code }));
  });

  it('names the sizes that only a run can tell', () => {
    expect(shapesOf(inferTypes(apply('NonZero', [float(2, 3)])))).toEqual(['[2,y0[1]]']);
    expect(shapesOf(inferTypes(apply('Compress', [float(2, 3), input('bool', [3])], { axis: 1 })))).toEqual([
      '[2,y0[1]]',
    ]);
    const topK = apply('TopK', [float(2, 3), input('int64', [1])], {}, two);
    expect(shapesOf(inferTypes(topK))).toEqual(['[2,y0[1]]', '[2,y0[1]]']);
    expect(shapesOf(inferTypes(apply('OneHot', [float(2), input('int64', []), float(2)])))).toEqual([
      '[2,y0[1]]',
    ]);
  });

  it('selects from symbolic sizes', () => {
    const topK = apply('TopK', [float(1, 1), known([5])], {}, two);
    expect(shapesOf(inferSymbolic(topK, { 0: ['n', 'm'] }))).toEqual(['[n,5]', '[n,5]']);
    expect(shapesOf(inferSymbolic(apply('ArgMax', [float(1, 1)], { axis: 1 }), { 0: ['n', 'm'] }))).toEqual([
      '[n,1]',
    ]);
    const oneHot = modelOf(apply('OneHot', [input('int64', [2]), input('int64', []), float(2)]));
    const types = { x1: new TensorType('int64', [], [symbol('classes')]) };
    expect(shapesOf(inferShapes(oneHot, { types }).graph.outputTypes)).toEqual(['[2,classes]']);
  });

  it('follows the specification for a scalar, where ONNX Runtime gives one row', () => {
    expect(shapesOf(inferTypes(apply('NonZero', [float()])))).toEqual(['[0,y0[1]]']);
  });

  it('counts one FLOP per element looked at', () => {
    expect(costOf(apply('ArgMax', [float(2, 3)]))).toEqual({ otherFlops: 6 });
    expect(costOf(apply('TopK', [float(2, 3), known([1])], {}, two))).toEqual({ otherFlops: 6 });
  });

  it.each(['NonZero', 'Compress', 'TopK', 'ArgMax', 'OneHot'])('%s degrades beside the unknown', (op) => {
    const model = modelOf(apply(op, [float(2, 3), input('int64', [1]), float(2)], {}, two));
    const nothing = { x0: UNKNOWN, x1: UNKNOWN, x2: UNKNOWN };
    expect(() => inferShapes(model, { types: nothing })).not.toThrow();
  });
});
