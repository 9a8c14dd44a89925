// Writes one table of networks of several families, for `auspex train family-ranking`: rows drawn from benchmark tables, the
// rank of their accuracy within the family, and the accuracy on CIFAR-10 where that is what was measured.
//
//   node build/verify/tables/family-table.js DATA OUT.csv [ROWS]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { averageRanks } from '../../src/metrics/order.js';
import { readTableFile } from '../../src/store/table-file.js';
import { Random } from '../../src/util/random.js';

const [data, out, rows = '2000'] = process.argv.slice(2);
if (data === undefined || out === undefined) {
  console.error('usage: node build/verify/tables/family-table.js DATA OUT.csv [ROWS]');
  process.exit(2);
}

/** File, column, and by how much it is multiplied to be per cent on CIFAR-10; none for other data. */
const FAMILIES: readonly (readonly [file: string, column: string, cifar10?: number])[] = [
  ['nasbench101.csv.gz', 'test_accuracy', 100],
  ['nasbench201.csv.gz', 'cifar10_test', 1],
  ['nasbench301_sample.jsonl.gz', 'val_accuracy', 1],
  ['natsbench_sss.csv.gz', 'cifar10', 1],
  ['ofa_mbv3_mit_ofa.jsonl.gz', 'accuracy'],
  ['accel_nasbench.jsonl.gz', 'val_top1'],
];

const lines = ['arch,accuracy_rank,cifar10_accuracy'];
for (const [file, column, cifar10] of FAMILIES) {
  const table = await readTableFile(join(data, file));
  const known = table.rowsWith([column]);
  const chosen = Random.seeded(7)
    .sample(known.length, Number(rows))
    .map((place) => known[place]!);
  const values = Float64Array.from(chosen, (row) => table.column(column)[row]!);
  const ranks = averageRanks(values);
  chosen.forEach((row, i) => {
    const text = `${table.space}:${table.arch(row)}`;
    const accuracy = cifar10 === undefined ? '' : (values[i]! * cifar10).toFixed(3);
    lines.push(`"${text.replaceAll('"', '""')}",${(ranks[i]! / chosen.length).toFixed(5)},${accuracy}`);
  });
}
writeFileSync(out, `${lines.join('\n')}\n`);
