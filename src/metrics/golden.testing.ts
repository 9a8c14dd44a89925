// The oracle of metrics: SciPy and scikit-learn. verify/golden/metrics.py writes what they make of rows that are
// generated here again, by the same generator in whole numbers.
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

interface Recipe {
  readonly seed: number;
  readonly rows: number;
  readonly levels: number;
  readonly offset: number;
  readonly signal: number;
  readonly shift: number;
  readonly noise: number;
  /** Of predictions and truths. */
  readonly divisors: readonly [number, number];
}

interface Fixture {
  readonly cases: readonly (Recipe & {
    readonly name: string;
    /** By name of the metric, with its parameter. */
    readonly values: Readonly<Record<string, number>>;
  })[];
  readonly bootstrap: Recipe & { readonly intervals: Readonly<Record<string, readonly [number, number]>> };
}

export interface GoldenCase {
  readonly name: string;
  readonly predictions: Float64Array;
  readonly truths: Float64Array;
  /** k or δ. */
  readonly parameter: number;
  readonly expected: number;
}

export const golden = JSON.parse(
  readFileSync(new URL('fixtures/metrics.json', import.meta.url), 'utf8'),
) as Fixture;

/** truth = offset + draw % levels; prediction = signal·(truth − offset) + shift + draw % noise; both divided. */
export function generated(recipe: Recipe): { predictions: Float64Array; truths: Float64Array } {
  const { rows, levels, offset, signal, shift, noise, divisors } = recipe;
  let state = recipe.seed;
  const draw = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 8;
  };
  const [predictions, truths] = [new Float64Array(rows), new Float64Array(rows)];
  for (let i = 0; i < rows; i++) {
    const level = draw() % levels;
    truths[i] = (offset + level) / divisors[1];
    predictions[i] = (signal * level + shift + (draw() % noise)) / divisors[0];
  }
  return { predictions, truths };
}

/** What the fixture knows of a metric, with every parameter. */
export function goldenCases(metric: string): GoldenCase[] {
  return golden.cases.flatMap((recipe) => {
    const pairs = generated(recipe);
    return Object.entries(recipe.values)
      .map(([key, expected]) => ({ key: key.split('@'), expected }))
      .filter(({ key }) => key[0] === metric)
      .map(({ key, expected }) => ({
        ...pairs,
        name: key.length > 1 ? `${recipe.name}, @${key[1]}` : recipe.name,
        parameter: Number(key[1]),
        expected,
      }));
  });
}

/** Within 1e-12 of the expected number, relative to it where it is greater than 1. */
export function expectSame(actual: number, expected: number): void {
  expect(Math.abs(actual - expected), `${actual}, not ${expected}`).toBeLessThanOrEqual(
    1e-12 * Math.max(1, Math.abs(expected)),
  );
}
