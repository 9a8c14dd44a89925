import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../../analysis/models.testing.js';
import {
  expectGradient,
  type GradientCase,
  type GradientInput,
  ints,
  random,
  titled,
} from '../../../autodiff/check.testing.js';
import { gradients } from '../../../autodiff/gradients.js';
import type { ShortAttribute } from '../../ort.testing.js';

fc.configureGlobal({ seed: 1 });

const floats = (values: readonly number[]): GradientInput => ({
  dtype: 'float32',
  dims: [values.length],
  values,
  constant: true,
});

type Attributes = Readonly<Record<string, ShortAttribute>>;

const scaled = (
  dims: readonly number[],
  scales: readonly number[],
  attributes: Attributes,
): GradientCase => ({
  op: 'Resize',
  inputs: [random(...dims), null, floats(scales)],
  attributes,
});

const sized = (dims: readonly number[], sizes: readonly number[], attributes: Attributes): GradientCase => ({
  op: 'Resize',
  inputs: [random(...dims), null, null, ints(sizes)],
  attributes,
});

const TRANSFORMATIONS = [
  'half_pixel',
  'pytorch_half_pixel',
  'half_pixel_symmetric',
  'asymmetric',
  'align_corners',
];
const ROUNDINGS = ['round_prefer_floor', 'round_prefer_ceil', 'floor', 'ceil'];

const float = (value: number): ShortAttribute => ({ type: 'float', value });

const CASES: readonly GradientCase[] = [
  // Whole repeats, which are summed.
  scaled([1, 2, 2, 3], [1, 1, 2, 3], {
    mode: 'nearest',
    coordinate_transformation_mode: 'asymmetric',
    nearest_mode: 'floor',
  }),
  scaled([1, 2, 2, 3], [1, 1, 2, 2], { mode: 'nearest' }),
  scaled([2, 3], [1, 1], { mode: 'linear' }),
  ...TRANSFORMATIONS.flatMap((coordinate_transformation_mode) => [
    ...ROUNDINGS.map((nearest_mode) =>
      scaled([1, 1, 4, 5], [1, 1, 0.6, 1.7], {
        mode: 'nearest',
        coordinate_transformation_mode,
        nearest_mode,
      }),
    ),
    scaled([1, 2, 3, 4], [1, 1, 1.4, 0.8], { mode: 'linear', coordinate_transformation_mode }),
    sized([1, 1, 5, 4], [1, 1, 3, 7], { mode: 'cubic', coordinate_transformation_mode }),
  ]),
  sized([1, 1, 4, 6], [1, 1, 1, 3], { mode: 'linear', coordinate_transformation_mode: 'pytorch_half_pixel' }),
  { ...sized([1, 1, 3, 4], [1, 1, 5, 3], { mode: 'linear' }), opset: 13 },
  { ...scaled([1, 1, 3, 4], [1, 1, 2, 2], { mode: 'nearest' }), opset: 13 },
  // A scale that changes no size.
  scaled([1, 1, 2, 3], [1, 1, 1.4, 1.2], { mode: 'linear', coordinate_transformation_mode: 'asymmetric' }),
  scaled([1, 1, 2, 3], [1, 1, 1.4, 2], { mode: 'linear', coordinate_transformation_mode: 'asymmetric' }),
  scaled([1, 1, 2, 3], [1, 1, 1.4, 2], {
    mode: 'linear',
    coordinate_transformation_mode: 'asymmetric',
    antialias: 1,
  }),
  sized([2, 3, 4], [3, 5, 2], { mode: 'linear' }),
  sized([1, 1, 2, 2, 3], [1, 1, 3, 4, 2], { mode: 'linear' }),
  sized([1, 2, 3, 2], [1, 4, 5, 2], { mode: 'linear' }),
  scaled([1, 1, 4, 4], [1, 1, 2, 1.5], { mode: 'cubic', cubic_coeff_a: float(-0.5) }),
  scaled([1, 1, 4, 4], [1, 1, 1.5, 0.7], { mode: 'cubic', exclude_outside: 1 }),
  ...['linear', 'cubic'].flatMap((mode) =>
    [0, 1].map((exclude_outside) =>
      scaled([1, 1, 7, 4], [1, 1, 0.5, 0.8], { mode, antialias: 1, exclude_outside }),
    ),
  ),
  scaled([1, 1, 3, 8], [1, 1, 1.7, 0.4], { mode: 'linear', antialias: 1 }),
  ...['not_larger', 'not_smaller'].map((keep_aspect_ratio_policy) =>
    sized([1, 1, 4, 6], [5, 9], { mode: 'linear', axes: [2, 3], keep_aspect_ratio_policy }),
  ),
  scaled([1, 1, 4, 6], [0.7, 2], { mode: 'cubic', axes: [3, 2] }),
  ...['nearest', 'linear', 'cubic'].map(
    (mode): GradientCase => ({
      op: 'Resize',
      inputs: [random(1, 1, 4, 5), floats([0, 0, 0.2, -0.1, 1, 1, 1.2, 0.6]), null, ints([1, 1, 3, 6])],
      attributes: {
        mode,
        coordinate_transformation_mode: 'tf_crop_and_resize',
        extrapolation_value: float(9),
      },
    }),
  ),
];

describe('the gradient of Resize', () => {
  it.each(titled(CASES))('%s', async (_, test) => {
    await expectGradient({ opset: 19, ...test, dtype: 'float32', tolerance: 1e-3, second: true });
  });

  it('of any sizes', async () => {
    const size = fc.integer({ min: 1, max: 9 });
    const attributes = fc.record({
      mode: fc.constantFrom('nearest', 'linear', 'cubic'),
      coordinate_transformation_mode: fc.constantFrom(...TRANSFORMATIONS),
    });
    await fc.assert(
      fc.asyncProperty(size, size, size, size, attributes, async (h, w, height, width, how) => {
        const test = sized([1, 1, h, w], [1, 1, height, width], how);
        await expectGradient({ ...test, opset: 19, dtype: 'float32', tolerance: 1e-3 });
      }),
      { numRuns: 20 },
    );
  });

  it('needs the scales', () => {
    const model = modelOf({ inputs: ['x: 1,1,4,4', 's: 4'], nodes: ['y = Resize(x, , s)'], outputs: ['y'] });
    expect(() => gradients(model, 'y', ['x'])).toThrowError(
      expect.objectContaining({ code: 'GRADIENT_UNSUPPORTED' }),
    );
  });
});
