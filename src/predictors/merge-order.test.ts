import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ComparePairs, mergeOrder } from './merge-order.js';

/** Prefers the larger of two numbers. */
const larger =
  (values: ArrayLike<number>, calls: number[] = []): ComparePairs =>
  async (first, second) => {
    calls.push(first.length);
    return Float64Array.from(first, (a, i) => values[a]! - values[second[i]!]!);
  };

/** Elements by the comparisons that they win against all others, ties in their order. */
async function exhaustive(count: number, compare: ComparePairs): Promise<number[]> {
  const wins = new Array<number>(count).fill(0);
  for (let a = 0; a < count; a++) {
    for (let b = 0; b < count; b++) {
      if (a !== b && (await compare(Uint32Array.of(a), Uint32Array.of(b)))[0]! > 0) wins[a]!++;
    }
  }
  return wins.map((_, i) => i).sort((a, b) => wins[a]! - wins[b]! || a - b);
}

describe('merge order', () => {
  it('is that of exhaustive comparison where preferences are transitive, ties in their order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 }), async (values) => {
        const compare = larger(values);
        expect([...(await mergeOrder(values.length, compare))]).toEqual(
          await exhaustive(values.length, compare),
        );
      }),
    );
  });

  it('is an order of all elements whatever is preferred, the same each time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(60), fc.nat(), async (count, seed) => {
        const odd: ComparePairs = async (first, second) =>
          Float64Array.from(first, (a, i) => Math.sin(seed + 13 * a + 7 * second[i]!));
        const found = await mergeOrder(count, odd);
        expect([...found].sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i));
        expect(await mergeOrder(count, odd)).toEqual(found);
      }),
    );
  });

  it('agrees with most comparisons of a circle of preferences', async () => {
    const circle: ComparePairs = async (first, second) =>
      Float64Array.from(first, (a, i) => ((a - second[i]! + 30) % 30 < 15 ? 1 : -1));
    const found = await mergeOrder(30, circle);
    const agreeing = found.reduce((sum, a, i) => {
      const above = found.subarray(i + 1);
      return sum + above.filter((b) => (b - a + 30) % 30 < 15).length;
    }, 0);
    expect(agreeing / ((30 * 29) / 2)).toBeGreaterThan(0.6);
  });

  it('asks in few calls', async () => {
    const calls: number[] = [];
    const values = Float64Array.from({ length: 10_000 }, (_, i) => Math.sin(i * i));
    const found = await mergeOrder(values.length, larger(values, calls));
    expect(calls.length).toBeLessThanOrEqual(105);
    found.forEach((a, i) => {
      if (i > 0) expect(values[found[i - 1]!]!).toBeLessThanOrEqual(values[a]!);
    });
  });
});
