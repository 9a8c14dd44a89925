// How fast the engine trains and infers, beside PyTorch on the same number of threads: each measured in turn, in
// one run; medians and their ratio. Then the memory of training steps, each side in a process of its own.
// Options: --threads 2, --repeats 9, --only REGEX.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { adamW, sgd } from '../src/nn/optimiser.js';
import { matMulPeak } from './matmul.js';
import * as former from './nn-former.js';
import { inTurn, median, Peer } from './peer.js';
import * as resnet from './resnet.js';
import { graphBatch, inference, type Runner, randomBatch, training } from './runners.js';

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

const peak = await matMulPeak(1024, threads);
console.log(
  `${threads} threads, medians of ${counts.repeats} in turn after ${counts.warmUp}; GFLOP/s of MACs`,
);
console.log('peak: a product of 1024×1024 matrices, measured in the same turns\n');
console.log(
  '                                            auspex   PyTorch  ratio  GFLOP/s  peak  of it  build',
);
for (const row of ROWS.filter(({ name }) => new RegExp(options.only).test(name))) {
  const peer = new Peer([`bench/peers/${row.peer}`, String(threads)], 'torch');
  await peer.line();
  const runner = await row.runner();
  const peaks: number[] = [];
  const { ours, theirs, ratio } = await inTurn(
    runner.run,
    () => peer.measure(row.line),
    counts,
    async () => {
      peaks.push(await peak());
    },
  );
  peer.close();
  const speed = (2 * runner.macs) / ours / 1e6;
  const best = median(peaks);
  const cells = [
    `${ours.toFixed(1)} ms`.padStart(10),
    `${theirs.toFixed(1)} ms`.padStart(10),
    `${ratio.toFixed(2)}x`.padStart(6),
    speed.toFixed(0).padStart(8),
    best.toFixed(0).padStart(6),
    `${((100 * speed) / best).toFixed(0)}%`.padStart(7),
    `${(runner.buildMs / 1000).toFixed(1)} s`.padStart(6),
  ];
  console.log(`${row.name.padEnd(42)}${cells.join('')}`);
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
