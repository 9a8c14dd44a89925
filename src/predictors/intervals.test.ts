import { describe, expect, it } from 'vitest';
import { Random } from '../util/random.js';
import { conformalInterval, coverageOf, intervalAround } from './intervals.js';

describe('conformal intervals', () => {
  it('are the order statistic of the errors', () => {
    const truths = Array.from({ length: 19 }, (_, i) => i + 1);
    const zeros = truths.map(() => 0);
    // ⌈20·0.9⌉ = 18
    const rule = conformalInterval(zeros, truths);
    expect(rule).toEqual({ coverage: 0.9, rows: 19, groups: [{ halfWidth: 18 }] });
    expect(coverageOf(zeros, truths, rule)).toBeCloseTo(18 / 19);
  });

  it('need enough rows', () => {
    expect(() => conformalInterval([0, 0], [1, 2])).toThrow(/2 held-out rows are too few for 90%/);
    expect(conformalInterval(new Float64Array(9), new Float64Array(9).fill(3)).groups).toEqual([
      { halfWidth: 3 },
    ]);
  });

  it('cover what they promise, on average over draws', () => {
    const random = Random.seeded(4);
    let covered = 0;
    for (let draw = 0; draw < 400; draw++) {
      const errors = (count: number): number[] => Array.from({ length: count }, () => random.normal() ** 3);
      const rule = conformalInterval(new Float64Array(50), errors(50));
      covered += coverageOf(new Float64Array(200), errors(200), rule);
    }
    // Exactly ⌈51·0.9⌉/51 in expectation.
    expect(Math.abs(covered / 400 - 46 / 51)).toBeLessThan(0.01);
  });

  it('are wider where predictions are worse, and hold in every group', () => {
    const random = Random.seeded(9);
    const draw = (count: number) => {
      const predictions = Array.from({ length: count }, () => random.float());
      // Errors of up to ten times the size at one end.
      const truths = predictions.map((p) => p + random.normal() * (p < 0.5 ? 1 : 0.1));
      return { predictions, truths };
    };
    const held = draw(400);
    const rule = conformalInterval(held.predictions, held.truths);
    expect(rule.groups).toHaveLength(8);
    const [first, last] = [rule.groups[0]!, rule.groups.at(-1)!];
    expect(first.halfWidth / last.halfWidth).toBeGreaterThan(4);
    const { predictions, truths } = draw(8000);
    for (const isLow of [true, false]) {
      const rows = predictions.map((_, i) => i).filter((i) => predictions[i]! < 0.5 === isLow);
      const covered = coverageOf(
        rows.map((i) => predictions[i]!),
        rows.map((i) => truths[i]!),
        rule,
      );
      expect(covered).toBeGreaterThan(0.86);
      expect(covered).toBeLessThan(0.97);
    }
  });

  it('are factors of logarithmic errors', () => {
    const truths = Array.from({ length: 20 }, (_, i) => 2 ** i);
    const rule = conformalInterval(
      truths.map((y, i) => (i % 2 === 0 ? y * 2 : y / 2)),
      truths,
      { scale: 'log' },
    );
    expect(rule.groups[0]!.halfWidth).toBeCloseTo(Math.LN2);
    const [low, high] = intervalAround(8, rule, 'log');
    expect([low, high]).toEqual([expect.closeTo(4), expect.closeTo(16)]);
  });

  it('end where values cannot pass', () => {
    const rule = { groups: [{ halfWidth: 10 }], within: [0, 100] } as const;
    expect(intervalAround(95, rule)).toEqual([85, 100]);
    expect(intervalAround(5, rule)).toEqual([0, 15]);
    expect(intervalAround(50, rule)).toEqual([40, 60]);
  });
});
