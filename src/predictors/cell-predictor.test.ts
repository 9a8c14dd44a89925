import { beforeAll, describe, expect, it } from 'vitest';
import '../ops/index.js';
import { kendallTauB } from '../metrics/index.js';
import { decodeModel } from '../onnx/read.js';
import { nasBench201, prunedCell } from '../spaces/nasbench201.js';
import type { Cell } from '../spaces/space.js';
import { Random } from '../util/random.js';
import { CellPredictor, fitCells, type LabelledCells } from './cell-predictor.js';
import { coverageOf } from './conformal.js';
import { NN_FORMER } from './nn-former.js';

const random = Random.seeded(5);

/** Something of a cell that needs its edges: convolutions that something feeds, 3×3 counting more; in milliseconds. */
function latency({ ops, adjacency }: Cell): number {
  return ops.reduce((sum, op, j) => {
    const isFed = adjacency.some((row) => row[j] === 1);
    return sum + (isFed ? (op === 'nor_conv_3x3' ? 3 : op === 'nor_conv_1x1' ? 1 : 0.2) : 0);
  }, 5);
}

function rows(count: number): LabelledCells {
  const cells = Array.from({ length: count }, () => prunedCell(nasBench201.sample(random)));
  return { cells, labels: cells.map(latency) };
}

const OPTIONS = {
  space: 'nasbench201',
  label: 'latency',
  nodes: 8,
  seed: 1,
  recipe: {
    model: { ...NN_FORMER, width: 16, layers: 2, dropout: 0 },
    loss: { rank: 0.2, consistency: 0 },
    epochs: 60,
    batch: 32,
    rate: 5e-3,
    members: 2,
  },
} as const;

describe('a predictor of cells', () => {
  const [train, validation, test] = [rows(128), rows(300), rows(300)];
  let predictor: CellPredictor;
  beforeAll(async () => {
    predictor = await fitCells(train, { ...OPTIONS, validation });
  }, 60_000);

  it('ranks cells it has not seen, in the units of the label', async () => {
    const values = await predictor.values(test.cells);
    expect(kendallTauB(values, test.labels)).toBeGreaterThan(0.85);
    const errors = Array.from(values, (value, i) => Math.abs(value - test.labels[i]!));
    expect(errors.reduce((a, b) => a + b) / errors.length).toBeLessThan(0.6);
  });

  it('gives intervals that hold', async () => {
    const found = await predictor.predict(test.cells);
    const { halfWidth } = predictor.info.interval!;
    expect(found[0]!.high! - found[0]!.low!).toBeCloseTo(2 * halfWidth);
    const covered = coverageOf(
      found.map((p) => p.value),
      test.labels,
      { halfWidth },
    );
    expect(covered).toBeGreaterThan(0.85);
    expect(covered).toBeLessThan(1);
  });

  it('is a file that says what it is, and predicts the same', async () => {
    const bytes = predictor.toOnnx();
    const again = await CellPredictor.fromOnnx(bytes);
    expect(again.info).toEqual(predictor.info);
    expect(again.info.label).toBe('latency');
    expect(Array.from(await again.values(test.cells))).toEqual(
      Array.from(await predictor.values(test.cells)),
    );
    expect(String(decodeModel(bytes).graph.outputs[0]!.type)).toBe('float32[batch,1]');
    await again.dispose();
  });

  it('does not depend on how many cells are asked for at once', async () => {
    const all = await predictor.values(test.cells);
    for (const i of [0, 63, 64, 299]) {
      const [alone] = await predictor.values([test.cells[i]!]);
      expect(alone).toBeCloseTo(all[i]!, 4);
    }
    expect(await predictor.values([])).toEqual(new Float64Array(0));
  });

  it('is the same for the same seed', async () => {
    const recipe = { ...OPTIONS.recipe, epochs: 3, members: 1 };
    const [a, b] = [
      await fitCells(train, { ...OPTIONS, recipe }),
      await fitCells(train, { ...OPTIONS, recipe }),
    ];
    expect(Array.from(await a.values(test.cells))).toEqual(Array.from(await b.values(test.cells)));
    await Promise.all([a.dispose(), b.dispose()]);
  });

  it('refuses what it cannot know', async () => {
    const unknown = { ops: ['input', 'conv7x7', 'output'], adjacency: [0, 1, 2].map(() => [0, 0, 0]) };
    await expect(predictor.values([unknown])).rejects.toMatchObject({ code: 'OPERATION_UNKNOWN' });
    const large = { ops: Array.from({ length: 9 }, () => 'input'), adjacency: [] };
    await expect(predictor.values([large])).rejects.toMatchObject({ code: 'CELL_TOO_LARGE' });
    const { cells } = train;
    await expect(fitCells({ cells, labels: cells.map(() => 1) }, OPTIONS)).rejects.toMatchObject({
      code: 'LABEL_CONSTANT',
    });
    await expect(fitCells({ cells, labels: cells.map(() => Number.NaN) }, OPTIONS)).rejects.toMatchObject({
      code: 'LABEL_NOT_FINITE',
    });
  });
});
