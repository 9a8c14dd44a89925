import { describe, expect, it } from 'vitest';
import { Table } from '../datasets/table.js';
import { Random } from '../util/random.js';
import { developmentRows, drawRows } from './draw-rows.js';
import type { ResultCell } from './table.js';

const CELL: ResultCell = {
  id: 'cell',
  series: 'cell',
  data: 'nasbench201',
  kind: 'nn-former',
  rows: 50,
  validation: 20,
  labels: [{ train: 'valid', test: 'test' }],
  scale: 'linear',
  metrics: ['tau-b'],
  published: [],
  others: [],
  differs: [],
};

/** Every seventh row has no `valid`, every eleventh no `other`. */
function tableOf(rows: number): Table {
  const label = (name: string) => ({ name, unit: '', better: 'higher' as const, provenance: '' });
  const column = (every: number): Float64Array =>
    Float64Array.from({ length: rows }, (_, row) => (row % every === every - 1 ? Number.NaN : row));
  return new Table({
    space: 'toy',
    labels: [label('valid'), label('test'), label('other')],
    architectures: Array.from({ length: rows }, (_, row) => `a${row}`),
    columns: { valid: column(7), test: column(rows + 1), other: column(11) },
  });
}

describe('rows that recipes were chosen on', () => {
  it('are the first 1,000 of a shuffle with a seed of their own', () => {
    // The shuffle as a map of what was moved, without the array.
    const rows = 12_534;
    const random = Random.seeded(4242, 1);
    const moved = new Map<number, number>();
    const at = (place: number): number => moved.get(place) ?? place;
    const expected = Array.from({ length: 1000 }, (_, i) => {
      const j = i + random.below(rows - i);
      const drawn = at(j);
      moved.set(j, at(i));
      return drawn;
    });
    expect([...developmentRows(rows)]).toEqual(expected);
  });

  it('are different rows of the table', () => {
    const found = developmentRows(423_624);
    expect(new Set(found).size).toBe(1000);
    expect(Math.max(...found)).toBeLessThan(423_624);
    // Spread over the table: the mean of 1,000 rows has a deviation of 0.9% of its length.
    const mean = found.reduce((sum, row) => sum + row, 0) / 1000 / 423_624;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.04);
  });

  it('are none of a small table', () => {
    expect(developmentRows(9999)).toHaveLength(0);
    expect(developmentRows(10_000)).toHaveLength(1000);
  });
});

describe('rows of a draw', () => {
  const table = tableOf(10_500);

  it('are disjoint, have all labels and are none of those set aside', () => {
    const { train, validation, test, development, of } = drawRows(table, CELL, 3);
    expect([train.length, validation.length, development]).toEqual([50, 20, 1000]);
    const all = [...train, ...validation, ...test];
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBe(of);
    expect(all.some((row) => row % 7 === 6)).toBe(false);
    const aside = new Set(developmentRows(table.rows));
    expect(all.some((row) => aside.has(row))).toBe(false);
    // Nothing else is missing.
    expect(all.length).toBe(table.rowsWith(['valid']).filter((row) => !aside.has(row)).length);
  });

  it('are others for another seed, and the same for the same', () => {
    expect([...drawRows(table, CELL, 1).train]).toEqual([...drawRows(table, CELL, 1).train]);
    expect([...drawRows(table, CELL, 1).train]).not.toEqual([...drawRows(table, CELL, 2).train]);
  });

  it('are tested alike where a trunk has more of them', () => {
    const drawn = { rows: 400, validation: 100 };
    const scratch = { ...CELL, labels: [{ train: 'test', test: 'test' }], validation: 0, drawn };
    const alone = drawRows(table, scratch, 0);
    const tuned = drawRows(table, { ...scratch, trunk: ['other'] }, 0);
    expect(alone.train).toHaveLength(50);
    expect(alone.validation).toHaveLength(0);
    expect(alone.trunk.train).toHaveLength(400);
    expect([...alone.trunk.train.slice(0, 50)]).toEqual([...alone.train]);
    // With every label there, both would have the same rows; here the trunk's label lacks some.
    expect([...tuned.train, ...tuned.trunk.train, ...tuned.test].some((row) => row % 11 === 10)).toBe(false);
    const full = tableOf(300).select(['test']);
    const small = { ...scratch, drawn: { rows: 100, validation: 20 } };
    expect([...drawRows(full, { ...small, trunk: ['test'] }, 0).test]).toEqual([
      ...drawRows(full, small, 0).test,
    ]);
  });

  it('are tested where their label is above what a cell says', () => {
    const table = tableOf(12_000);
    const all = drawRows(table, CELL, 1);
    const { test, train } = drawRows(table, { ...CELL, above: 6000 }, 1);
    expect([...test]).toEqual([...all.test].filter((row) => row > 6000));
    expect(train).toEqual(all.train);
  });

  it('are tested on in part where a cell says so, the first of all that it could be', () => {
    const table = tableOf(12_000);
    const all = drawRows(table, CELL, 3).test;
    const some = drawRows(table, { ...CELL, tested: 500 }, 3);
    expect([...some.test]).toEqual([...all.subarray(0, 500)]);
    // At random: their mean has a deviation of 1.3% of the table.
    const mean = some.test.reduce((sum, row) => sum + row, 0) / 500 / 12_000;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.06);
  });
});
