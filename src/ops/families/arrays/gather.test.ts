import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { symbol } from '../../../graph/dim.js';
import { isTensor, TensorType, UNKNOWN } from '../../../graph/types.js';
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

const table = { ...known([1, 2, 3, 4, 5, 6]), dims: [2, 3] };
const list = (values: number[], ...dims: number[]) => ({ ...known(values), dims });

const CASES: readonly TestCase[] = [
  apply('Gather', [float(5, 4), input('int64', [2, 3])]),
  apply('Gather', [float(5, 4, 3), input('int32', [])], { axis: 1 }),
  apply('Gather', [float(5, 4, 3), input('int64', [0])], { axis: -1 }),
  apply('Gather', [known([5, 6, 7]), knownScalar(-1)]),
  apply('Gather', [table, list([2, 0, -3, 1], 2, 2)], { axis: 1 }),
  apply('Gather', [table, known([1], 'int32')]),
  apply('GatherElements', [float(3, 4), input('int64', [1, 4])]),
  apply('GatherElements', [table, list([0, 1, -1, 0], 2, 2)], { axis: 1 }),
  apply('GatherElements', [table, list([1, 0, -1], 1, 3)]),
  apply('GatherND', [float(2, 3, 4), input('int64', [5, 2])]),
  apply('GatherND', [float(2, 3, 4), input('int64', [2, 1])], { batch_dims: 1 }),
  apply('GatherND', [float(2, 3, 4), input('int64', [6, 7, 3])], {}, { opset: 11 }),
  apply('GatherND', [table, list([0, 1, 1, -1], 2, 2)]),
  apply('GatherND', [table, list([1], 1)]),
  apply('GatherND', [table, list([2, 0], 2, 1)], { batch_dims: 1 }),
];

const WRONG: readonly [why: string, test: TestCase, code: string][] = [
  ['an index is too large', apply('Gather', [known([1, 2]), known([2])]), 'OP_INPUT'],
  ['an index is too small', apply('GatherElements', [known([1, 2]), known([-3])]), 'OP_INPUT'],
  ['indices are no integers', apply('Gather', [float(2), float(1)]), 'OP_INPUT'],
  ['there is no axis', apply('Gather', [float(2), known([0])], { axis: 1 }), 'SHAPE_MISMATCH'],
  ['nothing can be indexed', apply('Gather', [float(), known([0])]), 'SHAPE_MISMATCH'],
  ['ranks differ', apply('GatherElements', [float(2, 3), known([0])]), 'SHAPE_MISMATCH'],
  ['tuples are too long', apply('GatherND', [float(2, 3), input('int64', [1, 3])]), 'SHAPE_MISMATCH'],
  ['tuples are empty', apply('GatherND', [float(2, 3), input('int64', [1, 0])]), 'SHAPE_MISMATCH'],
  ['all is batch', apply('GatherND', [float(2), input('int64', [2])], { batch_dims: 1 }), 'SHAPE_MISMATCH'],
];

describe('operators that gather', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives (%#)', (test) => expectSameAsOrt(test));

  it.each(WRONG)('fails when %s', (_, test, code) => {
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code }));
  });

  it('looks up embeddings of a symbolic batch', () => {
    const test = apply('Gather', [float(30522, 768), input('int64', [1, 1])]);
    expect(shapesOf(inferSymbolic(test, { 1: ['n', 'seq'] }))).toEqual(['[n,seq,768]']);
  });

  it('gathers symbolic elements, but not by symbolic indices', () => {
    const model = modelOf(apply('Gather', [input('int64', [2]), input('int64', [])]));
    const sizes = new TensorType('int64', [2], [symbol('n'), symbol('s')]);
    const elements = (index: TensorType) => {
      const [type] = inferShapes(model, { types: { x0: sizes, x1: index } }).graph.outputTypes;
      return isTensor(type) ? type.elements?.map(String) : undefined;
    };
    expect(elements(new TensorType('int64', [], [1]))).toEqual(['s']);
    expect(elements(new TensorType('int64', [], [symbol('i')]))).toBeUndefined();
  });

  it('reads only what it writes, and the indices', () => {
    const test = apply('Gather', [float(30522, 768), input('int64', [8, 128])]);
    expect(costOf(test)).toEqual({ memoryBytes: 2 * 8 * 128 * 768 * 4 + 8 * 128 * 8 });
  });

  it('does not multiply ranks without end', () => {
    const deep = (rank: number) => new Array<number>(rank).fill(1);
    const test = apply('Gather', [float(...deep(200)), input('int64', deep(200))]);
    expect(() => inferTypes(test)).toThrowError(/rank 399/);
  });

  it.each(['Gather', 'GatherElements', 'GatherND'])('%s degrades beside the unknown', (op) => {
    const model = modelOf(apply(op, [float(2, 3), input('int64', [1, 1])]));
    expect(() => inferShapes(model, { types: { x0: UNKNOWN } })).not.toThrow();
    expect(() => inferShapes(model, { types: { x1: UNKNOWN } })).not.toThrow();
  });
});
