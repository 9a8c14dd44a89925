import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../../analysis/models.testing.js';
import { expectGradient, type GradientCase, ints, random, titled } from '../../../autodiff/check.testing.js';
import { gradients } from '../../../autodiff/gradients.js';
import type { ShortAttribute } from '../../ort.testing.js';

fc.configureGlobal({ seed: 1 });

const REGIONS = [0.31, 0.42, 3.17, 2.93, -2.3, 1.13, 2.27, 4.61, 1.07, 0.63, 1.53, 1.21];

const roiAlign = (attributes: Readonly<Record<string, ShortAttribute>>, opset = 16): GradientCase => ({
  op: 'RoiAlign',
  inputs: [random(2, 2, 4, 5), { dims: [3, 4], values: REGIONS }, ints([1, 0, 1])],
  attributes: { sampling_ratio: 2, ...attributes },
  opset,
});

const CASES: readonly GradientCase[] = [
  roiAlign({}),
  roiAlign({ output_height: 2, output_width: 3 }),
  roiAlign({
    output_height: 2,
    output_width: 2,
    sampling_ratio: 3,
    spatial_scale: { type: 'float', value: 0.7 },
  }),
  roiAlign({ output_height: 2, coordinate_transformation_mode: 'output_half_pixel' }),
  roiAlign({ output_height: 2, output_width: 2 }, 13),
];

describe('the gradient of RoiAlign', () => {
  it.each(titled(CASES))('%s', async (_, test) => {
    await expectGradient(test);
  });

  it('of any number of bins', async () => {
    const some = fc.integer({ min: 1, max: 3 });
    await fc.assert(
      fc.asyncProperty(some, some, some, async (output_height, output_width, sampling_ratio) => {
        await expectGradient(roiAlign({ output_height, output_width, sampling_ratio }));
      }),
      { numRuns: 5 },
    );
  });

  it('needs the number of points', () => {
    const model = modelOf({
      inputs: ['x: 1,1,4,4', 'regions: 2,4', 'i: 2'],
      nodes: ['images = Cast(i) to=7', 'y = RoiAlign(x, regions, images)'],
      outputs: ['y'],
    });
    expect(() => gradients(model, 'y', ['x'])).toThrowError(
      expect.objectContaining({ code: 'GRADIENT_UNSUPPORTED', where: { node: 'n_y', operator: 'RoiAlign' } }),
    );
  });
});
