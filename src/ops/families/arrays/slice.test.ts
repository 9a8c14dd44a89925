import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { parseDim } from '../../../graph/parse-dim.js';
import { TensorType } from '../../../graph/types.js';
import { apply, costOf, float } from '../../cases.testing.js';
import {
  expectSameAsOrt,
  inferTypes,
  input,
  known,
  modelOf,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const digits = known([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
const INT64_MIN = -(2 ** 63);
/** The greatest double below INT64_MAX. */
const INT64_MAX = 2 ** 63 - 1024;

/** starts, ends, axes, steps of one slice. */
const bounds = (...lists: number[][]) => lists.map((list) => known(list));

const CASES: readonly TestCase[] = [
  apply('Slice', [float(20, 10, 5), ...bounds([0, 0], [3, 10])]),
  apply('Slice', [float(20, 10, 5), ...bounds([0, 0, 3], [20, 10, 4], [0, -2, 2], [1, 3, 1])]),
  apply('Slice', [float(20), ...bounds([1], [INT64_MAX], [0], [2])]),
  apply('Slice', [float(20), ...bounds([-1], [INT64_MIN], [0], [-3])]),
  apply('Slice', [float(20), ...bounds([1000], [-5], [0], [-4])]),
  apply('Slice', [float(20), ...bounds([5], [-5])]),
  apply('Slice', [float(20), ...bounds([15], [5])]),
  apply('Slice', [float(20), ...bounds([-100], [100])]),
  apply('Slice', [float(0, 3), ...bounds([0], [5])]),
  apply('Slice', [float(0, 3), ...bounds([-1], [INT64_MIN], [0], [-1])]),
  apply('Slice', [digits, ...bounds([1], [8], [0], [3])]),
  apply('Slice', [digits, ...bounds([-2], [0], [0], [-2])]),
  apply('Slice', [{ ...digits, dims: [2, 5] }, ...bounds([1, 3], [2, INT64_MIN], [0, 1], [1, -1])]),
  apply('Slice', [float(4, 6)], { starts: [1], ends: [-1], axes: [1] }, { opset: 9 }),
  apply('Slice', [float(4, 6)], { starts: [0, 2], ends: [2, 99] }, { opset: 9 }),
];

/** Size, start, end, step and what is left. */
const SYMBOLIC: readonly [size: string, start: string, end: string, step: number, left: string][] = [
  ['n', '0', String(INT64_MAX), 1, 'n'],
  ['n', '1', String(2 ** 31 - 1), 1, 'n-1'],
  ['n', '0', '1000000000', 1, 'n'],
  ['n', '0', '-1', 1, 'n-1'],
  ['n', '0', '1', 1, '1'],
  ['n', '-1', String(INT64_MAX), 1, '1'],
  ['h', '1', String(INT64_MAX), 2, 'floor(h/2)'],
  ['2*h', '0', String(INT64_MAX), 2, 'h'],
  ['n', '-1', String(INT64_MIN), -1, 'n'],
  ['512', '0', 'seq', 1, 'seq'],
  ['512', 'past', 'past+seq', 1, 'seq'],
  ['past+seq', '-seq', String(INT64_MAX), 1, 'seq'],
  ['past+seq', 'past', String(INT64_MAX), 1, 'seq'],
  ['n', '0', 'n+5', 1, 'n'],
  ['n', 'n', String(INT64_MAX), 1, '0'],
];

const parse = (text: string) => (/^-\d/.test(text) ? Number(text) : parseDim(text));

describe('Slice', () => {
  it.each(CASES)('gives what ONNX Runtime gives (%#)', (test) => expectSameAsOrt(test));

  it.each(SYMBOLIC)('of size %s from %s to %s by %s leaves %s', (size, start, end, step, left) => {
    const list = input('int64', [1]);
    const model = modelOf(apply('Slice', [float(1), list, list, known([0]), known([step])]));
    const types = {
      x0: new TensorType('float32', [parse(size)]),
      x1: new TensorType('int64', [1], [parse(start)]),
      x2: new TensorType('int64', [1], [parse(end)]),
    };
    expect(shapesOf(inferShapes(model, { types }).graph.outputTypes)).toEqual([`[${left}]`]);
  });

  it('leaves dimensions alone that it does not cut', () => {
    const list = input('int64', [1]);
    const one = known([1]);
    const test = (...inputs: TestCase['inputs']): TestCase => apply('Slice', [float(2, 3, 4), ...inputs]);
    expect(shapesOf(inferTypes(test(list, list, one)))).toEqual(['[2,y0[1],4]']);
    expect(shapesOf(inferTypes(test(list, list)))).toEqual(['[y0[0],3,4]']);
    expect(shapesOf(inferTypes(test(list, list, list)))).toEqual(['[y0[0],y0[1],y0[2]]']);
    expect(shapesOf(inferTypes(test(one, known([2]), one, list)))).toEqual(['[2,y0[1],4]']);
  });

  it.each<[string, TestCase['inputs'], string]>([
    ['a step is 0', bounds([0], [1], [0], [0]), 'OP_INPUT'],
    ['an axis does not exist', bounds([0], [1], [1]), 'SHAPE_MISMATCH'],
    ['an axis occurs twice', bounds([0, 0], [1, 1], [0, -1]), 'SHAPE_MISMATCH'],
    ['ends are missing', bounds([0], [], [0]), 'SHAPE_MISMATCH'],
    ['there are more bounds than dimensions', bounds([0, 0], [1, 1]), 'SHAPE_MISMATCH'],
    ['a bound is no integer', [known([0], 'float32'), known([1])], 'OP_INPUT'],
    ['bounds are missing', [], 'OP_INPUT'],
  ])('fails when %s', (_, inputs, code) => {
    const test = apply('Slice', [float(5), ...inputs]);
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code }));
  });

  it('reads only what it writes', () => {
    // 10 float32 read and written, two int64 bounds.
    const test = apply('Slice', [float(1000), ...bounds([0], [10])]);
    expect(costOf(test)).toEqual({ memoryBytes: 2 * 40 + 16 });
  });
});
