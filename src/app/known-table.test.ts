import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { readKnown } from './known-table.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-known-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const TABLE =
  'model,img_size,top1\nnet_a.first,224,70.5\nnet_a.second,224,71\nnet_a.first,288,72\nnet_b,224,\n';

describe('tables of known networks', () => {
  it('have the best accuracy of each network and size', () => {
    const found = readKnown(file('known.csv', TABLE));
    expect(found.get('net_a 224')).toBe(71);
    expect(found.get('net_a 288')).toBe(72);
    expect(readKnown(file('known.csv.gz', gzipSync(TABLE)))).toEqual(found);
  });

  it.each([
    ['without a column', 'model,top1\na,1\n', 'KNOWN_TABLE'],
    ['without rows', 'model,img_size,top1\n', 'KNOWN_TABLE'],
    ['with a word for a number', 'model,img_size,top1\na,224,good\n', 'CSV_NUMBER'],
    ['damaged', gzipSync(TABLE).subarray(0, 30), 'GZIP_DAMAGED'],
  ])('%s are refused', (name, content, code) => {
    const path = file(`${name}.csv`, content);
    expect(() => readKnown(path)).toThrow(expect.objectContaining({ code }));
  });

  it('that are not there are refused', () => {
    expect(() => readKnown(join(folder, 'none.csv'))).toThrow(
      expect.objectContaining({ code: 'FILE_UNREADABLE' }),
    );
  });
});
