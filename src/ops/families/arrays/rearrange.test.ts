import { describe, expect, it } from 'vitest';
import { apply, float } from '../../cases.testing.js';
import {
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  known,
  knownScalar,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const square = { ...known([1, 2, 3, 4, 5, 6, 7, 8, 9]), dims: [3, 3] };

const CASES: readonly TestCase[] = [
  apply('Trilu', [float(2, 3, 4)]),
  apply('Trilu', [square]),
  apply('Trilu', [square, knownScalar(1)]),
  apply('Trilu', [square, knownScalar(-1)], { upper: 0 }),
  apply('Trilu', [{ ...square, dims: [1, 9] }, knownScalar(4)], { upper: 0 }),
  apply('ReverseSequence', [float(4, 3, 2), input('int64', [3])]),
  apply('ReverseSequence', [float(3, 4), input('int64', [3])], { batch_axis: 0, time_axis: 1 }),
  apply('DepthToSpace', [float(1, 8, 2, 3)], { blocksize: 2 }),
  apply('DepthToSpace', [float(2, 9, 2, 3)], { blocksize: 3, mode: 'CRD' }),
  apply('SpaceToDepth', [float(1, 3, 4, 6)], { blocksize: 2 }),
];

const WRONG: readonly [why: string, test: TestCase, code: string][] = [
  ['there is no matrix', apply('Trilu', [float(3)]), 'SHAPE_MISMATCH'],
  ['there is no batch', apply('ReverseSequence', [float(4), input('int64', [4])]), 'SHAPE_MISMATCH'],
  ['lengths are missing', apply('ReverseSequence', [float(4, 3), input('int64', [4])]), 'SHAPE_MISMATCH'],
  [
    'axes are equal',
    apply('ReverseSequence', [float(4, 3), input('int64', [4])], { batch_axis: 0 }),
    'OP_ATTRIBUTE',
  ],
  ['channels make no blocks', apply('DepthToSpace', [float(1, 6, 2, 2)], { blocksize: 2 }), 'SHAPE_MISMATCH'],
  ['pixels make no blocks', apply('SpaceToDepth', [float(1, 1, 3, 2)], { blocksize: 2 }), 'SHAPE_MISMATCH'],
  ['there is no image', apply('SpaceToDepth', [float(4, 4)], { blocksize: 2 }), 'SHAPE_MISMATCH'],
  ['blocks have no size', apply('DepthToSpace', [float(1, 4, 2, 2)], { blocksize: 0 }), 'OP_ATTRIBUTE'],
  ['no block size is given', apply('DepthToSpace', [float(1, 4, 2, 2)]), 'OP_ATTRIBUTE'],
];

describe('operators that rearrange', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives (%#)', (test) => expectSameAsOrt(test));

  it.each(WRONG)('fails when %s', (_, test, code) => {
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code }));
  });

  it('moves symbolic sizes between depth and space', () => {
    const blocks = (op: string) => apply(op, [float(1, 1, 1, 1)], { blocksize: 2 });
    const sizes = { 0: ['n', '4*c', 'h', 'w'] };
    expect(shapesOf(inferSymbolic(blocks('DepthToSpace'), sizes))).toEqual(['[n,c,2*h,2*w]']);
    expect(shapesOf(inferSymbolic(blocks('SpaceToDepth'), sizes))).toEqual([
      '[n,16*c,floor(h/2),floor(w/2)]',
    ]);
  });
});
