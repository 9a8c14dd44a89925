// How fast the engine trains and infers, beside PyTorch (eager) on the same number of threads.
import { tensorsOf } from '../src/nn/batch.js';
import { adam, adamW, sgd } from '../src/nn/optimiser.js';
import { python } from './answerer.js';
import type { Bench } from './bench.js';
import * as arch2vec from './workloads/arch2vec.js';
import { gpt2 } from './workloads/gpt2.js';
import { mobileNetV2 } from './workloads/mobilenet.js';
import * as former from './workloads/nn-former.js';
import { imageShapes, resnet18 } from './workloads/resnet.js';
import { graphBatch, inference, type Runner, randomBatch, training } from './workloads/runners.js';
import { vitTiny } from './workloads/vit.js';

export interface Workload {
  readonly name: string;
  /** A script of `bench/peers`, and what it is asked. */
  readonly peer: readonly [script: string, line: string];
  runner(threads: number): Promise<Runner>;
}

const momentum = sgd({ momentum: 0.9 });
const withDropout = { ...former.PAPER, dropout: 0.1 };
const former128 = (options: typeof former.PAPER) => async (threads: number) =>
  training(former.objective(options), former.shapes(128), await graphBatch(128), adamW(), threads);

export const WORKLOADS: readonly Workload[] = [
  {
    name: 'NN-Former, step, batch 128',
    peer: ['nn_former.py', 'train 128'],
    runner: former128(former.PAPER),
  },
  {
    name: 'NN-Former with dropout 0.1, step',
    peer: ['nn_former.py', 'train 128 0.1'],
    runner: former128(withDropout),
  },
  ...[1, 256].map((batch) => ({
    name: `NN-Former, inference, batch ${batch}`,
    peer: ['nn_former.py', `infer ${batch}`] as const,
    runner: async (threads: number) =>
      inference(former.objective(former.PAPER), former.shapes(batch), await graphBatch(batch), threads),
  })),
  {
    name: 'arch2vec, step, batch 32',
    peer: ['arch2vec.py', 'train 32'],
    runner: async (threads) =>
      training(arch2vec.objective, arch2vec.shapes(32), await tensorsOf(arch2vec.cells(32)), adam(), threads),
  },
  images('ResNet-18 (32²), step, batch 32', 'resnet18 32 32', resnet18(true), 32, 32),
  images('ResNet-18 (224²), step, batch 8', 'resnet18 8 224', resnet18(false), 8, 224),
  images('MobileNetV2 (224²), step, batch 8', 'mobilenetv2 8 224', mobileNetV2, 8, 224),
  images('ViT-Tiny (224²), step, batch 8', 'vit 8 224', vitTiny, 8, 224),
  {
    name: 'GPT-2 small, step, 1 × 128 tokens',
    peer: ['networks.py', 'gpt2 1 128'],
    runner: async (threads) => {
      const shapes = gpt2.shapes(1, 128);
      return training(gpt2.objective, shapes, await randomBatch(shapes, 50_000), momentum, threads);
    },
  },
];

function images(
  name: string,
  line: string,
  objective: typeof vitTiny,
  batch: number,
  size: number,
): Workload {
  return {
    name,
    peer: ['networks.py', line],
    runner: async (threads) => {
      const shapes = imageShapes(batch, size);
      return training(objective, shapes, await randomBatch(shapes), momentum, threads);
    },
  };
}

export const bench: Bench = {
  options: { threads: { type: 'string', default: '2' } },

  async rows({ values: { threads } }, side) {
    return WORKLOADS.map(({ name, peer: [script, line] }) => ({
      name,
      ours: { side, line: name },
      peers: [{ side: python([`bench/peers/${script}`, threads!], 'torch'), line }],
    }));
  },

  async side({ values: { threads } }) {
    let runner: Runner | undefined;
    return async (line) => {
      runner ??= await WORKLOADS.find(({ name }) => name === line)!.runner(Number(threads));
      return runner.run();
    };
  },
};
