import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../../analysis/models.testing.js';
import { expectGradient, type GradientCase, ints, random, titled } from '../../../autodiff/check.testing.js';
import { gradients } from '../../../autodiff/gradients.js';

fc.configureGlobal({ seed: 1 });

const pad = (mode: string, dims: readonly number[], pads: readonly number[]): GradientCase => ({
  op: 'Pad',
  inputs: [random(...dims), ints(pads)],
  attributes: { mode },
  opset: 19,
});

const CASES: readonly GradientCase[] = [
  pad('constant', [2, 3], [1, 0, 2, 1]),
  pad('constant', [4, 5], [-1, 2, 2, -2]),
  pad('edge', [2, 3], [1, 4, 0, 5]),
  pad('edge', [5], [-1, 2]),
  pad('edge', [1], [2, 2]),
  pad('reflect', [3, 4], [2, 0, 1, 3]),
  pad('reflect', [5], [2, -1]),
  pad('wrap', [3, 4], [3, 0, 1, 2]),
  pad('wrap', [5], [-1, 3]),
  { op: 'Pad', inputs: [random(2, 3), ints([1, 0, 0, 2]), random()], opset: 13 },
  { op: 'Pad', inputs: [random(4), ints([-1, 3]), random(1)], opset: 13 },
  { op: 'Pad', inputs: [random(2, 3, 4), ints([1, 2]), random(), ints([-2])] },
  {
    op: 'Pad',
    inputs: [random(2, 3, 4), ints([1, 0, 1, 2]), null, ints([2, 0])],
    attributes: { mode: 'edge' },
  },
  { op: 'CenterCropPad', inputs: [random(4, 7), ints([7, 2])] },
  { op: 'CenterCropPad', inputs: [random(3, 8), ints([3])], attributes: { axes: [-1] } },
];

describe('the gradients of Pad and CenterCropPad', () => {
  it.each(titled(CASES))('%s', async (_, test) => {
    await expectGradient({ ...test, second: true });
  });

  it('in any mode', async () => {
    const border = fc.integer({ min: -1, max: 2 });
    const dimension = fc.tuple(fc.integer({ min: 5, max: 6 }), border, border);
    const mode = fc.constantFrom('constant', 'edge', 'reflect', 'wrap');
    await fc.assert(
      fc.asyncProperty(mode, fc.array(dimension, { minLength: 1, maxLength: 3 }), async (name, axes) => {
        const column = (i: number): number[] => axes.map((row) => row[i]!);
        await expectGradient(pad(name, column(0), [...column(1), ...column(2)]));
      }),
      { numRuns: 20 },
    );
  });

  it('of what is repeated more than once in wrap mode is refused', () => {
    const model = modelOf({
      inputs: ['x: 3'],
      initializers: [tensor('pads', [2], [4, 0], 'int64')],
      nodes: ['y = Pad(x, pads)'],
      attributes: { y: { mode: { type: 'string', value: 'wrap' } } },
      outputs: ['y'],
    });
    expect(() => gradients(model, 'y', ['x'])).toThrowError(
      expect.objectContaining({ code: 'GRADIENT_UNSUPPORTED' }),
    );
  });
});
