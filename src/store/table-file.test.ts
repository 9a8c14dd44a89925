import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { Table } from '../datasets/table.js';
import { AuspexError } from '../util/errors.js';
import { formatOf, readTableFile, writeTableFile } from './table-file.js';
import { writeOutput } from './write-file.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-store-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

const table = (rows: number): Table =>
  new Table({
    space: 'toy',
    labels: [{ name: 'a', unit: 'ms', better: 'lower', provenance: 'made up' }],
    architectures: Array.from({ length: rows }, (_, i) => `arch ${i}`),
    columns: { a: Array.from({ length: rows }, (_, i) => Math.sin(i)) },
  });

describe('tables in files', () => {
  it.each(['t.csv', 't.csv.gz', 't.jsonl', 't.jsonl.gz', 'T.CSV.GZ'])('come back from %s', async (name) => {
    const written = table(50_000);
    await writeTableFile(at(name), written);
    const bytes = readFileSync(at(name));
    expect(bytes[0] === 0x1f).toBe(/gz$/i.test(name));
    const read = await readTableFile(at(name));
    expect(read.rows).toBe(50_000);
    expect(read.labels).toEqual(written.labels);
    expect(read.column('a')).toEqual(written.column('a'));
    expect(read.arch(49_999)).toBe('arch 49999');
  });

  it('take the format from the caller where the name does not tell', async () => {
    await writeTableFile(at('named.gz'), table(2), 'jsonl');
    expect(gunzipSync(readFileSync(at('named.gz'))).toString()).toMatch(/^\{"auspex"/);
    expect(() => formatOf('table.txt')).toThrow(AuspexError);
  });

  it('are refused when they were cut off', async () => {
    await writeTableFile(at('whole.csv.gz'), table(20_000));
    const bytes = readFileSync(at('whole.csv.gz'));
    for (const length of [20, bytes.length >> 1, bytes.length - 1]) {
      writeFileSync(at('cut.csv.gz'), bytes.subarray(0, length));
      await expect(readTableFile(at('cut.csv.gz'))).rejects.toMatchObject({
        code: 'GZIP_DAMAGED',
        where: { file: at('cut.csv.gz') },
      });
    }
  });

  it('that nobody knows are given up while they are being unpacked', async () => {
    const lines = Array.from({ length: 300_000 }, () => '0.123456789012').join('\n');
    writeFileSync(at('large.csv.gz'), gzipSync(`what\n${lines}`));
    await expect(readTableFile(at('large.csv.gz'))).rejects.toMatchObject({ code: 'TABLE_UNKNOWN' });
  });

  it('that are not there are reported', async () => {
    await expect(readTableFile(at('nowhere.csv'))).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  });
});

describe('writing', () => {
  it('leaves the old file and nothing else when it fails half-way', async () => {
    mkdirSync(at('half'));
    const path = join(at('half'), 'table.csv');
    await writeTableFile(path, table(3));
    const before = readFileSync(path, 'utf8');
    function* failing(): Generator<Uint8Array> {
      yield Buffer.from('new');
      throw new AuspexError('TABLE_COLUMN', 'made to fail');
    }
    await expect(writeOutput(path, failing())).rejects.toThrow('made to fail');
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(readdirSync(at('half'))).toEqual(['table.csv']);
  });

  it('tells that a folder is missing', async () => {
    await expect(writeTableFile(join(at('missing'), 't.csv'), table(1))).rejects.toMatchObject({
      code: 'FILE_UNWRITABLE',
      kind: 'failure',
    });
  });

  it('does not replace a folder', async () => {
    mkdirSync(at('folder.csv'));
    await expect(writeTableFile(at('folder.csv'), table(1))).rejects.toMatchObject({
      code: 'FILE_UNWRITABLE',
    });
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
