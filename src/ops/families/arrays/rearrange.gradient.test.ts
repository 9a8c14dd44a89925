import fc from 'fast-check';
import { describe, it } from 'vitest';
import { expectGradient, type GradientCase, ints, random, titled } from '../../../autodiff/check.testing.js';

fc.configureGlobal({ seed: 1 });

const CASES: readonly GradientCase[] = [
  { op: 'Trilu', inputs: [random(3, 4)] },
  { op: 'Trilu', inputs: [random(2, 3, 3), ints([-1], [])], attributes: { upper: 0 }, opset: 14 },
  {
    op: 'ReverseSequence',
    inputs: [random(4, 3, 2), ints([1, 4, 2])],
    attributes: { batch_axis: 1, time_axis: 0 },
  },
  {
    op: 'ReverseSequence',
    inputs: [random(2, 3), ints([3, 2])],
    attributes: { batch_axis: 0, time_axis: 1 },
  },
  { op: 'DepthToSpace', inputs: [random(1, 8, 2, 3)], attributes: { blocksize: 2 }, opset: 13 },
  { op: 'DepthToSpace', inputs: [random(2, 18, 1, 2)], attributes: { blocksize: 3, mode: 'CRD' } },
  { op: 'SpaceToDepth', inputs: [random(1, 2, 4, 6)], attributes: { blocksize: 2 }, opset: 13 },
];

describe('gradients of moving elements', () => {
  it.each(titled(CASES))('%s', async (_, test) => {
    await expectGradient({ ...test, second: true });
  });

  it('of depth to space and back', async () => {
    const size = fc.integer({ min: 1, max: 3 });
    const op = fc.constantFrom('DCR', 'CRD', 'back');
    await fc.assert(
      fc.asyncProperty(op, size, size, size, size, async (mode, blocksize, channels, h, w) => {
        const area = blocksize * blocksize;
        const test =
          mode === 'back'
            ? { op: 'SpaceToDepth', inputs: [random(1, channels, h * blocksize, w * blocksize)] }
            : { op: 'DepthToSpace', inputs: [random(1, channels * area, h, w)] };
        const attributes = mode === 'back' ? { blocksize } : { blocksize, mode };
        await expectGradient({ ...test, attributes });
      }),
      { numRuns: 10 },
    );
  });
});
