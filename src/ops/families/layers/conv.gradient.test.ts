import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../../analysis/models.testing.js';
import {
  expectGradient,
  type GradientCase,
  gradientsAt,
  random,
  titled,
} from '../../../autodiff/check.testing.js';
import { gradients } from '../../../autodiff/gradients.js';
import type { ShortAttribute } from '../../ort.testing.js';

fc.configureGlobal({ seed: 1 });

type Attributes = Readonly<Record<string, ShortAttribute>>;
type Dims = readonly number[];

/** ONNX Runtime has no float64 kernel. A convolution is linear in each input, so few digits are enough. */
const FLOAT32 = { dtype: 'float32', tolerance: 1e-3 } as const;

function conv(x: Dims, w: Dims, attributes: Attributes = {}, more: Partial<GradientCase> = {}): GradientCase {
  return { op: 'Conv', inputs: [random(...x), random(...w)], attributes, ...FLOAT32, ...more };
}

function transposed(x: Dims, w: Dims, attributes: Attributes = {}): GradientCase {
  return { ...conv(x, w, attributes), op: 'ConvTranspose' };
}

const withBias = (test: GradientCase, channels: number): GradientCase => ({
  ...test,
  inputs: [...test.inputs, random(channels)],
});

const CONVOLUTIONS: readonly GradientCase[] = [
  // One, two and three dimensions.
  withBias(conv([2, 3, 7], [4, 3, 3]), 4),
  withBias(conv([2, 3, 5, 6], [4, 3, 3, 2], { pads: [1, 0, 1, 2] }), 4),
  withBias(conv([2, 2, 4, 3, 5], [3, 2, 2, 1, 3], { pads: [0, 1, 1, 1, 0, 2] }), 3),
  // Few and more channels, more weights than activations, kernels of one element.
  conv([2, 8, 5, 5], [3, 8, 3, 3], { pads: [1, 1, 1, 1] }),
  conv([1, 8, 2, 2], [9, 8, 3, 3], { pads: [1, 1, 1, 1] }),
  conv([1, 8, 2, 3], [8, 8, 3, 3], { pads: [2, 1, 1, 2] }),
  conv([2, 8, 3, 3], [4, 8, 1, 1]),
  conv([2, 8, 5, 4], [4, 8, 1, 1], { strides: [2, 3] }),
  conv([2, 8, 12, 22], [3, 8, 1, 1], { strides: [1, 2] }),
  conv([1, 8, 2, 2], [4, 8, 1, 1], { pads: [1, 0, 2, 1] }),
  // Strides that leave elements at the end out, dilations.
  conv([2, 3, 8, 7], [4, 3, 3, 3], { strides: [2, 3] }),
  conv([2, 8, 8, 6], [4, 8, 3, 3], { strides: [3, 2], pads: [1, 0, 0, 1] }),
  conv([1, 2, 9, 8], [3, 2, 3, 2], { dilations: [2, 3], pads: [2, 1, 0, 3] }),
  conv([1, 8, 9, 8], [3, 8, 3, 2], { dilations: [3, 2], strides: [1, 2] }),
  conv([1, 8, 7], [2, 8, 3], { dilations: [2], pads: [3, 1] }),
  // Padding larger than the kernel.
  conv([1, 8, 3, 3], [2, 8, 2, 2], { pads: [3, 2, 2, 4] }),
  // Groups and depthwise.
  withBias(conv([2, 4, 5, 5], [6, 2, 3, 3], { group: 2, pads: [1, 1, 1, 1] }), 6),
  conv([1, 16, 4, 4], [16, 8, 2, 2], { group: 2, strides: [2, 1] }),
  conv([2, 3, 5, 5], [3, 1, 3, 3], { group: 3, pads: [1, 1, 1, 1] }),
  conv([2, 3, 6, 7], [3, 1, 3, 2], { group: 3, strides: [2, 3], pads: [1, 0, 0, 1] }),
  conv([2, 3, 9], [3, 1, 5], { group: 3, dilations: [2], pads: [4, 4] }),
  conv([2, 3, 4, 4], [6, 1, 3, 3], { group: 3, pads: [1, 1, 1, 1] }),
  // Patches, of which some are left out or padded.
  conv([2, 3, 4, 6], [5, 3, 2, 3], { strides: [2, 3] }),
  conv([2, 3, 5, 7], [4, 3, 2, 3], { strides: [2, 3], pads: [0, 1, 0, 1] }),
  conv([1, 2, 4, 2, 2], [3, 2, 2, 2, 2], { strides: [2, 2, 2] }),
  // Large kernels.
  conv([2, 2, 10, 9], [3, 2, 9, 8], { pads: [1, 0, 2, 3] }),
  conv([2, 2, 12, 21], [2, 1, 9, 8], { group: 2, strides: [2, 3], pads: [0, 1, 0, 1] }),
  conv([1, 4, 11, 9], [6, 2, 5, 13], { group: 2, strides: [2, 1], dilations: [2, 1], pads: [0, 4, 0, 4] }),
  conv([1, 1, 230], [2, 1, 70], { strides: [20], dilations: [2] }),
];

const AUTO_PADS = ['SAME_UPPER', 'SAME_LOWER', 'VALID'].flatMap((auto_pad) => [
  conv([1, 2, 6, 5], [2, 2, 3, 2], { auto_pad }),
  conv([1, 2, 6, 7], [2, 2, 4, 2], { auto_pad, strides: [2, 3] }),
  conv([1, 8, 6, 5], [2, 8, 2, 2], { auto_pad }),
]);

const TRANSPOSED: readonly GradientCase[] = [
  withBias(transposed([2, 3, 4], [3, 2, 3]), 2),
  withBias(transposed([2, 3, 4, 3], [3, 2, 3, 2], { strides: [2, 3], pads: [1, 0, 0, 1] }), 2),
  withBias(transposed([1, 2, 2, 3, 2], [2, 3, 2, 2, 3], { strides: [2, 1, 2] }), 3),
  transposed([2, 3, 4, 3], [3, 8, 3, 3], { pads: [1, 1, 1, 1] }),
  transposed([1, 2, 4, 3], [2, 2, 3, 3], { strides: [2, 3], output_padding: [1, 2] }),
  transposed([1, 2, 4, 3], [2, 2, 3, 3], { strides: [2, 3], output_padding: [1, 1], pads: [1, 2, 1, 0] }),
  transposed([1, 2, 4, 3], [2, 2, 2, 3], { dilations: [3, 2], strides: [1, 2], output_padding: [0, 1] }),
  transposed([1, 2, 4, 3], [2, 2, 3, 3], { strides: [2, 2], output_shape: [7, 8] }),
  transposed([1, 2, 4, 3], [2, 2, 3, 3], { strides: [2, 2], output_shape: [8, 5], output_padding: [1, 0] }),
  transposed([1, 2, 4, 3], [2, 2, 2, 2], { strides: [3, 3], output_shape: [11, 10], auto_pad: 'SAME_UPPER' }),
  transposed([1, 2, 4, 3], [2, 2, 3, 3], { strides: [2, 2], output_shape: [8, 6], auto_pad: 'SAME_LOWER' }),
  transposed([1, 2, 4, 3], [2, 2, 3, 4], { strides: [2, 1], auto_pad: 'SAME_UPPER' }),
  transposed([1, 2, 4, 3], [2, 2, 3, 4], { strides: [2, 1], auto_pad: 'SAME_LOWER' }),
  transposed([1, 2, 4, 3], [2, 2, 3, 4], { strides: [2, 1], auto_pad: 'VALID' }),
  transposed([2, 4, 3, 3], [4, 2, 2, 2], { group: 2, strides: [2, 2] }),
  transposed([2, 3, 3, 3], [3, 1, 3, 3], { group: 3, strides: [2, 2], pads: [1, 1, 1, 1] }),
];

describe('Conv', () => {
  it.each(titled(CONVOLUTIONS))('%s', async (_, test) => expectGradient(test));
  it.each(titled(AUTO_PADS))('%s', async (_, test) => expectGradient(test));
  it.each(titled([...CONVOLUTIONS, ...AUTO_PADS]))('to run once: %s', async (_, test) =>
    expectGradient({ ...test, runsOnce: true }),
  );

  it.each(
    titled([
      conv([1, 2, 4, 4], [2, 2, 3, 3], { pads: [1, 1, 1, 1] }, { opset: 13 }),
      conv([1, 8, 2, 2], [8, 8, 3, 3], { pads: [1, 1, 1, 1] }),
      conv([1, 8, 3, 3], [2, 8, 2, 2], { strides: [2, 2] }),
      conv([1, 8, 5, 4], [2, 8, 2, 3], { strides: [2, 2], pads: [1, 1, 0, 1] }),
      conv([1, 2, 4, 4], [2, 1, 2, 2], { group: 2, strides: [2, 1] }),
      conv([1, 2, 9, 9], [2, 2, 9, 8]),
    ]),
  )('twice: %s', async (_, test) => {
    await expectGradient({ ...test, second: true, tolerance: 5e-3 });
    await expectGradient({ ...test, second: true, tolerance: 5e-3, runsOnce: true });
  });

  it.each(
    titled([
      conv([2, 8, 4, 4], [3, 8, 3, 3], { pads: [1, 1, 1, 1] }),
      conv([2, 8, 4, 4], [3, 8, 1, 1]),
      conv([2, 2, 5, 4], [4, 1, 3, 3], { group: 2, strides: [2, 2] }),
      conv([2, 2, 5, 4], [2, 1, 3, 3], { group: 2 }),
      conv([2, 2, 4, 4], [3, 2, 2, 2], { strides: [2, 2] }),
      conv([2, 2, 9, 9], [2, 1, 9, 8], { group: 2 }),
    ]),
  )('with a batch of any size: %s', async (_, test) => {
    const [x, w] = test.inputs;
    const shape = ['batch', ...x!.dims.slice(1).map(String)];
    const any = await gradientsAt({ ...test, inputs: [{ ...x!, shape }, w!] });
    expect(any).toEqual(await gradientsAt(test));
  });

  it('writes only what is asked for', () => {
    const model = modelOf({
      inputs: ['x: 2,8,6,6', 'w: 4,8,3,3', 'b: 4'],
      nodes: ['y = Conv(x, w, b)'],
      outputs: ['y'],
    });
    const operators = (of: string): string[] =>
      gradients(model, 'y', [of])
        .model.graph.nodes.map((node) => node.opType)
        .filter((op) => /Conv|MatMul|ReduceSum/.test(op));
    expect(operators('x')).toEqual(['Conv', 'Conv']);
    expect(operators('w')).toEqual(['Conv', ...new Array(9).fill('MatMul')]);
    expect(operators('b')).toEqual(['Conv', 'ReduceSum']);
  });
});

describe('ConvTranspose', () => {
  it.each(titled(TRANSPOSED))('%s', async (_, test) => expectGradient(test));

  it('twice', async () => {
    const test = transposed([1, 2, 3, 3], [2, 8, 3, 2], { strides: [2, 1], pads: [1, 0, 1, 0] });
    await expectGradient({ ...test, second: true, tolerance: 5e-3 });
  });
});

it('random convolutions', async () => {
  const axis = fc.record({
    kernel: fc.integer({ min: 1, max: 3 }),
    stride: fc.integer({ min: 1, max: 3 }),
    dilation: fc.integer({ min: 1, max: 2 }),
    begin: fc.integer({ min: 0, max: 2 }),
    end: fc.integer({ min: 0, max: 2 }),
    extra: fc.integer({ min: 0, max: 3 }),
  });
  const scenario = fc.record({
    axes: fc.array(axis, { minLength: 1, maxLength: 3 }),
    group: fc.constantFrom(1, 1, 2, 3),
    channels: fc.constantFrom(1, 2, 4),
    filters: fc.constantFrom(1, 2),
    isTransposed: fc.boolean(),
  });
  const property = fc.asyncProperty(scenario, async ({ axes, group, channels, filters, isTransposed }) => {
    const sizes = axes.map((a) =>
      isTransposed ? 1 + a.begin + a.end + a.extra : (a.kernel - 1) * a.dilation + 1 + a.extra,
    );
    const attributes = {
      strides: axes.map((a) => a.stride),
      dilations: axes.map((a) => a.dilation),
      pads: [...axes.map((a) => a.begin), ...axes.map((a) => a.end)],
      group,
    };
    const [C, O] = [channels * group, filters * group];
    const weights = isTransposed ? [C, filters] : [O, channels];
    const make = isTransposed ? transposed : conv;
    await expectGradient(make([2, C, ...sizes], [...weights, ...axes.map((a) => a.kernel)], attributes));
  });
  await fc.assert(property, { numRuns: 15 });
});
