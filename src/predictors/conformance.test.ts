import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../analysis/models.testing.js';
import '../ops/index.js';
import { kendallTauB } from '../metrics/index.js';
import { ArchNetwork } from '../networks/arch-network.js';
import type { Network } from '../networks/network.js';
import { lazily, listOf } from '../networks/networks.js';
import { Resolver } from '../networks/resolver.js';
import { spaceNamed } from '../spaces/index.js';
import { Random } from '../util/random.js';
import { type KindExpectations, testKind } from './conformance.testing.js';
import { KINDS } from './kinds/index.js';
import { embeddingKind, leftBy, pairsKind, twoViewsKind } from './kinds.testing.js';
import { decodePredictor } from './load.js';

/** Different networks of a space. */
function drawn(name: string, count: number): Network[] {
  const space = spaceNamed(name);
  const random = Random.seeded(9);
  const found = new Map<string, Network>();
  while (found.size < count) {
    const network = new ArchNetwork(space, space.sample(random));
    if (network.counts().parameters > 0) found.set(network.key(), network);
  }
  return [...found.values()];
}

const cells = drawn('nasbench201', 60);
// Whole networks of few nodes.
const networks = drawn('nnlqp-alexnet', 60);
const file = new Resolver().network({ ...networks[0]!.model(), metadata: new Map() });
const STEPS: KindExpectations['changes'] = { steps: 6, batch: 16, members: 1, isFromScratch: true };
const ofCells = { networks: cells, foreign: file };
const seesCells = (model: object, badOption: Record<string, unknown>): KindExpectations => ({
  ...ofCells,
  changes: { ...STEPS, model: model as Record<string, unknown> },
  badOption,
});
const seesNetworks = (model: object, badOption: Record<string, unknown>): KindExpectations => ({
  networks,
  changes: { ...STEPS, steps: 4, model: model as Record<string, unknown> },
  badOption,
});

const unconnected = new Resolver().network(
  modelOf({ inputs: ['x: 2'], nodes: ['y = Relu(c)'], outputs: ['y'], initializers: [tensor('c', [2])] }),
);
const seesGraphs = (model: object, badOption: Record<string, unknown>): KindExpectations => ({
  ...seesNetworks(model, badOption),
  foreign: unconnected,
});

/** Kinds that train an encoder before their heads. */
const seesHeads = (model: object): KindExpectations => ({
  networks,
  changes: {
    ...STEPS,
    pretraining: { rows: 0, steps: 2, rate: 1e-3 },
    model: { width: 8, layers: 2, ...model },
  },
  badOption: { width: 0 },
});

/** Kinds that learn from what arch2vec says of cells. */
const onEmbedding = (model: object, badOption: Record<string, unknown>): KindExpectations => ({
  ...ofCells,
  changes: { model: model as Record<string, unknown> },
  badOption,
  from: async () => {
    const { changes } = seesCells({ width: 8, layers: 1, latent: 4 }, {});
    return (await KINDS.get('arch2vec')!.fit({ networks: listOf(cells) }, changes, { seed: 1, threads: 1 }))
      .predictor;
  },
});

/** Every registered kind has a line here. */
const EXPECTATIONS: Readonly<Record<string, KindExpectations>> = {
  'nn-former': seesCells({ width: 8, layers: 1 }, { maskVariant: 'foo' }),
  'nar-former-v2': seesCells({ width: 16, layers: 1, groups: 2, expansion: 1 }, { width: 15 }),
  gcn: seesCells({ width: 8, layers: 1 }, { layers: 100_000 }),
  sage: seesCells({ width: 8 }, { width: 2.5 }),
  'nn-former-network': seesNetworks({ width: 8, blocks: 1 }, { width: 65 }),
  'nar-former-v2-network': seesNetworks({ width: 8, groups: 2, layers: 1, expansion: 1 }, { width: -3 }),
  'nnlp-network': seesNetworks({ width: 8 }, { dropout: 5 }),
  'k-gnn': seesGraphs({ width: 8, layers: 2 }, { vocabulary: 'other' }),
  'gcn-graph': seesGraphs({ width: 8, layers: 2 }, { layers: 0 }),
  'gin-graph': seesGraphs({ width: 8, layers: 2 }, { sizes: 'cubic' }),
  contrastive: seesGraphs({ width: 8, layers: 1, feedForward: 8, projection: 8 }, { alpha: 'other' }),
  arch2vec: seesCells({ width: 8, layers: 1, latent: 4 }, { decoder: 'tanh' }),
  'accuracy-model': seesCells({ width: 8, layers: 1, latent: 4, headWidth: 8 }, { embedding: 'max' }),
  'io-model': {
    ...seesCells({ width: 8, layers: 1, latent: 4, headWidth: 8, channels: [2, 2] }, { channels: [] }),
    io: {
      networks: listOf(cells.slice(0, 8)),
      images: { count: 4, side: 4, pixels: Float32Array.from({ length: 192 }, (_, i) => Math.sin(i)) },
      width: 3,
      read: (network, image, out, at) => out.set([network, image, 1], at),
    },
  },
  'embedding-forest': onEmbedding({ trees: 5 }, { trees: 0 }),
  'embedding-process': onEmbedding({ steps: 2 }, { rows: 1 }),
  'gaussian-process': { networks, changes: { model: { steps: 2 } }, badOption: { rows: 1 } },
  cl: seesHeads({}),
  'cl-t': seesHeads({}),
  'cl-fcm': seesHeads({ clusters: 3 }),
  'cl-fcm-t': seesHeads({ clusters: 3, fuzzifier: 2 }),
  'cl-pairwise': seesHeads({ latent: 4 }),
  gennape: seesHeads({ latent: 4, clusters: 3 }),
  'cl-fcm-pairwise': seesHeads({ latent: 4, clusters: 3 }),
  forest: { ...ofCells, changes: { model: { trees: 5 } }, badOption: { trees: 0 } },
  'few-shot': { networks, changes: { model: { trees: 5 } }, badOption: { trees: 0 } },
  'family-ranking': { networks, changes: {}, badOption: { largestSide: -1 } },
  linear: { networks, changes: {}, badOption: { ridge: -1 } },
  params: { networks: cells, changes: {} },
  flops: { networks: cells, changes: {} },
  'test-pairs': { ...ofCells, changes: {}, badOption: { width: 1000 } },
  'test-embedding': { ...ofCells, changes: {}, badOption: { width: 0 } },
  'test-two-views': seesCells({ width: 8 }, { width: 0.5 }),
};

it('has expectations of every kind', () => {
  expect([...KINDS.keys()].sort()).toEqual(Object.keys(EXPECTATIONS).sort());
});

for (const [name, kind] of KINDS) testKind(kind, EXPECTATIONS[name]!);

describe('what the contract holds', () => {
  const run = { seed: 1, threads: 1 };
  const all = listOf(cells);
  const parameters = Float64Array.from(cells, (network) => network.counts().parameters);

  it('a ranker that learned from pairs: an order, no values', async () => {
    const labels = { names: ['size'], values: parameters };
    const { predictor } = await pairsKind.fit({ networks: all, labels }, {}, run);
    const again = await decodePredictor(predictor.toOnnx());
    expect([again.predict, typeof again.order, typeof again.embed]).toEqual([
      undefined,
      'function',
      'function',
    ]);
    const order = await again.order!(all);
    expect(kendallTauB(order, parameters)).toBeGreaterThan(0.6);
    expect(order.every((share) => share >= 0 && share <= 1)).toBe(true);
    await Promise.all([predictor.dispose(), again.dispose()]);
  });

  it.each(['gcn', 'nnlp-network'])('many rows in several lanes, those alike once: %s', async (name) => {
    const { changes, networks: own } = EXPECTATIONS[name]!;
    const labels = {
      names: ['size'],
      values: Float64Array.from(own, (network) => network.counts().parameters),
    };
    const { predictor } = await KINDS.get(name)!.fit({ networks: listOf(own), labels }, changes, run);
    const [alone, many] = [1, 2].map((threads) => decodePredictor(predictor.toOnnx(), { threads }));
    const few = await (await alone!).predict!(listOf(own.slice(0, 20)));
    const rows = await (await many!).predict!(lazily(2100, (row) => own[row % 20]!));
    expect([...rows.values]).toEqual(Array.from({ length: 2100 }, (_, row) => few.values[row % 20]!));
    for (const each of [predictor, await alone!, await many!]) await each.dispose();
  });

  it('an embedding in two stages, of which the second keeps the trunk', async () => {
    const { predictor } = await embeddingKind.fit({ networks: all }, {}, run);
    const { rows, width, data } = await predictor.embed!(all);
    expect([rows, width, data.length]).toEqual([60, 8, 480]);
    expect([predictor.predict, predictor.order]).toEqual([undefined, undefined]);
    const [before, after] = [leftBy.get('operations')!, leftBy.get('sizes')!];
    for (const name of ['trunk.weight', 'trunk.bias']) expect(after.get(name)).toEqual(before.get(name));
    expect([...after.keys()].sort()).toEqual(['sizes.bias', 'sizes.weight', 'trunk.bias', 'trunk.weight']);
    await predictor.dispose();
  });

  it('several views in one predictor', async () => {
    const labels = { names: ['size'], values: parameters.map(Math.log) };
    const changes = { steps: 150, rate: 3e-2, members: 1 };
    const { predictor } = await twoViewsKind.fit({ networks: all, labels }, changes, run);
    const inputs = predictor.model.graph.inputs.map(({ name }) => name);
    expect(inputs).toEqual(['operations', 'size', 'adjacency', 'features']);
    const { values } = await predictor.predict!(all);
    expect(kendallTauB(values, parameters)).toBeGreaterThan(0.8);
    await predictor.dispose();
  });
});
