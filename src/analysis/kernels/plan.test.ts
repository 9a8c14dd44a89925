// The oracle is the graph that ONNX Runtime writes after optimising: the same kernels, of the same sizes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as ort from 'onnxruntime-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Model } from '../../graph/graph.js';
import { readModel } from '../../onnx/file.js';
import { encodeModel } from '../../onnx/write.js';
import { SPACES, spaceNamed } from '../../spaces/index.js';
import { inferShapes } from '../infer.js';
import type { Kernel } from './kernel.js';
import { optimisedKernels } from './optimised.js';
import { planKernels } from './plan.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-plan-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function optimised(model: Model): Promise<Model> {
  const file = join(folder, 'optimised.onnx');
  const session = await ort.InferenceSession.create(encodeModel(model), {
    graphOptimizationLevel: 'all',
    optimizedModelFilePath: file,
    logSeverityLevel: 4,
  });
  await session.release();
  return readModel(file);
}

/** Channels that are rounded up tell how wide a block is on this processor. */
let blockChannels = 0;
beforeAll(async () => {
  const model = await optimised(spaceNamed('nats-size').network([20, 20, 20, 20, 20], { resolution: 8 }));
  const rows = [...model.graph.initializers.values()].map(({ dims }) => (dims.length === 4 ? dims[0]! : 0));
  const isBlocked = model.graph.nodes.some(({ domain }) => domain.endsWith('nchwc'));
  blockChannels = !isBlocked ? 0 : rows.includes(32) ? 16 : 8;
});

/** Operator, first input, output and weights of a convolution; in no order. */
function texts(kernels: readonly Kernel[]): string[] {
  return kernels
    .map(({ operator, inputs, outputs }) => {
      const weights = operator.includes('Conv') ? ` by ${inputs[1]!.join('x')}, ${inputs.length} inputs` : '';
      return `${operator} ${inputs[0]!.join('x')} to ${outputs[0]!.join('x')}${weights}`;
    })
    .sort();
}

const NETWORKS: readonly [space: string, text: string][] = [
  [
    'nnlqp-mobilenetv3',
    'mobilenet_v3_small:w0.3,1,1.8,0.2,1.7:k1,1,3,3,3,7,7,5,3,5,3:e1.2,1.8,1.5,1.2,1.7,1.1,1,1.1,1,1.7,1.4',
  ],
  ['nnlqp-resnet', 'resnet18:w0.5,0.3,0.2:k3,5,3,7,3,3,5,3'],
  ['nnlqp-squeezenet', 'squeezenet1_1:w0.3,1,1.8,0.2,1.7,1,1.8,1.6:k3,3,7,7,5,3,5,3'],
  [
    'nnlqp-nasbench201',
    '|nor_conv_3x3~0|+|avg_pool_3x3~0|nor_conv_3x3~1|+|nor_conv_3x3~0|none~1|nor_conv_1x1~2|',
  ],
];

describe('kernels of a network', () => {
  it.each(NETWORKS)('are those that the runtime runs: %s', async (name, text) => {
    const space = spaceNamed(name);
    const model = space.network(space.parse(text), name.endsWith('201') ? {} : { resolution: 64 });
    const planned = planKernels(inferShapes(model), { blockChannels });
    expect(planned.unknown).toEqual([]);
    const real = optimisedKernels(inferShapes(await optimised(model)), blockChannels);
    expect(texts(planned.kernels)).toEqual(texts(real));
  });

  it('name the nodes that they come from, each once', () => {
    const space = spaceNamed('nnlqp-resnet');
    const model = space.network(space.parse(NETWORKS[1]![1]), { resolution: 64 });
    const { kernels } = planKernels(inferShapes(model), { blockChannels: 16 });
    const names = kernels.flatMap(({ nodes }) => nodes);
    expect(new Set(names).size).toBe(names.length);
    expect(kernels.some(({ nodes }) => nodes.length > 2)).toBe(true);
  });

  it('are found for networks of every space', () => {
    for (const space of SPACES) {
      const { input, resolution } = space.defaults;
      const model = space.network(space.parse(space.example), {
        resolution: input === 'image' ? resolution : 32,
      });
      const { kernels, unknown } = planKernels(inferShapes(model), { blockChannels: 16 });
      expect([space.name, unknown]).toEqual([space.name, []]);
      expect(kernels.length).toBeGreaterThan(5);
    }
  });
});
