// Compares NAS-Bench-201's networks with the numbers of published tables, on every row.
//   node build/verify/tables/nasbench201.js nasbench201.csv.gz nasbench201_published_proxies.csv.gz
// Needs the columns `arch` and `params_M`, or `params` and `flops` in millions.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { nasBench201 } from '../../src/spaces/cells/nasbench201.js';
import { describeArchitecture } from '../../src/spaces/describe.js';
import { tensorwatchFlops } from './tensorwatch.js';

for (const path of process.argv.slice(2)) {
  const [header, ...lines] = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n');
  const columns = header!.trim().split(',');
  const counts = new Map<
    string,
    { equal: number; whole: number; differ: number; differences: Map<string, number> }
  >();
  const hashes = new Set<string>();
  for (const line of lines) {
    const cells = Object.fromEntries(
      line
        .trim()
        .split(',')
        .map((cell, i) => [columns[i]!, cell]),
    );
    const arch = nasBench201.parse(cells.arch!);
    const found = describeArchitecture(nasBench201, arch);
    hashes.add(found.hash);
    const compared = {
      params_M: found.parameters,
      params: found.parameters,
      flops: cells.flops === undefined ? 0 : tensorwatchFlops(nasBench201.network(arch)),
    };
    for (const [name, ours] of Object.entries(compared)) {
      if (cells[name] === undefined) continue;
      const theirs = Number(cells[name]) * 1e6;
      const count = counts.get(name) ?? { equal: 0, whole: 0, differ: 0, differences: new Map() };
      counts.set(name, count);
      const isEqual = Math.abs(theirs - ours) < 0.5;
      if (isEqual) count.equal++;
      else count.differ++;
      if (!isEqual && Math.abs(theirs - Math.round(theirs)) < 1e-3) count.whole++;
      const difference = Math.round(theirs - ours);
      if (!isEqual) count.differences.set(`${difference}`, (count.differences.get(`${difference}`) ?? 0) + 1);
    }
  }
  console.log(`${path}: ${lines.length} rows, ${hashes.size} cells that compute different things`);
  for (const [name, { equal, differ, whole, differences }] of counts) {
    const common = [...differences].sort((a, b) => b[1] - a[1]).slice(0, 5);
    console.log(`  ${name}: ${equal} equal, ${differ} differ (${whole} of them whole numbers)`, common);
  }
}
