import { describe, expect, it } from 'vitest';
import { modelOf } from '../analysis/models.testing.js';
import { expectGradient, random } from './check.testing.js';
import { gradients } from './gradients.js';

describe('MatMul', () => {
  it.each([
    [
      [3, 4],
      [4, 5],
    ],
    [
      [2, 3, 4],
      [4, 5],
    ],
    [
      [2, 1, 3, 4],
      [5, 4, 2],
    ],
    [[4], [4, 5]],
    [[3, 4], [4]],
    [[4], [4]],
    [[4], [2, 4, 5]],
  ])('of %j and %j', async (a, b) => {
    await expectGradient({ op: 'MatMul', inputs: [random(...a), random(...b)], second: true });
  });
});

describe('gradients', () => {
  it('name the node and operator they cannot flow through, only if they must', () => {
    const model = modelOf({
      inputs: ['x: 3,3', 'z: 3,3'],
      nodes: ['r = Det(x)', 'a = Mul(x, z)', 'y = ReduceSum(a)', 'q = Add(y, r)'],
      outputs: ['q'],
    });
    expect(() => gradients(model, 'y', ['x'])).not.toThrow();
    expect(() => gradients(model, 'q', ['z'])).not.toThrow();
    expect(() => gradients(model, 'q', ['x'])).toThrowError(
      expect.objectContaining({
        code: 'GRADIENT_MISSING',
        where: { node: 'n_r', operator: 'Det' },
      }),
    );
  });
});
