import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { makeGraph, makeModel } from '../../../src/graph/graph.js';
import { OpenedModel } from '../../../src/networks/index.js';
import { decodeModel } from '../../../src/onnx/read.js';
import { Builder } from '../../../src/ops/build.js';
import { MemorySource } from '../../../src/util/bytes.js';
import { resized } from './describe.js';
import { knobsOf, networkAt } from './knobs.js';

const EXPORTS = resolve(import.meta.dirname, '../../../test/fixtures/exports');
const exported = (name: string) => {
  const bytes = gunzipSync(readFileSync(resolve(EXPORTS, `${name}.onnx.gz`)));
  return new OpenedModel(name, name, () => decodeModel(new MemorySource(bytes))).at({});
};

describe('another batch than the file was written for', () => {
  it('counts a transformer whose reshapes have the batch in them', () => {
    const opened = exported('vit_b_16');
    const [one, four] = [1, 4].map((batch) => resized(networkAt(opened, knobsOf(opened), { batch }), opened));
    expect(four!.totals.macs).toBe(4 * one!.totals.macs);
    expect(four!.counts.macs).toEqual(one!.counts.macs.map((macs) => 4 * macs));
  });

  it('is refused with the node that mixes samples', () => {
    const builder = new Builder({ opsets: new Map([['', 17]]) });
    const x = builder.input('x', 'float32', [1, 8]);
    const relu = builder.op('Relu', [x]);
    const mixed = builder.op('Softmax', [relu], { axis: 0 });
    const { nodes, inputs, initializers, opsets: opsetImports } = builder;
    const outputs = [{ name: mixed.name, type: mixed.type }];
    const model = makeModel(makeGraph({ nodes, inputs, outputs, initializers }), { opsetImports });
    const opened = new OpenedModel('net', 'net.onnx', () => model).at({});
    const knobs = knobsOf(opened);
    expect(() => networkAt(opened, knobs, { batch: 2 })).toThrow(
      expect.objectContaining({
        code: 'BATCH_FIXED',
        where: expect.objectContaining({ operator: 'Softmax' }),
      }),
    );
  });
});
