// How fast the engine trains and infers, beside PyTorch on the same number of threads: each measured in turn, in
// one run; medians and their ratio. Options: --threads 2, --repeats 9, --only REGEX.
import { parseArgs } from 'node:util';
import { cost } from '../src/analysis/cost.js';
import { inferShapes } from '../src/analysis/infer.js';
import type { Model } from '../src/graph/graph.js';
import { freeze } from '../src/nn/freeze.js';
import { initialValues } from '../src/nn/initialise.js';
import { NoiseSource } from '../src/nn/noise.js';
import { adamW, type Optimiser, sgd } from '../src/nn/optimiser.js';
import { type BatchShapes, type Objective, trace, trainingStep } from '../src/nn/step.js';
import { State, Stepper } from '../src/nn/stepper.js';
import { type Feeds, type HostTensor, hostTensor, Session } from '../src/runtime/session.js';
import { Random } from '../src/util/random.js';
import { matMulPeak } from './matmul.js';
import * as former from './nn-former.js';
import { inTurn, Peer } from './peer.js';
import * as resnet from './resnet.js';

const { values: options } = parseArgs({
  args: process.argv.slice(3),
  options: {
    threads: { type: 'string', default: '2' },
    repeats: { type: 'string', default: '9' },
    only: { type: 'string', default: '' },
  },
});
const threads = Number(options.threads);
const counts = { repeats: Number(options.repeats), warmUp: 3 };

/** Something that is timed: one run gives milliseconds. */
interface Runner {
  readonly macs: number;
  readonly buildMs: number;
  run(): Promise<number>;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function macsOf(model: Model): number {
  return Number(cost(inferShapes(model)).totals.macs);
}

/** Steps of an optimiser on one batch. */
async function training(
  objective: Objective,
  shapes: BatchShapes,
  batch: Feeds,
  optimiser: Optimiser,
): Promise<Runner> {
  const start = performance.now();
  const step = trainingStep(objective, shapes, { optimiser });
  const values = step.state.map(({ name, dims, role, parameter }) => {
    const data = role === 'parameter' ? initialValues(parameter, 0) : new Float32Array(size(dims));
    return [name, { dims, data }] as const;
  });
  const stepper = await Stepper.create(step, await State.of(new Map(values)), { threads });
  const buildMs = performance.now() - start;
  const noise = new NoiseSource(step.noise, 0);
  let count = 0;
  const run = async (): Promise<void> => {
    count++;
    const scalars: Record<string, HostTensor> = {};
    for (const [name, value] of Object.entries(optimiser.scalars(count, 1e-4))) {
      scalars[step.scalars[name]!] = await hostTensor('float32', Float32Array.of(value), []);
    }
    await stepper.run({ ...batch, ...scalars, ...(await noise.feeds(count)) });
  };
  return { macs: macsOf(step.model), buildMs, run: () => timed(run) };
}

/** The trained model alone; its weights are constants. */
async function inference(objective: Objective, shapes: BatchShapes, batch: Feeds): Promise<Runner> {
  const start = performance.now();
  const { model, trace: traced } = trace(shapes, false, objective.predict, 'prediction');
  const weights = [...traced.parameters.values()].map((p) => [p.name, initialValues(p, 0)] as const);
  const frozen = freeze(model, new Map(weights));
  const session = await Session.create(frozen, { threads });
  const feeds = Object.fromEntries(session.inputs.map((name) => [name, batch[name]!]));
  return {
    macs: macsOf(frozen),
    buildMs: performance.now() - start,
    run: () => timed(() => session.run(feeds)),
  };
}

function size(dims: readonly number[]): number {
  return dims.reduce((n, d) => n * d, 1);
}

/** A batch of random numbers: whole ones up to a limit where the input holds integers. */
async function randomBatch(shapes: BatchShapes, limit = 10): Promise<Feeds> {
  const random = Random.seeded(1);
  const feeds: Record<string, HostTensor> = {};
  for (const [name, { type, dims }] of Object.entries(shapes)) {
    const data =
      type === 'int64'
        ? BigInt64Array.from({ length: size(dims) }, () => BigInt(random.below(limit)))
        : Float32Array.from({ length: size(dims) }, () => random.float());
    feeds[name] = await hostTensor(type, data, dims);
  }
  return feeds;
}

/** Graphs as NN-Former gets them: one operation a node, edges only forward. */
async function graphBatch(size: number): Promise<Feeds> {
  const random = Random.seeded(1);
  const feeds: Record<string, HostTensor> = {};
  for (const [name, { dims }] of Object.entries(former.shapes(size))) {
    const [, rows, columns] = dims as [number, number, number];
    const data = new Float32Array(dims.reduce((n, d) => n * d, 1));
    for (let i = 0; i < data.length; i++) {
      if (name === 'target') data[i] = random.float();
      else if (name === 'adjacency') {
        const [row, column] = [Math.floor(i / columns) % rows, i % columns];
        data[i] = Number(column > row && random.chance(0.4));
      } else if (i % columns === 0) data[i + (name === 'depth' ? 7 : random.below(7))] = 1;
    }
    feeds[name] = await hostTensor('float32', data, dims);
  }
  return feeds;
}

interface Row {
  readonly name: string;
  readonly peer: string;
  readonly line: string;
  runner(): Promise<Runner>;
}

const withDropout = { ...former.PAPER, dropout: 0.1 };
const ROWS: readonly Row[] = [
  {
    name: 'NN-Former, training step, batch 128',
    peer: 'nn_former.py',
    line: 'train 128',
    runner: async () =>
      training(former.objective(former.PAPER), former.shapes(128), await graphBatch(128), adamW()),
  },
  {
    name: 'NN-Former, the same with dropout 0.1',
    peer: 'nn_former.py',
    line: 'train 128 0.1',
    runner: async () =>
      training(former.objective(withDropout), former.shapes(128), await graphBatch(128), adamW()),
  },
  ...[1, 256].map((batch) => ({
    name: `NN-Former, inference, batch ${batch}`,
    peer: 'nn_former.py',
    line: `infer ${batch}`,
    runner: async () =>
      inference(former.objective(former.PAPER), former.shapes(batch), await graphBatch(batch)),
  })),
  {
    name: 'ResNet-18 (32×32), training step, batch 32',
    peer: 'resnet.py',
    line: 'train 32',
    runner: async () =>
      training(
        resnet.objective,
        resnet.shapes(32),
        await randomBatch(resnet.shapes(32)),
        sgd({ momentum: 0.9 }),
      ),
  },
];

const peak = await matMulPeak(1024, threads);
console.log(
  `${threads} threads, medians of ${counts.repeats} in turn after ${counts.warmUp}; GFLOP/s of MACs`,
);
console.log(`a product of 1024×1024 matrices: ${peak.toFixed(0)} GFLOP/s\n`);
console.log('                                            auspex  PyTorch  ratio  GFLOP/s  of peak  build');
for (const row of ROWS.filter(({ name }) => new RegExp(options.only).test(name))) {
  const peer = new Peer([`bench/peers/${row.peer}`, String(threads)], 'torch');
  await peer.line();
  const runner = await row.runner();
  const { ours, theirs } = await inTurn(runner.run, () => peer.measure(row.line), counts);
  peer.close();
  const speed = (2 * runner.macs) / ours / 1e6;
  const cells = [
    `${ours.toFixed(1)} ms`.padStart(9),
    `${theirs.toFixed(1)} ms`.padStart(9),
    `${(theirs / ours).toFixed(2)}x`.padStart(6),
    speed.toFixed(0).padStart(8),
    `${((100 * speed) / peak).toFixed(0)}%`.padStart(8),
    `${(runner.buildMs / 1000).toFixed(1)} s`.padStart(6),
  ];
  console.log(`${row.name.padEnd(42)}${cells.join('')}`);
}
