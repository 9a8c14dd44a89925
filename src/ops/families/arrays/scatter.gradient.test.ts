import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../../analysis/models.testing.js';
import { expectGradient, type GradientCase, ints, random, titled } from '../../../autodiff/check.testing.js';
import { gradients } from '../../../autodiff/gradients.js';

fc.configureGlobal({ seed: 1 });

const elements = (reduction: string | undefined, axis: number, indices: number[][]): GradientCase => ({
  op: 'ScatterElements',
  inputs: [
    random(3, 4),
    ints(indices.flat(), [indices.length, indices[0]!.length]),
    random(indices.length, indices[0]!.length),
  ],
  attributes: { axis, ...(reduction ? { reduction } : {}) },
});

const CASES: readonly GradientCase[] = [
  elements(undefined, 0, [[0, 1, 2, -1]]),
  elements(undefined, -1, [
    [0, 2],
    [3, -2],
  ]),
  elements('add', 0, [
    [0, 1, 2, 0],
    [0, -2, 2, 1],
  ]),
  elements('max', 1, [
    [0, 0, 3],
    [1, -1, 1],
  ]),
  elements('min', 0, [
    [0, 1, 2, 0],
    [0, -2, 2, 1],
  ]),
  { ...elements(undefined, 0, [[0, 1, 2, -1]]), op: 'ScatterElements', opset: 13 },
  { op: 'ScatterND', inputs: [random(4, 2), ints([3, -4], [2, 1]), random(2, 2)], opset: 13 },
  { op: 'ScatterND', inputs: [random(2, 3, 2), ints([0, 1, 1, -1], [2, 2]), random(2, 2)] },
  ...['add', 'max', 'min'].map(
    (reduction): GradientCase => ({
      op: 'ScatterND',
      inputs: [random(3, 2), ints([1, 1, 0], [3, 1]), random(3, 2)],
      attributes: { reduction },
    }),
  ),
];

describe('gradients of writing by indices', () => {
  it.each(titled(CASES))('%s', async (_, test) => {
    await expectGradient({ ...test, second: true });
  });

  it('two that are equal share the gradient of the greatest, as central differences do', async () => {
    await expectGradient({
      op: 'ScatterElements',
      inputs: [{ dims: [2], values: [1, 0] }, ints([0, 1]), { dims: [2], values: [1, -1] }],
      attributes: { reduction: 'max' },
    });
  });

  it('ScatterElements along any axis', async () => {
    const cases = fc
      .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }), fc.nat(1))
      .chain(([n, m, axis]) => {
        const lines = axis === 0 ? m : n;
        const order = fc.shuffledSubarray([...Array(axis === 0 ? n : m).keys()], {
          minLength: 1,
          maxLength: 1,
        });
        return fc.record({
          dims: fc.constant([n, m]),
          axis: fc.constant(axis),
          places: fc.array(order, { minLength: lines, maxLength: lines }),
        });
      });
    await fc.assert(
      fc.asyncProperty(cases, fc.constantFrom('none', 'add'), async ({ dims, axis, places }, reduction) => {
        const shape = dims.with(axis, 1);
        await expectGradient({
          op: 'ScatterElements',
          inputs: [random(...dims), ints(places.flat(), shape), random(...shape)],
          attributes: { axis, reduction },
        });
      }),
      { numRuns: 10 },
    );
  });

  it('of a product is refused', () => {
    const model = modelOf({
      inputs: ['x: 3', 'u: 2'],
      initializers: [tensor('i', [2], [0, 1], 'int64')],
      nodes: ['y = ScatterElements(x, i, u)'],
      attributes: { y: { reduction: { type: 'string', value: 'mul' } } },
      outputs: ['y'],
    });
    expect(() => gradients(model, 'y', ['x'])).toThrowError(
      expect.objectContaining({ code: 'GRADIENT_UNSUPPORTED' }),
    );
  });
});
