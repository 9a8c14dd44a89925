import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SPECTRUM, smallestEigenvalues, spectralDistance } from './spectrum.js';

/** Made by verify/golden/gennape.py with SciPy's Laplacian and NumPy's eigenvalues. */
const graphs: Readonly<
  Record<
    string,
    { readonly nodes: number; readonly edges: readonly number[]; readonly eigenvalues: readonly number[] }
  >
> = JSON.parse(readFileSync(new URL('fixtures/spectra.json', import.meta.url), 'utf8'));

describe('the spectrum of a graph', () => {
  it.each(Object.entries(graphs))('is that of NumPy: %s', (_, { nodes, edges, eigenvalues }) => {
    const found = smallestEigenvalues(nodes, edges);
    expect(found).toHaveLength(SPECTRUM);
    for (const [i, value] of eigenvalues.entries()) expect(found[i]).toBeCloseTo(value, 10);
  });

  it('is that of a closed form: a complete graph has 0, and n/(n − 1) of all others', () => {
    const edges = [0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3];
    const found = smallestEigenvalues(4, edges, 6);
    for (const [i, value] of [0, 4 / 3, 4 / 3, 4 / 3, 2, 2].entries()) {
      expect(found[i]).toBeCloseTo(value, 12);
    }
  });

  it('has a Euclidean distance', () => {
    expect(spectralDistance([0, 1, 2], [0, 1, 2])).toBe(0);
    expect(spectralDistance([0, 1, 2], [0, 4, 6])).toBe(5);
  });
});
