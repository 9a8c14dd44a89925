import { describe, expect, it } from 'vitest';
import '../ops/index.js';
import type { Model } from '../graph/graph.js';
import { ArchNetwork } from '../networks/arch-network.js';
import { lazily, listOf, type Networks } from '../networks/networks.js';
import { Resolver } from '../networks/resolver.js';
import { nasBench201 } from '../spaces/cells/nasbench201.js';
import { Random } from '../util/random.js';
import { hasSizes, kindNamed, type TrainingData } from './kinds/index.js';
import { registerTransform } from './labels.js';
import { decodePredictor } from './load.js';

const random = Random.seeded(2);
const networks = Array.from({ length: 80 }, () => new ArchNetwork(nasBench201, nasBench201.sample(random)));
const RUN = { seed: 0, threads: 1 };

function dataOf(
  of: Networks,
  transform = 'linear',
): TrainingData & { labels: NonNullable<TrainingData['labels']> } {
  const values = Float64Array.from({ length: of.count }, (_, row) => {
    const { parameters, flops } = of.at(row).settled().counts();
    return (1 + flops / 1e7) * (1 + (parameters % 97) / 970);
  });
  return { networks: of, labels: { names: ['ms'], transforms: [transform], values } };
}

/** The rows, and as a held-out part others. */
const split = (rows: number, held: number): TrainingData => ({
  ...dataOf(listOf(networks.slice(0, rows))),
  validation: dataOf(listOf(networks.slice(rows, rows + held))),
});

describe('intervals', () => {
  it('are not made of fewer than 9 rows', async () => {
    const few = await kindNamed('flops').fit(split(30, 6), {}, RUN);
    expect(few.predictor.info.labels[0]!.interval).toBeUndefined();
  });

  it('are made without rows that were trained on, which are counted', async () => {
    const [train, held] = [networks.slice(0, 40), networks.slice(40)];
    const seen = new Set(train.map((network) => network.key()));
    const twins = held.filter((network) => seen.has(network.key())).length;
    const data = { ...dataOf(listOf(train)), validation: dataOf(listOf([...held, train[3]!])) };
    const { predictor, excluded } = await kindNamed('flops').fit(data, {}, RUN);
    expect(excluded).toBe(twins + 1);
    expect(predictor.info.labels[0]!.interval!.rows).toBe(held.length - twins);
  });

  it('open every file of the validation once', async () => {
    const labels = (from: number, to: number) => dataOf(listOf(networks.slice(from, to))).labels;
    const changes = { steps: 2, batch: 8, model: { width: 8 } };
    for (const kind of ['nnlp-network', 'forest']) {
      const opened = new Map<string, number>();
      const resolver = new Resolver({
        open: (path): Model => {
          opened.set(path, (opened.get(path) ?? 0) + 1);
          return networks[Number.parseInt(path, 10)]!.at({ width: 0.25, resolution: 8 }).model();
        },
      });
      const files = (from: number, to: number) =>
        lazily(to - from, (row) => resolver.network(`${from + row}.onnx`));
      const data = {
        networks: files(0, 24),
        labels: labels(0, 24),
        validation: { networks: files(24, 40), labels: labels(24, 40) },
      };
      const { predictor } = await kindNamed(kind).fit(data, kind === 'forest' ? {} : changes, RUN);
      expect([...opened.values()]).toEqual(new Array(40).fill(1));
      expect(predictor.info.labels[0]!.interval!.rows).toBe(16);
      await predictor.dispose();
    }
  });
});

describe('a transform that depends on the network', () => {
  registerTransform({
    name: 'per-flop',
    scale: 'linear',
    ofNetwork: {
      measure: (network) => network.counts().flops,
      fit: (_, measures) => ({ mean: measures.reduce((a, b) => a + b) / measures.length }),
      learned: (y, flops, state) => (y * (state as { mean: number }).mean) / flops,
      value: (x, flops, state) => (x * flops) / (state as { mean: number }).mean,
    },
  });

  it('is undone with the network at hand, also by a file, and for the ends of intervals', async () => {
    // 2 ns a FLOP and a little that does not depend on it: learned per FLOP it is nearly a constant.
    const of = (some: readonly ArchNetwork[]): TrainingData => ({
      networks: listOf(some),
      labels: {
        names: ['ms'],
        transforms: ['per-flop'],
        values: Float64Array.from(some, (network, i) => network.counts().flops * (2 + (i % 7) / 100)),
      },
    });
    const data = { ...of(networks.slice(0, 40)), validation: of(networks.slice(40)) };
    const { predictor } = await kindNamed('forest').fit(data, { model: { trees: 10 } }, RUN);
    const again = await decodePredictor(predictor.toOnnx());
    expect(again.info.labels[0]).toMatchObject({
      transform: 'per-flop',
      transformState: { mean: expect.any(Number) },
    });
    const found = await again.predict!(listOf(networks));
    networks.forEach((network, row) => {
      const { value, low, high } = found.at(row, 'ms');
      const { flops } = network.counts();
      expect(value / flops).toBeGreaterThan(1.99);
      expect(value / flops).toBeLessThan(2.07);
      expect(low! < value && value < high!).toBe(true);
      expect((high! - value) / flops).toBeLessThan(0.1);
    });
    await Promise.all([predictor.dispose(), again.dispose()]);
  });
});

describe('fitting', () => {
  it('blames the rate where training diverges', async () => {
    const changes = { steps: 8, members: 1, rate: 1e30, model: { width: 8, layers: 1 }, isFromScratch: true };
    for (const data of [split(40, 20), dataOf(listOf(networks))]) {
      await expect(kindNamed('nn-former').fit(data, changes, RUN)).rejects.toMatchObject({
        code: 'TRAINING_DIVERGED',
        hint: expect.stringContaining('--rate'),
      });
    }
  });

  it('lets others work, reports progress and stops soon, though a forest has no steps', async () => {
    const many = Array.from({ length: 3000 }, (_, i) => networks[i % 80]!);
    const values = Float64Array.from(many, () => random.float());
    const data = { networks: listOf(many), labels: { names: ['y'], values } };
    const stop = new AbortController();
    let [longest, last] = [0, performance.now()];
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const parts: number[] = [];
    const fitting = kindNamed('forest').fit(
      data,
      { model: { trees: 1000 } },
      { ...RUN, signal: stop.signal, onProgress: ({ part }) => parts.push(part) },
    );
    setTimeout(() => stop.abort(), 600);
    const start = performance.now();
    await expect(fitting).rejects.toMatchObject({ code: 'TRAINING_STOPPED' });
    clearInterval(timer);
    // Within a second of the signal, on a machine that is not busy.
    expect(performance.now() - start).toBeLessThan(4000);
    expect(parts.length).toBeGreaterThan(1);
    // 25 ms each on such a machine.
    expect(longest).toBeLessThan(1000);
  });

  it('keeps a trunk unless other sizes are asked for', async () => {
    const changes = { steps: 1, members: 1, model: { width: 8, layers: 1 }, isFromScratch: true };
    const { predictor } = await kindNamed('nn-former').fit(dataOf(listOf(networks)), changes, RUN);
    const { info } = predictor;
    expect([undefined, {}, { width: 8 }, { dropout: 0.5 }].map((model) => hasSizes(info, model))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect([{ width: 16 }, { layers: 2, width: 8 }].map((model) => hasSizes(info, model))).toEqual([
      false,
      false,
    ]);
    await predictor.dispose();
  });

  it('lists what options there are, with their ranges', () => {
    const recipe = (model: Record<string, unknown>) => () => kindNamed('nn-former').recipe!(10, { model });
    const hint = expect.stringMatching(
      /width: a whole number from 4 to 2048, like 64;.*maskVariant: meant or released/,
    );
    for (const model of [
      { width: -3 },
      { width: 65 },
      { width: 2.5 },
      { dropout: 5 },
      { maskVariant: 'foo' },
    ]) {
      expect(recipe(model)).toThrow(expect.objectContaining({ code: 'MODEL_OPTION', hint }));
    }
    expect(recipe({ layers: 100_000 })).toThrow(/option 'layers' of nn-former cannot be 100000/);
    expect(recipe({ depth: 3 })).toThrow(/nn-former has no option 'depth'/);
  });
});
