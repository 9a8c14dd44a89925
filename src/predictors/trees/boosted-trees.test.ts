import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BOOSTING, type BoostingOptions, boostedValue, fitBoosted } from './boosted-trees.js';

interface Golden {
  readonly rows: readonly number[][];
  readonly targets: readonly number[];
  readonly cases: readonly { readonly options: BoostingOptions; readonly predictions: readonly number[] }[];
}

// verify/golden/boosted_trees.py
const golden = JSON.parse(
  readFileSync(new URL('./fixtures/boosted-trees.json', import.meta.url), 'utf8'),
) as Golden;

describe('boosted trees', () => {
  it.each(golden.cases)('predict as LightGBM: $options', ({ options, predictions }) => {
    const model = fitBoosted(golden.rows, Float64Array.from(golden.targets), options);
    predictions.forEach((expected, i) => {
      const row = golden.rows[i]!.map((x) => x + 0.013);
      expect(boostedValue(model, row)).toBeCloseTo(expected, 5);
    });
  });

  it('put many values into bins of equally many rows', () => {
    const rows = Array.from({ length: 1000 }, (_, i) => [i / 1000]);
    const targets = Float64Array.from(rows, ([x]) => Math.sin(6 * x!));
    const model = fitBoosted(rows, targets, { ...BOOSTING, trees: 80 });
    const errors = rows.map(([x]) => Math.abs(boostedValue(model, [x!]) - Math.sin(6 * x!)));
    expect(Math.max(...errors)).toBeLessThan(0.06);
  });

  it('are the mean where nothing can be split', () => {
    const model = fitBoosted([[1], [1], [1]], Float64Array.of(1, 2, 6));
    expect(boostedValue(model, [1])).toBeCloseTo(3, 12);
    expect(model.trees).toHaveLength(0);
  });
});
