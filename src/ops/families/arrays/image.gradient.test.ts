import fc from 'fast-check';
import { describe, it } from 'vitest';
import {
  between,
  expectGradient,
  type GradientCase,
  ints,
  random,
  titled,
} from '../../../autodiff/check.testing.js';
import type { ShortAttribute } from '../../ort.testing.js';

fc.configureGlobal({ seed: 1 });

/** Points in and around an image; some are outside. */
const gridSample = (
  attributes: Readonly<Record<string, ShortAttribute>>,
  image: readonly number[] = [1, 2, 3, 4],
  points: readonly number[] = [2, 2],
): GradientCase => ({
  op: 'GridSample',
  inputs: [random(...image), between(-1.4, 1.4, [image[0]!, ...points, image.length - 2])],
  attributes,
  opset: 20,
});

const col2Im = (
  image: readonly number[],
  block: readonly number[],
  patches: readonly number[],
  attributes: Readonly<Record<string, ShortAttribute>> = {},
): GradientCase => ({
  op: 'Col2Im',
  inputs: [random(...patches), ints(image), ints(block)],
  attributes,
  dtype: 'float32',
});

const CASES: readonly GradientCase[] = [
  ...['linear', 'cubic', 'nearest'].flatMap((mode) =>
    ['zeros', 'border', 'reflection'].flatMap((padding_mode) =>
      [0, 1].map((align_corners) => gridSample({ mode, padding_mode, align_corners })),
    ),
  ),
  ...['bilinear', 'bicubic'].map(
    (mode): GradientCase => ({
      ...gridSample({ mode }),
      inputs: [random(2, 2, 3, 4), { ...between(-1.4, 1.4, [2, 2, 3, 2]), constant: true }],
      opset: 16,
      dtype: 'float32',
    }),
  ),
  gridSample({}, [1, 1, 2, 3, 2], [2, 1, 2]),
  gridSample({ padding_mode: 'reflection', align_corners: 1 }, [1, 2, 1, 3]),
  ...[0, 1].flatMap((align_corners) => [
    {
      op: 'AffineGrid',
      inputs: [random(2, 2, 3), ints([2, 3, 3, 4])],
      attributes: { align_corners },
      opset: 20,
    },
    {
      op: 'AffineGrid',
      inputs: [random(1, 3, 4), ints([1, 1, 2, 1, 3])],
      attributes: { align_corners },
      opset: 20,
    },
  ]),
  col2Im([4, 5], [2, 3], [2, 6, 9]),
  col2Im([5, 5], [2, 2], [1, 8, 9], { strides: [2, 2], pads: [0, 1, 1, 0] }),
  col2Im([6, 5], [3, 2], [1, 6, 9], { dilations: [1, 3], strides: [2, 1], pads: [1, 0, 0, 1] }),
  col2Im([7], [3], [1, 6, 5]),
];

describe('gradients of operators on images', () => {
  it.each(titled(CASES))('%s', async (_, test) => {
    const { mode, padding_mode } = test.attributes ?? {};
    const isSmooth = test.op !== 'GridSample' || (mode === 'linear' && padding_mode === 'zeros');
    await expectGradient(isSmooth ? { ...test, second: true } : test);
  });

  it('GridSample of any image', async () => {
    const size = fc.integer({ min: 1, max: 4 });
    const how = fc.record({
      mode: fc.constantFrom('linear', 'cubic'),
      padding_mode: fc.constantFrom('zeros', 'border', 'reflection'),
      align_corners: fc.nat(1),
    });
    await fc.assert(
      fc.asyncProperty(size, size, size, how, async (h, w, points, attributes) => {
        await expectGradient(gridSample(attributes, [1, 2, h, w], [points, 2]));
      }),
      { numRuns: 10 },
    );
  });
});
