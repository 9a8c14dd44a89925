import { describe, expect, it } from 'vitest';
import type { DataType } from '../../../graph/dtype.js';
import { isTensor } from '../../../graph/types.js';
import {
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  known,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const float = (...dims: number[]) => input('float32', dims);

const CASES: readonly TestCase[] = [
  { op: 'Relu', inputs: [float(2, 3)] },
  { op: 'IsNaN', inputs: [float(4)] },
  { op: 'Add', inputs: [float(2, 3), float(3)] },
  { op: 'Add', inputs: [float(1, 3, 1), float(2, 1, 4)] },
  { op: 'Mul', inputs: [input('int64', [0, 3]), input('int64', [1])] },
  { op: 'Less', inputs: [float(5, 1), float(1, 6)] },
  { op: 'Pow', inputs: [float(2), input('int64', [2])] },
  { op: 'Max', inputs: [float(2, 1), float(3), float(1)] },
  { op: 'Mean', inputs: [float(2, 2), float(2, 2)] },
  { op: 'PRelu', inputs: [float(2, 3, 4), float(3, 1)] },
  { op: 'Clip', opset: 6, inputs: [float(3)], attributes: { max: { type: 'float', value: 6 } } },
  { op: 'Clip', inputs: [float(3), input('float32', []), null] },
  { op: 'Where', inputs: [input('bool', [2, 1]), float(3), float(1, 1)] },
];

describe('elementwise operators', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('computes with known sizes', () => {
    const test: TestCase = { op: 'Mul', inputs: [known([2, 3]), known([10])] };
    const [type] = inferTypes(test);
    expect(isTensor(type) && type.elements).toEqual([20, 30]);
  });

  it.each([
    [0, [2, 1, 0, -1]],
    [1, [-1, 1, 0, 2]],
  ])('computes remainders as fmod=%i says', (fmod, expected) => {
    const attributes = { fmod: { type: 'int', value: fmod } } as const;
    const test: TestCase = { op: 'Mod', inputs: [known([-4, 7, 9, 5]), known([3, 3, 3, -3])], attributes };
    const [type] = inferTypes(test);
    expect(isTensor(type) && type.elements).toEqual(expected);
  });

  it.each<[DataType, number | undefined]>([
    ['uint8', undefined],
    ['int16', 300],
  ])('does not compute what overflows: %s', (dtype, expected) => {
    const test: TestCase = { op: 'Add', inputs: [known([200], dtype), known([100], dtype)] };
    const [type] = inferTypes(test);
    expect(isTensor(type) && type.elements?.[0]).toBe(expected);
  });

  it.each([6, 9])('gives PRelu of opset %i a slope for every channel', (opset) => {
    const test = { op: 'PRelu', opset, inputs: [float(2, 3, 4), float(3)] };
    expect(shapesOf(inferTypes(test))).toEqual(['[2,3,4]']);
    expect(() => inferTypes({ ...test, inputs: [float(2, 3, 4), float(2)] })).toThrowError(/the slope/);
  });

  it('keeps symbols through broadcasting', () => {
    const test: TestCase = { op: 'Add', inputs: [float(1, 3), float(1, 3)] };
    expect(shapesOf(inferSymbolic(test, { 0: ['batch', '3'], 1: ['1', '3'] }))).toEqual(['[batch,3]']);
    expect(shapesOf(inferSymbolic(test, { 0: ['a', '3'], 1: ['b', '3'] }))).toEqual(['[max(a, b),3]']);
  });

  it('names the node when shapes do not fit', () => {
    expect(() => inferTypes({ op: 'Add', inputs: [float(2), float(3)] })).toThrowError(
      expect.objectContaining({
        code: 'SHAPE_MISMATCH',
        where: expect.objectContaining({ node: 'node', operator: 'Add' }),
      }),
    );
  });
});
