import { describe, expect, it } from 'vitest';
import { graphOf, modelOf, tensor } from '../analysis/models.testing.js';
import { AuspexError } from '../util/errors.js';
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
        message: "the gradient of 'q' passes through Det, and Det has no gradient rule",
        where: { node: 'n_r', operator: 'Det' },
      }),
    );
  });

  it('do not flow into values of which only the size matters', () => {
    const model = modelOf({
      inputs: ['x: 3'],
      nodes: ['r = RandomNormalLike(x)', 'a = Mul(x, r)', 'y = ReduceSum(a)', 'q = ReduceSum(r)'],
      outputs: ['y', 'q'],
    });
    const found = gradients(model, 'y', ['x']);
    const { opType, inputs } = found.model.graph.nodes.find(({ outputs }) =>
      outputs.includes(found.gradients.get('x')!),
    )!;
    expect(opType).toBe('Identity');
    const product = found.model.graph.nodes.find(({ outputs }) => outputs.includes(inputs[0]!));
    expect([product?.opType, product?.inputs.includes('r')]).toEqual(['Mul', true]);
    expect(() => gradients(model, 'q', ['x'])).not.toThrow();
  });

  it('do not pass over what a branch takes from around it', () => {
    const branch = (op: string) => {
      const graph = graphOf({ inputs: [], nodes: [`${op}.y = ${op}(x)`], outputs: [`${op}.y`] });
      return { type: 'graph' as const, value: graph };
    };
    const model = modelOf({
      inputs: ['x: 3', 'c: '],
      nodes: ['b = Greater(c, c)', 'y = If(b)', 'z = ReduceSum(y)'],
      outputs: ['z'],
      attributes: { y: { then_branch: branch('Exp'), else_branch: branch('Neg') } },
    });
    expect(() => gradients(model, 'z', ['x'])).toThrowError(
      expect.objectContaining({ code: 'GRADIENT_MISSING', where: { node: 'n_y', operator: 'If' } }),
    );
  });

  it('do not pass over an operator of which nothing is known', () => {
    const model = modelOf({
      inputs: ['x: 3'],
      nodes: ['y = my.domain.Secret(x)', 'f = Cast(y) to=1', 'z = Reshape(f, shape)'],
      outputs: ['z'],
      initializers: [tensor('shape', [1], [3], 'int64')],
    });
    expect(() => gradients(model, 'z', ['x'])).toThrow(AuspexError);
  });
});
