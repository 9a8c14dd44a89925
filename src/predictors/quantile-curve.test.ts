import { describe, expect, it } from 'vitest';
import { symbol } from '../graph/dim.js';
import { makeGraph, makeModel } from '../graph/graph.js';
import { Builder } from '../ops/build.js';
import '../ops/index.js';
import { hostTensor, sessionFor } from '../runtime/session.js';
import { RisingCurve, rankQuantiles } from './quantile-curve.js';

async function applied(curve: RisingCurve, x: readonly number[]): Promise<number[]> {
  const builder = new Builder({ opsets: new Map([['', 21]]) });
  const y = curve.apply(builder.input('x', 'float32', [symbol('n'), 1]));
  const graph = makeGraph({
    name: 'curve',
    nodes: builder.nodes,
    inputs: builder.inputs,
    outputs: [{ name: y.name, type: y.type }],
    initializers: builder.initializers,
  });
  const session = await sessionFor(makeModel(graph, { opsetImports: builder.opsets }));
  const found = await session.run({
    x: await hostTensor('float32', Float32Array.from(x), [x.length, 1]),
  });
  return Array.from(found[y.name]!.data as Float32Array);
}

describe('labels as quantiles', () => {
  it('are scipy.stats.norm.ppf of (rank - 0.5) / n, ties sharing theirs', () => {
    const found = rankQuantiles(Float64Array.of(30, 10, 20, 20));
    // scipy.stats.norm.ppf([0.875, 0.125, 0.5, 0.5])
    [1.1503493804, -1.1503493804, 0, 0].forEach((z, i) => void expect(found[i]).toBeCloseTo(z, 6));
  });

  it('come back as they were, in order, also beyond the ends', async () => {
    const labels = Float64Array.from({ length: 40 }, (_, i) => (i < 2 ? 10 + i : 90 + i / 10));
    const quantiles = rankQuantiles(labels);
    const curve = new RisingCurve(quantiles, labels);
    const found = await applied(curve, [-4, ...quantiles, 4]);
    found.slice(1).forEach((y, i) => void expect(y).toBeGreaterThan(found[i]!));
    expect(Math.abs(found[21]! - labels[20]!)).toBeLessThan(0.2);
  });
});
