import { describe, expect, it } from 'vitest';
import { Trace } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { hostTensor, Session } from '../../runtime/session.js';
import { writeNetwork } from '../network-builder.js';
import {
  type Activation,
  channelShuffle,
  hSigmoid,
  hSwish,
  invertedResidual,
  makeDivisible,
  relu,
  relu6,
  swish,
} from './mobile-blocks.js';

/** What a function makes of numbers. */
async function run(write: (x: Value) => Value, values: number[], dims: number[]): Promise<number[]> {
  const model = writeNetwork('test', { type: 'float32', dims }, 0, (_, x) => write(x));
  const session = await Session.create(model, { threads: 1 });
  try {
    const { output } = await session.run({
      input: await hostTensor('float32', Float32Array.from(values), dims),
    });
    return Array.from(output!.data as Float32Array);
  } finally {
    await session.dispose();
  }
}

describe('blocks of mobile networks', () => {
  // The widths of the published network v100_gpu64@11ms_top1@76.1_finetune@25 of once-for-all.
  it('rounds channels as published networks have them', () => {
    const base = [32, 16, 24, 40, 80, 96, 192, 320, 1280];
    const published = [40, 24, 32, 56, 104, 128, 248, 416, 1664];
    expect(base.map((width) => makeDivisible(width * 1.3))).toEqual(published);
  });

  it('does not take away more than a tenth', () => {
    expect(makeDivisible(16 * 1.2)).toBe(24);
    expect(makeDivisible(1)).toBe(8);
    expect(makeDivisible(3, 4)).toBe(4);
  });

  const inputs = [-5, -3, -1.5, 0, 1.5, 3, 7];
  it.each<[string, Activation, (x: number) => number]>([
    ['relu', relu, (x) => Math.max(x, 0)],
    ['relu6', relu6, (x) => Math.min(Math.max(x, 0), 6)],
    ['swish', swish, (x) => x / (1 + Math.exp(-x))],
    ['hSigmoid', hSigmoid, (x) => Math.min(Math.max(x + 3, 0), 6) / 6],
    ['hSwish', hSwish, (x) => (x * Math.min(Math.max(x + 3, 0), 6)) / 6],
  ])('computes %s', async (_, activation, expected) => {
    const found = await run(activation, inputs, [inputs.length]);
    found.forEach((y, i) => {
      expect(y).toBeCloseTo(expected(inputs[i]!), 5);
    });
  });

  it('shuffles channels across groups', async () => {
    const found = await run((x) => channelShuffle(x, 2), [0, 1, 2, 3, 4, 5], [1, 6, 1, 1]);
    expect(found).toEqual([0, 3, 1, 4, 2, 5]);
  });

  /** The operators of a block, in order. */
  function operators(width: number, options: Partial<Parameters<typeof invertedResidual>[2]>): string[] {
    const { builder, scope } = new Trace(false);
    const x = builder.input('x', 'float32', [1, width, 8, 8]);
    invertedResidual(scope, x, { out: 8, hidden: 24, kernel: 3, activation: relu, ...options });
    return builder.nodes.map((node) => node.opType).filter((type) => type !== 'BatchNormalization');
  }

  it('adds the input where the shapes are the same, and unless told otherwise', () => {
    const block = ['Conv', 'Relu', 'Conv', 'Relu', 'Conv'];
    expect(operators(8, {})).toEqual([...block, 'Add']);
    expect(operators(16, {})).toEqual(block);
    expect(operators(8, { stride: 2 })).toEqual(block);
    expect(operators(8, { isResidual: false })).toEqual(block);
  });

  it('leaves out an expansion that does not expand, unless told otherwise', () => {
    expect(operators(8, { hidden: 8 })).toEqual(['Conv', 'Relu', 'Conv', 'Add']);
    expect(operators(8, { hidden: 8, hasExpansion: true })).toEqual([
      ...['Conv', 'Relu', 'Conv', 'Relu', 'Conv'],
      'Add',
    ]);
  });

  it('squeezes behind the depthwise convolution', () => {
    expect(operators(16, { squeeze: { channels: 8 } })).toEqual([
      ...['Conv', 'Relu', 'Conv', 'Relu'],
      ...['ReduceMean', 'Conv', 'Relu', 'Conv', 'HardSigmoid', 'Mul'],
      'Conv',
    ]);
  });
});
