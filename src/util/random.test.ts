import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from './random.js';

fc.configureGlobal({ seed: 1 });

describe('Random', () => {
  it('gives the numbers of the reference implementation', () => {
    // From the authors' C code (xoshiro128starstar.c 1.1), state as below.
    const random = new Random([0x964d4a0c, 0xd40ab895, 0xad7fdecb, 0x3006f0f0]);
    const drawn = Array.from({ length: 4 }, () => random.uint32());
    expect(drawn).toEqual([0xf1391922, 0x6fe53806, 0xa5be2840, 0xf510ee70]);
  });

  it('fills arrays with what it would give one by one', () => {
    const [whole, single] = [Random.seeded(1), Random.seeded(1)];
    for (const length of [0, 1, 7, 1000]) {
      const words = new Uint32Array(length);
      whole.fill(words);
      expect([...words]).toEqual(Array.from({ length }, () => single.uint32()));
      const numbers = new Float64Array(length);
      whole.floats(numbers);
      expect([...numbers]).toEqual(Array.from({ length }, () => single.float()));
      whole.normals(numbers);
      expect([...numbers]).toEqual(Array.from({ length }, () => single.normal()));
    }
    expect(whole.uint32()).toBe(single.uint32());
  });

  it('repeats itself for a seed and differs between seeds and streams', () => {
    const draw = (seed: number, stream?: number): number[] => {
      const random = Random.seeded(seed, stream);
      return Array.from({ length: 8 }, () => random.uint32());
    };
    expect(draw(1)).toEqual(draw(1));
    const streams = [draw(1), draw(2), draw(1, 1), draw(1, 2), draw(2, 1)].map(String);
    expect(new Set(streams).size).toBe(streams.length);
  });

  it('stays in range', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 2 ** 32 }), (seed, count) => {
        const random = Random.seeded(seed);
        for (let i = 0; i < 20; i++) {
          expect(random.below(count)).toBeLessThan(count);
          const x = random.float();
          expect(x >= 0 && x < 1).toBe(true);
        }
      }),
    );
  });

  it('draws every number equally often', () => {
    const random = Random.seeded(7);
    const counts = new Array<number>(7).fill(0);
    const draws = 70_000;
    for (let i = 0; i < draws; i++) counts[random.below(7)]!++;
    // Chi-squared with 6 degrees of freedom: over 22.5 happens once in a thousand seeds.
    const expected = draws / 7;
    const chiSquared = counts.reduce((total, n) => total + (n - expected) ** 2 / expected, 0);
    expect(chiSquared).toBeLessThan(22.5);
  });

  it('draws different numbers, more of them beginning with the same ones', () => {
    const few = Random.seeded(3).sample(50, 10);
    expect(new Set(few).size).toBe(10);
    expect(Math.max(...few)).toBeLessThan(50);
    expect([...Random.seeded(3).sample(50, 20)].slice(0, 10)).toEqual([...few]);
    expect([...Random.seeded(3).sample(5, 9)].sort()).toEqual([0, 1, 2, 3, 4]);
  });

  it('refuses an empty range', () => {
    expect(() => Random.seeded(1).below(0)).toThrow(RangeError);
    expect(() => Random.seeded(1).pick([])).toThrow(RangeError);
  });
});
