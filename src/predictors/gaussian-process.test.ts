import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Random } from '../util/random.js';
import {
  cholesky,
  evidence,
  fittedScales,
  groupDistances,
  kernelMatrix,
  type ProcessScales,
  processWeights,
  solved,
} from './gaussian-process.js';

/** Made by verify/golden/gaussian_process.py. */
const golden: {
  readonly width: number;
  readonly groups: readonly (readonly number[])[];
  readonly lengths: readonly number[];
  readonly signal: number;
  readonly noise: number;
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly logLikelihood: number;
  readonly others: readonly number[];
  readonly predictions: readonly number[];
} = JSON.parse(readFileSync(new URL('./fixtures/gaussian-process.json', import.meta.url), 'utf8'));

const distances = groupDistances(golden.x, golden.width, golden.groups);
const targets = Float64Array.from(golden.y);
const scales: ProcessScales = { ...golden, lengths: Float64Array.from(golden.lengths) };

describe('Gaussian processes', () => {
  it('have the marginal likelihood of scikit-learn', () => {
    const prior = golden.lengths.reduce((sum, length) => sum + 0.1 * (length - 1.5) ** 2, 0);
    const constant = 0.5 * golden.y.length * Math.log(2 * Math.PI);
    const { value } = evidence(distances, targets, scales);
    expect(-(value - prior) - constant).toBeCloseTo(golden.logLikelihood, 8);
  });

  it('predict as scikit-learn does', () => {
    const weights = processWeights(distances, targets, scales);
    const count = golden.y.length;
    const all = groupDistances([...golden.x, ...golden.others], golden.width, golden.groups);
    const kernel = kernelMatrix(all, scales);
    golden.predictions.forEach((wanted, i) => {
      let found = 0;
      for (let row = 0; row < count; row++) found += kernel[(count + i) * all.rows + row]! * weights[row]!;
      expect(found).toBeCloseTo(wanted, 8);
    });
  });

  it('have gradients that finite differences have', () => {
    const { gradient } = evidence(distances, targets, scales);
    const moved = (place: number, by: number): number => {
      const lengths = scales.lengths.slice();
      const count = lengths.length;
      if (place < count) lengths[place]! += by;
      const signal = scales.signal + (place === count ? by : 0);
      const noise = scales.noise + (place === count + 1 ? by : 0);
      return evidence(distances, targets, { lengths, signal, noise }).value;
    };
    gradient.forEach((g, place) => {
      const difference = (moved(place, 1e-5) - moved(place, -1e-5)) / 2e-5;
      expect(Math.abs(g - difference)).toBeLessThan(1e-5 * (1 + Math.abs(g)));
    });
  });

  it('find scales that explain rows better, and that one group does not matter', () => {
    const random = Random.seeded(1);
    const x = Float64Array.from({ length: 120 }, () => random.normal());
    const y = Float64Array.from({ length: 60 }, (_, row) => Math.sin(2 * x[2 * row]!));
    const of = groupDistances(x, 2, [[0], [1]]);
    const steps = fittedScales(of, y, { steps: 60 });
    let step = steps.next();
    while (!step.done) step = steps.next();
    const start = { lengths: Float64Array.of(1.5, 1.5), signal: 0, noise: -1.5 };
    expect(evidence(of, y, step.value).value).toBeLessThan(evidence(of, y, start).value);
    expect(step.value.lengths[0]).toBeLessThan(step.value.lengths[1]! - 1);
  });

  it('solve systems of equations', () => {
    const matrix = Float64Array.of(4, 2, 1, 2, 5, 3, 1, 3, 6);
    const x = solved(cholesky(matrix, 3), [1, 2, 3]);
    [0, 1, 2].forEach((row) => {
      const sum = x.reduce((total, value, i) => total + matrix[row * 3 + i]! * value, 0);
      expect(sum).toBeCloseTo(row + 1, 12);
    });
  });
});
