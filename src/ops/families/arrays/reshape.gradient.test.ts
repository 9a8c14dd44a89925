import fc from 'fast-check';
import { describe, it } from 'vitest';
import { expectGradient, type GradientCase, ints, random, titled } from '../../../autodiff/check.testing.js';

fc.configureGlobal({ seed: 1 });

const CASES: readonly GradientCase[] = [
  { op: 'Reshape', inputs: [random(2, 3, 4), ints([4, -1])] },
  { op: 'Reshape', inputs: [random(2, 3, 4), ints([0, 12])], opset: 13 },
  { op: 'Reshape', inputs: [random(1), ints([], [0])] },
  { op: 'Flatten', inputs: [random(2, 3, 4)] },
  { op: 'Flatten', inputs: [random(2, 3, 4)], attributes: { axis: -1 } },
  { op: 'Flatten', inputs: [random(2, 3)], attributes: { axis: 0 } },
  { op: 'Squeeze', inputs: [random(1, 3, 1)] },
  { op: 'Squeeze', inputs: [random(1, 3, 1), ints([-1])] },
  { op: 'Unsqueeze', inputs: [random(3, 2), ints([0, -1])], opset: 13 },
  { op: 'Unsqueeze', inputs: [random(), ints([0])] },
  { op: 'Transpose', inputs: [random(2, 3, 4)] },
  { op: 'Transpose', inputs: [random(2, 3, 4)], attributes: { perm: [2, 0, 1] } },
  { op: 'Identity', inputs: [random(2, 3)] },
];

describe('gradients of operators that give elements another shape', () => {
  it.each(titled(CASES))('%s', async (_, test) => {
    await expectGradient({ ...test, second: true });
  });

  it('Transpose by any permutation', async () => {
    const cases = fc
      .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 })
      .chain((dims) =>
        fc.tuple(fc.constant(dims), fc.shuffledSubarray([...dims.keys()], { minLength: dims.length })),
      );
    await fc.assert(
      fc.asyncProperty(cases, async ([dims, perm]) => {
        await expectGradient({ op: 'Transpose', inputs: [random(...dims)], attributes: { perm } });
      }),
      { numRuns: 10 },
    );
  });
});
