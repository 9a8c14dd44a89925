import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../analysis/models.testing.js';
import { featuresOf } from './features.js';
import { findNormalisations } from './normalisations.js';
import { Subject } from './subject.js';

const CONSTANTS = [
  tensor('two', [], [2]),
  tensor('one', [], [1]),
  tensor('half', [1], [-0.5]),
  tensor('epsilon', [], [1e-5]),
  tensor('scale', [6]),
  tensor('shift', [6]),
  tensor('w', [6, 6]),
];

const found = (...nodes: string[]) =>
  findNormalisations(
    modelOf({
      inputs: ['x: 4,6'],
      nodes: [...nodes, 'z = Relu(y)'],
      outputs: ['z'],
      initializers: CONSTANTS,
    }),
  ).map(({ input, output }) => [input, output]);

const CENTRED = ['m = ReduceMean(x)', 'd = Sub(x, m)'];
const root = (of: string) => [
  `p = Pow(${of}, two)`,
  'v = ReduceMean(p)',
  'e = Add(v, epsilon)',
  's = Sqrt(e)',
];

describe('normalisations in parts', () => {
  it('are found with their mean, scale and shift', () => {
    const nodes = [...CENTRED, ...root('d'), 'n = Div(d, s)', 'a = Mul(n, scale)', 'y = Add(a, shift)'];
    expect(found(...nodes)).toEqual([['x', 'y']]);
  });

  it('are found without, and by a factor', () => {
    expect(found(...root('x'), 'y = Div(x, s)')).toEqual([['x', 'y']]);
    expect(found(...root('x'), 'r = Reciprocal(s)', 'n = Mul(x, r)', 'y = Mul(scale, n)')).toEqual([
      ['x', 'y'],
    ]);
    expect(found(...root('x'), 'r = Div(one, s)', 'y = Mul(r, x)')).toEqual([['x', 'y']]);
    const power = ['p = Mul(x, x)', 'v = ReduceMean(p)', 'e = Add(epsilon, v)', 'r = Pow(e, half)'];
    expect(found(...power, 'y = Mul(x, r)')).toEqual([['x', 'y']]);
  });

  it('are found through casts', () => {
    const nodes = ['c = Cast(x) to=1', ...root('c'), 'n = Div(x, s)', 'b = Identity(n)', 'y = Mul(b, scale)'];
    expect(found(...nodes)).toEqual([['x', 'y']]);
  });

  it('end where others read what is between', () => {
    expect(found(...root('x'), 'n = Div(x, s)', 'a = Mul(n, scale)', 'y = Add(a, n)')).toEqual([['x', 'n']]);
  });

  it('are not a deviation that something else is divided by, a norm, or made of weights', () => {
    expect(found(...root('x'), 'o = MatMul(x, w)', 'y = Div(o, s)')).toEqual([]);
    expect(found('p = Pow(x, two)', 'v = ReduceSum(p)', 's = Sqrt(v)', 'y = Div(x, s)')).toEqual([]);
    expect(found(...root('w'), 'n = Div(w, s)', 'y = MatMul(x, n)')).toEqual([]);
  });
});

it('are passed on the way back from the classifier to what it classifies, also in parts', () => {
  const model = modelOf({
    inputs: ['x: 2,6,4,4'],
    nodes: [
      'c = Conv(x, k)',
      'r = Relu(c)',
      'g = ReduceMean(r, axes) keepdims=0',
      ...['m = ReduceMean(g, last)', 'd = Sub(g, m)', 'p = Pow(d, two)', 'v = ReduceMean(p, last)'],
      ...['e = Add(v, epsilon)', 's = Sqrt(e)', 'n = Div(d, s)', 'a = Mul(n, scale)', 'b = Add(a, shift)'],
      'y = MatMul(b, w)',
    ],
    outputs: ['y'],
    initializers: [
      ...CONSTANTS,
      tensor('k', [6, 6, 1, 1]),
      tensor('axes', [2], [2, 3], 'int64'),
      tensor('last', [1], [-1], 'int64'),
    ],
  });
  expect(featuresOf(Subject.of(model))).toMatchObject({ name: 'r', channels: 6, positions: 16 });
});

it('are operators, each by itself', () => {
  expect(found('a = LayerNormalization(x, scale)', 'y = RMSNormalization(a, scale)')).toEqual([
    ['x', 'a'],
    ['a', 'y'],
  ]);
});
