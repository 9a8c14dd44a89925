import fc from 'fast-check';
import { describe, it } from 'vitest';
import {
  expectGradient,
  type GradientCase,
  type GradientInput,
  ints,
  random,
} from '../../../autodiff/check.testing.js';

fc.configureGlobal({ seed: 1 });

function running(
  op: 'CumSum' | 'CumProd',
  x: GradientInput,
  axis: number,
  exclusive: number,
  reverse: number,
): GradientCase {
  return {
    op,
    inputs: [x, ints([axis], [])],
    attributes: { exclusive, reverse },
    opset: op === 'CumProd' ? 26 : 21,
  };
}

describe.each(['CumSum', 'CumProd'] as const)('%s', (op) => {
  it.each([
    [0, 0],
    [1, 0],
    [0, 1],
    [1, 1],
  ])('exclusive %d, reverse %d', (exclusive, reverse) =>
    expectGradient({ ...running(op, random(2, 5), 1, exclusive, reverse), second: true }),
  );

  it('of any shape along any axis', async () => {
    const cases = fc
      .array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 3 })
      .chain((dims) => fc.tuple(fc.constant(dims), fc.integer({ min: -dims.length, max: dims.length - 1 })));
    const flag = fc.constantFrom(0, 1);
    await fc.assert(
      fc.asyncProperty(cases, flag, flag, ([dims, axis], exclusive, reverse) =>
        expectGradient(running(op, random(...dims), axis, exclusive, reverse)),
      ),
      { numRuns: 10 },
    );
  });

  it('with zeros', () =>
    expectGradient({
      ...running(op, { dims: [2, 3], values: [2, 0, 3, 0, 0, 4] }, 1, 0, 0),
      second: true,
    }));
});
