import { describe, expect, it } from 'vitest';
import type { Value } from '../ops/build.js';
import { channelBlock } from '../runtime/channel-block.js';
import { hostTensor, Session } from '../runtime/session.js';
import { Random } from '../util/random.js';
import { type ConvOptions, conv2d } from './convolution.js';
import { initialValues, uniform } from './initialise.js';
import { sgd } from './optimiser.js';
import type { Scope } from './scope.js';
import { LOSS, type Objective, trainingStep } from './step.js';

const block = await channelBlock();

interface Case extends ConvOptions {
  readonly channels: number;
  readonly out: number;
  /** Of images, or of volumes with the same options along all axes. */
  readonly size: readonly number[];
}

function volumes(
  s: Scope,
  x: Value,
  out: number,
  { kernel, stride = 1, padding = 0, dilation = 1 }: ConvOptions,
) {
  const along = (given: unknown) => [1, 2, 3].map(() => given as number);
  const weight = s.parameter('weight', [out, x.length(1), ...along(kernel)], uniform(-0.1, 0.1));
  return s.builder.op('Conv', [x, weight, s.parameter('bias', [out], uniform(-0.1, 0.1))], {
    strides: along(stride),
    pads: along(padding).concat(along(padding)),
    dilations: along(dilation),
  });
}

/** The loss and all next weights of one step, of which the image counts as one. */
async function step(
  { channels, out, size, ...options }: Case,
  given: number | undefined,
): Promise<{ values: Record<string, readonly number[]>; operators: readonly string[] }> {
  const dims = [2, channels, ...size];
  const objective: Objective = {
    predict: (s) => {
      const image = s.parameter('image', dims, undefined as never);
      return size.length === 2 ? conv2d(s, image, out, options) : volumes(s, image, out, options);
    },
    loss: (s, batch) => {
      const y = objective.predict(s, batch);
      return y
        .square()
        .mul(batch.share!.reshape([2, ...y.sizes.slice(1).map(() => 1)]))
        .mean();
    },
  };
  const shapes = { share: { type: 'float32', dims: [2] } } as const;
  const { model, state, packs } = trainingStep(objective, shapes, {
    optimiser: sgd(),
    channelBlock: given,
    gradientNorm: false,
  });
  const random = Random.seeded(3);
  const values = new Map(
    state.map(({ name, dims: own, parameter }) => [
      name,
      name === 'image'
        ? Float32Array.from({ length: own.reduce((n, d) => n * d, 1) }, () => random.normal())
        : initialValues(parameter, 1),
    ]),
  );
  const feeds = {
    share: await hostTensor('float32', Float32Array.of(1, -2), [2]),
    // Large, so that the gradient is what counts of the next weights.
    'step.learningRate': await hostTensor('float32', Float32Array.of(1e4), []),
  };
  const session = await Session.create(model, { threads: 1 });
  try {
    const inputs: Record<string, Awaited<ReturnType<typeof hostTensor>>> = {};
    for (const { members, input, dims: own } of packs) {
      const data = Float32Array.from(members.flatMap((name) => [...values.get(name)!]));
      inputs[input] = await hostTensor('float32', data, own);
    }
    const fed = Object.fromEntries(
      Object.entries({ ...feeds, ...inputs }).filter(([name]) => session.inputs.includes(name)),
    );
    const results = await session.run(fed);
    return {
      values: Object.fromEntries(
        [LOSS, ...packs.map(({ output }) => output)].map((name) => [
          name,
          [...(results[name]!.data as Float32Array)],
        ]),
      ),
      operators: model.graph.nodes.map(({ domain, opType }) => `${domain}.${opType}`),
    };
  } finally {
    await session.dispose();
  }
}

describe.skipIf(block === undefined)('blocked convolutions in a step do what Conv does', () => {
  it.each<[string, Case]>([
    ['3×3', { channels: 32, out: 16, size: [6, 5], kernel: 3, padding: 1 }],
    ['sums in parts', { channels: 16, out: 16, size: [24, 25], kernel: 3, stride: [1, 2], padding: 1 }],
    ['in tiles', { channels: 16, out: 32, size: [12, 12], kernel: 3, padding: 1 }],
    ['in tiles, odd sizes', { channels: 32, out: 16, size: [11, 13], kernel: 3, padding: [0, 2] }],
    ['in tiles, much padding', { channels: 16, out: 16, size: [6, 7], kernel: 3, padding: 3 }],
    ['without padding', { channels: 16, out: 32, size: [6, 7], kernel: [3, 2] }],
    ['more padding than the kernel', { channels: 16, out: 16, size: [4, 4], kernel: 2, padding: 2 }],
    ['strides', { channels: 16, out: 16, size: [7, 8], kernel: 3, stride: 2, padding: 1 }],
    ['dilations', { channels: 16, out: 16, size: [8, 8], kernel: 3, dilation: 2, padding: 1 }],
    ['groups', { channels: 64, out: 32, size: [5, 5], kernel: 3, padding: 1, groups: 2 }],
    ['a group for each channel', { channels: 32, out: 32, size: [5, 6], kernel: 3, padding: 1, groups: 32 }],
    ['and strides', { channels: 16, out: 16, size: [7, 6], kernel: 3, stride: 2, padding: 1, groups: 16 }],
    ['volumes', { channels: 16, out: 32, size: [5, 6, 7], kernel: 3, padding: 1 }],
    ['volumes in tiles', { channels: 16, out: 16, size: [4, 12, 11], kernel: 3 }],
    ['volumes, strides', { channels: 16, out: 16, size: [6, 7, 8], kernel: 3, stride: 2, padding: 1 }],
    ['volumes, dilations', { channels: 16, out: 16, size: [6, 7, 7], kernel: 3, dilation: 2, padding: 2 }],
    ['few channels', { channels: 3, out: 16, size: [9, 9], kernel: 5, padding: 2 }],
  ])('%s', async (_, given) => {
    const [plain, blocked] = [await step(given, undefined), await step(given, block)];
    expect(plain.operators.filter((name) => name.includes('nchwc'))).toEqual([]);
    expect(blocked.operators).toContain('com.microsoft.nchwc.Conv');
    for (const [name, values] of Object.entries(plain.values)) {
      const largest = Math.max(...values.map(Math.abs));
      blocked.values[name]!.forEach((value, i) => {
        expect(Math.abs(value - values[i]!)).toBeLessThan(1e-5 * largest);
      });
    }
  });

  it('is left out where channels fill no block', async () => {
    const { operators } = await step({ channels: 12, out: 16, size: [4, 4], kernel: 3 }, block);
    expect(operators.filter((name) => name.includes('nchwc.Conv'))).toEqual([]);
  });
});

it('no step has blocks unless they are asked for', async () => {
  const { operators } = await step({ channels: 16, out: 16, size: [4, 4], kernel: 3 }, undefined);
  expect(operators.some((name) => name.includes('nchwc'))).toBe(false);
});
