import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fitProcess, intervalOf, type MeasuredRows } from './fit-process.js';

// Made by verify/golden/device_process.py with NumPy.
const golden = JSON.parse(readFileSync(new URL('fixtures/process.json', import.meta.url), 'utf8'));
const rows: MeasuredRows = {
  targets: Float64Array.from(golden.targets as number[]),
  base: (golden.base as number[][]).map((row) => Float64Array.from(row)),
  sizes: (golden.sizes as number[][]).map((row) => Float64Array.from(row)),
  distances: Float64Array.from(golden.distances as number[]),
  families: golden.families as string[],
};
const n = rows.targets.length;

describe('fitProcess', () => {
  const fitted = fitProcess(rows, [golden.hypothesis], golden.length);

  it('predicts families left out as NumPy does without them', () => {
    (golden.left as number[]).forEach((log, i) => void expect(fitted.left[i]).toBeCloseTo(log, 8));
  });

  it('has weights that give what NumPy predicts', () => {
    for (let i = 0; i < n; i++) {
      let log = fitted.intercept;
      fitted.base.forEach((weight, d) => {
        log += weight * rows.base[i]![d]!;
      });
      fitted.sizes.forEach((weight, f) => {
        log += weight * rows.sizes[i]![f]!;
      });
      for (let j = 0; j < n; j++) {
        log += fitted.weights[j]! * Math.exp(-rows.distances[i * n + j]! / fitted.length);
      }
      expect(log).toBeCloseTo(golden.fitted[i], 8);
    }
  });

  it('weighs hypotheses: a device that is another times a constant is followed', () => {
    const targets = Float64Array.from(rows.base, (row) => row[1]! + 2);
    const { base, left } = fitProcess({ ...rows, targets });
    expect(base[1]).toBeGreaterThan(base[0]!);
    expect(base[1]).toBeGreaterThan(base[2]!);
    const mean = left.reduce((sum, log, i) => sum + Math.abs(log - targets[i]!) / n, 0);
    expect(mean).toBeLessThan(0.06);
  });
});

describe('intervalOf', () => {
  it('is Student’s of few rows, and does not become narrower with distance', () => {
    const few = intervalOf(
      Float64Array.of(0, 0, 0),
      Float64Array.of(0.1, -0.1, 0.1),
      Float64Array.of(1, 1, 1),
    );
    // scipy.stats.t.ppf(0.95, 2) = 2.920
    expect(few.groups[0]!.halfWidth).toBeCloseTo(0.292, 3);
    const many = Array.from({ length: 200 }, (_, i) => i);
    const { groups } = intervalOf(
      new Float64Array(200),
      Float64Array.from(many, (i) => (i % 2 ? 1 : -1) * (200 - i)),
      Float64Array.from(many),
    );
    expect(groups.length).toBeGreaterThan(2);
    groups.slice(1).forEach(({ halfWidth }, i) => {
      expect(halfWidth).toBeGreaterThanOrEqual(groups[i]!.halfWidth);
    });
  });
});
