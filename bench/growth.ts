// How time grows with size: training steps with the batch, graphs with their nodes, layers with their weights. One side, no
// peer; the slope is that of the logarithms, 1 meaning that twice the size takes twice the time.
// Options: --threads 2, --repeats 5.
import { parseArgs } from 'node:util';
import { linear } from '../src/nn/linear.js';
import { sgd } from '../src/nn/optimiser.js';
import type { BatchShapes, Objective } from '../src/nn/step.js';
import { median } from './blocks.js';
import { time } from './document.js';
import { imageShapes, resnet18 } from './workloads/resnet.js';
import { randomBatch, training } from './workloads/runners.js';

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: { threads: { type: 'string', default: '2' }, repeats: { type: 'string', default: '5' } },
});
const [threads, repeats] = [Number(flags.threads), Number(flags.repeats)];

/** A layer after another, all of one width. */
function layers(count: number, width: number): Objective {
  const predict: Objective['predict'] = (s, { x }) => {
    let y = x!;
    for (let i = 0; i < count; i++) y = linear(s.at('layer', i), y, width).tanh();
    return y;
  };
  return { predict, loss: (s, batch) => predict(s, batch).square().mean() };
}

const vectors = (batch: number, width: number): BatchShapes => ({
  x: { type: 'float32', dims: [batch, width] },
});

interface Growth {
  readonly what: string;
  readonly sizes: readonly number[];
  /** What is trained, and on batches of which shapes. */
  of(size: number): readonly [Objective, BatchShapes];
}

const GROWTHS: readonly Growth[] = [
  {
    what: 'images in a batch, ResNet-18 (32²)',
    sizes: [1, 4, 16, 64, 256],
    of: (batch) => [resnet18(true), imageShapes(batch, 32)],
  },
  {
    // A layer is a product, a sum and a tangent, and about as many nodes again for its gradients.
    what: 'layers of width 8',
    sizes: [4, 40, 400, 2000],
    of: (count) => [layers(count, 8), vectors(8, 8)],
  },
  {
    what: 'weights of a layer',
    sizes: [1e4, 1e5, 1e6, 1e7, 1e8],
    of: (weights) => [layers(1, Math.round(Math.sqrt(weights))), vectors(32, Math.round(Math.sqrt(weights)))],
  },
];

for (const { what, sizes, of } of GROWTHS) {
  console.log(`\n${what}`);
  const points: [size: number, ms: number, buildMs: number][] = [];
  for (const size of sizes) {
    const [objective, shapes] = of(size);
    const runner = await training(objective, shapes, await randomBatch(shapes), sgd(), threads);
    await runner.run();
    const times: number[] = [];
    for (let i = 0; i < repeats; i++) times.push(await runner.run());
    await runner.dispose();
    const point = [size, median(times), runner.buildMs] as const;
    points.push([...point]);
    console.log(
      `${String(size).padStart(12)}  step ${time(point[1]).padStart(9)}  made and compiled in ${time(point[2])}`,
    );
  }
  const slope = (pick: 1 | 2): string =>
    slopeOf(points.map((p) => [Math.log(p[0]), Math.log(p[pick])])).toFixed(2);
  console.log(`       slope  step ${slope(1).padStart(9)}  made and compiled ${slope(2)}`);
}

/** By least squares. */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (i: 0 | 1): number => points.reduce((sum, p) => sum + p[i], 0) / points.length;
  const [x0, y0] = [mean(0), mean(1)];
  const product = points.reduce((sum, [x, y]) => sum + (x - x0) * (y - y0), 0);
  return product / points.reduce((sum, [x]) => sum + (x - x0) ** 2, 0);
}
