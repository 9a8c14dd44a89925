import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { symbol } from '../../../graph/dim.js';
import { isTensor, TensorType } from '../../../graph/types.js';
import {
  attributesOf,
  costOf,
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
import { reduceOperators } from './reduce.js';

const x = input('float32', [2, 3, 4]);

const CASES: readonly TestCase[] = [
  ...Object.keys(reduceOperators).flatMap((op): TestCase[] => [
    { op, opset: 11, inputs: [x], attributes: attributesOf({ axes: [0, -1] }) },
    { op, opset: 11, inputs: [x], attributes: attributesOf({ keepdims: 0 }) },
    { op, opset: 18, inputs: [x, known([1])], attributes: attributesOf({ keepdims: 0 }) },
    { op, opset: 18, inputs: [x] },
    { op, opset: 18, inputs: [x], attributes: attributesOf({ noop_with_empty_axes: 1, keepdims: 0 }) },
  ]),
  { op: 'ReduceSum', opset: 13, inputs: [x, known([-1])] },
  { op: 'ReduceMax', opset: 13, inputs: [x], attributes: attributesOf({ axes: [1], keepdims: 0 }) },
  { op: 'ReduceSum', inputs: [input('float32', [0, 3]), known([0])] },
  { op: 'ReduceSum', inputs: [x, known([])] },
  { op: 'ReduceMin', inputs: [input('int64', []), null] },
];

describe('reductions', () => {
  it.each(CASES)('$op at opset $opset gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it.each([
    ['ReduceSum', [2, 3, 4], 'int64', 9],
    ['ReduceProd', [2, 3, 4], 'int64', 24],
    ['ReduceMax', [2, 4, 3], 'int64', 4],
    ['ReduceMin', [3, 2, 4], 'int64', 2],
    ['ReduceMean', [2, 3, 5], 'int64', 3],
    ['ReduceMean', [1, 2], 'float32', 1.5],
    ['ReduceSumSquare', [2, 3], 'int64', 13],
  ] as const)('%s of known %s (%s) is %d', (op, values, dtype, result) => {
    const [type] = inferTypes({
      op,
      inputs: [known(values, dtype)],
      attributes: attributesOf({ keepdims: 0 }),
    });
    expect(String(type)).toBe(`${dtype}[]`);
    expect(isTensor(type) && type.elements).toEqual([result]);
  });

  it('reduces known elements along one axis', () => {
    const matrix = { ...known([1, 2, 3, 4, 5, 6]), dims: [2, 3] };
    const [rows] = inferTypes({ op: 'ReduceSum', inputs: [matrix, known([1])] });
    const [columns] = inferTypes({ op: 'ReduceProd', inputs: [matrix, known([0])] });
    expect(isTensor(rows) && rows.elements).toEqual([6, 15]);
    expect(isTensor(columns) && columns.elements).toEqual([4, 10, 18]);
  });

  it('multiplies symbolic sizes', () => {
    const model = modelOf({
      op: 'ReduceProd',
      inputs: [input('int64', [3])],
      attributes: attributesOf({ keepdims: 0 }),
    });
    const x0 = new TensorType('int64', [3], [symbol('batch'), 3, symbol('seq')]);
    const [type] = inferShapes(model, { types: { x0 } }).graph.outputTypes;
    expect(isTensor(type) && String(type.elements)).toBe('3*batch*seq');
  });

  it('keeps symbols of the axes that stay', () => {
    const test: TestCase = { op: 'ReduceMean', inputs: [x, known([-1])] };
    expect(shapesOf(inferSymbolic(test, { 0: ['batch', '3', 'width'] }))).toEqual(['[batch,3,1]']);
  });

  it('knows the rank where the axes are unknown', () => {
    const axes = input('int64', [2]);
    expect(shapesOf(inferTypes({ op: 'ReduceSum', inputs: [x, axes] }))).toEqual(['[y0[0],y0[1],y0[2]]']);
    const test: TestCase = { op: 'ReduceSum', inputs: [x, axes], attributes: attributesOf({ keepdims: 0 }) };
    expect(shapesOf(inferTypes(test))).toEqual(['[y0[0]]']);
  });

  it('knows that a full reduction of anything is a scalar', () => {
    const test: TestCase = { op: 'ReduceMax', inputs: [x], attributes: attributesOf({ keepdims: 0 }) };
    const types = { x0: new TensorType('float32', undefined) };
    expect(shapesOf(inferShapes(modelOf(test), { types }).graph.outputTypes)).toEqual(['[]']);
  });

  it.each([
    ['an axis that does not exist', known([3]), /axis 3 does not exist/],
    ['an axis twice', known([1, -2]), /name a dimension twice/],
    ['axes that are no integers', knownScalar(1, 'float32'), /must hold integers/],
  ])('rejects %s', (_, axes, message) => {
    expect(() => inferTypes({ op: 'ReduceSum', inputs: [x, axes] })).toThrow(message);
  });

  it('counts steps per element', () => {
    expect(costOf({ op: 'ReduceSum', inputs: [x, known([1])] })?.otherFlops).toBe(24);
    expect(costOf({ op: 'ReduceMean', inputs: [x, known([1])] })?.otherFlops).toBe(24 + 8);
    expect(costOf({ op: 'ReduceL2', inputs: [x, known([0, 1, 2])] })?.otherFlops).toBe(48 + 1);
  });
});
