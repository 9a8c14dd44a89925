// Long tables become wide ones.
import { describe, expect, it } from 'vitest';
import { longBy, pivot } from './pivot.js';
import { Table } from './table.js';
import { TextColumn } from './texts.js';

const lat = {
  name: 'lat',
  unit: 'ms',
  better: 'lower' as const,
  provenance: 'made up',
  transform: 'log' as const,
};

/** Rows of architecture, device, latency. */
function long(rows: readonly (readonly [arch: string, device: string, lat: number])[]): Table {
  return new Table({
    space: 'toy',
    labels: [lat],
    architectures: rows.map(([arch]) => arch),
    columns: { lat: rows.map(([, , value]) => value) },
    texts: new Map([
      ['note', TextColumn.of(rows.map((_, i) => `note ${i}`))],
      ['device', TextColumn.of(rows.map(([, device]) => device))],
    ]),
  });
}

const TABLE = long([
  ['a', 'pixel', 1],
  ['a', 'iphone', 2],
  ['b', 'pixel', 3],
  ['c', 'iphone', 4],
  ['c', 'pixel', 5],
  ['b', 'iphone', Number.NaN],
]);

describe('long tables', () => {
  it('are recognised by the column that repeats their architectures', () => {
    expect(longBy(TABLE)).toBe('device');
    expect(longBy(TABLE.take([0, 2, 4]))).toBeUndefined();
    // Repeated measurements on one device are not long.
    expect(
      longBy(long([...'aabbcc'].map((arch, i) => [arch, i < 3 ? 'p' : 'q', i] as const))),
    ).toBeUndefined();
  });

  it('become one row an architecture with a label a device', () => {
    const { table, values, averaged } = pivot(TABLE, 'device');
    expect(values).toEqual(['iphone', 'pixel']);
    expect(averaged).toBe(0);
    expect([...table.architectures]).toEqual(['a', 'b', 'c']);
    expect(table.labels).toEqual([
      { ...lat, name: 'lat@iphone', provenance: 'made up; device iphone' },
      { ...lat, name: 'lat@pixel', provenance: 'made up; device pixel' },
    ]);
    expect([...table.column('lat@pixel')]).toEqual([1, 3, 5]);
    expect([...table.column('lat@iphone')]).toEqual([2, Number.NaN, 4]);
  });

  it('tell how many values were averaged', () => {
    const { table, averaged } = pivot(
      long([
        ['a', 'p', 1],
        ['a', 'p', 3],
        ['b', 'p', 5],
      ]),
      'device',
    );
    expect([...table.column('lat@p')]).toEqual([2, 5]);
    expect(averaged).toBe(1);
  });

  it('are refused where a row has no device, or there are too many', () => {
    expect(() => pivot(long([['a', '', 1]]), 'device')).toThrow(/row 1 has no device/);
    const many = long(Array.from({ length: 101 }, (_, i) => ['a', `d${i}`, i] as const));
    expect(() => pivot(many, 'device')).toThrow(expect.objectContaining({ code: 'TABLE_PIVOT' }));
    expect(() => pivot(TABLE, 'board')).toThrow(expect.objectContaining({ code: 'TABLE_NO_TEXT' }));
  });
});
