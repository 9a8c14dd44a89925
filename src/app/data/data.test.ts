// What `auspex data` does, called as a program would: values in, values out, stopped by a signal.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readTableFile } from '../../store/table-file.js';
import { DATA_DOCUMENTS } from '../documents/data.js';
import { exportTable, listTables, showTable } from './data.js';
import { importTable } from './import.js';
import { readSplitFile, splitTable } from './split.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-app-data-'));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
function file(name: string, content: string): string {
  writeFileSync(at(name), content);
  return at(name);
}

/** Sizes of NATS-Bench, all different. */
const SIZES = Array.from({ length: 40 }, (_, i) =>
  [i % 8, i >> 3, 0, 1, 2].map((c) => 8 * (c + 1)).join(':'),
);
const PLAIN = { space: 'nats-size', arch: 'net', labels: [{ name: 'lat_ms' }] };
const plain = file(
  'mine.csv',
  `net,family,lat_ms\n${SIZES.map((net, i) => `${net},f${i % 4},${i + 1}`).join('\n')}\n`,
);

describe('a table, from import to export', () => {
  it('gives documents of their schemas', async () => {
    const { document, resolved } = await importTable(plain, {
      ...PLAIN,
      output: at('t.csv.gz'),
      groups: ['family'],
    });
    expect(DATA_DOCUMENTS.import.parse(document)).toEqual(document);
    expect(resolved[0]).toMatchObject({ label: { unit: 'ms', better: 'lower' }, from: ['lat', 'ms'] });
    const shown = await showTable(at('t.csv.gz'), { rows: 2 });
    expect(DATA_DOCUMENTS.show.parse(shown)).toEqual(shown);
    expect(shown).toMatchObject({ rows: 40, texts: ['family'], labels: [{ min: 1, median: 20.5, max: 40 }] });
    const listed = await listTables(folder);
    expect(DATA_DOCUMENTS.list.parse(listed)).toEqual(listed);
    expect(listed.tables.map((table) => table.file)).toEqual(['t.csv.gz']);
    expect(listed.others).toMatchObject([{ file: 'mine.csv', code: 'TABLE_UNKNOWN' }]);
    const exported = await exportTable(at('t.csv.gz'), { output: at('t.jsonl'), only: ['lat_ms'] });
    expect(DATA_DOCUMENTS.export.parse(exported)).toEqual(exported);
    expect(readFileSync(at('t.jsonl'), 'utf8').split('\n')[1]).toBe(
      `{"arch":"${SIZES[0]}","family":"f0","lat_ms":1}`,
    );
  });

  it('is split by a column that import kept, and the split is read for this table only', async () => {
    const made = await splitTable(at('t.csv.gz'), {
      by: 'random',
      seed: 1,
      train: 20,
      group: 'family',
      output: at('run'),
    });
    expect(DATA_DOCUMENTS.split.parse(made)).toEqual(made);
    expect(made).toMatchObject({ counts: { train: 20, validation: 0, test: 20 }, duplicates: 0 });
    const table = await readTableFile(at('t.csv.gz'));
    const split = await readSplitFile(at('run.split.json'), table);
    const families = (rows: Uint32Array): Set<string> =>
      new Set(Array.from(rows, (row) => table.text('family').at(row)));
    expect([...families(split.train)].filter((name) => families(split.test).has(name))).toEqual([]);
    const backwards = table.take([...SIZES.keys()].reverse());
    await expect(readSplitFile(at('run.split.json'), backwards)).rejects.toMatchObject({
      code: 'SPLIT_FILE',
      where: { file: at('run.split.json') },
    });
    await expect(readSplitFile(at('none.json'), table)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
  });
});

describe('import', () => {
  it('refuses architectures as paths of files', async () => {
    const work = importTable(plain, { ...PLAIN, space: 'onnx', output: at('x.csv') });
    await expect(work).rejects.toMatchObject({
      code: 'ARCH_TEXT',
      where: { file: plain, path: 'line 2, column 1' },
    });
    const paths = file('paths.csv', 'net,lat_ms\nnets/a.onnx,1\nnets/b.onnx,2\n');
    const { document } = await importTable(paths, { ...PLAIN, space: 'onnx', output: at('x.csv') });
    expect(document).toMatchObject({ space: 'onnx', rows: 2 });
    rmSync(at('x.csv'));
  });

  it('takes tables of published spaces that it cannot build', async () => {
    const path = file('pit.csv', 'net,lat_ms\nanything,1\n');
    expect((await importTable(path, { ...PLAIN, space: 'pit', output: at('p.csv') })).document.rows).toBe(1);
    rmSync(at('p.csv'));
  });

  it('stops when it is told to, and writes nothing', async () => {
    const signal = AbortSignal.abort();
    const work = importTable(plain, { ...PLAIN, output: at('stopped.csv') }, { signal });
    await expect(work).rejects.toMatchObject({ name: 'AbortError' });
    expect(existsSync(at('stopped.csv'))).toBe(false);
  });
});
