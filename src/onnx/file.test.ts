import { execFileSync } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inferShapes } from '../analysis/infer.js';
import { type Model, makeGraph, makeModel, makeNode } from '../graph/graph.js';
import { rawRange, type Tensor, tensorBytes, tensorNumbers } from '../graph/tensor.js';
import { TensorType, UNKNOWN } from '../graph/types.js';
import { ByteRange } from '../util/bytes.js';
import { AuspexError } from '../util/errors.js';
import { readModel, writeAtomically, writeModel } from './file.js';
import { plain } from './model.testing.js';
import { BYTES, VARINT, WireWriter } from './wire.js';
import { encodeModel } from './write.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'auspex-file-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (...names: string[]): string => join(folder, ...names);

function weight(name: string, size: number, fill: number): Tensor {
  const bytes = new Uint8Array(size).fill(fill);
  return { name, dtype: 'uint8', dims: [size], data: { kind: 'raw', bytes: ByteRange.of(bytes) } };
}

function external(name: string, location: string, offset = 0, length = 4): Tensor {
  return { name, dtype: 'uint8', dims: [length], data: { kind: 'external', location, offset, length } };
}

function modelWith(...tensors: Tensor[]): Model {
  return makeModel(
    makeGraph({
      nodes: [makeNode('Add', ['x', 'x'], ['y'])],
      inputs: [{ name: 'x', type: new TensorType('float32', [2, 3]) }],
      outputs: [{ name: 'y', type: UNKNOWN }],
      initializers: new Map(tensors.map((t) => [t.name, t])),
    }),
  );
}

/** Writes a model as it is, without moving weights, and opens it again. */
function reopened(model: Model, path = at('m.onnx')): Model {
  writeFileSync(path, encodeModel(model));
  return readModel(path);
}

const initializer = (model: Model, name: string): Tensor => model.graph.initializers.get(name)!;

describe('a file of more than 2 GiB', () => {
  const holeBytes = 2_500_000_000;
  const marker = Float32Array.of(1.5);

  /** A model whose one weight is a hole of 2.5 GB, with its nodes behind it. The disk stores a few blocks. */
  function writeSparseModel(path: string): void {
    const tensor = new WireWriter();
    tensor.tag(1, VARINT);
    tensor.int64(holeBytes / 4);
    tensor.tag(2, VARINT);
    tensor.int64(1);
    tensor.tag(8, BYTES);
    tensor.uint(1);
    tensor.bytes(Uint8Array.of(0x77));
    tensor.tag(9, BYTES);
    tensor.uint(holeBytes);
    const tensorHead = tensor.finish();

    const graphTail = graphFields(encodeModel(modelWith()));
    const tensorTag = new WireWriter();
    tensorTag.tag(5, BYTES);
    tensorTag.uint(tensorHead.length + holeBytes);
    const graphHead = Uint8Array.from([...tensorTag.finish(), ...tensorHead]);

    const head = new WireWriter();
    head.tag(1, VARINT);
    head.uint(10);
    head.tag(7, BYTES);
    head.uint(graphHead.length + holeBytes + graphTail.length);
    head.bytes(graphHead);

    const descriptor = openSync(path, 'w');
    const start = head.length;
    writeSync(descriptor, head.finish());
    ftruncateSync(descriptor, start + holeBytes);
    writeSync(descriptor, new Uint8Array(marker.buffer), 0, 4, start + holeBytes - 4);
    writeSync(descriptor, graphTail, 0, graphTail.length, start + holeBytes);
    closeSync(descriptor);
  }

  /** The fields of the graph of a small model, without tag and length. */
  function graphFields(model: Uint8Array): Uint8Array {
    const read = readModel(model);
    const graphOnly = encodeModel({ ...read, opsetImports: new Map(), irVersion: 1, producerName: '' });
    // irVersion takes two bytes, then come the graph's tag and its length of one byte.
    expect([...graphOnly.subarray(0, 3)]).toEqual([0x08, 0x01, 0x3a]);
    expect(graphOnly[3]! + 4).toBe(graphOnly.length);
    return graphOnly.subarray(4);
  }

  it('opens at once, and its weights are readable where they are', () => {
    const path = at('large.onnx');
    writeSparseModel(path);
    expect(statSync(path).size).toBeGreaterThan(2 ** 31);
    const memoryBefore = process.memoryUsage().rss;
    const start = performance.now();
    const model = readModel(path);
    const { graph } = inferShapes(model);
    expect(performance.now() - start).toBeLessThan(1000);
    expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(200 * 2 ** 20);
    expect(String(graph.types.get('y'))).toBe('float32[2,3]');
    const range = rawRange(initializer(model, 'w'))!;
    expect(range.length).toBe(holeBytes);
    expect(range.read(holeBytes - 4)).toEqual(new Uint8Array(marker.buffer));
    expect(range.read(2 ** 31, 4)).toEqual(new Uint8Array(4));
  });
});

describe('reading', () => {
  it('takes bytes as well as paths', () => {
    const model = modelWith(weight('w', 10, 3));
    expect(plain(readModel(encodeModel(model)))).toEqual(plain(model));
    expect(plain(reopened(model))).toEqual(plain(model));
  });

  it.each<[string, () => string, string]>([
    ['a file that is not there', () => at('none.onnx'), 'does not exist'],
    ['a folder', () => folder, 'not a file'],
    ['a path through a file', () => at('file', 'm.onnx'), 'ENOTDIR'],
  ])('%s', (_, path, message) => {
    writeFileSync(at('file'), 'x');
    const file = path();
    expect(() => readModel(file)).toThrowError(
      expect.objectContaining({
        code: 'FILE_UNREADABLE',
        message: expect.stringContaining(message),
        where: { file },
      }),
    );
  });

  it.skipIf(process.platform === 'win32')('does not wait at a pipe', () => {
    execFileSync('mkfifo', [at('pipe')]);
    expect(() => readModel(at('pipe'))).toThrowError(expect.objectContaining({ code: 'FILE_UNREADABLE' }));
    const model = reopened(modelWith(external('w', 'pipe')));
    expect(() => tensorBytes(initializer(model, 'w'))).toThrowError(
      expect.objectContaining({ code: 'FILE_UNREADABLE' }),
    );
  });

  it('names the file in errors', () => {
    writeFileSync(at('bad.onnx'), Uint8Array.of(0x3a, 0x7f));
    expect(() => readModel(at('bad.onnx'))).toThrowError(
      expect.objectContaining({ code: 'ONNX_TRUNCATED', where: { file: at('bad.onnx'), offset: 2 } }),
    );
  });
});

describe('external data', () => {
  it('is read at its offset, from folders below too', () => {
    mkdirSync(at('weights'));
    writeFileSync(at('weights', 'w.bin'), Uint8Array.of(0, 0, 1, 2, 3, 4));
    writeFileSync(at('..data'), Uint8Array.of(7, 7, 7, 7));
    const model = reopened(modelWith(external('w', 'weights/w.bin', 2), external('v', '..data')));
    expect(tensorNumbers(initializer(model, 'w'))).toEqual([1, 2, 3, 4]);
    expect(tensorNumbers(initializer(model, 'v'))).toEqual([7, 7, 7, 7]);
  });

  it.each([
    '../secret',
    'weights/../../secret',
    '/etc/passwd',
    '..',
    '.',
    '',
    'C:\\secret',
    'c:secret',
    '..\\secret',
    'a\0b',
    './../secret',
  ])('does not leave the folder of the model: %j', (location) => {
    mkdirSync(at('model'));
    writeFileSync(at('secret'), 'secret');
    const model = reopened(modelWith(external('w', location)), at('model', 'm.onnx'));
    expect(() => tensorBytes(initializer(model, 'w'))).toThrowError(
      expect.objectContaining({ code: 'EXTERNAL_DATA' }),
    );
  });

  it.skipIf(process.platform === 'win32')('does not follow links out of the folder, but within it', () => {
    mkdirSync(at('model'));
    mkdirSync(at('outside'));
    writeFileSync(at('outside', 'secret'), 'secret');
    writeFileSync(at('model', 'real'), 'real');
    symlinkSync(at('outside', 'secret'), at('model', 'link'));
    symlinkSync(at('outside'), at('model', 'way'));
    symlinkSync(at('model', 'real'), at('model', 'inner'));
    symlinkSync(at('model', 'loop'), at('model', 'loop'));
    const tensors = ['link', 'way/secret', 'inner', 'loop'].map((location) => external(location, location));
    const model = reopened(modelWith(...tensors), at('model', 'm.onnx'));
    for (const name of ['link', 'way/secret']) {
      expect(() => tensorBytes(initializer(model, name))).toThrowError(
        expect.objectContaining({ code: 'EXTERNAL_DATA' }),
      );
    }
    expect(Buffer.from(tensorBytes(initializer(model, 'inner'))).toString()).toBe('real');
    expect(() => tensorBytes(initializer(model, 'loop'))).toThrowError(
      expect.objectContaining({ code: 'DATA_MISSING' }),
    );
  });

  it('that is missing stops neither reading nor inference', () => {
    const shape: Tensor = { ...external('shape', 'gone.bin', 0, 16), dtype: 'int64', dims: [2] };
    const { graph } = modelWith();
    const model = reopened(
      makeModel({
        ...graph,
        nodes: [...graph.nodes, makeNode('Mul', ['shape', 'shape'], ['z'])],
        initializers: new Map([['shape', shape]]),
      }),
    );
    const { types } = inferShapes(model).graph;
    expect(String(types.get('y'))).toBe('float32[2,3]');
    expect(String(types.get('z'))).toBe('int64[2]');
    expect(() => tensorBytes(initializer(model, 'shape'))).toThrowError(
      expect.objectContaining({ code: 'DATA_MISSING' }),
    );
  });

  it('that ends early says at which byte', () => {
    writeFileSync(at('w.bin'), Uint8Array.of(1, 2));
    const model = reopened(modelWith(external('w', 'w.bin', 1)));
    expect(() => tensorBytes(initializer(model, 'w'))).toThrowError(
      expect.objectContaining({ code: 'DATA_TRUNCATED', where: expect.objectContaining({ offset: 1 }) }),
    );
  });

  it('may lie in more files than can be open at once', () => {
    const tensors = Array.from({ length: 3000 }, (_, i) => external(`w${i}`, `w${i}.bin`, 0, 1));
    for (const i of tensors.keys()) writeFileSync(at(`w${i}.bin`), Uint8Array.of(i % 251));
    const model = reopened(modelWith(...tensors));
    const firstBytes = [...model.graph.initializers.values()].map((t) => tensorBytes(t)[0]);
    expect(firstBytes).toEqual(tensors.map((_, i) => i % 251));
  });
});

describe('writing', () => {
  const large = weight('large', 5000, 1);
  const small = weight('small', 10, 2);

  function contents(model: Model): unknown {
    return [...model.graph.initializers.values()].map((t) => [t.name, t.dims, [...tensorBytes(t)]]);
  }

  it('puts everything into one file', () => {
    writeModel(modelWith(large, small), at('m.onnx'));
    expect(readdirSync(folder)).toEqual(['m.onnx']);
    expect(contents(readModel(at('m.onnx')))).toEqual(contents(modelWith(large, small)));
  });

  it('puts large weights beside the model if asked to, aligned and once each', () => {
    const again: Tensor = { ...large, name: 'again' };
    const other = weight('other', 3000, 4);
    const model = modelWith(large, small, again, other);
    writeModel(model, at('m.onnx'), { externalData: 'always' });
    expect(readdirSync(folder).sort()).toEqual(['m.onnx', 'm.onnx.data']);
    expect(statSync(at('m.onnx.data')).size).toBe(8192 + 3000);
    const read = readModel(at('m.onnx'));
    expect(contents(read)).toEqual(contents(model));
    expect([...read.graph.initializers.values()].map((t) => plain(t.data))).toMatchObject([
      { kind: 'external', location: 'm.onnx.data', offset: 0, length: 5000 },
      { kind: 'raw' },
      { kind: 'external', location: 'm.onnx.data', offset: 0, length: 5000 },
      { kind: 'external', location: 'm.onnx.data', offset: 8192, length: 3000 },
    ]);
  });

  it('brings weights from another folder along', () => {
    mkdirSync(at('from'));
    mkdirSync(at('to'));
    writeModel(modelWith(large), at('from', 'm.onnx'), { externalData: 'always' });
    writeModel(readModel(at('from', 'm.onnx')), at('to', 'one.onnx'));
    rmSync(at('from'), { recursive: true });
    expect(contents(readModel(at('to', 'one.onnx')))).toEqual(contents(modelWith(large)));
  });

  it('can write a model over itself; what was opened before then says so', () => {
    writeModel(modelWith(large, weight('v', 2000, 6)), at('m.onnx'), { externalData: 'always' });
    const before = readModel(at('m.onnx'));
    const v = initializer(before, 'v');
    tensorBytes(v);
    const without = { ...before.graph, initializers: new Map([['v', v]]) };
    writeModel({ ...before, graph: without }, at('m.onnx'), { externalData: 'always' });
    expect(contents(readModel(at('m.onnx')))).toEqual(contents(modelWith(weight('v', 2000, 6))));
    expect(readdirSync(folder).sort()).toEqual(['m.onnx', 'm.onnx.data']);
    expect(() => tensorBytes(v)).toThrowError(expect.objectContaining({ code: 'DATA_CHANGED' }));
  });

  const tooShort: Tensor = { ...large, dims: [6000] };
  const gone: Tensor = {
    ...large,
    data: {
      kind: 'external',
      location: 'gone.bin',
      offset: 0,
      length: 5000,
      files: {
        open: () => {
          throw new AuspexError('DATA_MISSING', 'gone');
        },
      },
    },
  };

  it.each<['auto' | 'always', Tensor, string]>([
    ['always', tooShort, 'TENSOR_DATA'],
    ['always', gone, 'DATA_MISSING'],
    ['auto', gone, 'DATA_MISSING'],
  ])('that fails half-way (%s) leaves the old files and nothing else', (externalData, bad, code) => {
    writeModel(modelWith(large), at('m.onnx'), { externalData });
    const before = readdirSync(folder).map((name) => [name, readFileSync(at(name))]);
    expect(() => writeModel(modelWith(small, bad), at('m.onnx'), { externalData })).toThrowError(
      expect.objectContaining({ code }),
    );
    expect(readdirSync(folder).map((name) => [name, readFileSync(at(name))])).toEqual(before);
  });

  it('that cannot put the model in its place leaves the old weights', () => {
    mkdirSync(at('m.onnx'));
    for (const old of [undefined, 'old weights']) {
      if (old) writeFileSync(at('m.onnx.data'), old);
      expect(() => writeModel(modelWith(large), at('m.onnx'), { externalData: 'always' })).toThrowError(
        expect.objectContaining({ code: 'FILE_UNWRITABLE', kind: 'failure' }),
      );
      expect(readdirSync(folder).sort()).toEqual(old ? ['m.onnx', 'm.onnx.data'] : ['m.onnx']);
      if (old) expect(readFileSync(at('m.onnx.data'), 'utf8')).toBe(old);
    }
  });

  it('into a folder that is not there says so', () => {
    expect(() => writeModel(modelWith(), at('none', 'm.onnx'))).toThrowError(
      expect.objectContaining({ code: 'FILE_UNWRITABLE', where: { file: at('none', 'm.onnx') } }),
    );
  });

  it('anything is all or nothing', () => {
    writeFileSync(at('f'), 'old');
    expect(() =>
      writeAtomically(at('f'), (write) => {
        write(Uint8Array.of(1, 2, 3));
        throw new Error('disk full');
      }),
    ).toThrowError(expect.objectContaining({ code: 'FILE_UNWRITABLE' }));
    expect(readFileSync(at('f'), 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['f']);
  });
});
