import { describe, expect, it } from 'vitest';
import { symmetricEigenvalues } from './eigenvalues.js';

describe('symmetricEigenvalues', () => {
  it.each([1, 2, 7, 40])('of the second difference of %i points are 2 − 2·cos(kπ/(n + 1))', (n) => {
    const matrix = Array.from({ length: n * n }, (_, at) => {
      const distance = Math.abs(Math.floor(at / n) - (at % n));
      return distance === 0 ? 2 : distance === 1 ? -1 : 0;
    });
    const found = symmetricEigenvalues(matrix, n).sort();
    found.forEach((value, i) => {
      expect(value).toBeCloseTo(2 - 2 * Math.cos(((i + 1) * Math.PI) / (n + 1)), 12);
    });
  });

  it('of a matrix of rank one are its trace and zeros', () => {
    const v = [1, -2, 3, 0.5];
    const matrix = v.flatMap((a) => v.map((b) => a * b));
    const found = symmetricEigenvalues(matrix, 4).sort();
    expect(found[3]).toBeCloseTo(14.25, 12);
    for (const zero of found.slice(0, 3)) expect(Math.abs(zero)).toBeLessThan(1e-12);
  });
});
