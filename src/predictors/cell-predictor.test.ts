import { beforeAll, describe, expect, it } from 'vitest';
import '../ops/index.js';
import { kendallTauB, mape } from '../metrics/index.js';
import { decodeModel } from '../onnx/read.js';
import { nasBench201 } from '../spaces/nasbench201.js';
import type { Cell } from '../spaces/space.js';
import { Random } from '../util/random.js';
import { type CellPredictor, fitCells, type LabelledRows } from './cell-predictor.js';
import { coverageOf } from './conformal.js';
import { column } from './labels.js';
import { decodePredictor } from './load.js';
import { NN_FORMER } from './nn-former.js';
import { withInterval } from './predictor.js';

const random = Random.seeded(5);

/** Something of a cell that needs its edges: convolutions that something feeds, 3×3 counting more; in milliseconds. */
function latency({ ops, adjacency }: Cell): number {
  return ops.reduce((sum, op, j) => {
    const isFed = adjacency.some((row) => row[j] === 1);
    return sum + (isFed ? (op === 'nor_conv_3x3' ? 3 : op === 'nor_conv_1x1' ? 1 : 0.2) : 0);
  }, 5);
}

const NAMES = ['phone', 'board'];

/** Two devices, the second ten times as slow and a little different. */
function rows(count: number, isKnown: (row: number, label: number) => boolean = () => true): LabelledRows {
  const archs = Array.from({ length: count }, () => nasBench201.sample(random));
  const values = archs.flatMap((arch) => {
    const cell = nasBench201.prunedCell!(arch);
    return [latency(cell), 10 * latency(cell) + 4 * cell.ops.length];
  });
  return {
    architectures: archs.map((arch) => nasBench201.format(arch)),
    labels: {
      names: NAMES,
      values: Float64Array.from(values, (y, i) => (isKnown(i >> 1, i % 2) ? y : Number.NaN)),
    },
  };
}

const OPTIONS = {
  space: 'nasbench201',
  kind: 'nn-former',
  seed: 1,
  threads: 2,
  recipe: {
    model: { ...NN_FORMER, width: 16, layers: 2, dropout: 0 },
    loss: { error: 'absolute', rank: 0.2, consistency: 0 },
    steps: 240,
    batch: 32,
    rate: 5e-3,
    members: 2,
    pretraining: undefined,
  },
} as const;

describe('a predictor of cells', () => {
  // Of a third of the rows the second device is not known.
  const train = rows(128, (row, label) => label === 0 || row % 3 > 0);
  const [validation, test] = [rows(160), rows(200)];
  let predictor: CellPredictor;
  beforeAll(async () => {
    ({ predictor } = await fitCells(train, { ...OPTIONS, validation }));
  }, 60_000);

  it('says the same of a cell whatever it is predicted with, and twice the same', async () => {
    const texts = test.architectures.slice(0, 12);
    const together = await predictor.values([...texts, texts[3]!]);
    // As many nodes as the space has, which no cell of fewer is padded to otherwise.
    const padded = await predictor.run(predictor.inputs(texts));
    for (const [i, text] of texts.entries()) {
      const alone = await predictor.values([text]);
      for (const label of [0, 1]) {
        expect(together[2 * i + label]! / alone[label]!).toBeCloseTo(1, 5);
        expect(padded[2 * i + label]! / alone[label]!).toBeCloseTo(1, 5);
      }
    }
    expect([...together.slice(24)]).toEqual([...together.slice(6, 8)]);
    expect(
      new Set(texts.map((text) => nasBench201.prunedCell!(nasBench201.parse(text)).ops.length)).size,
    ).toBeGreaterThan(2);
  });

  it('says the same of many, which several sessions predict at once', async () => {
    const texts = Array.from({ length: 4800 }, () => nasBench201.format(nasBench201.sample(random)));
    const together = await predictor.values(texts);
    const apart = await Promise.all(
      [0, 1600, 3200].map((at) => predictor.values(texts.slice(at, at + 1600))),
    );
    const flat = apart.flatMap((values) => [...values]);
    // The sizes of batches are others, and so may be the last bits.
    expect(together.every((value, i) => Math.abs(value / flat[i]! - 1) < 1e-5)).toBe(true);
  });

  it('ranks cells it has not seen, in the units of each label', async () => {
    const values = await predictor.values(test.architectures);
    for (const label of [0, 1]) {
      const found = column({ names: NAMES, values }, label);
      const truths = column(test.labels, label);
      expect(kendallTauB(found, truths)).toBeGreaterThan(0.75);
      expect(mape(found, truths)).toBeLessThan(0.1);
    }
  });

  it('gives intervals that hold', async () => {
    const values = column({ names: NAMES, values: await predictor.values(test.architectures) }, 0);
    const label = predictor.info.labels[0]!;
    const covered = coverageOf(values, column(test.labels, 0), label.interval!);
    expect(covered).toBeGreaterThan(0.84);
    expect(covered).toBeLessThan(1);
    const { low, high, value } = withInterval(values[0]!, label);
    expect(low).toBeLessThan(value);
    expect(high! - value).toBeCloseTo(value - low!);
  });

  it('is a file that says what it is, and predicts the same', async () => {
    const bytes = predictor.toOnnx();
    const again = await decodePredictor(bytes);
    expect(again.info).toEqual(predictor.info);
    expect(again.info.labels.map(({ name }) => name)).toEqual(NAMES);
    expect(await again.values(test.architectures)).toEqual(await predictor.values(test.architectures));
    expect(String(decodeModel(bytes).graph.outputs[0]!.type)).toBe('float32[batch,2]');
    await again.dispose();
  });

  it('does not depend on how many are asked for at once', async () => {
    const all = await predictor.values(test.architectures);
    for (const i of [0, 63, 64, 199]) {
      const alone = await predictor.values([test.architectures[i]!]);
      expect(alone[1]).toBeCloseTo(all[2 * i + 1]!, 3);
    }
    expect(await predictor.values([])).toEqual(new Float64Array(0));
  });

  it('learns logarithms, with intervals that are factors', async () => {
    const { predictor: other } = await fitCells(train, {
      ...OPTIONS,
      recipe: { ...OPTIONS.recipe, members: 1 },
      scale: 'log',
      validation,
    });
    const values = column({ names: NAMES, values: await other.values(test.architectures) }, 1);
    expect(mape(values, column(test.labels, 1))).toBeLessThan(0.1);
    const { low, high, value } = withInterval(values[0]!, other.info.labels[1]!);
    expect(high! / value).toBeCloseTo(value / low!);
    await other.dispose();
  });

  it('begins with another one for a new label, which helps where rows are few', async () => {
    const few = rows(12);
    const board: LabelledRows = { ...few, labels: { names: ['board'], values: column(few.labels, 1) } };
    const recipe = { ...OPTIONS.recipe, steps: 60, members: 1 };
    const errors = [];
    for (const from of [undefined, predictor]) {
      const { predictor: next } = await fitCells(board, { ...OPTIONS, recipe, ...(from ? { from } : {}) });
      errors.push(mape(await next.values(test.architectures), column(test.labels, 1)));
      await next.dispose();
    }
    expect(errors[1]).toBeLessThan(0.7 * errors[0]!);
  });

  it('is the same for the same seed, whatever runs beside', async () => {
    const recipe = { ...OPTIONS.recipe, steps: 6 };
    const found = [];
    for (const threads of [2, 1]) {
      const { predictor: one } = await fitCells(train, { ...OPTIONS, recipe, threads });
      found.push(await one.values(test.architectures));
      await one.dispose();
    }
    expect(found[1]).toEqual(found[0]);
  });

  it('can be stopped and resumed', async () => {
    const recipe = {
      ...OPTIONS.recipe,
      members: 1,
      steps: 10,
      pretraining: { rows: 32, steps: 6, rate: 5e-3 },
    };
    const saved = new Map<string, Uint8Array>();
    const checkpoint = (name: string) => ({
      load: async () => saved.get(name),
      save: async (bytes: Uint8Array) => void saved.set(name, bytes.slice()),
    });
    const whole = (await fitCells(train, { ...OPTIONS, recipe })).predictor;
    const stop = new AbortController();
    const stopped = fitCells(train, {
      ...OPTIONS,
      recipe,
      checkpoint,
      signal: stop.signal,
      // After the pretraining, which is 6 of 16 steps.
      onProgress: ({ part }) => part > 0.6 && stop.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ code: 'TRAINING_STOPPED' });
    const resumed = (await fitCells(train, { ...OPTIONS, recipe, checkpoint })).predictor;
    expect(await resumed.values(test.architectures)).toEqual(await whole.values(test.architectures));
    await Promise.all([whole.dispose(), resumed.dispose()]);
  });

  it('refuses what it cannot know', async () => {
    await expect(predictor.values(['0 1 2'])).rejects.toMatchObject({ code: 'ARCH_TEXT' });
    const large = { ops: Array.from({ length: 9 }, () => 'input'), adjacency: [] };
    await expect(predictor.valuesOf([large])).rejects.toMatchObject({ code: 'CELL_TOO_LARGE' });
    const labelled = (y: number): LabelledRows => ({
      ...train,
      labels: { names: ['y'], values: new Float64Array(128).fill(y) },
    });
    const fit = (from: LabelledRows, more = {}) => fitCells(from, { ...OPTIONS, ...more });
    await expect(fit(labelled(1))).rejects.toMatchObject({ code: 'LABEL_CONSTANT' });
    await expect(fit(labelled(Number.NaN))).rejects.toMatchObject({ code: 'LABEL_TOO_FEW' });
    await expect(fit(labelled(-1), { scale: 'log' })).rejects.toMatchObject({ code: 'LABEL_NOT_POSITIVE' });
    await expect(fit({ ...train, architectures: [] }, { space: 'hwgpt-s' })).rejects.toMatchObject({
      code: 'SPACE_WITHOUT_CELLS',
    });
  });
});
