import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../analysis/models.testing.js';
import { findActivations } from './activations.js';
import { Subject } from './subject.js';

const found = (nodes: readonly string[]) =>
  findActivations(
    Subject.of(
      modelOf({
        inputs: ['x: 2,3'],
        nodes,
        outputs: ['y'],
        initializers: [
          tensor('root', [1], [Math.SQRT2]),
          tensor('one', [1], [1]),
          tensor('half', [1], [0.5]),
          tensor('zero', [], [0]),
          tensor('six', [], [6]),
        ],
      }),
    ),
  ).map(({ input, output }) => [input, output]);

describe('findActivations', () => {
  it.each([
    ['ReLU', ['y = Relu(x)'], 'x', 'y'],
    ['GELU', ['y = Gelu(x)'], 'x', 'y'],
    ['ReLU6', ['y = Clip(x, zero, six)'], 'x', 'y'],
    ['SiLU in parts', ['s = Sigmoid(x)', 'y = Mul(x, s)'], 'x', 'y'],
    ['QuickGELU in parts', ['a = Mul(x, one)', 's = Sigmoid(a)', 'y = Mul(x, s)'], 'a', 'y'],
    [
      'GELU in parts',
      ['a = Div(x, root)', 'e = Erf(a)', 'b = Add(e, one)', 'c = Mul(x, b)', 'y = Mul(c, half)'],
      'a',
      'c',
    ],
  ])('sees %s', (_, nodes, input, output) => {
    expect(found(nodes)).toEqual([[input, output]]);
  });

  it.each([
    ['Tanh', ['y = Tanh(x)']],
    ['a gate', ['s = Sigmoid(x)', 'y = Mul(s, one)']],
    ['a Clip from 1 on', ['y = Clip(x, one, six)']],
    ['Softmax', ['y = Softmax(x)']],
  ])('does not take %s for one', (_, nodes) => {
    expect(found(nodes)).toEqual([]);
  });
});
