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

function einsum(equation: string, ...shapes: number[][]): TestCase {
  const inputs = shapes.map((dims) => input('float32', dims));
  return { op: 'Einsum', inputs, attributes: attributesOf({ equation }) };
}

const CASES: readonly [string, ...number[][]][] = [
  ['ij,jk->ik', [2, 3], [3, 4]],
  ['ij,jk', [2, 3], [3, 4]],
  [' i j , j k -> k i ', [2, 3], [3, 4]],
  ['ij', [3, 2]],
  ['ba', [3, 2]],
  ['ii', [3, 3]],
  ['ii->i', [3, 3]],
  ['i->', [3]],
  ['i,i', [3], [1]],
  ['->', []],
  [',ij->ij', [], [2, 3]],
  ['...ij,...jk->...ik', [5, 2, 3], [5, 3, 4]],
  ['...ij,...jk', [1, 7, 2, 3], [5, 1, 3, 4]],
  ['b...i,bi->b...', [2, 7, 3], [2, 3]],
  ['a...->...a', [2, 3, 4]],
  ['...ij->ij...', [2, 3, 4]],
  ['bhqd,bhkd->bhqk', [2, 4, 5, 8], [2, 4, 6, 8]],
  ['a,ab,b->', [2], [2, 3], [3]],
];

describe('Einsum', () => {
  it.each(CASES)('%s gives what ONNX Runtime gives', (equation, ...shapes) =>
    expectSameAsOrt(einsum(equation, ...shapes)),
  );

  it('sorts upper case letters before lower case in an implicit result', () => {
    expect(shapesOf(inferTypes(einsum('aB,BC', [2, 3], [3, 4])))).toEqual(['[4,2]']);
  });

  it('keeps symbols', () => {
    const test = einsum('bqd,bkd->bqk', [1, 2, 8], [1, 3, 8]);
    expect(shapesOf(inferSymbolic(test, { 0: ['batch', 'q', '8'], 1: ['batch', 'k', '8'] }))).toEqual([
      '[batch,q,k]',
    ]);
  });

  it('takes from other operands what one of unknown rank does not tell', () => {
    const infer = (test: TestCase) => {
      const types = { x0: new TensorType('float32', undefined) };
      return shapesOf(inferShapes(modelOf(test), { types }).graph.outputTypes);
    };
    expect(infer(einsum('ij,jk->ikj', [2, 3], [3, 4]))).toEqual(['[y0[0],4,3]']);
    expect(infer(einsum('...j,jk->...k', [2, 3], [3, 4]))).toEqual(['[?]']);
  });

  it.each<[string, TestCase, RegExp]>([
    ['a number of terms unlike that of inputs', einsum('ij,jk->ik', [2, 3]), /for 2 inputs, not 1/],
    ['a letter with two sizes', einsum('ij,jk->ik', [2, 3], [4, 5]), /'j' of the equation is both 3 and 4/],
    ['too few dimensions', einsum('ijk->i', [2, 3]), /3 dimensions/],
    ['a result letter from nowhere', einsum('ij->ik', [2, 3]), /'k' occurs twice in the result/],
    ['a repeated result letter', einsum('ij->jj', [3, 3]), /'j' occurs twice/],
    ['other characters', einsum('i1->i', [2, 3]), /not a list of letters/],
    ['two ellipses', einsum('...i...->i', [2, 3]), /not a list of letters/],
    ['two arrows', einsum('i->i->i', [2]), /more than one arrow/],
    ['an ellipsis that is lost', einsum('...i->i', [2, 3]), /ellipsis/],
    ['ellipses of different ranks', einsum('...i,...i', [2, 3], [3]), /1 and for 0 dimensions/],
    ['no equation', { op: 'Einsum', inputs: [input('float32', [2])] }, /'equation' is missing/],
  ])('rejects %s', (_, test, message) => {
    expect(() => inferTypes(test)).toThrow(message);
  });

  it('counts products of all letters', () => {
    expect(costOf(einsum('ij,jk->ik', [2, 3], [3, 4]))).toEqual({ macs: 24 });
    expect(costOf(einsum('...ij,...jk->...ik', [5, 2, 3], [5, 3, 4]))).toEqual({ macs: 120 });
    expect(costOf(einsum('a,ab,b->', [2], [2, 3], [3]))).toEqual({ macs: 12 });
    expect(costOf(einsum('ij->ji', [2, 3]))).toEqual({ otherFlops: 0 });
    expect(costOf(einsum('ij->i', [2, 3]))).toEqual({ otherFlops: 6 });
  });
});
