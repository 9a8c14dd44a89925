import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Batch } from '../../nn/batch.js';
import { computed, expectClose } from '../models/golden.testing.js';
import { costFactor, fromPerCost, perCost } from './flops-transform.js';
import { membershipsOf } from './fuzzy-c-means.js';
import { componentsOf, membershipsValue } from './head-inputs.js';
import { head, headEnsemble, preference } from './heads.js';
import { projected } from './pca.js';

const golden = JSON.parse(readFileSync(new URL('fixtures/heads.json', import.meta.url), 'utf8')) as Record<
  'head' | 'ensemble' | 'preference',
  number[]
>;

function tensor(rows: number, columns: number, phase: number): Batch[string] {
  const data = Float32Array.from({ length: rows * columns }, (_, i) => Math.sin(phase + 0.9 * i));
  return { type: 'float32', dims: [rows, columns], data };
}

const OPTIONS = { width: 8, layers: 4, outputs: 2 };

describe('heads, with the weights of PyTorch', () => {
  it('one', async () => {
    expectClose(await computed({ x: tensor(5, 6, 0.3) }, (s, { x }) => head(s, x!, OPTIONS)), golden.head);
  });

  it('one for each cluster, weighted by memberships', async () => {
    const batch = { x: tensor(5, 6, 0.3), u: tensor(5, 3, 1.1) };
    const found = await computed(batch, (s, { x, u }) => headEnsemble(s, x!, u!.softmax(1), OPTIONS));
    expectClose(found, golden.ensemble);
  });

  it('a preference, which is the opposite the other way round', async () => {
    const batch = { a: tensor(5, 4, 0.2), b: tensor(5, 4, 2.2) };
    const found = await computed(batch, (s, { a, b }) => preference(s, a!, b!));
    expectClose(found, golden.preference);
    const back = await computed(batch, (s, { a, b }) => preference(s, b!, a!));
    expect([...back]).toEqual([...found].map((x) => -x));
  });
});

describe('memberships in a graph', () => {
  it('are those of the function, also of a row on a centroid', async () => {
    const x = tensor(40, 5, 0.7);
    const rows = Float64Array.from(x.data as Float32Array);
    const components = componentsOf(rows, 5);
    const places = projected(rows, components);
    for (const fuzzifier of [1.5, 4]) {
      const clusters = {
        count: 3,
        width: 5,
        fuzzifier,
        centroids: places.slice(0, 15).map((p, i) => (i < 5 ? p : p + 0.1)),
      };
      const found = await computed({ x }, (s, given) =>
        membershipsValue(s, given.x!, { components, clusters }),
      );
      const wanted = membershipsOf(places, clusters);
      // The first row lies on the first centroid but for rounding to single precision.
      expect(found[0]!).toBeGreaterThan(fuzzifier < 2 ? 0.999 : 0.9);
      expectClose(found.slice(3), [...wanted.slice(3)]);
    }
    const origin = { type: 'float32' as const, dims: [1, 5], data: new Float32Array(5) };
    const plain = {
      width: 5,
      count: 5,
      means: new Float64Array(5),
      variances: new Float64Array(5),
      vectors: new Float64Array(25),
    };
    const clusters = {
      count: 2,
      width: 5,
      fuzzifier: 2,
      centroids: Float64Array.from({ length: 10 }, (_, i) => Number(i > 4)),
    };
    const on = await computed({ x: origin }, (s, given) =>
      membershipsValue(s, given.x!, { components: plain, clusters }),
    );
    expect([...on]).toEqual([1, 0]);
  });
});

describe('the transform of accuracies', () => {
  it('is A / (log10(F + 1) + 1) of billions, and back', () => {
    expect(costFactor(9e9)).toBeCloseTo(2, 12);
    expect(perCost(0.9, 9e9)).toBeCloseTo(0.45, 12);
    expect(fromPerCost(perCost(0.931, 2.3e8), 2.3e8)).toBeCloseTo(0.931, 12);
    expect(perCost(0.5, 0)).toBe(0.5);
  });
});
