// How fast the engine trains and infers, beside PyTorch on the same number of threads: each measured in turn, in
// one run; medians and their ratio. Every row is begun several times over with a new process and a new session, because
// PyTorch is half as fast again in some processes as in others. Then the memory of training steps, each side in a
// process of its own.
// Options: --threads 2, --starts 5, --repeats 9, --only REGEX.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { tensorsOf } from '../src/nn/batch.js';
import { adam, adamW, sgd } from '../src/nn/optimiser.js';
import * as arch2vec from './arch2vec.js';
import { matMulPeak } from './matmul.js';
import * as former from './nn-former.js';
import { inTurn, median, Peer } from './peer.js';
import * as resnet from './resnet.js';
import { graphBatch, inference, type Runner, randomBatch, training } from './runners.js';

const { values: options } = parseArgs({
  args: process.argv.slice(3),
  options: {
    threads: { type: 'string', default: '2' },
    starts: { type: 'string', default: '5' },
    repeats: { type: 'string', default: '9' },
    only: { type: 'string', default: '' },
  },
});
const threads = Number(options.threads);
const counts = { repeats: Number(options.repeats), warmUp: 3 };

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
      training(former.objective(former.PAPER), former.shapes(128), await graphBatch(128), adamW(), threads),
  },
  {
    name: 'NN-Former, the same with dropout 0.1',
    peer: 'nn_former.py',
    line: 'train 128 0.1',
    runner: async () =>
      training(former.objective(withDropout), former.shapes(128), await graphBatch(128), adamW(), threads),
  },
  ...[1, 256].map((batch) => ({
    name: `NN-Former, inference, batch ${batch}`,
    peer: 'nn_former.py',
    line: `infer ${batch}`,
    runner: async () =>
      inference(former.objective(former.PAPER), former.shapes(batch), await graphBatch(batch), threads),
  })),
  {
    name: 'arch2vec, training step, batch 32',
    peer: 'arch2vec.py',
    line: 'train 32',
    runner: async () =>
      training(arch2vec.objective, arch2vec.shapes(32), await tensorsOf(arch2vec.cells(32)), adam(), threads),
  },
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
        threads,
      ),
  },
];

interface Start {
  readonly ours: number;
  readonly theirs: number;
  readonly ratio: number;
  /** GFLOP/s of MACs. */
  readonly speed: number;
  /** Of those of a product of large matrices in the same turns. */
  readonly share: number;
  readonly buildMs: number;
}

/** Both sides anew, then in turn. */
async function start(row: Row, peak: () => Promise<number>): Promise<Start> {
  const peer = new Peer([`bench/peers/${row.peer}`, String(threads)], 'torch');
  await peer.line();
  const runner = await row.runner();
  const peaks: number[] = [];
  const found = await inTurn(
    runner.run,
    () => peer.measure(row.line),
    counts,
    async () => {
      peaks.push(await peak());
    },
  );
  peer.close();
  await runner.dispose();
  const speed = (2 * runner.macs) / found.ours / 1e6;
  return { ...found, speed, share: speed / median(peaks), buildMs: runner.buildMs };
}

const starts = Number(options.starts);
const peak = await matMulPeak(1024, threads);
console.log(
  `${threads} threads; medians of ${starts} starts, each of ${counts.repeats} in turn after ${counts.warmUp}`,
);
console.log('of the peak: of the GFLOP/s of a product of 1024×1024 matrices in the same turns');
for (const row of ROWS.filter(({ name }) => new RegExp(options.only).test(name))) {
  console.log(`\n${row.name}`);
  console.log('       auspex    PyTorch    ratio   GFLOP/s   of the peak   build');
  const found: Start[] = [];
  for (let i = 0; i < starts; i++) {
    const one = await start(row, peak);
    found.push(one);
    console.log(`  ${lineOf(one)}`);
  }
  const of = (pick: (one: Start) => number): number => median(found.map(pick));
  const middle: Start = {
    ours: of((s) => s.ours),
    theirs: of((s) => s.theirs),
    ratio: of((s) => s.ratio),
    speed: of((s) => s.speed),
    share: of((s) => s.share),
    buildMs: of((s) => s.buildMs),
  };
  console.log(`= ${lineOf(middle)}`);
}

function lineOf({ ours, theirs, ratio, speed, share, buildMs }: Start): string {
  return [
    `${ours.toFixed(1)} ms`.padStart(11),
    `${theirs.toFixed(1)} ms`.padStart(11),
    `${ratio.toFixed(2)}x`.padStart(9),
    speed.toFixed(0).padStart(10),
    `${(100 * share).toFixed(0)}%`.padStart(14),
    `${(buildMs / 1000).toFixed(1)} s`.padStart(8),
  ].join('');
}

/** Peak memory in MB of a process that does nothing but training steps. */
async function memory(): Promise<{ ours: number; theirs: number }> {
  const peer = new Peer(['bench/peers/nn_former.py', String(threads)], 'torch');
  await peer.line();
  for (let i = 0; i < 5; i++) await peer.measure('train 128');
  const theirs = await peer.measure('rss');
  peer.close();
  const child = spawnSync(process.execPath, [process.argv[1]!, 'memory', String(threads)], {
    encoding: 'utf8',
  });
  if (child.status !== 0) throw new Error(child.stderr);
  return { ours: Number(child.stdout), theirs };
}

if (new RegExp(options.only).test('memory')) {
  const { ours, theirs } = await memory();
  console.log(
    `\npeak memory of NN-Former's training steps: ${ours.toFixed(0)} MB, PyTorch ${theirs.toFixed(0)} MB`,
  );
}
