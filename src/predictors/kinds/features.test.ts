import { describe, expect, it } from 'vitest';
import '../../ops/index.js';
import { kendallTauB, mape } from '../../metrics/index.js';
import { decodeModel } from '../../onnx/read.js';
import { describeArchitecture, spaceNamed } from '../../spaces/index.js';
import { Random } from '../../util/random.js';
import { fitTexts, type TextFitting, type TextRows, valuesOf } from '../fitting.testing.js';
import { coverageOf } from '../intervals.js';
import { column } from '../labels.js';
import { decodePredictor } from '../load.js';
import type { Predictor } from '../predictor.js';
import type { FeatureState } from '../views/features.js';

const random = Random.seeded(3);
const NAMES = ['ms', 'accuracy'];

/** A latency that is a power of the FLOPs, and an accuracy that grows with the logarithm of parameters, with noise. */
function rows(space: string, count: number): TextRows {
  const of = spaceNamed(space);
  const archs = Array.from({ length: count }, () => of.sample(random));
  const values = archs.flatMap((arch) => {
    const { flops, parameters } = describeArchitecture(of, arch);
    return [(flops / 1e8) ** 0.7 * (1 + 0.05 * random.normal()), 30 + 4 * Math.log(parameters)];
  });
  return {
    architectures: archs.map((arch) => of.format(arch)),
    labels: { names: NAMES, units: ['ms', '%'], values: Float64Array.from(values) },
  };
}

function only({ architectures, labels }: TextRows, label: number): TextRows {
  return { architectures, labels: { names: [NAMES[label]!], values: column(labels, label) } };
}

const train = rows('nasbench201', 150);
const validation = rows('nasbench201', 120);
const test = rows('nasbench201', 200);
const fit = async (from: TextRows, kind: string, more: Partial<TextFitting> = {}) =>
  (await fitTexts(kind, from, { space: 'nasbench201', threads: 1, ...more })).predictor;
const valuesFor = (predictor: Predictor, texts: readonly string[], space = 'nasbench201') =>
  valuesOf(predictor, texts, space);
const featuresOf = ({ info }: Predictor) => (info.entries[0]!.state as FeatureState).names;

describe('a predictor from features', () => {
  it.each([
    ['params', 1, 'linear', 'parameters'],
    ['flops', 0, 'log', 'flops'],
  ] as const)(
    'is, with %s alone, a power law or a line that keeps the order',
    async (kind, label, scale, name) => {
      const predictor = await fit(only(train, label), kind, { transform: scale });
      const found = await valuesFor(predictor, test.architectures);
      expect(mape(found, column(test.labels, label))).toBeLessThan(label === 1 ? 1e-4 : 0.06);
      const space = spaceNamed('nasbench201');
      const counts = test.architectures.map((a) => describeArchitecture(space, space.parse(a))[name]);
      expect(kendallTauB(found, counts)).toBeCloseTo(1, 3);
      expect(featuresOf(predictor)).toEqual([name]);
      await predictor.dispose();
    },
  );

  it('fits several labels, of which rows may lack some', async () => {
    const values = train.labels.values.map((y, i) => (i % 2 === 1 && i % 3 === 0 ? Number.NaN : y));
    const predictor = await fit({ ...train, labels: { ...train.labels, values } }, 'linear', {
      transform: 'log',
    });
    const found = await valuesFor(predictor, test.architectures);
    const errors = NAMES.map((_, i) =>
      mape(column({ names: NAMES, values: found }, i), column(test.labels, i)),
    );
    expect(errors[0]).toBeLessThan(0.06);
    expect(errors[1]).toBeLessThan(0.005);
    await predictor.dispose();
  });

  it('is a forest with intervals that hold, and a file that predicts the same', async () => {
    const predictor = await fit(train, 'forest', { validation, model: { trees: 40 }, seed: 2 });
    const values = await valuesFor(predictor, test.architectures);
    for (const label of [0, 1]) {
      const found = column({ names: NAMES, values }, label);
      const truths = column(test.labels, label);
      expect(kendallTauB(found, truths)).toBeGreaterThan(0.7);
      const covered = coverageOf(found, truths, predictor.info.labels[label]!.interval!);
      expect(covered).toBeGreaterThan(0.82);
      expect(covered).toBeLessThan(1);
    }
    const bytes = predictor.toOnnx();
    const again = await decodePredictor(bytes, { threads: 1 });
    expect(again.info).toEqual(predictor.info);
    expect(again.info).toMatchObject({
      kind: 'forest',
      recipe: { model: { trees: 40 } },
      seen: { seed: 2, rows: 150 },
    });
    expect(await valuesFor(again, test.architectures)).toEqual(values);
    expect(await valuesFor(again, test.architectures.slice(7, 8))).toEqual(values.slice(14, 16));
    expect(await valuesFor(again, [])).toEqual(new Float64Array(0));
    expect(String(decodeModel(bytes).graph.outputs[0]!.type)).toBe('float32[batch,2]');
    await Promise.all([predictor.dispose(), again.dispose()]);
  });

  it.each([
    ['nats-size', ['parameters', 'macs', 'depth']],
    ['nasbench101', ['count(conv1x1-bn-relu)']],
    ['fbnet', ['parameters', 'macs']],
  ])('takes of %s what there is', async (space, names) => {
    const some = rows(space, 24);
    const predictor = await fit(some, 'forest', { space, model: { trees: 5 } });
    expect(featuresOf(predictor)).toEqual(expect.arrayContaining(names));
    const found = await valuesFor(predictor, some.architectures, space);
    expect(kendallTauB(column({ names: NAMES, values: found }, 0), column(some.labels, 0))).toBeGreaterThan(
      0.5,
    );
    await predictor.dispose();
  });

  it('takes files, if somebody reads them', async () => {
    const space = spaceNamed('nasbench201');
    const open = (path: string) => space.network(space.parse(path.slice('nets/'.length)));
    const files = { ...train, architectures: train.architectures.map((arch) => `nets/${arch}`) };
    const predictor = await fit(only(files, 1), 'params', { space: 'onnx', open });
    const found = await valuesOf(
      predictor,
      test.architectures.map((arch) => `nets/${arch}`),
      'onnx',
      open,
    );
    expect(mape(found, column(test.labels, 1))).toBeLessThan(1e-4);
    await predictor.dispose();
    await expect(fit(files, 'params', { space: 'onnx' })).rejects.toMatchObject({
      code: 'NETWORKS_UNREADABLE',
    });
    await expect(
      fit(
        only(
          {
            architectures: ['nets/?', 'nets/?'],
            labels: { ...files.labels, values: Float64Array.of(1, 2, 3, 4) },
          },
          1,
        ),
        'params',
        { space: 'onnx', open },
      ),
    ).rejects.toMatchObject({ code: 'ARCH_TEXT', where: { file: 'nets/?' } });
  });

  it('refuses what it cannot know', async () => {
    const predictor = await fit(only(train, 0), 'flops');
    await expect(valuesFor(predictor, ['0 1 2'])).rejects.toMatchObject({ code: 'ARCH_TEXT' });
    await predictor.dispose();
    const values = new Float64Array(150).fill(2);
    await expect(fit({ ...train, labels: { names: ['y'], values } }, 'forest')).rejects.toMatchObject({
      code: 'LABEL_CONSTANT',
    });
    await expect(fit(train, 'forest', { model: { trees: 0 } })).rejects.toMatchObject({
      code: 'MODEL_OPTION',
    });
  });
});
