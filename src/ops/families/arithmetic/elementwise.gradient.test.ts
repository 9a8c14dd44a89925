import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  between,
  expectGradient,
  type GradientCase,
  type GradientInput,
  gradientsAt,
  random,
  titled,
} from '../../../autodiff/check.testing.js';

fc.configureGlobal({ seed: 1 });

/** Of both signs, away from 0. */
function signed(...dims: number[]): GradientInput {
  const { values } = between(0.3, 2, dims);
  return { dims, values: values!.map((x, i) => (i % 2 === 0 ? x : -x)) };
}

/** Whole numbers plus a fraction, so that inputs with different fractions never tie. */
function apart(fraction: number, ...dims: number[]): GradientInput {
  const { values } = between(-3, 3, dims, 1 + 10 * fraction);
  return { dims, values: values!.map((x) => Math.round(x) + fraction) };
}

function positive(...dims: number[]): GradientInput {
  return between(0.5, 2, dims);
}

function constant(values: readonly number[], dims: readonly number[] = []): GradientInput {
  return { dims, values, constant: true };
}

function given(dims: readonly number[], values: readonly number[]): GradientInput {
  return { dims, values };
}

describe('functions of one value', () => {
  it.each<[string, GradientInput]>([
    ['Abs', signed(2, 3)],
    ['Cos', random(5)],
    ['Exp', random(2, 3)],
    ['Log', positive(5)],
    ['Neg', random(5)],
    ['Reciprocal', signed(5)],
    ['Sin', random(5)],
    ['Sqrt', positive(5)],
  ])('%s', (op, x) => expectGradient({ op, inputs: [x], second: true }));

  it.each<[string, GradientInput]>([
    ['Acos', between(-0.8, 0.8, [5])],
    ['Acosh', between(1.5, 3, [5])],
    ['Asin', between(-0.8, 0.8, [5])],
    ['Asinh', random(5)],
    ['Atan', random(5)],
    ['Atanh', between(-0.8, 0.8, [5])],
    ['Cosh', random(5)],
    ['Erf', random(5)],
    ['Sinh', random(5)],
    ['Tan', random(5)],
  ])('%s', (op, x) => expectGradient({ op, inputs: [x], second: true, dtype: 'float32', tolerance: 2e-3 }));

  it.each(['Ceil', 'Floor', 'Round', 'Sign'])('%s is flat', (op) =>
    expectGradient({ op, inputs: [between(0.1, 0.4, [4])] }),
  );
});

describe('functions of several values', () => {
  it.each(
    titled([
      ...['Add', 'Sub', 'Mul'].flatMap((op): GradientCase[] => [
        { op, inputs: [random(2, 3), random(2, 3)] },
        { op, inputs: [random(2, 1, 3), random(4, 1)] },
        { op, inputs: [random(), random(2, 2)] },
      ]),
      { op: 'Div', inputs: [random(2, 3), signed(2, 3)] },
      { op: 'Div', inputs: [random(2, 1, 3), signed(4, 1)] },
      { op: 'Div', inputs: [constant([2]), signed(4, 1)] },
      { op: 'Mod', inputs: [between(4.1, 4.8, [2, 3]), between(1.1, 1.3, [3])], attributes: { fmod: 1 } },
      { op: 'Mod', inputs: [between(-4.8, -4.2, [4]), constant([1.5])], attributes: { fmod: 1 } },
      { op: 'Sum', inputs: [random(2, 3), random(3), random(2, 1)] },
      { op: 'Mean', inputs: [random(2, 3), random(3), random(2, 1)], dtype: 'float32' },
      ...['Max', 'Min'].flatMap((op): GradientCase[] => [
        { op, inputs: [random(3)] },
        { op, inputs: [apart(0.1, 3, 3), apart(0.5, 3)] },
        { op, inputs: [apart(0.1, 3, 3), apart(0.5, 3), apart(0.9, 3, 1)], opset: 13 },
      ]),
      ...[-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5].map(
        (n): GradientCase => ({ op: 'Pow', inputs: [positive(2, 3), constant([n])] }),
      ),
      { op: 'Pow', inputs: [signed(2, 3), constant([2, 3, 4], [3])] },
      { op: 'Pow', inputs: [signed(2, 3), { dims: [1], values: [3], dtype: 'int64', constant: true }] },
      { op: 'Pow', inputs: [signed(2, 3), { dims: [3], values: [1, 2, 4], dtype: 'int32', constant: true }] },
      { op: 'Pow', inputs: [positive(2, 3), between(-2, 2, [3])] },
      { op: 'Pow', inputs: [positive(2, 1), random(3)], opset: 13 },
    ]),
  )('%s', (_, test) => expectGradient({ ...test, second: true }));

  it.each(
    titled([
      { op: 'Clip', inputs: [apart(0.2, 3, 4)] },
      { op: 'Clip', inputs: [apart(0.2, 3, 4), given([], [-1.5])] },
      { op: 'Clip', inputs: [apart(0.2, 3, 4), null, given([], [0.5])] },
      { op: 'Clip', inputs: [apart(0.2, 3, 4), given([], [-1.5]), given([], [1.5])] },
      { op: 'Where', inputs: [flags([1, 0, 1], [3]), random(2, 3), random(2, 3)] },
      { op: 'Where', inputs: [flags([1, 0], [2, 1]), random(3), constant([2])] },
      { op: 'Where', inputs: [flags([1, 0], [2, 1]), constant([2]), random(1, 4)] },
    ]),
  )('%s', (_, test) => expectGradient({ ...test, second: true }));

  it('with any broadcasting', async () => {
    const size = fc.integer({ min: 1, max: 3 });
    const shapes = fc
      .tuple(fc.array(size, { maxLength: 3 }), fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }))
      .chain(([shape, ones]) => {
        const part = (flips: boolean[]) => shape.map((d, i) => (flips[i] ? 1 : d));
        return fc.tuple(
          fc.constant(part(ones.slice(0, 3))),
          fc.nat(shape.length).map((skip) => part(ones.slice(3)).slice(skip)),
        );
      });
    const op = fc.constantFrom('Add', 'Sub', 'Mul', 'Div', 'Pow', 'Sum');
    await fc.assert(
      fc.asyncProperty(op, shapes, (op, [a, b]) =>
        expectGradient({ op, inputs: [positive(...a), positive(...b)] }),
      ),
      { numRuns: 15 },
    );
  });
});

function flags(values: readonly number[], dims: readonly number[]): GradientInput {
  return { dtype: 'bool', dims, values, constant: true };
}

// What PyTorch 2 gives at the same points.
describe('kinks', () => {
  it.each<[string, GradientInput[], Record<string, number[]>]>([
    ['Abs', [given([1], [0])], { x0: [0] }],
    ['Max', [given([2], [1, 1]), given([2], [1, 0])], { x0: [0.5, 1], x1: [0.5, 0] }],
    ['Max', [given([1], [2]), given([1], [2]), given([1], [1])], { x0: [0.5], x1: [0.5], x2: [0] }],
    ['Min', [given([2], [1, 1]), given([2], [1, 0])], { x0: [0.5, 0], x1: [0.5, 1] }],
    ['Clip', [given([4], [-2, -1, 1, 2]), constant([-1]), constant([1])], { x0: [0, 1, 1, 0] }],
    ['Pow', [given([2], [0, 0]), constant([0, 2], [2])], { x0: [0, 0] }],
    ['Pow', [given([2], [0, 2]), given([2], [2, 0])], { x0: [0, 0], x1: [0, Math.log(2)] }],
  ])('%s', async (op, inputs, expected) => {
    expect(await gradientsAt({ op, inputs })).toMatchObject(expected);
  });
});
