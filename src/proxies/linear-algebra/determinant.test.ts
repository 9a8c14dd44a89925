import { describe, expect, it } from 'vitest';
import { logDeterminant } from './determinant.js';

describe('logDeterminant', () => {
  it.each([1, 2, 7, 64])('of the second difference of %i points is ln(n + 1)', (n) => {
    const matrix = Array.from({ length: n * n }, (_, at) => {
      const distance = Math.abs(Math.floor(at / n) - (at % n));
      return distance === 0 ? 2 : distance === 1 ? -1 : 0;
    });
    expect(logDeterminant(matrix, n)).toBeCloseTo(Math.log(n + 1), 11);
  });

  it('does not mind zeros on the diagonal or a negative determinant', () => {
    expect(logDeterminant([0, 2, 3, 0], 2)).toBeCloseTo(Math.log(6), 14);
  });

  it('is −∞ for a singular matrix', () => {
    expect(logDeterminant([1, 2, 2, 4], 2)).toBe(Number.NEGATIVE_INFINITY);
  });
});
