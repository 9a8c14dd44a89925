import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../util/random.js';
import { ascending, averageRanks, denseRanks, RankCounter } from './order.js';

/** JavaScript's own sort is stable, and says what is right. */
function expectAscending(values: Float64Array): void {
  const expected = Array.from(values, (_, i) => i).sort((a, b) => values[a]! - values[b]! || a - b);
  const { order, sorted } = ascending(values);
  expect([...order]).toEqual(expected);
  expect([...sorted]).toEqual(expected.map((i) => values[i]));
}

const random = Random.seeded(1);
const drawn = (n: number, draw: (i: number) => number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => draw(i));

describe('ascending', () => {
  it.each<[string, Float64Array]>([
    ['none', new Float64Array(0)],
    ['one', Float64Array.of(3)],
    ['numbers spread out', drawn(5000, () => random.float())],
    ['few different numbers', drawn(5000, () => random.below(5))],
    ['a bell curve', drawn(5000, () => random.normal())],
    // One outlier: all others fall into one bucket, which the merge sort sorts.
    ['an outlier', drawn(5000, (i) => (i === 4000 ? 1e30 : random.float()))],
    ['all sizes', drawn(5000, () => 2 ** random.between(-1000, 1000) * (random.chance(0.5) ? 1 : -1))],
    ['a span beyond float64', drawn(500, () => 1.7e308 * (2 * random.float() - 1))],
    ['the smallest numbers', drawn(500, () => random.below(50) * Number.MIN_VALUE)],
    ['numbers in the last bit', drawn(500, () => 1 + random.below(9) * Number.EPSILON)],
    ['in order', drawn(1000, (i) => i)],
    ['in reverse', drawn(1000, (i) => -i)],
    ['all the same', new Float64Array(1000).fill(7)],
  ])('%s', (_, values) => expectAscending(values));

  it('takes 0 and −0 as equal', () => {
    expect([...ascending(Float64Array.of(0, -0, -1, 0, -0)).order]).toEqual([2, 0, 1, 3, 4]);
  });

  it('any numbers', () => {
    const values = fc.float64Array({ noNaN: true, noDefaultInfinity: true, maxLength: 100 });
    fc.assert(fc.property(values, expectAscending));
  });
});

it('dense ranks have no gaps', () => {
  expect([...denseRanks(Float64Array.of(-2, -2, 0, 0.5, 0.5, 0.5, 9))]).toEqual([0, 0, 1, 2, 2, 2, 3]);
});

it('average ranks are the mean of the places that equal values take', () => {
  const values = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 });
  fc.assert(
    fc.property(values, (list) => {
      const expected = list.map((x) => {
        const below = list.filter((y) => y < x).length;
        return below + (list.filter((y) => y === x).length + 1) / 2;
      });
      expect([...averageRanks(Float64Array.from(list))]).toEqual(expected);
    }),
  );
});

it('RankCounter counts what was added', () => {
  const counter = new RankCounter(20);
  const added: number[] = [];
  for (let i = 0; i < 200; i++) {
    added.push(random.below(20));
    counter.add(added.at(-1)!);
    const rank = random.below(20);
    expect(counter.atMost(rank)).toBe(added.filter((x) => x <= rank).length);
  }
});
