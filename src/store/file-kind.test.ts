import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { fileKind } from './file-kind.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-kind-'));
afterAll(() => rmSync(folder, { recursive: true }));
const ROOT = resolve(import.meta.dirname, '../..');

describe('the kind of a file', () => {
  it.each<[string, string | Uint8Array, ReturnType<typeof fileKind>]>([
    ['nothing', '', 'empty'],
    ['a table of auspex', '# auspex {"table":1}\narch,acc\nx,1\n', 'table'],
    ['a packed table', gzipSync('# auspex {"table":1}\narch,acc\nx,1\n'), 'table'],
    ['a large packed table', gzipSync(`arch,acc\n${'x,1\n'.repeat(200_000)}`), 'table'],
    ['a plain table', 'cell,"a,b",ms\n"x,y",1,2\n', 'table'],
    ['lines of JSON', '{"table":1,"space":"toy"}\n{"arch":"x"}\n', 'table'],
    ['plain lines of JSON', '{"arch":"x"}\n{"arch":"y"}\n', 'table'],
    ['a page', '\n<!DOCTYPE html>\n<p>', 'html'],
    ['the log of a search', '{"kind":"search","version":1}\n', 'log'],
    ['a log cut off in its first line', '{"kind":"proxy","ver', 'log'],
    ['curves', '{"schema":"auspex.curves/1","members":[]}\n', 'curves'],
    ['a split', `{"schema":"auspex.data.split/1","rows":[${'1,'.repeat(99_999)}1]}\n`, 'split'],
    ['JSON of somebody', '{\n  "name": "mine",\n  "version": "1"\n}\n', 'text'],
    ['JSON in one line', '{"name":"mine","list":[1,2]}\n', 'text'],
    ['a document', '# Results, of ours\n\nSome text, and more.\n', 'text'],
    ['a letter', 'Dear all,\nthis is it, isn’t it, or not?\n', 'text'],
    ['an image', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0), 'other'],
    ['bytes that begin as gzip does', Uint8Array.of(0x1f, 0x8b, 1, 2, 3), 'other'],
    ['Latin-1', Uint8Array.of(0x67, 0x72, 0xfc, 0x6e, 0x2c, 0x0a, 0x61), 'other'],
  ])('of %s', (_, content, kind) => {
    const path = join(folder, 'file');
    writeFileSync(path, content);
    expect(fileKind(path)).toBe(kind);
  });

  it('of ONNX files', () => {
    expect(fileKind(join(ROOT, 'examples/resnet8.onnx'))).toBe('network');
    expect(fileKind(join(ROOT, 'bundled/nasbench201-accuracy.onnx'))).toBe('predictor');
  });
});
