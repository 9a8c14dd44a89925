import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type FuzzyFit, type FuzzyOptions, fuzzyCMeans, membershipsOf } from './fuzzy-c-means.js';
import { principalComponents, projected } from './pca.js';

interface Golden {
  readonly rows: number;
  readonly width: number;
  readonly pca: { means: number[]; vectors: number[]; variances: number[]; projected: number[] };
  readonly fuzzy: readonly {
    clusters: number;
    fuzzifier: number;
    iterations: number;
    centroids: number[];
    memberships: number[];
    new: number[];
  }[];
}

const golden = JSON.parse(readFileSync(new URL('fixtures/clusters.json', import.meta.url), 'utf8')) as Golden;
const { width } = golden;
const rows = Float64Array.from(
  { length: golden.rows * width },
  (_, i) => Math.sin(1 + 0.7 * i + 0.013 * i * i) * (1 + (i % width)),
);

function near(found: ArrayLike<number>, wanted: readonly number[], tolerance: number): void {
  wanted.forEach((x, i) => {
    expect(Math.abs(found[i]! - x), `${i}: ${found[i]}, not ${x}`).toBeLessThanOrEqual(tolerance);
  });
}

function fit(of: Float64Array, size: number, options: FuzzyOptions): FuzzyFit {
  const steps = fuzzyCMeans(of, size, options);
  for (;;) {
    const { value, done } = steps.next();
    if (done) return value;
  }
}

describe('principal components', () => {
  it("are scikit-learn's, up to signs that are fixed", () => {
    const found = principalComponents(rows, width, 4);
    near(found.means, golden.pca.means, 1e-12);
    near(found.variances, golden.pca.variances, 1e-10);
    near(found.vectors, golden.pca.vectors, 1e-10);
    near(projected(rows.slice(0, 5 * width), found), golden.pca.projected, 1e-10);
  });

  it('are at most as many as there are numbers in a row, also of rows that are all alike', () => {
    const found = principalComponents(new Float64Array(12).fill(3), 3, 32);
    expect([found.count, ...found.variances]).toEqual([3, 0, 0, 0]);
    expect([...projected(Float64Array.of(3, 3, 3), found)]).toEqual([0, 0, 0]);
  });
});

describe('fuzzy C-means', () => {
  for (const { clusters, fuzzifier, ...wanted } of golden.fuzzy) {
    it(`finds NumPy's clusters for C = ${clusters}, m = ${fuzzifier}`, () => {
      const start = rows.slice(0, clusters * width).map((x) => x + 0.01);
      const found = fit(rows, width, { clusters, fuzzifier, start });
      expect(found.isConverged).toBe(true);
      expect(Math.abs(found.iterations - wanted.iterations)).toBeLessThanOrEqual(2);
      near(found.centroids, wanted.centroids, 1e-6);
      near(found.memberships, wanted.memberships, 1e-7);
      const fresh = rows.slice(0, 3 * width).map((x) => x + 0.25);
      near(membershipsOf(fresh, found), wanted.new, 1e-7);
    });
  }

  it('begins at the same place for the same seed', () => {
    const options = { clusters: 4, fuzzifier: 2, seed: 5, iterations: 3 };
    expect(fit(rows, width, options).centroids).toEqual(fit(rows, width, options).centroids);
    expect(fit(rows, width, { ...options, seed: 6 }).centroids).not.toEqual(
      fit(rows, width, options).centroids,
    );
    expect(fit(rows, width, options)).toMatchObject({ iterations: 3, isConverged: false });
  });

  it('makes a row on a centroid a member of it alone, of two that coincide by halves', () => {
    const clusters = { count: 3, width: 2, fuzzifier: 2, centroids: Float64Array.of(0, 0, 1, 1, 1, 1) };
    expect([...membershipsOf(Float64Array.of(0, 0, 1, 1), clusters)]).toEqual([1, 0, 0, 0, 0.5, 0.5]);
  });

  it('has memberships that add up to 1, also far away and very near', () => {
    const clusters = { count: 2, width: 1, fuzzifier: 1.1, centroids: Float64Array.of(0, 1) };
    const found = membershipsOf(Float64Array.of(1e150, 1e-150, -1e-300), clusters);
    for (let i = 0; i < 3; i++) expect(found[2 * i]! + found[2 * i + 1]!).toBeCloseTo(1, 12);
  });

  it('takes rows that are all alike', () => {
    const found = fit(new Float64Array(20).fill(2), 2, { clusters: 3, fuzzifier: 4 });
    expect([...found.memberships.slice(0, 3)]).toEqual([1 / 3, 1 / 3, 1 / 3]);
  });
});
