import { beforeAll, describe, expect, it } from 'vitest';
import '../../ops/index.js';
import type { Model } from '../../graph/graph.js';
import { TensorType } from '../../graph/types.js';
import { kendallTauB, mape } from '../../metrics/index.js';
import { listOf } from '../../networks/networks.js';
import { decodeModel } from '../../onnx/read.js';
import { describeNetwork } from '../../spaces/describe.js';
import { spaceNamed } from '../../spaces/index.js';
import { Random } from '../../util/random.js';
import { memberWeights } from '../entries.js';
import { fitTexts, networksOf, type TextFitting, type TextRows, valuesOf } from '../fitting.testing.js';
import { coverageOf } from '../intervals.js';
import { column } from '../labels.js';
import { decodePredictor } from '../load.js';
import type { OnnxPredictor } from '../onnx-predictor.js';
import type { Predictor } from '../predictor.js';
import { NNLP_ENCODING } from '../views/nnlqp/encodings.js';
import { networkGraph } from '../views/nnlqp/network-graph.js';
import { NetworkSet, paddedSize } from '../views/nnlqp/network-set.js';

const random = Random.seeded(4);
const NAMES = ['phone', 'board'];
/** Networks of 20 nodes and of 28 to 48; texts are `family/architecture`. */
const FAMILIES = ['nnlqp-alexnet', 'nnlqp-vgg'];
const MOST_NODES = 48;

function read(path: string): Model {
  const [family = '', ...rest] = path.split('/');
  const space = spaceNamed(family);
  return space.network(space.parse(rest.join('/')));
}

/** Time for arithmetic and time for every operator, of which two devices take different parts; in milliseconds. */
function rows(count: number): TextRows {
  const architectures: string[] = [];
  while (architectures.length < count) {
    const family = random.pick(FAMILIES);
    const space = spaceNamed(family);
    const text = `${family}/${space.format(space.sample(random))}`;
    if (networkGraph(read(text)).nodes.length <= MOST_NODES) architectures.push(text);
  }
  const values = architectures.flatMap((text) => {
    const { macs, nodes } = describeNetwork(read(text));
    return [macs / 1e9 + nodes / 50, macs / 1e8 + nodes / 200];
  });
  return { architectures, labels: { names: NAMES, units: ['ms', 'ms'], values: Float64Array.from(values) } };
}

const TINY: Readonly<Record<string, object>> = {
  'nn-former-network': { width: 16, blocks: 1, dropout: 0 },
  'nar-former-v2-network': { width: 16, layers: 1, groups: 2, expansion: 2, root: true, dropout: 0 },
  'nnlp-network': { width: 24, dropout: 0 },
};
const fit = (kind: string, from: TextRows, more: Partial<TextFitting> = {}) =>
  fitTexts(kind, from, {
    space: 'onnx',
    open: read,
    transform: 'log',
    steps: 120,
    batch: 16,
    rate: 1e-2,
    model: TINY[kind] as Record<string, unknown>,
    ...more,
  });
const valuesFor = (predictor: Predictor, texts: readonly string[]) =>
  valuesOf(predictor, texts, 'onnx', read);

const train = rows(64);
const test = rows(60);
const errorsOf = (values: Float64Array, of: TextRows): number[] =>
  of.labels.names.map((_, i) => mape(column({ ...of.labels, values }, i), column(of.labels, i)));

describe('a predictor of networks', () => {
  const validation = rows(40);
  let predictor: OnnxPredictor;
  beforeAll(async () => {
    ({ predictor } = await fit('nn-former-network', train, { validation }));
  }, 60_000);

  it('predicts several latencies of networks it has not seen', async () => {
    const values = await valuesFor(predictor, test.architectures);
    const spread = NAMES.map((_, i) => {
      const truths = column(test.labels, i);
      return mape(
        new Float64Array(truths.length).fill(truths.reduce((a, b) => a + b) / truths.length),
        truths,
      );
    });
    const errors = errorsOf(values, test);
    for (const label of [0, 1]) expect(errors[label]).toBeLessThan(0.3 * spread[label]!);
    for (const label of [0, 1]) {
      const found = column({ names: NAMES, values }, label);
      const truths = column(test.labels, label);
      expect(kendallTauB(found, truths)).toBeGreaterThan(0.7);
      expect(coverageOf(found, truths, predictor.info.labels[label]!.interval!, 'log')).toBeGreaterThan(0.75);
    }
  });

  it('is a file for any batch and any number of nodes', async () => {
    const bytes = predictor.toOnnx();
    const { graph } = decodeModel(bytes);
    expect(graph.inputs.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'nodes float32[batch,nodes,192]',
      'presence float32[batch,nodes]',
      'adjacency float32[batch,nodes,nodes]',
      'statics float32[batch,44]',
    ]);
    expect(String(graph.outputs[0]!.type)).toBe('float32[batch,2]');
    const again = await decodePredictor(bytes, { threads: 1 });
    expect(again.info).toEqual(predictor.info);
    const all = await valuesFor(predictor, test.architectures);
    for (const i of [0, 7, 59]) {
      const alone = await valuesFor(again, [test.architectures[i]!]);
      expect(alone[0]! / all[2 * i]!).toBeCloseTo(1, 4);
      expect(alone[1]! / all[2 * i + 1]!).toBeCloseTo(1, 4);
    }
    expect(await valuesFor(again, [])).toEqual(new Float64Array(0));
    await again.dispose();
  });

  it('says something of networks of other spaces, far larger ones too', async () => {
    const large = networksOf([spaceNamed('fbnet').example], 'fbnet').at(0);
    expect(networkGraph(large.inference()).nodes.length).toBeGreaterThan(150);
    const one = (await predictor.predict!(listOf([large]))).values;
    expect(one[0]).toBeGreaterThan(0);
    const small = networksOf(test.architectures.slice(0, 1), 'onnx', read).at(0);
    const among = (await predictor.predict!(listOf([small, large]))).values;
    expect(among[2]! / one[0]!).toBeCloseTo(1, 4);
  });

  it.each(['nar-former-v2-network', 'nnlp-network'] as const)('also is %s', async (kind) => {
    const { predictor: other } = await fit(kind, train);
    const values = await valuesFor(other, test.architectures);
    expect(kendallTauB(column({ names: NAMES, values }, 1), column(test.labels, 1))).toBeGreaterThan(0.7);
    const [alone] = await valuesFor(other, test.architectures.slice(0, 1));
    expect(alone! / values[0]!).toBeCloseTo(1, 4);
    await other.dispose();
  });

  it('begins with the trunk of another one', async () => {
    const board = { ...train, labels: { names: ['board'], values: column(train.labels, 1) } };
    const { predictor: next } = await fit('nn-former-network', board, {
      steps: 1,
      rate: 1e-9,
      from: predictor,
    });
    const [before, after] = [predictor, next].map(
      ({ model }) => new Map([...memberWeights(model)[0]!].filter(([name]) => !name.startsWith('head.'))),
    );
    expect([...after!.keys()]).toEqual([...before!.keys()]);
    for (const [name, values] of after!) {
      const off = values.map((w, i) => Math.abs(w - before!.get(name)![i]!));
      expect(Math.max(...off), name).toBeLessThan(1e-6);
    }
    await next.dispose();
  });

  it.each(Object.keys(TINY))(
    'begins with heads that say a new label from known ones: %s',
    async (kind) => {
      const { predictor: known } = kind === 'nn-former-network' ? { predictor } : await fit(kind, train);
      // A power of a known latency, measured of a dozen networks; nothing is learned by steps.
      const watch = (of: TextRows): TextRows => ({
        ...of,
        labels: { names: ['watch'], values: column(of.labels, 0).map((ms) => 3 * ms ** 0.8) },
      });
      const few = { ...train, architectures: train.architectures.slice(0, 12) };
      const values = watch(train).labels.values.slice(0, 12);
      const rows = { ...few, labels: { names: ['watch'], values } };
      const { predictor: next } = await fit(kind, rows, { steps: 1, rate: 1e-9, from: known });
      const truths = watch(test).labels.values;
      const found = await valuesFor(next, test.architectures);
      const before = errorsOf(await valuesFor(known, test.architectures), test)[0]!;
      expect(mape(found, truths)).toBeLessThan(Math.max(0.15, 2 * before));
      expect(kendallTauB(found, truths)).toBeGreaterThan(0.6);
      await next.dispose();
      if (known !== predictor) await known.dispose();
    },
    60_000,
  );

  it('knows networks of another family from its own', async () => {
    const of = async (texts: readonly string[]) =>
      (await predictor.predict!(networksOf(texts, 'onnx', read))).distance!;
    expect(Math.max(...(await of(train.architectures)))).toBeCloseTo(1, 9);
    const unseen = [...(await of(test.architectures))].sort((a, b) => a - b);
    expect(unseen[30]).toBeLessThan(1);
    const space = spaceNamed('nnlqp-mobilenetv2');
    const others = await of([`nnlqp-mobilenetv2/${space.format(space.sample(random))}`]);
    expect(others[0]).toBeGreaterThan(1.5);
  });

  it('learns from texts of a space', async () => {
    const space = spaceNamed('nnlqp-alexnet');
    const architectures = Array.from({ length: 40 }, () => space.format(space.sample(random)));
    const values = Float64Array.from(architectures, (_, i) => 1 + i);
    const texts = { architectures, labels: { names: ['y'], values } };
    const { predictor: other } = await fit('nnlp-network', texts, { space: space.name, steps: 2 });
    const again = await decodePredictor(other.toOnnx());
    const found = await valuesOf(again, architectures, space.name);
    expect(found).toEqual(await valuesOf(other, architectures, space.name));
    expect(again.info.seen.spaces).toEqual([space.name]);
    await Promise.all([other.dispose(), again.dispose()]);
  });

  it('refuses what it cannot know', async () => {
    await expect(valuesFor(predictor, ['nnlqp-vgg/?'])).rejects.toMatchObject({
      code: 'ARCH_TEXT',
      where: { file: 'nnlqp-vgg/?' },
    });
    await expect(valuesOf(predictor, ['net.onnx'], 'onnx')).rejects.toMatchObject({
      code: 'NETWORKS_UNREADABLE',
    });
    const open = (path: string): Model => {
      const { graph, ...model } = read(path);
      const type = new TensorType('float32', undefined);
      return { ...model, graph: { ...graph, inputs: [{ ...graph.inputs[0]!, type }] } };
    };
    await expect(fit('nnlp-network', train, { open })).rejects.toMatchObject({
      code: 'NETWORK_SIZES',
      where: { file: train.architectures[0] },
    });
  });
});

describe('sets of networks', () => {
  it('pads by at most an eighth, or to a multiple of 16', () => {
    expect([1, 16, 17, 128, 129, 257, 511, 600].map(paddedSize)).toEqual([
      16, 16, 32, 128, 144, 288, 512, 640,
    ]);
  });

  it('has no bucket of few rows where another one can take them', () => {
    const graphs = test.architectures.map((text) => networkGraph(read(text)));
    const sizes = (least: number): Map<number, number> => {
      const set = new NetworkSet(graphs, NNLP_ENCODING).merged(least);
      const counts = new Map<number, number>();
      for (let row = 0; row < set.count; row++) {
        expect(set.bucketOf(row)).toBeGreaterThanOrEqual(graphs[row]!.nodes.length);
        counts.set(set.bucketOf(row), (counts.get(set.bucketOf(row)) ?? 0) + 1);
      }
      return counts;
    };
    expect([...sizes(1).keys()].sort()).toEqual([32, 48]);
    const few = Math.min(...sizes(1).values());
    expect([...sizes(few)]).toHaveLength(2);
    expect([...sizes(few + 1)]).toEqual([[48, 60]]);
  });

  it('has smaller batches of larger networks', () => {
    const set = new NetworkSet([], NNLP_ENCODING);
    expect([64, 256, 1024, 4096].map((n) => set.mostOf(n))).toEqual([512, 32, 2, 1]);
  });
});
