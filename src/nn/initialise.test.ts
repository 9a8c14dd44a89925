import { describe, expect, it } from 'vitest';
import { Random } from '../util/random.js';
import {
  constant,
  fans,
  type Initialiser,
  initialValues,
  kaimingNormal,
  kaimingUniform,
  normal,
  ones,
  truncatedNormal,
  uniform,
  xavierNormal,
  xavierUniform,
  zeros,
} from './initialise.js';

const DIMS = [200, 100];
const COUNT = 20_000;

function drawn(initialise: Initialiser, dims: readonly number[] = DIMS): Float32Array {
  return initialise(Random.seeded(1), dims);
}

/** Expects n numbers of a distribution, its mean and deviation each within five standard errors. */
function expectMoments(values: Float32Array, mean: number, deviation: number): void {
  expect(values.length).toBe(COUNT);
  const found = values.reduce((sum, x) => sum + x, 0) / COUNT;
  const variance = values.reduce((sum, x) => sum + (x - found) ** 2, 0) / (COUNT - 1);
  expect(Math.abs(found - mean)).toBeLessThan((5 * deviation) / Math.sqrt(COUNT));
  expect(Math.abs(Math.sqrt(variance) / deviation - 1)).toBeLessThan(5 / Math.sqrt(2 * COUNT));
}

/** Expects numbers all over an interval and nowhere else. */
function expectBounds(values: Float32Array, low: number, high: number): void {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const slack = 1e-6 * (high - low);
  expect(least).toBeGreaterThanOrEqual(low - slack);
  expect(most).toBeLessThanOrEqual(high + slack);
  expect((most - least) / (high - low)).toBeGreaterThan(0.998);
}

describe('uniform distributions', () => {
  // The bounds PyTorch has for a weight of 200 inputs and 100 outputs.
  it.each<[string, Initialiser, number, number]>([
    ['uniform', uniform(-0.5, 2), -0.5, 2],
    ['kaimingUniform', kaimingUniform(), -Math.sqrt(6 / 200), Math.sqrt(6 / 200)],
    ['of nn.Linear', kaimingUniform(1 / Math.sqrt(3)), -1 / Math.sqrt(200), 1 / Math.sqrt(200)],
    ['by outputs', kaimingUniform(1, 'fanOut'), -Math.sqrt(3 / 100), Math.sqrt(3 / 100)],
    ['xavierUniform', xavierUniform(), -Math.sqrt(6 / 300), Math.sqrt(6 / 300)],
  ])('%s', (_, initialise, low, high) => {
    const values = drawn(initialise);
    expectBounds(values, low, high);
    expectMoments(values, (low + high) / 2, (high - low) / Math.sqrt(12));
  });
});

describe('normal distributions', () => {
  it.each<[string, Initialiser, number, number]>([
    ['normal', normal(0.3, 2), 0.3, 2],
    ['kaimingNormal', kaimingNormal(), 0, Math.sqrt(2 / 200)],
    ['kaimingNormal of a linear layer', kaimingNormal(1), 0, 1 / Math.sqrt(200)],
    ['by outputs', kaimingNormal(Math.SQRT2, 'fanOut'), 0, Math.sqrt(2 / 100)],
    ['xavierNormal', xavierNormal(2), 0, 2 * Math.sqrt(2 / 300)],
  ])('%s', (_, initialise, mean, deviation) => {
    const values = drawn(initialise);
    expectMoments(values, mean, deviation);
    // A normal distribution has 68.27 % within one deviation; a uniform one 57.7 %.
    const within = values.filter((x) => Math.abs(x - mean) < deviation).length / COUNT;
    expect(within).toBeCloseTo(0.6827, 2);
  });

  it('truncated where the bounds are far off', () => {
    expectMoments(drawn(truncatedNormal(0.02)), 0, 0.02);
  });

  it('truncated near its middle', () => {
    const values = drawn(truncatedNormal(1, 0, -1, 1));
    expectBounds(values, -1, 1);
    // φ(1) = 0.24197, Φ(1) − Φ(−1) = 0.68269: the variance is 1 − 2·φ(1)/0.68269.
    expectMoments(values, 0, Math.sqrt(1 - (2 * 0.2419707) / 0.6826895));
  });
});

it('constants', () => {
  expect(drawn(constant(0.5), [2])).toEqual(Float32Array.of(0.5, 0.5));
  expect(drawn(zeros, [2, 1])).toEqual(Float32Array.of(0, 0));
  expect(drawn(ones, [])).toEqual(Float32Array.of(1));
});

// torch.nn.init._calculate_fan_in_and_fan_out, of the transposed weight where that is a matrix.
it.each([
  { dims: [3, 5], fanIn: 3, fanOut: 5 },
  { dims: [8, 4, 3, 3], fanIn: 36, fanOut: 72 },
  { dims: [6, 1, 5], fanIn: 5, fanOut: 30 },
  { dims: [7], fanIn: 7, fanOut: 7 },
  { dims: [], fanIn: 1, fanOut: 1 },
])('fans of [$dims]', ({ dims, fanIn, fanOut }) => {
  expect(fans(dims)).toEqual({ fanIn, fanOut });
});

describe('initialValues', () => {
  const spec = (name: string) => ({ name, dims: [4], initialise: normal(0, 1) });

  it('gives a parameter the same numbers whatever else there is', () => {
    expect(initialValues(spec('a.weight'), 1)).toEqual(initialValues(spec('a.weight'), 1));
  });

  it('depends on the seed and on the name', () => {
    const all = [
      initialValues(spec('a.weight'), 1),
      initialValues(spec('a.weight'), 2),
      initialValues(spec('b.weight'), 1),
    ].map(String);
    expect(new Set(all).size).toBe(3);
  });
});
