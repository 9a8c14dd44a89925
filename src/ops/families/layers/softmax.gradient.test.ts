import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { between, expectGradient, gradientsAt, random } from '../../../autodiff/check.testing.js';

fc.configureGlobal({ seed: 1 });

describe.each(['Softmax', 'LogSoftmax'])('%s', (op) => {
  it.each([undefined, 0, 1, -2])('along axis %s', (axis) =>
    expectGradient({
      op,
      inputs: [random(2, 3, 2)],
      ...(axis === undefined ? {} : { attributes: { axis } }),
      second: true,
    }),
  );

  it('of any shape along any axis', async () => {
    const cases = fc
      .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 })
      .chain((dims) => fc.tuple(fc.constant(dims), fc.integer({ min: -dims.length, max: dims.length - 1 })));
    await fc.assert(
      fc.asyncProperty(cases, fc.constantFrom(13, 21), ([dims, axis], opset) =>
        expectGradient({ op, inputs: [between(-3, 3, dims)], attributes: { axis }, opset }),
      ),
      { numRuns: 10 },
    );
  });

  it('of numbers far apart', async () => {
    const { x0 } = await gradientsAt({ op, inputs: [{ dims: [3], values: [-800, 0, 700] }] });
    expect(x0!.every(Number.isFinite)).toBe(true);
  });
});

describe('Hardmax', () => {
  it('is flat', () => expectGradient({ op: 'Hardmax', inputs: [random(2, 3)], dtype: 'float32' }));
});
