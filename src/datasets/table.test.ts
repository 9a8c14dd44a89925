import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Label, Table } from './table.js';
import { TableBuilder } from './table-builder.js';
import { TextColumn } from './texts.js';

fc.configureGlobal({ seed: 1 });

const label = (name: string, unit = '%', provenance = 'made up'): Label => ({
  name,
  unit,
  better: 'higher',
  provenance,
});

const small = (): Table =>
  new Table({
    space: 'toy',
    labels: [label('a'), label('b')],
    architectures: ['x', 'y', 'z', 'w'],
    columns: { a: [3, 1, Number.NaN, 2], b: [Number.NaN, 5, Number.NaN, 6] },
  });

describe('TextColumn', () => {
  it('gives back any texts', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        const column = TextColumn.of(texts);
        expect([...column]).toEqual(texts);
        const reversed = texts.map((_, i) => texts.length - 1 - i);
        expect([...column.take(reversed)]).toEqual([...texts].reverse());
      }),
    );
  });

  it('refuses what is not there', () => {
    expect(() => TextColumn.of(['a']).at(1)).toThrow(RangeError);
    expect(() => TextColumn.of(['a']).at(-1)).toThrow(RangeError);
  });
});

describe('Table', () => {
  it('gives rows and columns', () => {
    const table = small();
    expect(table.rows).toBe(4);
    expect(table.arch(1)).toBe('y');
    expect([...table.column('a')]).toEqual([3, 1, Number.NaN, 2]);
    expect(() => table.column('c')).toThrow(/no label 'c'/);
  });

  it('takes rows in any order, also twice', () => {
    const taken = small().take([3, 0, 3]);
    expect([...taken.architectures]).toEqual(['w', 'x', 'w']);
    expect([...taken.column('a')]).toEqual([2, 3, 2]);
    expect([...taken.column('b')]).toEqual([6, Number.NaN, 6]);
  });

  it('keeps rows whose labels are all there', () => {
    expect([...small().withPresent(['a']).architectures]).toEqual(['x', 'y', 'w']);
    expect([...small().withPresent(['a', 'b']).architectures]).toEqual(['y', 'w']);
    expect(small().withPresent([]).rows).toBe(4);
  });

  it('selects labels', () => {
    const selected = small().select(['b']);
    expect(selected.labels.map((l) => l.name)).toEqual(['b']);
    expect(() => selected.column('a')).toThrow(/no label/);
    expect(() => small().select(['a', 'a'])).toThrow(/two columns named 'a'/);
  });

  it('describes labels', () => {
    const [a, b] = small().describe();
    expect(a).toMatchObject({ count: 3, missing: 1, min: 1, median: 2, max: 3 });
    expect(b).toMatchObject({ count: 2, missing: 2, min: 5, median: 5.5, max: 6 });
    const none = new Table({
      space: 's',
      labels: [label('a')],
      architectures: ['x'],
      columns: { a: [Number.NaN] },
    });
    expect(none.describe()[0]).toMatchObject({ count: 0, missing: 1, min: Number.NaN, median: Number.NaN });
  });

  it('joins tables, what one lacks missing', () => {
    const other = new Table({
      space: 'toy',
      labels: [label('c'), label('a', '%', 'measured')],
      architectures: ['v'],
      columns: { c: [9], a: [8] },
    });
    const joined = Table.concat([small(), other]);
    expect([...joined.architectures]).toEqual(['x', 'y', 'z', 'w', 'v']);
    expect(joined.labels.map((l) => l.name)).toEqual(['a', 'b', 'c']);
    expect(joined.label('a').provenance).toBe('made up; measured');
    expect([...joined.column('a')]).toEqual([3, 1, Number.NaN, 2, 8]);
    expect([...joined.column('b')].at(-1)).toBeNaN();
    expect([...joined.column('c')]).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN, 9]);
  });

  it('does not join what does not fit', () => {
    const make = (space: string, unit: string): Table =>
      new Table({ space, labels: [label('a', unit)], architectures: ['x'], columns: { a: [1] } });
    expect(() => Table.concat([])).toThrow(/no tables/);
    expect(() => Table.concat([make('s', '%'), make('t', '%')])).toThrow(/different spaces/);
    expect(() => Table.concat([make('s', '%'), make('s', 'ms')])).toThrow(/different things/);
  });

  it('refuses columns and labels that do not fit', () => {
    const make = (names: string[], columns: Record<string, number[]>) => () =>
      new Table({ space: 's', labels: names.map((n) => label(n)), architectures: ['x'], columns });
    expect(make(['a'], { a: [1, 2] })).toThrow(/2 values for 1 architectures/);
    expect(make(['a'], {})).toThrow(/0 values/);
    expect(make(['toString'], {})).toThrow(/0 values/);
    expect(make(['arch'], { arch: [1] })).toThrow(/named 'arch'/);
    expect(make(['a', 'a'], { a: [1] })).toThrow(/two columns/);
    expect(make([''], { '': [1] })).toThrow(/without a name/);
  });
});

describe('TableBuilder', () => {
  it('grows, and leaves missing what was not set', () => {
    const builder = new TableBuilder('toy', [label('a'), label('b')]);
    for (let i = 0; i < 1000; i++) {
      builder.arch.text(`row ${i}`);
      if (i % 3 === 0) builder.set(0, i);
      builder.set(1, -i);
      builder.endRow();
    }
    const table = builder.finish();
    expect(table.rows).toBe(1000);
    expect(table.arch(999)).toBe('row 999');
    expect(table.column('a')[999]).toBe(999);
    expect(table.column('a')[998]).toBeNaN();
    expect(table.column('b')[998]).toBe(-998);
    expect(table.describe()[0]).toMatchObject({ count: 334 });
  });
});
