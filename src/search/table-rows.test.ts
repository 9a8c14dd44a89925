import { expect, it } from 'vitest';
import { Table } from '../datasets/table.js';
import { nasBench201 } from '../spaces/cells/nasbench201.js';
import type { AnySpace } from '../spaces/space.js';
import { tableEvaluator } from './evaluators.js';
import { TableRows } from './table-rows.js';
import { tableSpace } from './table-space.js';
import { allTexts, digitSpace, sumOf, unordered } from './toy.testing.js';

function tableOf(space: AnySpace, architectures: readonly string[]): Table {
  const label = { unit: '%', better: 'higher' as const, provenance: 'made up' };
  return new Table({
    space: space.name,
    labels: ['a', 'b'].map((name) => ({ name, ...label })),
    architectures,
    columns: { a: architectures.map(sumOf), b: architectures.map(() => Number.NaN) },
  });
}

it('rows are found once, whoever asks for them', () => {
  const base = digitSpace(3, 3);
  let parsed = 0;
  const space = {
    ...base,
    parse: (text: string) => {
      parsed++;
      return base.parse(text);
    },
  };
  const table = tableOf(space, allTexts(3, 3));
  tableSpace(space, table, ['a']);
  tableEvaluator(space, table, ['a']);
  expect(parsed).toBe(27);
  const rows = TableRows.of(space, table, ['a']);
  expect(TableRows.of(space, table, ['a'])).toBe(rows);
  expect(TableRows.of(space, table)).not.toBe(rows);
  expect(TableRows.of(space, table, ['b', 'a'])).toBe(TableRows.of(space, table, ['a', 'b']));
  expect(TableRows.of(space, table, ['b']).texts).toEqual([]);
});

it('rows are found by hash where a text is not there', () => {
  const space = unordered(digitSpace(3, 3));
  const rows = TableRows.of(space, tableOf(space, ['0,1,2', '1,1,1', '2,1,0']));
  expect(rows.rowOf('2,1,0')).toBe(2);
  expect(rows.rowOf('1,0,2')).toBe(0);
  expect(rows.rowOf('1,0,2', [1, 0, 2])).toBe(0);
  expect(rows.rowOf('0,0,0')).toBeUndefined();
  const isCanonical: AnySpace = { ...space, hasCanonicalTexts: true };
  expect(TableRows.of(isCanonical, tableOf(space, ['0,1,2'])).rowOf('1,0,2')).toBeUndefined();
  expect(() => TableRows.of(nasBench201, tableOf(space, []))).toThrow(/table contains digits/);
});
