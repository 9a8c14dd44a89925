import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { symbol } from '../../../graph/dim.js';
import { isTensor, TensorType, UNKNOWN } from '../../../graph/types.js';
import { apply, float } from '../../cases.testing.js';
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
const axis = (value: number) => ({ axis: value });

const CASES: readonly TestCase[] = [
  apply('Concat', [float(2, 3), float(2, 1)], axis(1)),
  apply('Concat', [float(2, 3), float(4, 3), float(0, 3)], axis(-2)),
  apply('Concat', [float(5)], axis(0), { opset: 11 }),
  apply('Concat', [known([1, 2]), known([]), known([3])], axis(0)),
  apply('Concat', [table, { ...known([7, 8]), dims: [2, 1] }], axis(1)),
  apply('Split', [float(6, 2)], { num_outputs: 3 }, { outputs: 3 }),
  apply('Split', [float(7)], { num_outputs: 3 }, { outputs: 3 }),
  apply('Split', [float(2, 6), known([1, 0, 5])], axis(-1), { outputs: 3 }),
  apply('Split', [float(6, 2)], {}, { opset: 13, outputs: 2 }),
  apply('Split', [float(6)], { split: [2, 4] }, { opset: 11, outputs: 2 }),
  apply('Split', [table, known([1, 2])], axis(1), { outputs: 2 }),
  apply('Tile', [float(2, 3), known([2, 1])]),
  apply('Tile', [float(2, 3), known([0, 4])]),
  apply('Tile', [table, known([2, 2])]),
  apply('Expand', [float(3, 1), known([2, 1, 6])]),
  apply('Expand', [float(3, 4), known([1])]),
  apply('Expand', [{ ...known([7, 8]), dims: [2, 1] }, known([2, 3])]),
  apply('Expand', [float(), known([])]),
];

const WRONG: readonly [why: string, test: TestCase, code: string][] = [
  ['ranks differ', apply('Concat', [float(2), float(2, 1)], axis(0)), 'SHAPE_MISMATCH'],
  ['sizes differ', apply('Concat', [float(2, 3), float(3, 3)], axis(1)), 'SHAPE_MISMATCH'],
  ['types differ', apply('Concat', [float(2), known([1])], axis(0)), 'TYPE_MISMATCH'],
  ['there is no axis', apply('Concat', [float(2)]), 'OP_ATTRIBUTE'],
  ['there are no inputs', apply('Concat', [], axis(0)), 'OP_INPUT'],
  ['parts are left over', apply('Split', [float(6), known([2, 3])], {}, { outputs: 2 }), 'SHAPE_MISMATCH'],
  ['a part is negative', apply('Split', [float(6), known([7, -1])], {}, { outputs: 2 }), 'OP_INPUT'],
  ['outputs are missing', apply('Split', [float(6), known([3, 3])]), 'OP_INPUT'],
  ['nothing can be equal', apply('Split', [float(7)], {}, { opset: 13, outputs: 2 }), 'SHAPE_MISMATCH'],
  ['too little is left', apply('Split', [float(5)], {}, { outputs: 4 }), 'SHAPE_MISMATCH'],
  [
    'outputs are not as many as said',
    apply('Split', [float(6)], { num_outputs: 1e9 }, { outputs: 2 }),
    'OP_ATTRIBUTE',
  ],
  ['repeats are missing', apply('Tile', [float(2, 3), known([2])]), 'SHAPE_MISMATCH'],
  ['a repeat is negative', apply('Tile', [float(2), known([-1])]), 'OP_INPUT'],
  ['sizes do not broadcast', apply('Expand', [float(2), known([3])]), 'SHAPE_MISMATCH'],
  ['a size is negative', apply('Expand', [float(2), known([-1])]), 'OP_INPUT'],
];

describe('operators that join, split and repeat', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives (%#)', (test) => expectSameAsOrt(test));

  it.each(WRONG)('fails when %s', (_, test, code) => {
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code }));
  });

  it('adds up symbolic sizes', () => {
    const test = apply('Concat', [float(1), float(1), float(1)], axis(1));
    const sizes = { 0: ['n', 'past', '8'], 1: ['n', 'seq', 'd'], 2: ['2', '1', '8'] };
    expect(shapesOf(inferSymbolic(test, sizes))).toEqual(['[2,past+seq+1,8]']);
  });

  it('concatenates beside something of unknown shape', () => {
    const model = modelOf(apply('Concat', [float(1, 3), float(1)], axis(1)));
    const { graph } = inferShapes(model, { types: { x1: UNKNOWN } });
    expect(shapesOf(graph.outputTypes)).toEqual(['[1,y0[1]]']);
  });

  it('keeps the sizes it knows beside ones it does not', () => {
    const [type] = inferTypes(apply('Concat', [known([2]), input('int64', [1])], axis(0)));
    expect(isTensor(type) && type.elements?.map(String)).toEqual(['2', 'x1[0]']);
  });

  it('splits symbolic sizes', () => {
    const half = { op: 'Split', inputs: [float(1)], outputs: 2 } as const;
    expect(shapesOf(inferSymbolic({ ...half, opset: 13 }, { 0: ['2*h'] }))).toEqual(['[h]', '[h]']);
    expect(shapesOf(inferSymbolic({ ...half, opset: 13 }, { 0: ['h'] }))).toEqual([
      '[floor(h/2)]',
      '[floor(h/2)]',
    ]);
    expect(shapesOf(inferSymbolic(half, { 0: ['h'] }))).toEqual(['[floor((h+1)/2)]', '[-floor((h+1)/2)+h]']);
    expect(shapesOf(inferTypes({ ...half, inputs: [float(6), input('int64', [2])] }))).toEqual([
      '[y0[0]]',
      '[y1[0]]',
    ]);
  });

  it('repeats and expands by symbolic numbers', () => {
    const n = symbol('n');
    const model = (op: string) => modelOf({ op, inputs: [float(1, 4), input('int64', [2])] });
    const types = { x1: new TensorType('int64', [2], [n, 1]) };
    expect(shapesOf(inferShapes(model('Tile'), { types }).graph.outputTypes)).toEqual(['[n,4]']);
    expect(shapesOf(inferShapes(model('Expand'), { types }).graph.outputTypes)).toEqual(['[n,4]']);
  });

  it('knows the rank when only the number of sizes is known', () => {
    const list = input('int64', [3]);
    expect(shapesOf(inferTypes(apply('Expand', [float(1, 4), list])))).toEqual(['[y0[0],y0[1],4]']);
    expect(shapesOf(inferTypes(apply('Tile', [float(1, 4), list])))).toEqual(['[y0[0],y0[1]]']);
  });

  it('repeats along one axis in opset 1', () => {
    const scalar = (value: number) => ({ ...known([value], 'float32'), dims: [] });
    const test = apply('Tile', [float(2, 3), scalar(4), scalar(1)], {}, { opset: 1 });
    expect(shapesOf(inferTypes(test))).toEqual(['[2,12]']);
  });
});
