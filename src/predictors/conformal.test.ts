import { describe, expect, it } from 'vitest';
import { Random } from '../util/random.js';
import { conformalInterval, coverageOf } from './conformal.js';

describe('conformal intervals', () => {
  it('are the order statistic of the errors', () => {
    const truths = Array.from({ length: 19 }, (_, i) => i + 1);
    const zeros = truths.map(() => 0);
    // ⌈20·0.9⌉ = 18
    expect(conformalInterval(zeros, truths)).toEqual({ coverage: 0.9, halfWidth: 18, rows: 19 });
    expect(coverageOf(zeros, truths, { halfWidth: 18 })).toBeCloseTo(18 / 19);
  });

  it('need enough rows', () => {
    expect(() => conformalInterval([0, 0], [1, 2])).toThrow(/2 held-out rows cannot promise 90%/);
    expect(conformalInterval(new Float64Array(9), new Float64Array(9).fill(3)).halfWidth).toBe(3);
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
});
