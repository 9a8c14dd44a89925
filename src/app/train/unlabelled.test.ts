import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Table } from '../../datasets/table.js';
import { kindNamed } from '../../predictors/kinds/index.js';
import { nasBench201 } from '../../spaces/cells/nasbench201.js';
import { unlabelledRows } from './unlabelled.js';

const folder = mkdtempSync(join(tmpdir(), 'auspex-unlabelled-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'more.csv');
const text = nasBench201.example;
writeFileSync(path, `# auspex {"table":1,"space":"nasbench201","labels":{}}\narch\n${text}\n`);

const tableOf = (space: string): Table =>
  new Table({ space, labels: [], architectures: Array.from({ length: 6 }, (_, i) => `a${i}`), columns: {} });
const rows = {
  table: tableOf('nasbench201'),
  train: Uint32Array.of(4, 1),
  validation: Uint32Array.of(2),
};
const semi = kindNamed('accuracy-model');

describe('networks without labels', () => {
  it('are the other rows of the table, unless a split says which rows may be looked at', async () => {
    expect([...(await unlabelledRows(semi, {}, rows))!.rows]).toEqual([0, 3, 5]);
    expect(await unlabelledRows(semi, { split: 'run.split.json' }, rows)).toBeUndefined();
    expect(await unlabelledRows(kindNamed('nn-former'), {}, rows)).toBeUndefined();
  });

  it('are those of another table, where it is given', async () => {
    const found = await unlabelledRows(semi, { unlabelled: path, split: 'run.split.json' }, rows);
    expect([found!.table.arch(0), [...found!.rows]]).toEqual([text, [0]]);
  });

  it('are refused of another space, and by kinds that need labels', async () => {
    const other = { ...rows, table: tableOf('nasbench101') };
    await expect(unlabelledRows(semi, { unlabelled: path }, other)).rejects.toMatchObject({
      code: 'OTHER_SPACE',
    });
    await expect(unlabelledRows(kindNamed('nn-former'), { unlabelled: path }, rows)).rejects.toMatchObject({
      code: 'BAD_OPTION',
    });
  });
});
