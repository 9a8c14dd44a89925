import { beforeAll, describe, expect, it } from 'vitest';
import '../../ops/index.js';
import { kendallTauB, mape } from '../../metrics/index.js';
import { tensorsOf } from '../../nn/batch.js';
import { decodeModel } from '../../onnx/read.js';
import { Session } from '../../runtime/session.js';
import { nasBench201 } from '../../spaces/cells/nasbench201.js';
import { spaceNamed } from '../../spaces/index.js';
import type { Cell } from '../../spaces/space.js';
import { Random } from '../../util/random.js';
import { fitTexts, networksOf, type TextFitting, type TextRows, valuesOf } from '../fitting.testing.js';
import { coverageOf } from '../intervals.js';
import { column } from '../labels.js';
import { decodePredictor } from '../load.js';
import type { OnnxPredictor } from '../onnx-predictor.js';
import { withInterval } from '../predictions.js';
import type { Predictor } from '../predictor.js';

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
function rows(count: number, isKnown: (row: number, label: number) => boolean = () => true): TextRows {
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

const SPACE = 'nasbench201';
const OPTIONS: TextFitting = {
  space: SPACE,
  seed: 1,
  model: { width: 16, layers: 2, dropout: 0 },
  steps: 240,
  batch: 32,
  rate: 5e-3,
  isFromScratch: true,
};
const fit = (from: TextRows, more: Partial<TextFitting> = {}) =>
  fitTexts('nn-former', from, { ...OPTIONS, ...more });
const values = (predictor: Predictor, texts: readonly string[]) => valuesOf(predictor, texts, SPACE);
/** One number for every label, of cells that are all padded to as many nodes as the space has. */
async function runPadded(predictor: OnnxPredictor, texts: readonly string[]): Promise<Float32Array> {
  const session = await Session.create(predictor.model);
  const found = await session.run(await tensorsOf(await predictor.inputs(networksOf(texts, SPACE))));
  await session.dispose();
  return found.prediction!.data as Float32Array;
}

describe('a predictor of cells', () => {
  // Of a third of the rows the second device is not known.
  const train = rows(128, (row, label) => label === 0 || row % 3 > 0);
  const [validation, test] = [rows(160), rows(200)];
  let predictor: OnnxPredictor;
  beforeAll(async () => {
    ({ predictor } = await fit(train, { validation }));
  }, 60_000);

  it('says the same of a cell whatever it is predicted with, and twice the same', async () => {
    const texts = test.architectures.slice(0, 12);
    const together = await values(predictor, [...texts, texts[3]!]);
    // As many nodes as the space has, which no cell of fewer is padded to otherwise.
    const padded = await runPadded(predictor, texts);
    for (const [i, text] of texts.entries()) {
      const alone = await values(predictor, [text]);
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
    const together = await values(predictor, texts);
    const apart = await Promise.all(
      [0, 1600, 3200].map((at) => values(predictor, texts.slice(at, at + 1600))),
    );
    const flat = apart.flatMap((values) => [...values]);
    // The sizes of batches are others, and so may be the last bits.
    expect(together.every((value, i) => Math.abs(value / flat[i]! - 1) < 1e-5)).toBe(true);
  });

  it('ranks cells it has not seen, in the units of each label', async () => {
    const all = await values(predictor, test.architectures);
    for (const label of [0, 1]) {
      const found = column({ names: NAMES, values: all }, label);
      const truths = column(test.labels, label);
      expect(kendallTauB(found, truths)).toBeGreaterThan(0.75);
      expect(mape(found, truths)).toBeLessThan(0.1);
    }
  });

  it('gives intervals that hold', async () => {
    const found = column({ names: NAMES, values: await values(predictor, test.architectures) }, 0);
    const label = predictor.info.labels[0]!;
    const covered = coverageOf(found, column(test.labels, 0), label.interval!);
    expect(covered).toBeGreaterThan(0.84);
    expect(covered).toBeLessThan(1);
    const { low, high, value } = withInterval(found[0]!, label);
    expect(low).toBeLessThan(value);
    expect(high! - value).toBeCloseTo(value - low!);
  });

  it('is a file that says what it is, and predicts the same', async () => {
    const bytes = predictor.toOnnx();
    const again = await decodePredictor(bytes);
    expect(again.info).toEqual(predictor.info);
    expect(again.info.labels.map(({ name }) => name)).toEqual(NAMES);
    expect(await values(again, test.architectures)).toEqual(await values(predictor, test.architectures));
    expect(String(decodeModel(bytes).graph.outputs[0]!.type)).toBe('float32[batch,2]');
    await again.dispose();
  });

  it('does not depend on how many are asked for at once', async () => {
    const all = await values(predictor, test.architectures);
    for (const i of [0, 63, 64, 199]) {
      const alone = await values(predictor, [test.architectures[i]!]);
      expect(alone[1]).toBeCloseTo(all[2 * i + 1]!, 3);
    }
    expect(await values(predictor, [])).toEqual(new Float64Array(0));
  });

  it('learns logarithms, with intervals that are factors', async () => {
    const { predictor: other } = await fit(train, { members: 1, transform: 'log', validation });
    const found = column({ names: NAMES, values: await values(other, test.architectures) }, 1);
    expect(mape(found, column(test.labels, 1))).toBeLessThan(0.1);
    const { low, high, value } = withInterval(found[0]!, other.info.labels[1]!);
    expect(high! / value).toBeCloseTo(value / low!);
    await other.dispose();
  });

  it('begins with another one for a new label, which helps where rows are few', async () => {
    const few = rows(12);
    const board: TextRows = { ...few, labels: { names: ['board'], values: column(few.labels, 1) } };
    const errors = [];
    for (const from of [undefined, predictor]) {
      const { predictor: next } = await fit(board, { steps: 60, members: 1, ...(from ? { from } : {}) });
      errors.push(mape(await values(next, test.architectures), column(test.labels, 1)));
      await next.dispose();
    }
    expect(errors[1]).toBeLessThan(0.7 * errors[0]!);
  });

  it('is the same for the same seed, whatever runs beside', async () => {
    const found = [];
    for (const threads of [2, 1]) {
      const { predictor: one } = await fit(train, { steps: 6, threads });
      found.push(await values(one, test.architectures));
      await one.dispose();
    }
    expect(found[1]).toEqual(found[0]);
  });

  it('can be stopped and resumed', async () => {
    const recipe = {
      members: 1,
      steps: 10,
      isFromScratch: false,
      pretraining: { rows: 32, steps: 6, rate: 5e-3 },
    };
    const saved = new Map<string, Uint8Array>();
    const checkpoint = (name: string) => ({
      load: async () => saved.get(name),
      save: async (bytes: Uint8Array) => void saved.set(name, bytes.slice()),
    });
    const whole = (await fit(train, recipe)).predictor;
    const stop = new AbortController();
    const stopped = fit(train, {
      ...recipe,
      checkpoint,
      signal: stop.signal,
      // After the pretraining, which is 6 of 26 passes.
      onProgress: ({ part }) => part > 0.6 && stop.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ code: 'TRAINING_STOPPED' });
    const resumed = (await fit(train, { ...recipe, checkpoint })).predictor;
    expect(await values(resumed, test.architectures)).toEqual(await values(whole, test.architectures));
    await Promise.all([whole.dispose(), resumed.dispose()]);
  });

  it('refuses what it cannot know', async () => {
    await expect(values(predictor, ['0 1 2'])).rejects.toMatchObject({ code: 'ARCH_TEXT' });
    const labelled = (y: number): TextRows => ({
      ...train,
      labels: { names: ['y'], values: new Float64Array(128).fill(y) },
    });
    await expect(fit(labelled(1))).rejects.toMatchObject({ code: 'LABEL_CONSTANT' });
    await expect(fit(labelled(Number.NaN))).rejects.toMatchObject({ code: 'LABEL_TOO_FEW' });
    await expect(fit(labelled(-1), { transform: 'log' })).rejects.toMatchObject({
      code: 'LABEL_NOT_POSITIVE',
    });
    const { example } = spaceNamed('hwgpt-s');
    await expect(
      fit(
        { architectures: [example, example], labels: { names: ['y'], values: Float64Array.of(1, 2) } },
        { space: 'hwgpt-s' },
      ),
    ).rejects.toMatchObject({ code: 'SPACE_WITHOUT_CELLS' });
  });
});
