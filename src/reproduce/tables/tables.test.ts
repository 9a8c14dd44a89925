// The tables are data; what can be wrong in them is checked here.
import { describe, expect, it } from 'vitest';
import { LAYOUTS } from '../../datasets/importers/layouts.js';
import { metricNamed } from '../../metrics/index.js';
import { KINDS } from '../../predictors/kinds/index.js';
import { NN_FORMER } from '../../predictors/models/nn-former.js';
import { DATA } from '../data.js';
import { DECODING_METRICS } from '../decoding-metrics.js';
import { reproducedTable, TABLES } from './index.js';

const cells = TABLES.flatMap((table) => table.cells.map((cell) => ({ table, cell })));

describe("the papers' tables", () => {
  it('have names of their own, which are names of files', () => {
    expect(new Set(TABLES.map(({ id }) => id)).size).toBe(TABLES.length);
    for (const { id, cells } of TABLES) {
      expect(new Set(cells.map((cell) => cell.id)).size).toBe(cells.length);
      for (const name of [id, ...cells.map((cell) => cell.id)]) expect(name).toMatch(/^[a-z0-9][a-z0-9_-]*$/);
    }
  });

  it('have labels that tables of their spaces have', () => {
    for (const { cell } of cells) {
      const { space } = DATA[cell.data];
      // Their tables are in the repository and describe themselves.
      if (space.startsWith('nnlqp-')) continue;
      const names = new Set(
        LAYOUTS.filter((layout) => layout.space === space).flatMap(({ labels }) => labels.map((l) => l.name)),
      );
      for (const { train, test } of cell.labels)
        expect([...names]).toEqual(expect.arrayContaining([train, test]));
      for (const name of cell.trunk ?? []) expect([...names]).toContain(name);
    }
  });

  it('have metrics that there are, and published numbers of such', () => {
    for (const { cell } of cells) {
      for (const name of cell.metrics)
        expect(cell.decodes === undefined ? metricNamed(name).name : Object.keys(DECODING_METRICS)).toContain(
          name,
        );
      for (const { metric, value, label } of [...cell.published, ...cell.others]) {
        expect(cell.metrics).toContain(metric);
        expect(Math.abs(value)).toBeGreaterThan(0);
        // Correlations may be negative, and errors are in the label's unit.
        if (metric !== 'mae') expect(Math.abs(value)).toBeLessThan(1);
        if (label !== undefined) expect(cell.labels.map(({ test }) => test)).toContain(label);
      }
      if (cell.floor !== undefined) expect(cell.floor).toBeLessThan(cell.goal!);
    }
  });

  it('train on tables other than the one that is tested, where nothing of it is to be seen', () => {
    for (const { cell } of cells) {
      for (const { data } of cell.sources ?? []) expect(data).not.toBe(cell.data);
      if (cell.rows === 0)
        expect(cell.sources?.length ?? (cell.from === undefined ? 0 : 1)).toBeGreaterThan(0);
    }
  });

  it('have kinds of predictors that there are', () => {
    for (const { cell } of cells) expect([...KINDS.keys()]).toContain(cell.kind);
  });

  it('change only options that the model has', () => {
    for (const { cell } of cells) {
      const { recipe } = cell;
      const known = cell.kind.startsWith('embedding-')
        ? ['of', 'minSamplesLeaf', 'learns']
        : Object.keys(NN_FORMER);
      for (const name of Object.keys(recipe?.model ?? {})) expect(known).toContain(name);
    }
    const variants = reproducedTable('nb101-ablation').cells.map(({ recipe }) => JSON.stringify(recipe));
    expect(new Set(variants).size).toBe(4);
  });

  it('keep a device that is held out from the trunk', () => {
    const transfers = reproducedTable('latency-transfer').cells.filter(({ trunk }) => trunk);
    expect(transfers).toHaveLength(3);
    for (const { labels, trunk } of transfers) {
      expect(trunk).toHaveLength(5);
      expect(trunk).not.toContain(labels[0]!.train);
    }
  });

  it('refuse a name that is none', () => {
    expect(() => reproducedTable('nb301')).toThrow(/no table 'nb301'/);
  });
});
