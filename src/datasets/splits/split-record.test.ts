// Splits in files: only of the table that was split.
import { describe, expect, it } from 'vitest';
import { Table } from '../table.js';
import { tableDigest } from './digests.js';
import { readSplit, type SplitRecord } from './split-record.js';

const table = new Table({ space: 'toy', labels: [], architectures: ['a', 'b', 'c', 'd'], columns: {} });
const record: SplitRecord = {
  schema: 'auspex.data.split/1',
  file: 't.csv',
  space: 'toy',
  by: 'random',
  seed: 3,
  testOnAll: false,
  table: { rows: 4, digest: tableDigest(table) },
  files: { train: 'run.train.csv.gz' },
  rows: { train: [3, 1], validation: [], test: [0, 2] },
};
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

describe('readSplit', () => {
  it('gives the rows of the table that was split', () => {
    expect(readSplit(bytes(record), table)).toEqual({
      by: 'random',
      seed: 3,
      train: Uint32Array.of(3, 1),
      validation: Uint32Array.of(),
      test: Uint32Array.of(0, 2),
      testOnAll: false,
      isVerified: true,
    });
  });

  it('reads files that do not say their table, and tells so', () => {
    const { table: _, ...before } = record;
    expect(readSplit(JSON.stringify(before), table)).toMatchObject({ isVerified: false });
  });

  it.each([
    ['a shuffled table', record, table.take([1, 0, 2, 3]), /order differ/],
    ['a part of the table', record, table.take([0, 1, 2]), /table of 4 rows, but this one has 3/],
    [
      'a row that is not there',
      { ...record, table: undefined, rows: { ...record.rows, test: [9] } },
      table,
      /row 9/,
    ],
    ['another space', { ...record, space: 'z' }, table, /to z, but the table contains toy/],
    ['rows that are none', { ...record, rows: { ...record.rows, train: [-1] } }, table, /rows\.train\.0/],
    ['another document', { schema: 'auspex.data.list/1' }, table, /not a split/],
    ['a list', [], table, /not a split/],
  ])('refuses %s', (_, value, of, message) => {
    const read = (): unknown => readSplit(bytes(value), of);
    expect(read).toThrow(expect.objectContaining({ code: 'SPLIT_FILE' }));
    expect(read).toThrow(message);
  });

  it('refuses what is no JSON', () => {
    expect(() => readSplit('row,set\n', table)).toThrow(/not a split/);
  });
});
