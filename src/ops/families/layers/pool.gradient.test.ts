import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  between,
  expectGradient,
  type GradientCase,
  gradientsAt,
  ints,
  random,
  titled,
} from '../../../autodiff/check.testing.js';
import type { ShortAttribute } from '../../ort.testing.js';

fc.configureGlobal({ seed: 1 });

type Attributes = Readonly<Record<string, ShortAttribute>>;

function pool(
  op: string,
  dims: readonly number[],
  attributes: Attributes,
  more: Partial<GradientCase> = {},
): GradientCase {
  return { op, inputs: [random(...dims)], attributes, ...more };
}

/** Windows that all poolings know. */
const WINDOWS: readonly [readonly number[], Attributes][] = [
  [[2, 3, 7], { kernel_shape: [3] }],
  [[2, 3, 6, 6], { kernel_shape: [2, 2], strides: [2, 2] }],
  [[1, 2, 7, 6], { kernel_shape: [2, 3], strides: [3, 2] }],
  [[1, 2, 6, 7], { kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] }],
  [[1, 2, 5, 5], { kernel_shape: [3, 2], pads: [1, 0, 2, 1] }],
  [[1, 2, 4, 3, 5], { kernel_shape: [2, 2, 3], strides: [2, 1, 2], pads: [0, 1, 1, 1, 0, 1] }],
  [[1, 2, 6, 7], { kernel_shape: [3, 2], strides: [2, 3], auto_pad: 'SAME_UPPER' }],
  [[1, 2, 6, 5], { kernel_shape: [2, 4], strides: [1, 2], auto_pad: 'SAME_LOWER' }],
  [[1, 2, 6, 5], { kernel_shape: [3, 2], auto_pad: 'SAME_UPPER' }],
  [[1, 2, 6, 5], { kernel_shape: [2, 2], strides: [3, 2], auto_pad: 'VALID' }],
];

/**
 * With ceil_mode the last window may reach beyond the padding. Where it would start there, ONNX's own shape inference
 * and ONNX Runtime's kernels do not agree on whether it exists, and no model loads that needs to know.
 */
const CEILED: readonly [readonly number[], Attributes][] = [
  [[1, 2, 6, 7], { kernel_shape: [3, 3], strides: [2, 2], ceil_mode: 1 }],
  [[1, 2, 7, 6], { kernel_shape: [3, 4], strides: [3, 3], pads: [1, 0, 1, 1], ceil_mode: 1 }],
  [[1, 2, 9], { kernel_shape: [4], strides: [3], pads: [1, 1], ceil_mode: 1 }],
];

const DILATED: readonly [readonly number[], Attributes][] = [
  [[1, 2, 7, 8], { kernel_shape: [3, 2], dilations: [2, 3] }],
  [[1, 2, 7, 9], { kernel_shape: [2, 3], dilations: [3, 2], strides: [2, 2], pads: [1, 1, 0, 1] }],
];

describe('MaxPool', () => {
  const cases = [...WINDOWS, ...CEILED, ...DILATED];
  it.each(titled(cases.map(([dims, attributes]) => pool('MaxPool', dims, attributes))))('%s', (_, test) =>
    expectGradient(test),
  );

  it.each(titled(cases.map(([dims, attributes]) => pool('MaxPool', dims, attributes, { opset: 15 }))))(
    'when nothing can add at indices: %s',
    (_, test) => expectGradient(test),
  );

  it('with indices among its outputs', async () => {
    const window = { kernel_shape: [3, 2], strides: [2, 1], pads: [1, 0, 1, 1] };
    for (const storage_order of [0, 1]) {
      const attributes = { ...window, storage_order };
      await expectGradient(pool('MaxPool', [2, 2, 5, 4], attributes, { outputs: 2, weigh: [0] }));
    }
  });

  it.each([13, 21])('gives the first of equal maxima everything, with opset %i', async (opset) => {
    const x = { dims: [1, 1, 3, 3], values: [0, 2, 1, 2, 0, 2, 1, 2, 2] };
    const dy = { dims: [1, 1, 2, 2], values: [1, 10, 100, 1000] };
    const attributes = { kernel_shape: [2, 2] };
    const found = await gradientsAt({ op: 'MaxPool', inputs: [x], attributes, opset }, dy);
    expect(found.x0).toEqual([0, 11, 0, 100, 0, 1000, 0, 0, 0]);
  });

  it('gives padding nothing', async () => {
    const x = { dims: [1, 1, 2], values: [-3, -5] };
    const found = await gradientsAt({
      op: 'MaxPool',
      inputs: [x],
      attributes: { kernel_shape: [2], pads: [1, 1] },
    });
    expect(found.x0).toEqual([2, 1]);
  });
});

describe('AveragePool', () => {
  const dtype = 'float32';
  const tolerance = 1e-3;
  const average = (dims: readonly number[], attributes: Attributes, opset?: number): GradientCase =>
    pool('AveragePool', dims, attributes, { dtype, tolerance, ...(opset && { opset }) });
  const both = (cases: typeof WINDOWS, opset?: number): GradientCase[] =>
    [0, 1].flatMap((count_include_pad) =>
      cases.map(([dims, attributes]) => average(dims, { ...attributes, count_include_pad }, opset)),
    );

  it.each(titled([...both([...WINDOWS, ...CEILED, ...DILATED]), ...both(CEILED, 13)]))('%s', (_, test) =>
    expectGradient(test),
  );

  it('twice', async () => {
    const [dims, attributes] = WINDOWS[4]!;
    await expectGradient({ ...average(dims, attributes), second: true });
  });
});

describe('LpPool', () => {
  const norm = (
    [dims, attributes]: readonly [readonly number[], Attributes],
    p: number,
    opset?: number,
  ): GradientCase => ({
    op: 'LpPool',
    inputs: [between(0.2, 1, dims)],
    attributes: { ...attributes, p },
    dtype: 'float32',
    tolerance: 3e-3,
    ...(opset && { opset }),
  });
  it.each(
    titled([
      ...[...WINDOWS, ...DILATED].map((window) => norm(window, 2)),
      norm(CEILED[1]!, 2),
      norm(WINDOWS[3]!, 1),
      norm(WINDOWS[3]!, 3),
      norm(WINDOWS[3]!, 4, 13),
    ]),
  )('%s', (_, test) => expectGradient(test));

  it('of zeros has no gradient', async () => {
    const x = { dims: [1, 1, 4], values: [0, 0, 3, -4] };
    const attributes = { kernel_shape: [2], strides: [2], p: 2 };
    const { x0 } = await gradientsAt({ op: 'LpPool', inputs: [x], attributes, dtype: 'float32' });
    expect(x0!.map(Math.fround)).toEqual([0, 0, 0.6, -0.8].map(Math.fround));
  });
});

describe('poolings of everything', () => {
  const dims = [2, 3, 3, 4];
  const signed = { dims, values: [...Array(72).keys()].map((i) => (((i * 29) % 72) - 35.5) / 36) };
  const float32 = { dtype: 'float32', tolerance: 3e-3 } as const;
  it.each(
    titled([
      { op: 'GlobalAveragePool', inputs: [random(...dims)], second: true, ...float32 },
      { op: 'GlobalAveragePool', inputs: [random(2, 3, 5)], ...float32 },
      { op: 'GlobalMaxPool', inputs: [signed], ...float32 },
      { op: 'GlobalMaxPool', inputs: [{ ...signed, dims: [4, 3, 6] }], ...float32 },
      ...[1, 2, 3].map((p) => ({ op: 'GlobalLpPool', inputs: [signed], attributes: { p }, ...float32 })),
    ]),
  )('%s', (_, test) => expectGradient(test));

  it('gives the first of equal maxima everything', async () => {
    const x = { dims: [1, 2, 4], values: [1, 3, 3, 2, 5, 5, 5, 5] };
    const found = await gradientsAt({ op: 'GlobalMaxPool', inputs: [x], dtype: 'float32' });
    expect(found.x0).toEqual([0, 1, 0, 0, 1, 0, 0, 0]);
  });
});

it('MaxUnpool', async () => {
  const indices = ints([5, 7, 8, 10, 16, 19, 27, 29], [1, 2, 2, 2]);
  const test = { op: 'MaxUnpool', inputs: [random(1, 2, 2, 2), indices], dtype: 'float32' } as const;
  const attributes = { kernel_shape: [2, 2], strides: [2, 2] };
  await expectGradient({ ...test, attributes, second: true });
  await expectGradient({ ...test, attributes, inputs: [...test.inputs, ints([1, 2, 5, 5])] });
});

it('random poolings', async () => {
  const axis = fc
    .record({
      kernel: fc.integer({ min: 1, max: 4 }),
      stride: fc.integer({ min: 1, max: 3 }),
      extra: fc.integer({ min: 0, max: 5 }),
      begin: fc.nat({ max: 3 }),
      end: fc.nat({ max: 3 }),
    })
    .map((a) => ({ ...a, begin: a.begin % a.kernel, end: a.end % a.kernel }));
  const scenario = fc.record({
    axes: fc.array(axis, { minLength: 1, maxLength: 3 }),
    ceil_mode: fc.constantFrom(0, 1),
    count_include_pad: fc.constantFrom(0, 1),
  });
  const property = fc.asyncProperty(scenario, async ({ axes, ceil_mode, count_include_pad }) => {
    const dims = [1, 2, ...axes.map((a) => a.kernel + a.extra)];
    const attributes = {
      kernel_shape: axes.map((a) => a.kernel),
      strides: axes.map((a) => a.stride),
      pads: [...axes.map((a) => a.begin), ...axes.map((a) => a.end)],
      ceil_mode,
    };
    const startsBehind = axes.some((a) => {
      const room = a.extra + a.begin + a.end;
      return Math.ceil(room / a.stride) * a.stride >= a.kernel + a.extra + a.begin;
    });
    fc.pre(ceil_mode === 0 || !startsBehind);
    await expectGradient(pool('MaxPool', dims, attributes));
    const average = { ...attributes, count_include_pad };
    await expectGradient(pool('AveragePool', dims, average, { dtype: 'float32', tolerance: 1e-3 }));
  });
  await fc.assert(property, { numRuns: 15 });
});
