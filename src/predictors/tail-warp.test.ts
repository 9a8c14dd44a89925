import { expect, it } from 'vitest';
import { makeGraph, makeModel } from '../graph/graph.js';
import { Builder } from '../ops/build.js';
import '../ops/index.js';
import { hostTensor, sessionFor } from '../runtime/session.js';
import { TailWarp } from './tail-warp.js';

// The median is 3, the median absolute deviation 1, so that z = (y − 3)/1.4826.
const LABELS = Float64Array.of(1, 2, 3, 4, 5, 2, 4, 3, -40);

it('is straight around the median, a logarithm beyond, and one curve', () => {
  const warp = new TailWarp(LABELS, 2);
  const z = -43 / 1.4826;
  const found = warp.learned(Float64Array.of(3, 4.4826, 3 + 2 * 1.4826, -40));
  [0, 1, 2, -2 * (1 + Math.log(-z / 2))].forEach((t, i) => void expect(found[i]).toBeCloseTo(t, 10));
  expect(warp.logSlopes(LABELS)).toBeCloseTo(Math.log(2 / -z), 10);
});

it('goes back to every label, and rises on beyond them as a line', async () => {
  for (const bend of [0.5, 1, 2]) {
    const warp = new TailWarp(LABELS, bend);
    const learned = warp.learned(LABELS);
    LABELS.forEach((y, i) => void expect(warp.at(learned[i]!)).toBeCloseTo(y, 9));
    const end = Math.abs(learned.at(-1)!);
    const [a, b, c] = [warp.at(end + 1), warp.at(end + 2), warp.at(end + 3)];
    expect(b - a).toBeGreaterThan(0);
    expect(c - b).toBeCloseTo(b - a, 9);
    const points = [...learned, end + 1, -end - 2, 0];
    const found = await run(warp, points);
    points.forEach((t, i) => void expect(found[i]! / warp.at(t)).toBeCloseTo(1, 5));
  }
});

it('takes labels that are all alike, or nearly so', () => {
  const same = Float64Array.of(7, 7, 7);
  expect([...new TailWarp(same, 1).learned(same)]).toEqual([0, 0, 0]);
  expect(new TailWarp(same, 1).at(0)).toBe(7);
  const most = Float64Array.of(7, 7, 7, 8);
  const warp = new TailWarp(most, 1);
  expect(warp.at(warp.learned(most)[3]!)).toBeCloseTo(8, 9);
});

/** In a graph. */
async function run(warp: TailWarp, points: readonly number[]): Promise<Float32Array> {
  const builder = new Builder({ opsets: new Map([['', 21]]) });
  const y = warp.apply(builder.input('t', 'float32', [points.length]));
  const { nodes, inputs, initializers, opsets } = builder;
  const outputs = [{ name: y.name, type: y.type }];
  const session = await sessionFor(
    makeModel(makeGraph({ name: 'warp', nodes, inputs, outputs, initializers }), { opsetImports: opsets }),
  );
  const t = await hostTensor('float32', Float32Array.from(points), [points.length]);
  return (await session.run({ t }))[y.name]!.data as Float32Array;
}
