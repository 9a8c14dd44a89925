import { describe, expect, it } from 'vitest';
import {
  expectGradient,
  type GradientCase,
  type GradientInput,
  gradientsAt,
  random,
  titled,
} from '../../autodiff/check.testing.js';

const domain = 'com.microsoft';

describe('fused activations', () => {
  it.each(
    titled([
      { op: 'Gelu', inputs: [random(2, 3)] },
      { op: 'BiasGelu', inputs: [random(2, 3), random(3)] },
      { op: 'FastGelu', inputs: [random(2, 3)] },
      { op: 'FastGelu', inputs: [random(2, 3), random(3)] },
      { op: 'QuickGelu', inputs: [random(2, 3)] },
      { op: 'QuickGelu', inputs: [random(2, 3)], attributes: { alpha: { type: 'float', value: 0.7 } } },
    ]),
  )('%s', (_, test) =>
    expectGradient({ ...test, domain, opset: 17, second: true, dtype: 'float32', tolerance: 5e-3 }),
  );
});

const X = [0.5, -1, 2, 0.25];
const BIAS = [0.3, -0.2];
const OTHER = [2, -3, 4, 5];

function given(dims: readonly number[], values: readonly number[]): GradientInput {
  return { dims, values };
}

function setting(dtype: 'bool' | 'float32', value: number): GradientInput {
  return { dtype, dims: [], values: [value], constant: true };
}

/** The normal distribution, by its series at 0. */
function normal(x: number): number {
  let sum = 0;
  for (let k = 0, term = x; k < 60; k++, term *= (x * x) / (2 * k + 1)) sum += term;
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

function softmax(x: readonly number[]): number[] {
  const powers = x.map(Math.exp);
  const total = powers.reduce((a, b) => a + b);
  return powers.map((p) => p / total);
}

type Formula = (...inputs: number[][]) => number[];

const biased: Formula = (x, b) => x!.map((value, i) => value + b![i % 2]!);

// The CPU has no kernels for these, so their parts are compared with their formulas.
describe('what other devices fuse', () => {
  it.each<[string, Omit<GradientCase, 'op'>, Formula]>([
    [
      'BiasAdd',
      { inputs: [given([2, 2], X), given([2], BIAS), given([2, 2], OTHER)] },
      (x, b, r) => biased(x!, b!).map((value, i) => value + r![i]!),
    ],
    [
      'GatedAdd',
      { inputs: [given([2, 2], X), given([2, 2], OTHER), given([2, 1], BIAS)] },
      (x, y, gate) => x!.map((value, i) => value + y![i]! * gate![i >> 1]!),
    ],
    [
      'BiasSplitGelu',
      { inputs: [given([1, 1, 4], X), given([4], OTHER)] },
      (x, b) => {
        const [p, q, r, s] = x!.map((value, i) => value + b![i]!) as [number, number, number, number];
        return [p * r * normal(r), q * s * normal(s)];
      },
    ],
    [
      'BiasSoftmax',
      { inputs: [given([2, 2], X), given([2], BIAS)], attributes: { axis: 1, is_inner_broadcast: 0 } },
      (x, b) => {
        const sums = biased(x!, b!);
        return [...softmax(sums.slice(0, 2)), ...softmax(sums.slice(2))];
      },
    ],
    [
      'BiasSoftmax',
      {
        inputs: [given([1, 2, 2], X), given([1, 1, 2], BIAS)],
        attributes: { axis: -2, is_inner_broadcast: 1 },
      },
      (x, b) => softmax(biased(x!, b!)),
    ],
    [
      'BiasDropout',
      { inputs: [given([2, 2], X), given([2], BIAS), given([2, 2], OTHER)], outputs: 2 },
      (x, b, r) => biased(x!, b!).map((value, i) => value + r![i]!),
    ],
    ['BitmaskBiasDropout', { inputs: [given([2, 2], X), given([2], BIAS)] }, biased],
    ['BitmaskDropout', { inputs: [given([2, 2], X)] }, (x) => x!],
  ])('%s', async (op, test, formula) => {
    const inputs = test.inputs.map((input) => [...input!.values!]);
    const expected = formula(...inputs);
    const dy = expected.map((_, i) => i + 1);
    const shape = op === 'BiasSplitGelu' ? [1, 1, 2] : test.inputs[0]!.dims;
    const { y0, ...found } = await gradientsAt({ op, ...test, domain, dtype: 'float32' }, given(shape, dy));
    expectClose(y0!, expected);
    const weighted = (at: number[][]) => formula(...at).reduce((sum, y, i) => sum + y * dy[i]!, 0);
    inputs.forEach((values, k) => {
      const slopes = values.map((_, j) => {
        const moved = (by: number) =>
          inputs.map((v, m) => v.map((x, n) => (m === k && n === j ? x + by : x)));
        return (weighted(moved(1e-4)) - weighted(moved(-1e-4))) / 2e-4;
      });
      expectClose(found[`x${k}`]!, slopes);
    });
  });

  it.each(['BiasDropout', 'BitmaskBiasDropout'])('%s in training', async (op) => {
    const inputs = [given([2, 2], X), given([2], BIAS), null, setting('float32', 0.5), setting('bool', 1)];
    const { y0, x0, x1 } = await gradientsAt({
      op,
      inputs,
      domain,
      dtype: 'float32',
      attributes: { seed: 3 },
    });
    expectClose(
      y0!,
      biased(X, BIAS).map((sum, i) => sum * x0![i]!),
    );
    expect(x0!.every((dx) => dx === 0 || dx === 2)).toBe(true);
    expectClose(x1!, [x0![0]! + x0![2]!, x0![1]! + x0![3]!]);
  });

  it('has no bits of a mask', async () => {
    const test = { op: 'BitmaskDropout', inputs: [given([2, 2], X)], domain, outputs: 2 };
    await expect(gradientsAt(test)).rejects.toMatchObject({ code: 'GRADIENT_MISSING' });
  });
});

function expectClose(found: readonly number[], expected: readonly number[]): void {
  expect(found).toHaveLength(expected.length);
  found.forEach((x, i) => {
    expect(x).toBeCloseTo(expected[i]!, 4);
  });
}
