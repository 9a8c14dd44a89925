import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../../analysis/models.testing.js';
import { expectGradient, type GradientCase, ints, random, titled } from '../../../autodiff/check.testing.js';
import { gradients } from '../../../autodiff/gradients.js';

fc.configureGlobal({ seed: 1 });

const CASES: readonly GradientCase[] = [
  { op: 'Concat', inputs: [random(2, 3), random(2, 1), random(2, 4)], attributes: { axis: 1 } },
  { op: 'Concat', inputs: [random(2, 3, 2), random(1, 3, 2)], attributes: { axis: -3 }, opset: 13 },
  { op: 'Concat', inputs: [random(2, 3)], attributes: { axis: 0 } },
  { op: 'Concat', inputs: [random(2, 3), { dims: [2, 2], constant: true }], attributes: { axis: 1 } },
  { op: 'Concat', inputs: [{ dims: [2, 2], constant: true }, random(2, 3)], attributes: { axis: 1 } },
  { op: 'Split', inputs: [random(2, 6)], attributes: { axis: 1, num_outputs: 3 }, outputs: 3 },
  { op: 'Split', inputs: [random(7, 2)], attributes: { num_outputs: 3 }, outputs: 3 },
  { op: 'Split', inputs: [random(4, 2)], outputs: 2, opset: 13 },
  { op: 'Split', inputs: [random(3, 6), ints([1, 2, 3])], attributes: { axis: -1 }, outputs: 3, opset: 13 },
  ...[[0], [1], [3], [0, 2], [1, 3], [1, 2]].map(
    (weigh): GradientCase => ({
      op: 'Split',
      inputs: [random(2, 7), ints([1, 2, 1, 3])],
      attributes: { axis: 1 },
      outputs: 4,
      weigh,
    }),
  ),
  { op: 'Expand', inputs: [random(3, 1), ints([2, 3, 4])] },
  { op: 'Expand', inputs: [random(2, 3), ints([1])] },
  { op: 'Expand', inputs: [random(), ints([2, 2])] },
  { op: 'Tile', inputs: [random(2, 3), ints([3, 2])] },
  { op: 'Tile', inputs: [random(2, 1, 3), ints([1, 4, 1])], opset: 13 },
  { op: 'Tile', inputs: [random(2, 3), ints([1, 1])] },
];

describe('gradients of Concat, Split, Expand and Tile', () => {
  it.each(titled(CASES))('%s', async (_, test) => {
    await expectGradient({ ...test, second: true });
  });

  it('for a free batch', () => {
    const model = modelOf({
      inputs: ['x: batch,3', 'z: batch,2'],
      nodes: ['a = Concat(x, z) axis=1', 'b, c = Split(a) axis=1 num_outputs=2'],
      outputs: ['c'],
    });
    expect(() => gradients(model, 'c', ['x', 'z'])).not.toThrow();
  });

  it('Tile by any repeats', async () => {
    const dims = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(dims, async (pairs) => {
        const inputs = [random(...pairs.map(([size]) => size)), ints(pairs.map(([, times]) => times))];
        await expectGradient({ op: 'Tile', inputs });
      }),
      { numRuns: 10 },
    );
  });
});
