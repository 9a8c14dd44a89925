// Convolutions alone beside PyTorch: forward, backward and update of one layer of each kind.
import { sgd } from '../src/nn/optimiser.js';
import { python } from './answerer.js';
import type { Bench } from './bench.js';
import { type Layer, layerObjective, layerShapes } from './workloads/layer.js';
import { type Runner, randomBatch, training } from './workloads/runners.js';

const IMAGE = { batch: 32, channels: 64, filters: 64, size: [32, 32] } as const;
const SAME = { kernel: 3, padding: 1 } as const;
const VOLUME = { batch: 4, channels: 32, filters: 32, size: [16, 16, 16] } as const;

const LAYERS: readonly (readonly [name: string, layer: Layer])[] = [
  ['3×3, 64 at 32²', { ...IMAGE, ...SAME }],
  ['3×3, 128 at 16²', { batch: 32, channels: 128, filters: 128, size: [16, 16], ...SAME }],
  ['3×3, 256 at 8²', { batch: 32, channels: 256, filters: 256, size: [8, 8], ...SAME }],
  ['3×3, 512 at 4²', { batch: 32, channels: 512, filters: 512, size: [4, 4], ...SAME }],
  ['3×3, 16 at 32²', { ...IMAGE, channels: 16, filters: 16, ...SAME }],
  ['3×3, 24 at 32²', { ...IMAGE, channels: 24, filters: 24, ...SAME }],
  ['3×3, 3 to 64 at 32²', { ...IMAGE, channels: 3, ...SAME }],
  ['3×3, stride 2', { ...IMAGE, ...SAME, stride: 2, filters: 128 }],
  ['1×1', { ...IMAGE, kernel: 1 }],
  ['1×1, stride 2', { ...IMAGE, kernel: 1, stride: 2 }],
  ['5×5', { ...IMAGE, kernel: 5, padding: 2 }],
  [
    '7×7, stride 2, 3 to 64 at 64²',
    { ...IMAGE, channels: 3, size: [64, 64], kernel: 7, padding: 3, stride: 2 },
  ],
  ['3×3, 4 groups', { ...IMAGE, ...SAME, groups: 4 }],
  ['3×3, 32 groups', { ...IMAGE, ...SAME, groups: 32 }],
  ['3×3, depthwise', { ...IMAGE, ...SAME, groups: 64 }],
  ['3×3, depthwise, stride 2', { ...IMAGE, ...SAME, groups: 64, stride: 2 }],
  ['7×7, depthwise', { ...IMAGE, kernel: 7, padding: 3, groups: 64 }],
  ['3×3, dilation 2', { ...IMAGE, kernel: 3, padding: 2, dilation: 2 }],
  [
    'transposed 2×2, stride 2, at 16²',
    { ...IMAGE, size: [16, 16], kernel: 2, stride: 2, isTransposed: true },
  ],
  [
    'transposed 4×4, stride 2, at 16²',
    { ...IMAGE, size: [16, 16], kernel: 4, padding: 1, stride: 2, isTransposed: true },
  ],
  ['1-D, 9, 64 at 256', { ...IMAGE, size: [256], kernel: 9, padding: 4 }],
  ['3-D, 3×3×3, 32 at 16³', { ...VOLUME, ...SAME }],
  ['3-D, 3×3×3, stride 2', { ...VOLUME, ...SAME, stride: 2 }],
  ['3-D, 3×3×3, 3 to 32 at 16³', { ...VOLUME, channels: 3, ...SAME }],
  ['3-D, 1×1×1', { ...VOLUME, kernel: 1 }],
  ['3-D, 3×3×3, depthwise', { ...VOLUME, ...SAME, groups: 32 }],
];

export const bench: Bench = {
  options: { threads: { type: 'string', default: '2' } },

  async rows({ values: { threads } }, side) {
    return LAYERS.map(([name, layer]) => ({
      name,
      ours: { side, line: name },
      peers: [{ side: python(['bench/peers/layers.py', threads!], 'torch'), line: JSON.stringify(layer) }],
    }));
  },

  async side({ values: { threads } }) {
    let runner: Runner | undefined;
    return async (line) => {
      if (runner === undefined) {
        const [, layer] = LAYERS.find(([name]) => name === line)!;
        const batch = await randomBatch(layerShapes);
        runner = await training(layerObjective(layer), layerShapes, batch, sgd(), Number(threads));
      }
      return runner.run();
    };
  },
};
