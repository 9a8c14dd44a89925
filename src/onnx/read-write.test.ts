import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeGraph, makeModel, makeNode } from '../graph/graph.js';
import type { Tensor } from '../graph/tensor.js';
import { TensorType } from '../graph/types.js';
import { ByteRange } from '../util/bytes.js';
import { encode } from './codec.js';
import { models, plain } from './model.testing.js';
import { type Decoded, MODEL } from './proto.js';
import { decodeModel, decodeTensor } from './read.js';
import { encodeModel, encodeTensor } from './write.js';

fc.configureGlobal({ seed: 1 });

const utf8 = new TextEncoder();

/** The bytes of a model given as messages, to say things that a `Model` cannot. */
function file(model: Decoded): Uint8Array {
  return encode(MODEL, model).finish();
}

describe('writing and reading', () => {
  it('gives back every model as it was', () => {
    fc.assert(
      fc.property(models, (model) => {
        const bytes = encodeModel(model);
        const read = decodeModel(bytes);
        const [before, after] = [plain(model), plain(read)];
        // Only a difference is worth the matcher's time.
        if (!isDeepStrictEqual(after, before)) expect(after).toEqual(before);
        expect(Buffer.compare(encodeModel(read), bytes)).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it('gives back one tensor', () => {
    const tensor: Tensor = {
      name: 't',
      dtype: 'int8',
      dims: [3],
      data: { kind: 'raw', bytes: ByteRange.of(Uint8Array.of(1, 2, 255)) },
    };
    expect(plain(decodeTensor(encodeTensor(tensor)))).toEqual(plain(tensor));
  });

  it('leaves weights where they are until they are asked for', () => {
    const weights = new Uint8Array(5000).fill(5);
    const w: Tensor = {
      name: 'w',
      dtype: 'uint8',
      dims: [5000],
      data: { kind: 'raw', bytes: ByteRange.of(weights) },
    };
    const graph = makeGraph({ nodes: [], inputs: [], outputs: [], initializers: new Map([['w', w]]) });
    const bytes = encodeModel(makeModel(graph));
    const { data } = decodeModel(bytes).graph.initializers.get('w')!;
    const range = data.kind === 'raw' ? data.bytes : undefined;
    // A view of the file's own bytes: nothing was copied.
    expect(range?.read().buffer).toBe(bytes.buffer);
    expect(range?.read()).toEqual(weights);
  });
});

describe('what files leave out or say in old ways', () => {
  it('the type of an attribute, before IR version 2', () => {
    const attribute = [
      { name: 'a', i: 7 },
      { name: 'b', floats: [1, 2] },
      { name: 'c', s: utf8.encode('text') },
    ];
    const { nodes } = decodeModel(file({ graph: { node: [{ opType: 'Op', attribute }] } })).graph;
    expect([...nodes[0]!.attributes.values()]).toEqual([
      { type: 'int', value: 7 },
      { type: 'floats', value: [1, 2] },
      { type: 'string', value: 'text' },
    ]);
  });

  it('the value of an attribute that is 0, empty text or an empty list', () => {
    const attribute = [1, 2, 3, 6, 7, 8].map((type) => ({ name: `a${type}`, type }));
    const { nodes } = decodeModel(file({ graph: { node: [{ opType: 'Op', attribute }] } })).graph;
    expect([...nodes[0]!.attributes.values()].map((a) => a.value)).toEqual([0, 0, '', [], [], []]);
  });

  it('ai.onnx by its long name', () => {
    const model = decodeModel(file({ opsetImport: [{ domain: 'ai.onnx', version: 13 }], graph: {} }));
    expect(model.opsetImports).toEqual(new Map([['', 13]]));
  });

  it('a size that is not known: no value, −1, or more than can be', () => {
    const dim = [{}, { dimValue: -1 }, { dimValue: 2n ** 62n }, { dimParam: 'n' }, { dimValue: 0 }];
    const input = [{ name: 'x', type: { tensorType: { elemType: 1, shape: { dim } } } }];
    const { type } = decodeModel(file({ graph: { input } })).graph.inputs[0]!;
    expect(String(type)).toBe('float32[?,?,?,n,0]');
  });

  it('a producer whose name looks like the mark of another format', () => {
    for (const producerName of ['GGUF-exporter', 'ORTModule', 'PK\u0003\u0004']) {
      const model = makeModel(makeGraph({ nodes: [], inputs: [], outputs: [] }), { producerName });
      expect(decodeModel(encodeModel(model)).producerName).toBe(producerName);
    }
  });

  it('a type of no value at all', () => {
    const { graph } = decodeModel(file({ graph: { input: [{ name: 'x' }, { name: 'y', type: {} }] } }));
    expect(graph.inputs.map((i) => i.type.kind)).toEqual(['unknown', 'unknown']);
  });
});

describe('files that are no models', () => {
  const text = (t: string): Uint8Array => Uint8Array.from(t, (c) => c.charCodeAt(0));
  it.each<[string, Uint8Array, string]>([
    ['an empty file', new Uint8Array(), 'ONNX_EMPTY'],
    ['a Git LFS pointer', text('version https://git-lfs.github.com/spec/v1\noid'), 'ONNX_OTHER_FORMAT'],
    ['a ZIP archive', text('PK\u0003\u0004\u0014'), 'ONNX_OTHER_FORMAT'],
    ['a web page', text('<!DOCTYPE html>'), 'ONNX_OTHER_FORMAT'],
    ['an ORT-format model', text('\u0018\u0000\u0000\u0000ORTM'), 'ONNX_OTHER_FORMAT'],
    ['a message without a graph', file({ irVersion: 8 }), 'ONNX_NO_GRAPH'],
    ['random text', text('hello, this is a text file'), 'ONNX_MALFORMED'],
  ])('%s', (_, bytes, code) => {
    expect(() => decodeModel(bytes)).toThrowError(expect.objectContaining({ code }));
  });
});

describe('what no model may say', () => {
  const withNode = (node: Decoded): Decoded => ({ graph: { node: [node] } });
  const withAttribute = (attribute: Decoded): Decoded => withNode({ opType: 'Op', attribute: [attribute] });
  const withTensor = (tensor: Decoded): Decoded => ({ graph: { initializer: [tensor] } });
  const external = (...entries: [string, string][]): Decoded =>
    withTensor({
      dataType: 1,
      dataLocation: 1,
      externalData: entries.map(([key, value]) => ({ key, value })),
    });
  const dimensions = (count: number): Decoded => ({
    tensorType: { elemType: 1, shape: { dim: new Array<Decoded>(count).fill({}) } },
  });
  const weight = { name: 'w', dataType: 1 };

  it.each<[string, Decoded, string, string]>([
    ['a node without an operator', withNode({ name: 'n' }), 'ONNX_MALFORMED', 'graph.node[0]'],
    [
      'an attribute twice',
      withNode({
        opType: 'Op',
        attribute: [
          { name: 'a', i: 1 },
          { name: 'a', i: 2 },
        ],
      }),
      'ONNX_MALFORMED',
      'graph.node[0].attribute[1]',
    ],
    [
      'an attribute type 99',
      withAttribute({ name: 'a', type: 99 }),
      'ONNX_MALFORMED',
      'graph.node[0].attribute[0]',
    ],
    [
      'an attribute type −1',
      withAttribute({ name: 'a', type: -1 }),
      'ONNX_MALFORMED',
      'graph.node[0].attribute[0]',
    ],
    ['an attribute of nothing', withAttribute({ name: 'a' }), 'ONNX_MALFORMED', 'graph.node[0].attribute[0]'],
    [
      'a graph attribute without one',
      withAttribute({ name: 'a', type: 5 }),
      'ONNX_MALFORMED',
      'graph.node[0].attribute[0]',
    ],
    ['a data type 99', withTensor({ dataType: 99 }), 'ONNX_MALFORMED', 'graph.initializer[0]'],
    ['a tensor without a type', withTensor({}), 'ONNX_MALFORMED', 'graph.initializer[0]'],
    ['a negative size', withTensor({ dataType: 1, dims: [2, -2] }), 'ONNX_MALFORMED', 'graph.initializer[0]'],
    [
      'a size of 2^62',
      withTensor({ dataType: 1, dims: [2n ** 62n] }),
      'ONNX_MALFORMED',
      'graph.initializer[0]',
    ],
    [
      'more elements than can be counted',
      withTensor({ dataType: 1, dims: [2 ** 30, 2 ** 30] }),
      'TENSOR_TOO_LARGE',
      'graph.initializer[0]',
    ],
    [
      'a tensor of 257 dimensions',
      withTensor({ dataType: 1, dims: new Array<number>(257).fill(1) }),
      'ONNX_LIMIT',
      'graph.initializer[0]',
    ],
    [
      'an input of 257 dimensions',
      { graph: { input: [{ name: 'x', type: dimensions(257) }] } },
      'ONNX_LIMIT',
      'graph.input[0].type',
    ],
    [
      'two initializers of one name',
      { graph: { initializer: [weight, weight] } },
      'GRAPH_DUPLICATE_NAME',
      'graph.initializer[1]',
    ],
    [
      'two sparse initializers of one name',
      {
        graph: {
          sparseInitializer: [
            { values: weight, indices: weight },
            { values: weight, indices: weight },
          ],
        },
      },
      'GRAPH_DUPLICATE_NAME',
      'graph.sparse_initializer[1]',
    ],
    [
      'a sparse tensor without indices',
      { graph: { sparseInitializer: [{ values: weight }] } },
      'ONNX_MALFORMED',
      'graph.sparse_initializer[0]',
    ],
    ['external data without a location', external(['offset', '0']), 'EXTERNAL_DATA', 'graph.initializer[0]'],
    [
      'external data before the file',
      external(['location', 'w'], ['offset', '-1']),
      'EXTERNAL_DATA',
      'graph.initializer[0]',
    ],
    [
      'an offset that is no number',
      external(['location', 'w'], ['offset', '0x10']),
      'EXTERNAL_DATA',
      'graph.initializer[0]',
    ],
    [
      'a length of 2^64',
      external(['location', 'w'], ['length', '18446744073709551616']),
      'EXTERNAL_DATA',
      'graph.initializer[0]',
    ],
    [
      'a negative opset',
      { opsetImport: [{ domain: '', version: -3 }], graph: {} },
      'ONNX_MALFORMED',
      'opset_import',
    ],
    [
      'a bad subgraph',
      withAttribute({ name: 'body', type: 5, g: { node: [{ name: 'no operator' }] } }),
      'ONNX_MALFORMED',
      'graph.node[0].attribute[0].g.node[0]',
    ],
  ])('%s', (_, model, code, path) => {
    expect(() => decodeModel(file(model))).toThrowError(expect.objectContaining({ code, where: { path } }));
  });
});

describe('shapes', () => {
  it('may have an empty side however long the others are', () => {
    const dims = [...new Array<number>(30).fill(2 ** 50), 0];
    const model = decodeModel(file({ graph: { initializer: [{ name: 'w', dataType: 1, dims }] } }));
    expect(model.graph.initializers.get('w')!.dims).toEqual(dims);
  });

  it('keep names that read like formulas as they are written', () => {
    const x = { name: 'x', type: new TensorType('float32', []) };
    const graph = makeGraph({ nodes: [makeNode('Relu', ['x'], ['y'])], inputs: [x], outputs: [] });
    const formula = { dimParam: '(h - 1)//2 + 1' };
    const input = [{ name: 'x', type: { tensorType: { elemType: 1, shape: { dim: [formula] } } } }];
    const read = decodeModel(file({ graph: { input } }));
    expect(encodeModel({ ...read, graph: { ...graph, inputs: read.graph.inputs } })).toSatisfy(
      (bytes: Uint8Array) => Buffer.from(bytes).includes('(h - 1)//2 + 1'),
    );
  });
});
