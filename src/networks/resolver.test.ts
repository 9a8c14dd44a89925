import { describe, expect, it } from 'vitest';
import { symbol } from '../graph/dim.js';
import { type Model, makeGraph, makeModel } from '../graph/graph.js';
import { TensorType } from '../graph/types.js';
import { encodeModel } from '../onnx/write.js';
import { Builder } from '../ops/build.js';
import { nasBench201 } from '../spaces/cells/nasbench201.js';
import { ARCH_KEY } from '../spaces/network-builder.js';
import { AuspexError } from '../util/errors.js';
import { codeOf } from '../util/errors.testing.js';
import { Resolver } from './resolver.js';

const CELL = '|nor_conv_3x3~0|+|none~0|nor_conv_3x3~1|+|skip_connect~0|none~1|none~2|';

/** (batch, 4) → Relu(x) + Relu(x), a network of any batch. */
function anyBatch(): Model {
  const builder = new Builder({ opsets: new Map([['', 20]]) });
  const x = builder.input('x', 'float32', [symbol('batch'), 4]);
  const y = x.relu();
  const sum = y.add(y);
  return makeModel(
    makeGraph({
      name: 'sum',
      nodes: builder.nodes,
      inputs: builder.inputs,
      outputs: [{ name: sum.name, type: new TensorType('float32', undefined) }],
      initializers: builder.initializers,
    }),
    { opsetImports: builder.opsets },
  );
}

function countingResolver(models: Record<string, Model>): { resolver: Resolver; opened: string[] } {
  const opened: string[] = [];
  const resolver = new Resolver({
    preferred: ['nasbench201'],
    isFile: (path) => path in models,
    open: (path) => {
      opened.push(path);
      const model = models[path];
      if (model === undefined) throw new AuspexError('FILE_MISSING', `there is no ${path}`);
      return model;
    },
  });
  return { resolver, opened };
}

describe('Resolver', () => {
  it('knows architectures with and without the name of their space', () => {
    const { resolver } = countingResolver({});
    for (const network of [resolver.network(CELL), resolver.network(`nasbench201:${CELL}`)]) {
      expect(network.ref).toBe(`nasbench201:${CELL}`);
      expect(network.arch?.space).toBe(nasBench201);
      expect(network.file).toBeUndefined();
      expect(network.cell()!.ops.length).toBeGreaterThan(2);
      expect(network.counts().parameters).toBe(network.cost().totals.parameters);
    }
  });

  it('opens a file once and infers it once for every set of sizes', () => {
    const { resolver, opened } = countingResolver({ 'net.onnx': anyBatch() });
    const network = resolver.network('net.onnx');
    expect(opened).toEqual([]);
    expect(network.settled().inference()).toBe(network.settled().inference());
    expect(network.at({ batch: 8 })).toBe(resolver.network('net.onnx', { sizes: { batch: 8 } }));
    expect(network.at({ batch: 8 }).inference()).toBe(network.at({ batch: 8 }).inference());
    network.cost();
    network.hash();
    resolver.network('onnx:net.onnx#base').model();
    expect(opened).toEqual(['net.onnx']);
  });

  it('fixes sizes that are open, in the model too', () => {
    const { resolver } = countingResolver({ 'net.onnx': anyBatch() });
    const network = resolver.network('net.onnx');
    expect(String(network.model().graph.inputs[0]!.type)).toBe('float32[batch,4]');
    expect(String(network.settled().model().graph.inputs[0]!.type)).toBe('float32[1,4]');
    for (const sizes of [{ batch: 8 }, { dims: { batch: 8 } }, { shapes: { x: [8, 4] } }]) {
      const fixed = network.at(sizes);
      expect(String(fixed.model().graph.inputs[0]!.type)).toBe('float32[8,4]');
      expect(fixed.counts().flops).toBe(8 * network.settled().counts().flops);
    }
    expect(
      codeOf(() =>
        network
          .at({ shapes: { x: [8, 4] } })
          .at({ batch: 2 })
          .inference(),
      ),
    ).toBe('SIZE_FIXED');
  });

  it('builds architectures at other sizes', () => {
    const { resolver } = countingResolver({});
    const network = resolver.network(CELL, { sizes: { resolution: 16 } });
    expect(String(network.model().graph.inputs[0]!.type)).toBe('float32[1,3,16,16]');
    const batch = network.at({ batch: 4 });
    expect(String(batch.model().graph.inputs[0]!.type)).toBe('float32[4,3,16,16]');
    const shaped = network.at({ shapes: { input: [2, 3, 8, 8] } });
    expect(String(shaped.model().graph.inputs[0]!.type)).toBe('float32[2,3,8,8]');
    expect(codeOf(() => network.at({ shapes: { input: [2, 3, 8, 9] } }).model())).toBe('BAD_SHAPE');
  });

  it('edits a file', () => {
    const { resolver } = countingResolver({ 'net.onnx': anyBatch() });
    const site = resolver.space('onnx:net.onnx').example;
    const edited = resolver.network(`onnx:net.onnx#${site}`);
    expect(edited.ref).toBe(`onnx:net.onnx#${site}`);
    expect(edited.file).toBe('net.onnx');
    expect(edited.model().graph.nodes).not.toEqual(resolver.network('net.onnx').model().graph.nodes);
    expect(codeOf(() => resolver.network('onnx:net.onnx#base;nothing=Gelu'))).toBe('ARCH_TEXT');
  });

  it('knows which architecture an exported file is', () => {
    const plain = nasBench201.network(nasBench201.parse(CELL));
    const model = { ...plain, metadata: new Map([...plain.metadata, [ARCH_KEY, CELL]]) };
    const { resolver } = countingResolver({ 'cell.onnx': model });
    const network = resolver.network('cell.onnx');
    expect(network.arch?.text).toBe(CELL);
    expect(network.key()).toBe(resolver.network(CELL).key());
    const read = new Resolver().network(encodeModel(model));
    expect(read.arch?.text).toBe(CELL);
    expect(read.hash()).toBe(network.hash());
  });

  it('says what is wrong with a reference', () => {
    const { resolver } = countingResolver({});
    expect(codeOf(() => resolver.network('no such thing'))).toBe('ARCH_TEXT');
    expect(codeOf(() => resolver.network('nasbench201:no such thing'))).toBe('ARCH_TEXT');
    expect(codeOf(() => resolver.network('text', { space: 'nowhere' }))).toBe('SPACE_UNKNOWN');
    expect(codeOf(() => resolver.network('missing.onnx').model())).toBe('FILE_MISSING');
    expect(codeOf(() => new Resolver().network('net.onnx'))).toBe('NETWORKS_UNREADABLE');
    try {
      resolver.network('missing.onnx').cost();
    } catch (error) {
      expect((error as AuspexError).where.file).toBe('missing.onnx');
    }
  });

  it('refuses a text that several spaces read, unless one is preferred', () => {
    const twin = { ...nasBench201, name: 'twin' };
    const spaces = [nasBench201, twin];
    expect(codeOf(() => new Resolver({ spaces }).network(CELL))).toBe('ARCH_AMBIGUOUS');
    expect(new Resolver({ spaces, preferred: ['twin'] }).network(CELL).arch?.space.name).toBe('twin');
    const resolver = new Resolver({ spaces });
    expect(resolver.network(`twin:${CELL}`).arch?.space.name).toBe('twin');
  });
});
