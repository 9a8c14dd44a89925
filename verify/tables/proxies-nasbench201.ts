// Our zero-cost scores of NAS-Bench-201's networks beside those published with NAS-Bench-Suite-Zero.
//
//   node build/verify/tables/proxies-nasbench201.js DATA SCORES.jsonl [--rows 500] [--seconds 3600] [--only snip,zen]
//
// Scores come into the file as they are found and a second run goes on; --seconds 0 only reports. The published ones are
// of a batch of 64 images of CIFAR-10 at PyTorch's first weights; ours of 64 images of Gaussian noise and drawn labels.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import '../../src/ops/index.js';
import { nasBench201 } from '../../src/spaces/cells/nasbench201.js';
import { describeArchitecture } from '../../src/spaces/describe.js';
import { readTableFile } from '../../src/store/table-file.js';
import { costTable } from './correlations.js';
import {
  agreement,
  drawnRows,
  markdown,
  networkOf,
  type ProxyGroup,
  ScoreFile,
  scoreUntil,
} from './scores.js';
import { tensorwatchFlops } from './tensorwatch.js';

/** As published, ours, and the least Spearman correlation that is asked for. */
const COMPARED = [
  ['synflow', 'synflow', 0.95],
  ['l2_norm', 'l2_norm', 0.95],
  ['l2_norm', 'l2_norm:expected', 0.95],
  ['zen', 'zen:released', 0.95],
  ['zen', 'zen', 0.95],
  ['snip', 'snip', 0.85],
  ['grad_norm', 'grad_norm', 0.85],
  ['nwot', 'naswot:given', 0.85],
  ['nwot', 'naswot', undefined],
  ['jacov', 'jacov', undefined],
  ['fisher', 'fisher:released', undefined],
  ['fisher', 'fisher', undefined],
  ['grasp', 'grasp', undefined],
  ['plain', 'plain', undefined],
  ['epe_nas', 'epe_nas', undefined],
] as const;

/** What is scored together, cheap ones first. */
const GROUPS: readonly ProxyGroup[] = [
  ['l2_norm', 'l2_norm:expected'],
  ['synflow'],
  ['naswot:given', 'naswot'],
  ['zen:released', 'zen'],
  ['snip', 'grad_norm', 'plain', 'fisher', 'fisher:released'],
  ['jacov', 'epe_nas'],
  ['grasp'],
].map((proxies) => ({ samples: 64, proxies }));

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: '500' },
    seconds: { type: 'string', default: '3600' },
    only: { type: 'string' },
  },
});
const [data, scores] = positionals;
if (!data || !scores) throw new Error('usage: proxies-nasbench201.js DATA SCORES.jsonl');
const table = await readTableFile(join(data, 'nasbench201_published_proxies.csv.gz'));
const rows = drawnRows(table.rows, Number(flags.rows));
const file = new ScoreFile(scores);
const networks = rows.map((row) => networkOf(nasBench201, table.arch(row)));
await scoreUntil(file, nasBench201.name, networks, {
  seeds: 1,
  groups: GROUPS,
  only: flags.only,
  seconds: Number(flags.seconds),
});
/** Rows in which ours is the published one, up to how it is rounded. */
function equalCounts(column: string, ours: (arch: string) => number): string[] {
  const equal = rows.filter((row) => {
    const theirs = table.column(column)[row]! * 1e6;
    return Math.abs(theirs - ours(table.arch(row))) < 0.5;
  });
  return [column, column, `${equal.length} of ${rows.length} equal`, '', 'equal', ''];
}
/**
 * l2_norm depends on nothing but how many convolutions a cell has and on the draw of weights, so that it orders cells of
 * the same count by chance. This is the correlation of the published draw with its own mean per count, which has ties
 * where a draw has chance.
 */
function l2WithItsMean(): number {
  const published = table.column('l2_norm');
  const count = (arch: string): number => arch.split('nor_conv').length;
  const sums = new Map<number, { sum: number; cells: number }>();
  for (let row = 0; row < table.rows; row++) {
    const known = sums.get(count(table.arch(row))) ?? { sum: 0, cells: 0 };
    sums.set(count(table.arch(row)), { sum: known.sum + published[row]!, cells: known.cells + 1 });
  }
  const means = Array.from(table.architectures, (arch) => {
    const { sum, cells } = sums.get(count(arch))!;
    return sum / cells;
  });
  return agreement(means, [...published])!.rho;
}

const lines = COMPARED.flatMap(([published, ours, floor]) => {
  const found = agreement(
    networks.map(({ arch }) => file.get(nasBench201.name, arch, 0, ours)),
    rows.map((row) => table.column(published)[row]!),
  );
  if (found === undefined) return [];
  const judged = floor === undefined ? '' : `${found.rho >= floor ? 'reached' : 'missed'} (≥ ${floor})`;
  return [[published, ours, String(found.n), found.tau.toFixed(3), found.rho.toFixed(3), judged]];
});
console.log(
  markdown(
    ['published', 'ours', 'networks', 'τ-b', 'Spearman', 'floor'],
    [
      equalCounts('params', (arch) => describeArchitecture(nasBench201, nasBench201.parse(arch)).parameters),
      equalCounts('flops', (arch) => tensorwatchFlops(nasBench201.network(nasBench201.parse(arch)))),
      ...lines,
    ],
  ),
);
const rho = l2WithItsMean();
console.log(
  `\nl2_norm: the mean of cells with the same number of convolutions has a Spearman correlation of ${rho.toFixed(3)} with the ` +
    `published draw; two independent draws agree to about ${(rho * rho).toFixed(3)}.`,
);
console.log(`\n${costTable(file, nasBench201.name)}`);
