import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { nelderMead } from '../../util/nelder-mead.js';
import { Random } from '../../util/random.js';
import { Adam } from './adam.js';
import { BasisNetwork } from './basis-network.js';
import { BayesianRegression, logEvidence } from './bayesian-regression.js';
import { dngo } from './dngo.js';
import { expectedImprovement } from './expected-improvement.js';
import { Policy } from './policy.js';

/** Made by verify/golden/latent_search.py with SciPy, scikit-learn and PyTorch. */
const golden = JSON.parse(readFileSync(new URL('fixtures/latent-search.json', import.meta.url), 'utf8'));
const array = (numbers: readonly number[]): Float64Array => Float64Array.from(numbers);

function expectClose(found: ArrayLike<number>, wanted: ArrayLike<number>, digits = 9): void {
  expect(found.length).toBe(wanted.length);
  for (let i = 0; i < wanted.length; i++) expect(found[i]).toBeCloseTo(wanted[i]!, digits);
}

it("goes the way of SciPy's fmin", () => {
  const { start, x, calls } = golden.nelderMead;
  let asked = 0;
  const found = nelderMead(([a, b]) => {
    asked++;
    return 100 * (b! - a! ** 2) ** 2 + (1 - a!) ** 2;
  }, start);
  expectClose(found, x, 9);
  expect(asked).toBe(calls);
});

it('has the evidence, the scales and the predictions of a Bayesian ridge regression', () => {
  const { x, y, evidence, alpha, beta, mean, variance } = golden.regression;
  for (const { theta, value } of evidence)
    expect(logEvidence(array(x), array(y), theta)).toBeCloseTo(value, 8);
  expect(logEvidence(array(x), array(y), [0, 30])).toBe(Number.NEGATIVE_INFINITY);
  const fitted = BayesianRegression.fit(array(x), array(y));
  // Nelder–Mead ends when it is within 10⁻⁴ of both logarithms.
  expect(Math.log(fitted.alpha)).toBeCloseTo(Math.log(alpha), 3);
  expect(Math.log(fitted.beta)).toBeCloseTo(Math.log(beta), 3);
  const exact = BayesianRegression.with(array(x), array(y), [Math.log(alpha), -Math.log(beta)]);
  const rows = [0, 1, 2].map((row) => array(golden.regression.new).slice(4 * row, 4 * row + 4));
  const predicted = rows.map((row) => exact.predict(row));
  expectClose(
    predicted.map((one) => one.mean),
    mean,
    7,
  );
  expectClose(
    predicted.map((one) => one.variance),
    variance,
    7,
  );
});

it('expects improvements as SciPy', () => {
  for (const { mean, spread, best, value } of golden.improvement) {
    expect(expectedImprovement(mean, spread, best) / value).toBeCloseTo(1, 9);
  }
  expect(expectedImprovement(2, 0, 1)).toBe(1);
});

it('learns basis functions as PyTorch does', () => {
  const { inputs, units, size, epochs, rate, x, y, first, gradient, last } = golden.basis;
  const network = new BasisNetwork(inputs, units, array(first));
  const rows = Array.from(y, (_, i) => i);
  expectClose(network.gradient(array(x), array(y), rows.slice(0, size)), gradient);
  const adam = new Adam(first.length, rate);
  for (let step = 0; step < epochs * (y.length / size); step++) {
    const at = (step * size) % y.length;
    adam.step(network.weights, network.gradient(array(x), array(y), rows.slice(at, at + size)));
  }
  expectClose(network.weights, last);
});

it("has the means and policy gradients of PyTorch's LSTM cell", () => {
  const { width, units, weights, states, actions, advantages, means, gradient } = golden.policy;
  const policy = new Policy(width, units, array(weights));
  const next = policy.begin();
  const found = Array.from(advantages, (_, t) => [...next(array(states.slice(t * width, (t + 1) * width)))]);
  expectClose(found.flat(), means);
  const episode = { states: array(states), actions: array(actions), advantages: array(advantages) };
  expectClose(policy.gradient(episode), gradient);
});

it('predicts values of a smooth function, surer where it has seen more', async () => {
  const random = Random.seeded(3);
  const f = (a: number, b: number): number => 90 + 4 * Math.sin(a) - b * b;
  const draw = (n: number): Float64Array =>
    Float64Array.from({ length: 2 * n }, () => 2 * random.float() - 1);
  const values = (x: Float64Array): Float64Array =>
    Float64Array.from({ length: x.length / 2 }, (_, i) => f(x[2 * i]!, x[2 * i + 1]!));
  const [known, asked] = [draw(60), draw(50)];
  const options = { units: 32, epochs: 100, rate: 0.01, batch: 10, targets: 'standardised' } as const;
  const far = Float64Array.of(6, -6);
  const all = Float64Array.from([...asked, ...far]);
  const { means, variances } = await dngo(known, values(known), all, options, random, async () => {});
  const truth = values(asked);
  const error = Math.sqrt(truth.reduce((sum, y, i) => sum + (means[i]! - y) ** 2, 0) / truth.length);
  const spread = Math.sqrt(truth.reduce((sum, y) => sum + (y - 90) ** 2, 0) / truth.length);
  expect(error).toBeLessThan(0.2 * spread);
  expect(variances[50]).toBeGreaterThan(2 * Math.max(...variances.subarray(0, 50)));
});
