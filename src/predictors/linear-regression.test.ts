import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import '../ops/index.js';
import { decodeModel } from '../onnx/read.js';
import { encodeModel } from '../onnx/write.js';
import { hostTensor, Session } from '../runtime/session.js';
import { LinearRegression } from './linear-regression.js';
import { FeatureRows } from './views/feature-rows.js';

interface GoldenCase {
  readonly columns: readonly number[];
  readonly ridge: number;
  readonly log: boolean;
  readonly weights: readonly number[];
  readonly predictions: readonly number[];
}

/** Made by verify/golden/linear_regression.py. */
const golden: { readonly cases: Readonly<Record<string, GoldenCase>> } = JSON.parse(
  readFileSync(new URL('fixtures/linear-regression.json', import.meta.url), 'utf8'),
);

const table: number[][] = [];
const targets: number[] = [];
let state = 1;
function draw(count: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return (state >>> 8) % count;
}
for (let i = 0; i < 200; i++) {
  const parameters = 1000 + draw(1_000_000);
  const macs = 7 * parameters + draw(100_000);
  table.push([parameters, macs, 1 + draw(20), 2 * parameters]);
  targets.push((900_000 + Math.floor(parameters / 20) + draw(30_000)) / 1_000_000);
}

function rowsOf(columns: readonly number[]): FeatureRows {
  const names = columns.map((c) => ['parameters', 'macs', 'depth', 'twice'][c]!);
  return new FeatureRows(
    names,
    table.flatMap((row) => columns.map((c) => row[c]!)),
  );
}

describe.each(Object.entries(golden.cases))(
  'LinearRegression: %s',
  (_, { columns, ridge, log, ...expected }) => {
    const rows = rowsOf(columns);
    const regression = LinearRegression.fit(rows, targets, { ridge, log });

    it('finds what scikit-learn finds', () => {
      const predictions = regression.predict(rows);
      for (const [i, value] of expected.predictions.entries()) expect(predictions[i]).toBeCloseTo(value, 10);
      const { weights } = regression.toJSON();
      for (const [f, value] of expected.weights.entries()) expect(weights[f]).toBeCloseTo(value, 8);
    });

    it('runs on ONNX Runtime with the same numbers, written and read again', async () => {
      const session = await Session.create(decodeModel(encodeModel(regression.toModel())), { threads: 1 });
      const features = await hostTensor('float32', rows.data, [rows.count, columns.length]);
      const { prediction } = await session.run({ features });
      await session.dispose();
      expect(prediction!.dims).toEqual([rows.count, 1]);
      const expectedValues = regression.predict(rows);
      for (const [i, value] of expectedValues.entries()) expect(prediction!.data[i]).toBeCloseTo(value, 5);
    });

    it('survives JSON', () => {
      const copy = LinearRegression.fromJSON(JSON.parse(JSON.stringify(regression)));
      expect(copy.predict(rows)).toEqual(regression.predict(rows));
    });
  },
);

describe('LinearRegression', () => {
  it('predicts the mean where features are constant', () => {
    const rows = new FeatureRows(['x'], [0.1, 0.1, 0.1]);
    expect(LinearRegression.fit(rows, [1, 2, 6]).predict(rows)).toEqual(Float64Array.of(3, 3, 3));
  });

  it('refuses what has no logarithm, a negative ridge, and numbers that do not fit', () => {
    const code = (expected: string) => expect.objectContaining({ code: expected });
    const rows = new FeatureRows(['x'], [1, 0]);
    expect(() => LinearRegression.fit(rows, [1, 2], { log: true })).toThrow(/row 1 has 0 as 'x'/);
    expect(() => LinearRegression.fit(rows, [1, 2], { ridge: -1 })).toThrow(code('LINEAR_OPTIONS'));
    const json = LinearRegression.fit(rows, [1, 2]).toJSON();
    expect(() => LinearRegression.fromJSON({ ...json, weights: [] })).toThrow(code('LINEAR_JSON'));
  });
});
