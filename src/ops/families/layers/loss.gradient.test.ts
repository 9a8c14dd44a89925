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

function labels(values: readonly number[], dims: readonly number[] = [values.length]): GradientInput {
  return { dtype: 'int64', dims, values };
}

const CLASS_WEIGHTS: GradientInput = { ...between(0.5, 2, [3]), constant: true };
const LOSSES = ['NegativeLogLikelihoodLoss', 'SoftmaxCrossEntropyLoss'];

describe.each(LOSSES)('%s', (op) => {
  it.each(
    titled(
      ['none', 'sum', 'mean'].flatMap((reduction): GradientCase[] => [
        { op, inputs: [random(4, 3), labels([0, 2, 1, 2])], attributes: { reduction } },
        { op, inputs: [random(4, 3), labels([0, 2, 1, 2]), CLASS_WEIGHTS], attributes: { reduction } },
        {
          op,
          inputs: [random(4, 3), labels([0, -100, 1, -100])],
          attributes: { reduction, ignore_index: -100 },
        },
        {
          op,
          inputs: [random(2, 3, 2, 1), labels([0, 2, 1, 2], [2, 2, 1]), CLASS_WEIGHTS],
          attributes: { reduction, ignore_index: 2 },
          opset: 13,
        },
      ]),
    ),
  )('%s', (_, test) => expectGradient({ ...test, second: true }));

  it('of any number of samples, classes and labels each', async () => {
    const size = fc.integer({ min: 1, max: 4 });
    const cases = fc
      .record({ n: size, classes: size, rest: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }) })
      .chain(({ n, classes, rest }) => {
        const count = rest.reduce((a, b) => a * b, n);
        const values = fc.array(fc.nat(classes - 1), { minLength: count, maxLength: count });
        return values.map((found): GradientCase['inputs'] => [
          random(n, classes, ...rest),
          labels(found, [n, ...rest]),
        ]);
      });
    const reductions = fc.constantFrom('none', 'sum', 'mean');
    await fc.assert(
      fc.asyncProperty(cases, reductions, (inputs, reduction) =>
        expectGradient({ op, inputs, attributes: { reduction } }),
      ),
      { numRuns: 10 },
    );
  });

  it('of a batch whose size is not known', async () => {
    const scores: GradientInput = { ...random(2, 3), shape: ['n', '3'], values: [1, 2, 3, 4, 5, 6] };
    const given: GradientInput = { ...labels([0, 1]), shape: ['n'] };
    const known = [{ ...scores, shape: ['2', '3'] }, labels([0, 1])];
    expect((await gradientsAt({ op, inputs: [scores, given] })).x0).toEqual(
      (await gradientsAt({ op, inputs: known })).x0,
    );
  });

  it('has none for the class weights', async () => {
    const inputs = [random(2, 3), labels([0, 1]), between(0.5, 2, [3])];
    await expect(gradientsAt({ op, inputs })).rejects.toMatchObject({ code: 'GRADIENT_UNSUPPORTED' });
  });
});

describe('SoftmaxCrossEntropyLoss', () => {
  it.each([[[0]], [[1]], [[0, 1]]])('with log-probabilities, through outputs %j', (weigh) =>
    expectGradient({
      op: 'SoftmaxCrossEntropyLoss',
      inputs: [random(2, 3, 2), labels([0, 2, 1, 1], [2, 2]), CLASS_WEIGHTS],
      outputs: 2,
      weigh,
      second: true,
    }),
  );
});
