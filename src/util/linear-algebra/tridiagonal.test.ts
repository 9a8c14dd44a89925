import { describe, expect, it } from 'vitest';
import { Random } from '../random.js';
import { symmetricEigenvalues } from './eigenvalues.js';
import { eigenvaluesOf } from './tridiagonal.js';

describe('eigenvaluesOf', () => {
  it.each([1, 2, 7, 150])('of the second difference of %i points are 2 − 2·cos(kπ/(n + 1))', (n) => {
    const matrix = Array.from({ length: n * n }, (_, at) => {
      const distance = Math.abs(Math.floor(at / n) - (at % n));
      return distance === 0 ? 2 : distance === 1 ? -1 : 0;
    });
    eigenvaluesOf(matrix, n)
      .sort()
      .forEach((value, i) => {
        expect(value).toBeCloseTo(2 - 2 * Math.cos(((i + 1) * Math.PI) / (n + 1)), 12);
      });
  });

  it.each([
    ['full', 30, 30],
    ['of rank 4', 20, 4],
    ['of zeros', 5, 0],
  ])("are those of Jacobi's rotations, for a matrix that is %s", (_, n, rank) => {
    const random = Random.seeded(n);
    const rows = Array.from({ length: rank }, () => Array.from({ length: n }, () => random.normal()));
    const matrix = Array.from({ length: n * n }, (_, at) =>
      rows.reduce((sum, row, i) => sum + (i % 2 === 0 ? 1 : -1) * row[Math.floor(at / n)]! * row[at % n]!, 0),
    );
    const expected = symmetricEigenvalues(matrix, n).sort();
    eigenvaluesOf(matrix, n)
      .sort()
      .forEach((value, i) => {
        expect(value).toBeCloseTo(expected[i]!, 10);
      });
  });

  // Rounding leaves numbers beside zeros, relative to which no step is ever small enough.
  it.each([1e-8, 0.3])('are found beside noise: small numbers of rank one that differ by %f', (spread) => {
    const n = 192;
    const random = Random.seeded(7);
    const u = Array.from({ length: n }, () => 1 + spread * random.normal());
    const found = eigenvaluesOf(
      Array.from({ length: n * n }, (_, at) => 1e-100 * u[Math.floor(at / n)]! * u[at % n]!),
      n,
    ).sort();
    const norm = 1e-100 * u.reduce((sum, x) => sum + x * x, 0);
    expect(found[n - 1]! / norm).toBeCloseTo(1, 12);
    for (const value of found.slice(0, n - 1)) expect(Math.abs(value)).toBeLessThan(1e-13 * norm);
  });

  it('says so if there are none', () => {
    expect(() => eigenvaluesOf([1, Number.NaN, Number.NaN, 1], 2)).toThrowError(
      expect.objectContaining({ code: 'EIGENVALUES' }),
    );
  });
});
