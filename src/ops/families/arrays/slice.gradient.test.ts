import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../../analysis/models.testing.js';
import { expectGradient, type GradientCase, ints, random, titled } from '../../../autodiff/check.testing.js';
import { gradients } from '../../../autodiff/gradients.js';

fc.configureGlobal({ seed: 1 });

const slice = (dims: number[], ...bounds: number[][]): GradientCase => ({
  op: 'Slice',
  inputs: [random(...dims), ...bounds.map((list) => ints(list))],
});

const bound = (name: string, value: number) => tensor(name, [1], [value], 'int64');

const CASES: readonly GradientCase[] = [
  slice([5], [1], [4]),
  slice([3, 5], [1, -3], [3, 100]),
  slice([3, 5], [2], [4], [-1]),
  slice([7], [0], [7], [0], [3]),
  slice([7], [1], [6], [0], [2]),
  slice([7], [-1], [-100], [0], [-1]),
  slice([7], [5], [0], [0], [-2]),
  slice([4, 2, 6], [3, 0], [-100, 6], [0, 2], [-2, 4]),
  slice([4, 5], [1], [100], [1], [2]),
  slice([4, 5], [2], [2], [1]),
  slice([4, 5], [2], [2], [1], [-2]),
];

describe('the gradient of Slice', () => {
  it.each(titled(CASES))('%s', async (_, test) => {
    await expectGradient({ ...test, opset: 14, second: true });
  });

  it('of any bounds and steps', async () => {
    const bound = fc.integer({ min: -8, max: 8 });
    const step = fc.integer({ min: -3, max: 3 }).filter((s) => s !== 0);
    const cut = fc.tuple(fc.integer({ min: 1, max: 7 }), bound, bound, step);
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { minLength: 1, maxLength: 3 }), async (cuts) => {
        const column = (i: number): number[] => cuts.map((row) => row[i]!);
        await expectGradient(slice(column(0), column(1), column(2), [...cuts.keys()], column(3)));
      }),
      { numRuns: 20 },
    );
  });

  it('needs to know only the bounds', () => {
    const known = modelOf({
      inputs: ['x: batch,seq'],
      initializers: [bound('from', 1), bound('to', 2 ** 31), bound('axis', 1)],
      nodes: ['y = Slice(x, from, to, axis)'],
      outputs: ['y'],
    });
    expect(() => gradients(known, 'y', ['x'])).not.toThrow();
    const unknown = modelOf({
      inputs: ['x: 5', 'z: 1'],
      initializers: [bound('from', 1)],
      nodes: ['to = Cast(z) to=7', 'y = Slice(x, from, to)'],
      outputs: ['y'],
    });
    expect(() => gradients(unknown, 'y', ['x'])).toThrowError(
      expect.objectContaining({ code: 'GRADIENT_UNSUPPORTED', where: { node: 'n_y', operator: 'Slice' } }),
    );
  });
});
