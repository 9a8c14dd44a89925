// The oracle of baselines: scikit-learn. verify/golden/random_forest.py writes what it makes of a problem that is
// generated here again, by the same generator.
import { readFileSync } from 'node:fs';
import { FeatureRows } from '../views/feature-rows.js';

export const COLUMNS = 20;

/** Mean and standard deviation over seeds. */
type Spread = readonly [mean: number, deviation: number];

export interface GoldenForest {
  readonly r2: Spread;
  readonly tau: Spread;
  readonly oobR2: Spread;
  readonly importances: readonly number[];
}

interface Golden {
  readonly tree: {
    readonly minSamplesLeaf: number;
    readonly nodes: number;
    readonly predictions: readonly number[];
    readonly importances: readonly number[];
  };
  readonly forests: Readonly<Record<string, GoldenForest>>;
}

export const golden: Golden = JSON.parse(
  readFileSync(new URL('fixtures/random-forest.json', import.meta.url), 'utf8'),
);

/** Even features are of 24 bits, odd ones of seven levels; five of them matter. */
export function problem(rows: number, seed: number): { rows: FeatureRows; targets: Float64Array } {
  let state = seed;
  const draw = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 8;
  };
  const fraction = (): number => draw() / 2 ** 24;
  const data = new Float32Array(rows * COLUMNS);
  const targets = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    const x = data.subarray(i * COLUMNS, (i + 1) * COLUMNS);
    for (let f = 0; f < COLUMNS; f++) x[f] = f % 2 === 0 ? fraction() : draw() % 7;
    const noise = fraction() + fraction() + fraction() - 1.5;
    const centred = x[4]! - 0.5;
    targets[i] = 10 * x[0]! * x[2]! + 20 * centred * centred + 10 * x[6]! + 0.75 * x[1]! + 2 * noise;
  }
  const names = Array.from({ length: COLUMNS }, (_, f) => `x${f}`);
  return { rows: new FeatureRows(names, data), targets };
}
