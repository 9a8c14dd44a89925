import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../../analysis/models.testing.js';
import { expectGradient, type GradientCase, ints, random, titled } from '../../../autodiff/check.testing.js';
import { gradients } from '../../../autodiff/gradients.js';

fc.configureGlobal({ seed: 1 });

const CASES: readonly GradientCase[] = [
  { op: 'Gather', inputs: [random(4, 3), ints([2, 0, 2, -1])] },
  { op: 'Gather', inputs: [random(2, 4, 3), ints([1, 1, -4, 3], [2, 2])], attributes: { axis: 1 } },
  { op: 'Gather', inputs: [random(2, 4), ints([3, 0])], attributes: { axis: -1 } },
  { op: 'Gather', inputs: [random(5), ints([3, 0, 3, 3, 1, 1], [3, 2])] },
  // Known indices that follow each other.
  { op: 'Gather', inputs: [random(3, 4), ints([-2], [])] },
  { op: 'Gather', inputs: [random(3, 4), ints([1, 2, 3])], attributes: { axis: 1 } },
  { op: 'GatherElements', inputs: [random(3, 4), ints([2, 0, 2, -3, 1, 1, 0, 0], [2, 4])] },
  {
    op: 'GatherElements',
    inputs: [random(2, 3, 2), ints([0, -1, 2, 2], [2, 2, 1])],
    attributes: { axis: 1 },
  },
  { op: 'GatherElements', inputs: [random(2, 3), ints([1, 1, 0, 2], [2, 2])], attributes: { axis: -1 } },
  { op: 'GatherND', inputs: [random(3, 2), ints([1, 1, 0, -1, 1, 1], [3, 2])] },
  { op: 'GatherND', inputs: [random(3, 2, 4), ints([2, 2, -3], [3, 1])] },
  { op: 'GatherND', inputs: [random(2, 3, 2), ints([1, 1, 0, 2], [2, 2, 1])], attributes: { batch_dims: 1 } },
  {
    op: 'GatherND',
    inputs: [random(2, 2, 3), ints([1, 0, 2, -1], [2, 2, 1])],
    attributes: { batch_dims: 2 },
  },
];

/** Indices that are only known when the graph runs. */
const fed = (test: GradientCase): GradientCase => ({
  ...test,
  inputs: test.inputs.map((input) => {
    if (!input?.constant) return input;
    const { constant, ...rest } = input;
    return rest;
  }),
});

describe.each([21, 13])('gradients of reading by indices in opset %i', (opset) => {
  it.each(titled(CASES))('%s', async (_, test) => {
    await expectGradient({ ...test, opset, second: true });
  });

  it.each(titled(CASES.map(fed)))('fed: %s', async (_, test) => {
    await expectGradient({ ...test, opset });
  });

  it('Gather along any axis', async () => {
    const cases = fc
      .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 })
      .chain((dims) => fc.tuple(fc.constant(dims), fc.nat(dims.length - 1)))
      .chain(([dims, axis]) => {
        const index = fc.integer({ min: -dims[axis]!, max: dims[axis]! - 1 });
        return fc.record({ dims: fc.constant(dims), axis: fc.constant(axis), indices: fc.array(index) });
      });
    await fc.assert(
      fc.asyncProperty(cases, async ({ dims, axis, indices }) => {
        await expectGradient({
          op: 'Gather',
          inputs: [random(...dims), ints(indices)],
          attributes: { axis },
          opset,
        });
      }),
      { numRuns: 10 },
    );
  });
});

describe('the gradient of Gather', () => {
  it('of a known index is padding, for any batch', () => {
    const model = modelOf({
      inputs: ['x: batch,3,8'],
      initializers: [tensor('i', [], [1], 'int64')],
      nodes: ['y = Gather(x, i) axis=1'],
      outputs: ['y'],
    });
    const { nodes } = gradients(model, 'y', ['x']).model.graph;
    expect(nodes.map((node) => node.opType)).toContain('Pad');
  });
});
