import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../../analysis/models.testing.js';
import type { Model } from '../../../graph/graph.js';
import { TensorType } from '../../../graph/types.js';
import { ArchNetwork } from '../../../networks/arch-network.js';
import type { Network } from '../../../networks/network.js';
import { listOf } from '../../../networks/networks.js';
import { Resolver } from '../../../networks/resolver.js';
import type { Batch } from '../../../nn/batch.js';
import { spaceNamed } from '../../../spaces/index.js';
import { Random } from '../../../util/random.js';
import { computationGraph } from './computation-graph.js';
import type { PackedSet } from './graph-set.js';
import { type ComputationGraphOptions, computationGraphView as view } from './view.js';

const resolver = new Resolver();

/** A convolution with a large kernel and a bias, then a mean and a product. */
const small = modelOf({
  inputs: ['x: 1,64,128,32'],
  nodes: [
    'a = Conv(x, w, b) pads=8,0,8,0',
    'r = Relu(a)',
    'm = ReduceMean(r, axes) keepdims=0',
    'y = MatMul(m, v)',
  ],
  outputs: ['y'],
  initializers: [
    tensor('w', [256, 64, 17, 1]),
    tensor('b', [256]),
    tensor('axes', [2], [2, 3], 'int64'),
    tensor('v', [256, 1024]),
  ],
});

function drawn(count: number): Network[] {
  const space = spaceNamed('nasbench101');
  const random = Random.seeded(4);
  return Array.from({ length: count }, () => new ArchNetwork(space, space.sample(random)));
}

async function encoded(networks: readonly Network[], options: ComputationGraphOptions = {}) {
  const state = await view.prepare(listOf(networks), options);
  return (await view.encode(networks, state)) as PackedSet;
}

/** One graph of a batch again, its nodes numbered as in the batch less padding. */
function unpacked(batch: Batch, b: number) {
  const list = (name: string): number[] => Array.from(batch[name]!.data as Int32Array, Number);
  const [graph, ops] = [list('graph'), [...list('weightedOps'), ...list('regularOps')]];
  const nodes = [...graph.keys()].filter((i) => graph[i] === b);
  const place = new Map(nodes.map((node, i) => [node, i]));
  const [from, to] = [list('from'), list('to')];
  const edges = from.flatMap((node, e) =>
    place.has(node) || place.has(to[e]!) ? [[place.get(node), place.get(to[e]!)]] : [],
  );
  return {
    ops: nodes.map((node) => ops[node]),
    edges,
    weighted: nodes.filter((i) => i < list('weightedOps').length).length,
  };
}

describe('packed computation graphs', () => {
  it('have sizes over 256 and 512, kernels up to 7, and biases as pairs', async () => {
    const { batch } = { batch: (await encoded([resolver.network(small)])).batch([0]) };
    // Conv, MatMul, padding; Input, Relu, ReduceMean, Output, padding.
    expect(batch.counts!.data).toEqual(Float32Array.of(6));
    expect(batch.weightedOps!.data).toEqual(Int32Array.of(3, 8, 0));
    expect(batch.weightedSizes!.data).toEqual(
      Float32Array.of(
        ...[0.5, 0.5, 0.125, 0.125, 0.125, 0.5],
        ...[1 / 256, 1 / 256, 1 / 256, 1 / 256, 0.5, 2],
        ...[0, 0, 0, 0, 0, 0],
      ),
    );
    expect(batch.kernels!.data).toEqual(Int32Array.of(7, 1, 0, 0, 0, 0));
    expect(batch.bias!.data).toEqual(Float32Array.of(0, 1, 1, 0, 0, 0));
    expect(batch.regularOps!.data).toEqual(Int32Array.of(1, 6, 19, 2, 0));
    expect(batch.regularSizes!.data.subarray(6, 18)).toEqual(
      Float32Array.of(...[0.5, 0.5, 0.125, 0.125, 0.5, 0.5], ...[0.5, 1 / 256, 0.125, 1 / 256, 0.5, 0.5]),
    );
    expect(batch.from!.data).toEqual(Int32Array.of(0, 1, 3, 4, 5, 7));
    expect(batch.to!.data).toEqual(Int32Array.of(4, 6, 0, 5, 1, 7));
    expect(batch.graph!.data).toEqual(Int32Array.of(0, 0, 1, 0, 0, 0, 0, 1));
  });

  it('have the logarithms of sizes where they are asked for', async () => {
    const set = await encoded([resolver.network(small)], { sizes: 'log' });
    const [height, , , , channelsIn] = set.batch([0]).weightedSizes!.data as Float32Array;
    expect(height).toBeCloseTo(Math.log(129) / Math.log(257), 6);
    expect(channelsIn).toBeCloseTo(Math.log(65) / Math.log(513), 6);
  });

  it.each(['as they are', 'padded'])('hold every graph of a batch, %s', async (form) => {
    const networks = drawn(12);
    const all = await encoded(networks, { blocks: 16 });
    const set = form === 'padded' ? all.merged() : all;
    const rows = [7, 0, 7, 11];
    const batch = set.batch(rows);
    rows.forEach((row, b) => {
      const { nodes, edges, weightedCount } = computationGraph(networks[row]!.inference());
      const found = unpacked(batch, b);
      expect(found.ops).toEqual(nodes.map(({ op }) => op));
      expect(found.edges).toEqual(edges);
      expect(found.weighted).toBe(weightedCount);
      expect(batch.counts!.data[b]).toBe(nodes.length);
      // Blocks hold the nodes of one graph, each once.
      const places = [...(batch.blockGraph!.data as Int32Array)].flatMap((graph, block) =>
        graph === b ? Array.from({ length: 16 }, (_, i) => 16 * block + i) : [],
      );
      const present = places.filter((place) => batch.presence!.data[place] === 1);
      const members = present.map((place) => Number(batch.blockNodes!.data[place]));
      expect(members.map((node) => batch.graph!.data[node])).toEqual(nodes.map(() => b));
      expect(new Set(members).size).toBe(nodes.length);
    });
    expect(batch.graph!.data.at(-1)).toBe(rows.length);
  });

  it('have few shapes where they are padded', async () => {
    const set = (await encoded(drawn(80))).merged();
    const random = Random.seeded(1);
    const shapes = new Set<string>();
    for (let draw = 0; draw < 200; draw++) {
      const rows = Array.from({ length: 32 }, () => random.below(80));
      shapes.add(
        Object.values(set.batch(rows))
          .map(({ dims }) => String(dims))
          .join(' '),
      );
    }
    expect(shapes.size).toBeLessThanOrEqual(2);
  });

  it('have one key if they are the same', async () => {
    const [a, b] = drawn(2);
    const set = await encoded([a!, b!, a!]);
    expect(set.keyOf(0)).toBe(set.keyOf(2));
    expect(set.keyOf(0)).not.toBe(set.keyOf(1));
    expect(set.outline(0)).toEqual(set.outline(2));
  });

  it('take thousands of nodes', async () => {
    const nodes = Array.from({ length: 6000 }, (_, i) => `v${i + 1} = Tanh(v${i})`);
    const long = modelOf({ inputs: ['v0: 1,4'], nodes, outputs: ['v6000'] });
    const set = await encoded([resolver.network(long)]);
    expect(set.batch([0]).counts!.data[0]).toBe(6002);
    expect(set.mostOf(set.bucketOf(0))).toBe(2);
  });
});

describe('the view', () => {
  const covers = async (model: Model) =>
    view.covers(resolver.network(model), await view.prepare(listOf([]), {}));

  it('counts operators that it has no label for, and sizes that are not known', async () => {
    const model = modelOf({
      inputs: ['x: 1,4'],
      nodes: ['a = Softmax(x)', 'b = Softmax(a)', 'n = NonZero(b)', 'f = Cast(n) to=1', 'y = Relu(f)'],
      outputs: ['y'],
    });
    const set = await encoded([resolver.network(small), resolver.network(model)]);
    expect(set.unknown(0)).toBeUndefined();
    const { operators, sizes } = set.unknown(1)!;
    expect([...operators]).toEqual([
      ['Softmax', 2],
      ['NonZero', 1],
    ]);
    expect(sizes).toBeGreaterThan(0);
    const finer = await encoded([resolver.network(model)], { vocabulary: 'auspex-1' });
    expect(finer.unknown(0)?.operators.size).toBe(0);
  });

  it('refuses a network whose outputs depend on no input', async () => {
    const constant = [tensor('c', [2])];
    const model = modelOf({
      inputs: ['x: 2'],
      nodes: ['y = Relu(c)'],
      outputs: ['y'],
      initializers: constant,
    });
    expect((await covers(model))?.code).toBe('GRAPH_DISCONNECTED');
  });

  it('refuses a network without floats', async () => {
    const model = modelOf({ inputs: ['x: 2'], nodes: ['y = Add(x, x)'], outputs: ['y'] });
    const x = { name: 'x', type: new TensorType('int64', [2]) };
    expect((await covers(model))?.code).toBeUndefined();
    const integers = { ...model, graph: { ...model.graph, inputs: [x] } };
    expect((await covers(integers))?.code).toBe('NETWORK_WITHOUT_FLOATS');
  });
});
