import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { nonNegativeLeastSquares } from './nnls.js';

interface Case {
  readonly a: number[][];
  readonly b: number[];
  readonly x: number[];
}

// verify/golden/nnls.py
const { cases } = JSON.parse(readFileSync(new URL('fixtures/nnls.json', import.meta.url), 'utf8')) as {
  cases: readonly Case[];
};

it.each(cases.map((one) => [one.x.length, one] as const))('as SciPy, %i unknowns', (_, { a, b, x }) => {
  const found = nonNegativeLeastSquares(a, b);
  expect(x.filter((value) => value === 0).length).toBeGreaterThan(0);
  for (const [i, value] of x.entries()) expect(found[i]).toBeCloseTo(value, value > 1e-3 ? 9 : 18);
});

it('leaves out a column that is 0', () => {
  expect([
    ...nonNegativeLeastSquares(
      [
        [1, 0],
        [2, 0],
      ],
      [2, 4],
    ),
  ]).toEqual([expect.closeTo(2, 12), 0]);
});
