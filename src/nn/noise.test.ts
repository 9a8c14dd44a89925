import { describe, expect, it } from 'vitest';
import { hostTensor, Session } from '../runtime/session.js';
import { dropout } from './dropout.js';
import { fillTable, NoiseSource, NoiseTables, TABLE_STEPS, tableSize } from './noise.js';
import { NOISE_OFFSETS, type Noise, noiseInput } from './scope.js';
import { type BatchShapes, trace } from './step.js';

const KEEP: Noise = { kind: 'keep', rate: 0.3 };
const NORMAL: Noise = { kind: 'normal' };

function table(
  noise: Noise,
  { size, seed = 1, block = 0 }: { size: number; seed?: number; block?: number },
): Float32Array {
  const filled = new Float32Array(size);
  fillTable(filled, noise, seed, block);
  return filled;
}

/** Mean, variance and the correlation of elements `lag` apart. */
function moments(x: Float32Array, lag = 1): { mean: number; variance: number; correlation: number } {
  const mean = x.reduce((sum, v) => sum + v, 0) / x.length;
  const variance = x.reduce((sum, v) => sum + (v - mean) ** 2, 0) / x.length;
  let product = 0;
  for (let i = 0; i + lag < x.length; i++) product += (x[i]! - mean) * (x[i + lag]! - mean);
  return { mean, variance, correlation: product / variance / x.length };
}

describe('tables', () => {
  it.each([0.1, 0.5, 0.9])('keep all but %s of the elements, the mean being 1', (rate) => {
    const x = table({ kind: 'keep', rate }, { size: 2 ** 18 });
    const dropped = x.reduce((n, v) => n + Number(v === 0), 0) / x.length;
    // Five deviations of a binomial distribution.
    expect(Math.abs(dropped - rate)).toBeLessThan(5 * Math.sqrt((rate * (1 - rate)) / x.length));
    expect(Math.abs(moments(x).mean - 1)).toBeLessThan(5 * Math.sqrt(rate / (1 - rate) / x.length));
    expect(new Set(x)).toEqual(new Set([0, Math.fround(1 / (1 - rate))]));
    for (const lag of [1, 64]) {
      expect(Math.abs(moments(x, lag).correlation)).toBeLessThan(5 / Math.sqrt(x.length));
    }
  });

  it('are normal', () => {
    const x = table(NORMAL, { size: 2 ** 18 });
    const { mean, variance, correlation } = moments(x);
    expect(Math.abs(mean)).toBeLessThan(0.01);
    expect(variance).toBeCloseTo(1, 2);
    expect(Math.abs(correlation)).toBeLessThan(0.01);
    const within = (limit: number): number =>
      x.reduce((n, v) => n + Number(Math.abs(v) < limit), 0) / x.length;
    // Of a normal distribution 68.27, 95.45 and 99.73%.
    expect(within(1)).toBeCloseTo(0.6827, 2);
    expect(within(2)).toBeCloseTo(0.9545, 2);
    expect(within(3)).toBeCloseTo(0.9973, 3);
    expect(x.every(Number.isFinite)).toBe(true);
  });

  it('depend on seed, block and kind, and on nothing else', () => {
    const size = 2 ** 12;
    const tables = [
      table(KEEP, { size }),
      table(KEEP, { size, seed: 2 }),
      table(KEEP, { size, block: 1 }),
      table({ kind: 'keep', rate: 0.31 }, { size }),
      table(NORMAL, { size }),
      table(NORMAL, { size, block: 1 }),
    ].map(String);
    expect(new Set(tables).size).toBe(tables.length);
    expect(String(table(KEEP, { size }))).toBe(tables[0]);
    // A larger one goes on where a smaller one ends.
    expect(String(table(KEEP, { size: 2 * size }).subarray(0, size))).toBe(tables[0]);
  });

  it('have room for every site four times', () => {
    expect([1, 2 ** 18, 2 ** 18 + 1, 2 ** 20].map(tableSize)).toEqual([2 ** 20, 2 ** 20, 2 ** 21, 2 ** 22]);
  });
});

describe('the noise of steps', () => {
  const sites = [
    { noise: KEEP, count: 300 },
    { noise: NORMAL, count: 2 ** 18 },
    { noise: KEEP, count: 5 },
  ];

  it('can be had for any step alone', async () => {
    const source = new NoiseSource(sites, 3);
    for (const step of [1, TABLE_STEPS - 1, TABLE_STEPS, 5 * TABLE_STEPS]) {
      const [going, alone] = [await source.feeds(step), await new NoiseSource(sites, 3).feeds(step)];
      expect(Object.keys(going).sort()).toEqual([NOISE_OFFSETS, noiseInput(KEEP), noiseInput(NORMAL)].sort());
      for (const [name, { data }] of Object.entries(going)) {
        expect(Buffer.from(data.buffer).equals(Buffer.from(alone[name]!.data.buffer)), name).toBe(true);
      }
    }
  });

  it('begins elsewhere at every site and in every step, within the table', async () => {
    const source = new NoiseSource(sites, 3);
    const seen = new Set<bigint>();
    for (let step = 1; step < TABLE_STEPS; step++) {
      const offsets = (await source.feeds(step))[NOISE_OFFSETS]!.data as BigInt64Array;
      offsets.forEach((offset, i) => {
        const { count } = sites[i]!;
        expect(offset >= 0n && Number(offset) + count <= 2 ** 20).toBe(true);
        seen.add(offset);
      });
    }
    expect(seen.size).toBeGreaterThan(3 * TABLE_STEPS - 8);
  });

  it('is that of a step whatever other shapes there are', async () => {
    const small = [{ noise: KEEP, count: 300 }];
    const large = [{ noise: KEEP, count: 2 ** 19 }];
    const tables = new NoiseTables(3);
    const [shared, other] = [small, large].map((list) => new NoiseSource(list, 3, tables));
    const drawn = async (source: NoiseSource): Promise<Float32Array> => {
      const feeds = await source.feeds(7);
      const offset = Number(feeds[NOISE_OFFSETS]!.data[0]);
      return (feeds[noiseInput(KEEP)]!.data as Float32Array).slice(offset, offset + 300);
    };
    const before = await drawn(shared!);
    await other!.feeds(7);
    expect(await drawn(shared!)).toEqual(before);
    expect(await drawn(new NoiseSource(small, 3))).toEqual(before);
  });

  it('reaches dropout', async () => {
    const shapes: BatchShapes = { x: { type: 'float32', dims: [40, 50] } };
    const { model, trace: traced } = trace(shapes, true, (s, { x }) => dropout(s, x!, 0.3), 'y');
    const session = await Session.create(model, { threads: 1 });
    const source = new NoiseSource(traced.noise, 1);
    const x = await hostTensor('float32', new Float32Array(2000).fill(2), [40, 50]);
    const run = async (step: number): Promise<Float32Array> => {
      return (await session.run({ x, ...(await source.feeds(step)) })).y!.data as Float32Array;
    };
    const [first, second] = [await run(1), await run(2)];
    expect(new Set(first)).toEqual(new Set([0, Math.fround(2 / 0.7)]));
    expect(first).not.toEqual(second);
    expect(first.filter((v) => v === 0).length / 2000).toBeCloseTo(0.3, 1);
    await session.dispose();
  });

  it('is nothing for a step that needs none', async () => {
    expect(await new NoiseSource([], 1).feeds(1)).toEqual({});
  });
});
