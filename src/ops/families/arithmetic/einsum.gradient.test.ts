import fc from 'fast-check';
import { describe, it } from 'vitest';
import { expectGradient, type GradientCase, random } from '../../../autodiff/check.testing.js';

fc.configureGlobal({ seed: 1 });

const einsum = (equation: string, ...shapes: readonly (readonly number[])[]): GradientCase => ({
  op: 'Einsum',
  inputs: shapes.map((shape) => random(...shape)),
  attributes: { equation },
});

const CASES: readonly [string, ...number[][]][] = [
  ['ij,jk->ik', [2, 3], [3, 4]],
  ['ij,jk', [2, 3], [3, 4]],
  ['bij,bjk->bik', [2, 2, 3], [2, 3, 2]],
  ['bqhd,bkhd->bhqk', [2, 3, 2, 2], [2, 4, 2, 2]],
  ['ij->ji', [2, 3]],
  ['ij->', [2, 3]],
  ['ij->i', [2, 3]],
  ['i,j->ij', [2], [3]],
  ['i,i->', [3], [3]],
  ['ij,ij->j', [2, 3], [2, 3]],
  // A letter that is only summed in one operand.
  ['ij,k->k', [2, 3], [4]],
  ['ij,jk->i', [2, 3], [3, 4]],
  // Diagonals.
  ['ii->i', [3, 3]],
  ['ii->', [3, 3]],
  ['iij,j->ij', [2, 2, 3], [3]],
  ['iji,i->j', [2, 3, 2], [2]],
  // Three operands.
  ['ij,jk,kl->il', [2, 3], [3, 2], [2, 4]],
  ['i,j,k->', [2], [3], [4]],
  // An ellipsis, and sizes of 1 that are repeated.
  ['...ij,...jk->...ik', [2, 1, 2, 3], [2, 4, 3, 2]],
  ['...ij->...ji', [2, 2, 3]],
  ['b...,b->b...', [2, 3, 2], [2]],
  ['ij,jk->ik', [2, 1], [3, 4]],
  ['ij,ij->i', [2, 3], [1, 3]],
  ['i,->i', [3], []],
];

describe('the gradient of Einsum', () => {
  it.each(CASES)('%s of %j and %j', async (equation, ...shapes) => {
    await expectGradient({ ...einsum(equation, ...shapes), second: true });
  });

  it('of any two operands', async () => {
    const letters = fc.array(fc.constantFrom('i', 'j', 'k'), { minLength: 1, maxLength: 3 });
    const terms = fc
      .tuple(letters, letters)
      .chain(([a, b]) =>
        fc.tuple(fc.constant(a), fc.constant(b), fc.shuffledSubarray([...new Set([...a, ...b])])),
      );
    await fc.assert(
      fc.asyncProperty(terms, async ([a, b, result]) => {
        const shape = (term: readonly string[]): number[] => term.map((letter) => 2 + 'ijk'.indexOf(letter));
        const equation = `${a.join('')},${b.join('')}->${result.join('')}`;
        await expectGradient(einsum(equation, shape(a), shape(b)));
      }),
      { numRuns: 20 },
    );
  });
});
