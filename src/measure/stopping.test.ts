import { describe, expect, it } from 'vitest';
import { isEnough, isWarm, STOPPING } from './stopping.js';

const rule = { ...STOPPING, leastRuns: 10, seconds: 2, mostRuns: 1000 };

describe('isWarm', () => {
  it('waits until times no longer fall', () => {
    const falling = Array.from({ length: 10 }, (_, i) => 200 - 10 * i);
    expect(isWarm(falling, rule)).toBe(false);
    expect(isWarm([...falling, ...Array.from({ length: 10 }, () => 100)], rule)).toBe(true);
  });

  it('does not wait longer than it may, nor stop at once', () => {
    expect(isWarm([2000, 1000], rule)).toBe(true);
    expect(isWarm([], { ...rule, warmupSeconds: 0 })).toBe(false);
    // Ten fast runs: clocks have not settled.
    expect(
      isWarm(
        Array.from({ length: 10 }, () => 1),
        rule,
      ),
    ).toBe(false);
  });
});

describe('isEnough', () => {
  it('stops when the median is known well enough', () => {
    const steady = Array.from({ length: 20 }, (_, i) => 100 + (i % 2) * 0.1);
    expect(isEnough(steady, 0.1, rule)).toBe(true);
    expect(isEnough(steady.slice(0, 9), 0.1, rule)).toBe(false);
    const noisy = steady.map((ms, i) => ms * (1 + (i % 5)));
    expect(isEnough(noisy, 0.1, rule)).toBe(false);
  });

  it('stops when time is up, but not before an interval can be given', () => {
    expect(isEnough([1, 2, 3, 4, 5], 60, rule)).toBe(false);
    expect(isEnough([1, 2, 3, 4, 5, 6], 2, rule)).toBe(true);
    expect(
      isEnough(
        Array.from({ length: 1000 }, (_, i) => i),
        0,
        rule,
      ),
    ).toBe(true);
  });
});
