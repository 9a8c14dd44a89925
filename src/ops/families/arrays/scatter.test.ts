import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { UNKNOWN } from '../../../graph/types.js';
import { apply, costOf, float, zeros } from '../../cases.testing.js';
import {
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  known,
  modelOf,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const table = { ...known([1, 2, 3, 4, 5, 6]), dims: [2, 3] };
const list = (values: number[], ...dims: number[]) => ({ ...known(values), dims });

const CASES: readonly TestCase[] = [
  apply('Scatter', [float(3), zeros('int64', 1), float(1)], {}, { opset: 9 }),
  apply('ScatterElements', [float(3, 4), zeros('int64', 1, 4), float(1, 4)]),
  apply('ScatterElements', [table, list([1, 2], 1, 2), list([8, 9], 1, 2)], { axis: 1 }),
  apply('ScatterElements', [table, list([-1, 0, 0], 1, 3), list([7, 8, 9], 1, 3)]),
  ...['add', 'mul', 'max', 'min'].map((reduction) =>
    apply('ScatterElements', [table, list([0, 0], 1, 2), list([4, 5], 1, 2)], { axis: 1, reduction }),
  ),
  apply('ScatterND', [float(4, 5), zeros('int64', 2, 1), float(2, 5)]),
  apply('ScatterND', [table, list([1], 1, 1), list([7, 8, 9], 1, 3)]),
  apply('ScatterND', [table, list([0, 2, 1, -1], 2, 2), known([8, 9])]),
  apply('ScatterND', [table, list([0, 0], 2, 1), list([1, 1, 1, 2, 2, 2], 2, 3)], { reduction: 'add' }),
  apply('TensorScatter', [float(2, 4, 3), float(2, 1, 3), known([0, 1])], {}, { opset: 24 }),
  apply('TensorScatter', [float(2, 8, 4, 3), float(2, 8, 2, 3)], { mode: 'circular' }, { opset: 24 }),
];

const WRONG: readonly [why: string, test: TestCase, code: string][] = [
  ['an index is too large', apply('ScatterElements', [known([1]), known([1]), known([5])]), 'OP_INPUT'],
  ['ranks differ', apply('ScatterElements', [float(2, 2), zeros('int64', 2), float(2)]), 'SHAPE_MISMATCH'],
  [
    'updates are missing',
    apply('ScatterElements', [float(4), zeros('int64', 2), float(1)]),
    'SHAPE_MISMATCH',
  ],
  ['types differ', apply('ScatterElements', [float(4), zeros('int64', 2), known([1, 2])]), 'TYPE_MISMATCH'],
  [
    'there is no such reduction',
    apply('ScatterND', [float(4), zeros('int64', 1, 1), float(1)], { reduction: 'constructor' }),
    'OP_ATTRIBUTE',
  ],
  [
    'slices do not fit',
    apply('ScatterND', [float(4, 5), zeros('int64', 2, 1), float(2, 4)]),
    'SHAPE_MISMATCH',
  ],
  ['the update is too long', apply('TensorScatter', [float(1, 2, 3), float(1, 3, 3)]), 'SHAPE_MISMATCH'],
  ['the batch is the sequence', apply('TensorScatter', [float(1, 2), float(1, 2)]), 'OP_ATTRIBUTE'],
];

describe('operators that scatter', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives (%#)', (test) => expectSameAsOrt(test));

  it.each(WRONG)('fails when %s', (_, test, code) => {
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code }));
  });

  it('keeps the symbolic shape of the data', () => {
    const test = apply('ScatterND', [float(1, 1), input('int64', [1, 1]), float(1, 1)]);
    const sizes = { 0: ['n', 's'], 1: ['k', '1'], 2: ['k', 's'] };
    expect(shapesOf(inferSymbolic(test, sizes))).toEqual(['[n,s]']);
  });

  it('counts one FLOP per update that is combined', () => {
    const inputs = [float(9), zeros('int64', 4), float(4)];
    expect(costOf(apply('ScatterElements', inputs, { reduction: 'add' }))).toEqual({ otherFlops: 4 });
    expect(costOf(apply('ScatterElements', inputs))).toEqual({});
  });

  it.each(['ScatterElements', 'ScatterND', 'TensorScatter'])('%s degrades beside the unknown', (op) => {
    const model = modelOf(apply(op, [float(2, 3, 4), zeros('int64', 1, 1, 1), float(1, 1, 1)]));
    const nothing = { x0: UNKNOWN, x1: UNKNOWN, x2: UNKNOWN };
    expect(() => inferShapes(model, { types: nothing })).not.toThrow();
  });
});
