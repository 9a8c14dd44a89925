import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../../analysis/models.testing.js';
import { expectGradient, type GradientCase, ints, random, titled } from '../../../autodiff/check.testing.js';
import { gradients } from '../../../autodiff/gradients.js';
import { formatType } from '../../../graph/types.js';

fc.configureGlobal({ seed: 1 });

const condition = (...values: number[]) =>
  ({ dtype: 'bool', dims: [values.length], values, constant: true }) as const;

const CASES: readonly GradientCase[] = [
  { op: 'TopK', inputs: [random(3, 5), ints([2])], outputs: 2 },
  {
    op: 'TopK',
    inputs: [random(4, 3), ints([2])],
    attributes: { axis: 0, largest: 0 },
    outputs: 2,
    opset: 13,
  },
  { op: 'Compress', inputs: [random(3, 4), condition(0, 1, 1)], attributes: { axis: 0 } },
  { op: 'Compress', inputs: [random(2, 4, 3), condition(1, 0, 1)], attributes: { axis: -2 }, opset: 13 },
  { op: 'Compress', inputs: [random(2, 3), condition(1, 0, 0, 1, 1)] },
  { op: 'Compress', inputs: [random(3), condition(0, 0, 0)], attributes: { axis: 0 } },
  { op: 'OneHot', inputs: [ints([0, 2, -1]), ints([4], []), random(2)], dtype: 'float32' },
  {
    op: 'OneHot',
    inputs: [ints([0, 1, 1, 5], [2, 2]), ints([3]), random(2)],
    attributes: { axis: 1 },
    dtype: 'float32',
    opset: 13,
  },
];

describe('gradients of choosing by values', () => {
  it.each(titled(CASES))('%s', async (_, test) => {
    await expectGradient({ ...test, second: true });
  });

  it('Compress where only the graph that runs knows how many are chosen', () => {
    const model = modelOf({
      inputs: ['x: 2,4', 'z: 4'],
      nodes: ['condition = Cast(z) to=9', 'y = Compress(x, condition) axis=1'],
      outputs: ['y'],
    });
    const { gradients: found, model: step } = gradients(model, 'y', ['x']);
    const output = step.graph.outputs.find(({ name }) => name === found.get('x'));
    expect(output && formatType(output.type)).toBe('float32[2,4]');
  });

  it('TopK along any axis', async () => {
    const cases = fc
      .array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 })
      .chain((dims) => fc.tuple(fc.constant(dims), fc.nat(dims.length - 1)))
      .chain(([dims, axis]) => fc.tuple(fc.constant(dims), fc.constant(axis), fc.nat(dims[axis]!)));
    await fc.assert(
      fc.asyncProperty(cases, fc.nat(1), async ([dims, axis, k], largest) => {
        const inputs = [random(...dims), ints([k])];
        await expectGradient({ op: 'TopK', inputs, attributes: { axis, largest }, outputs: 2 });
      }),
      { numRuns: 10 },
    );
  });
});
