// Imports every table of a folder, writes and reads it again in both formats, and lets its space parse every
// architecture.
//   node build/verify/tables/tables.js FOLDER [--sums]
// With --sums every label's count, sum, least and largest value are printed as JSON, to compare with others' readers.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { csvOf } from '../../src/datasets/formats/csv.js';
import { jsonlOf } from '../../src/datasets/formats/jsonl.js';
import { readTable } from '../../src/datasets/importers/read-table.js';
import type { Table } from '../../src/datasets/table.js';
import { SPACES } from '../../src/spaces/index.js';
import { readTableFile } from '../../src/store/table-file.js';
import { AuspexError } from '../../src/util/errors.js';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { sums: { type: 'boolean', default: false } },
});

const folder = positionals[0];
if (folder === undefined) throw new Error('name a folder of tables');

/** What is wrong with a table that was written and read again; undefined when nothing is. */
async function difference(table: Table, pieces: Iterable<Uint8Array>): Promise<string | undefined> {
  const again = await readTable(Buffer.concat([...pieces]));
  if (again.rows !== table.rows) return `${again.rows} rows`;
  for (let row = 0; row < table.rows; row++)
    if (again.arch(row) !== table.arch(row)) return `architecture ${row}`;
  for (const { name } of table.labels) {
    const [a, b] = [again.column(name), table.column(name)];
    for (let row = 0; row < table.rows; row++) if (!Object.is(a[row], b[row])) return `${name} of row ${row}`;
  }
  return undefined;
}

/** How many architectures their space parses, and an error if there is one. */
function parsed(table: Table): string {
  const space = SPACES.find((s) => s.name === table.space);
  if (space === undefined) return 'no such space';
  const texts = new Set<string>();
  let count = 0;
  let problem = '';
  for (const text of table.architectures) {
    try {
      texts.add(space.format(space.parse(text)));
      count++;
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      problem ||= ` (${error.message})`;
    }
  }
  return `${count} parsed, ${texts.size} distinct${problem}`;
}

for (const name of readdirSync(folder).sort()) {
  if (!/\.(csv|jsonl)(\.gz)?$/.test(name)) continue;
  const start = performance.now();
  const table = await readTableFile(join(folder, name));
  const milliseconds = performance.now() - start;
  if (flags.sums) {
    const labels = table.describe().map(({ label, count, min, max }) => {
      const present = table.column(label.name).filter((value) => !Number.isNaN(value));
      return [label.name, { count, sum: present.reduce((a, b) => a + b, 0), min, max }];
    });
    console.log(JSON.stringify({ name, rows: table.rows, labels: Object.fromEntries(labels) }));
    continue;
  }
  const wrong = [await difference(table, csvOf(table)), await difference(table, jsonlOf(table))].filter(
    Boolean,
  );
  console.log(
    `${name}: ${table.space}, ${table.rows} rows, ${table.labels.length} labels, ${milliseconds.toFixed(0)} ms; ` +
      `${parsed(table)}; ${wrong.length === 0 ? 'written and read alike' : `DIFFERENT: ${wrong.join('; ')}`}`,
  );
}
