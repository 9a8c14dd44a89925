// NAS-Bench-101 against its table: the hash and the parameters of every row, and the number of cells there are.
// Usage: node build/verify/tables/nasbench101.js TABLE.csv.gz [ROWS]. The table has the columns hash, vertices, adjacency
// (upper triangle row by row), ops and params.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { toldKind } from '../../src/analysis/parameters.js';
import { elementCount } from '../../src/graph/tensor.js';
import { nasBench101 } from '../../src/spaces/cells/nasbench101.js';
import { allCells, cellHash, type NasBench101 } from '../../src/spaces/cells/nasbench101-cell.js';

const CELLS = 423_624;
const [path, limit = 'Infinity'] = process.argv.slice(2);
process.exitCode = path === undefined ? 2 : await main(path, Number(limit));

/** Trained parameters of the network as it is written. */
function parametersOf(arch: NasBench101): number {
  let count = 0;
  for (const tensor of nasBench101.network(arch).graph.initializers.values()) {
    if (toldKind(tensor) === 'parameter') count += elementCount(tensor);
  }
  return count;
}

async function main(table: string, most: number): Promise<number> {
  const counts = { rows: 0, hash: 0, parameters: 0, order: 0 };
  const started = performance.now();
  const lines = createInterface({ input: createReadStream(table).pipe(createGunzip()) });
  let columns: string[] | undefined;
  for await (const line of lines) {
    const fields = line.split(',');
    if (columns === undefined) {
      columns = fields;
      continue;
    }
    if (counts.rows >= most) break;
    const row = Object.fromEntries(columns.map((name, i) => [name, fields[i]!]));
    const text = `${row.vertices}:${row.adjacency}:${row.ops!.replaceAll(' ', ',')}`;
    const arch = nasBench101.parse(text);
    counts.rows++;
    if (cellHash(arch) === row.hash) counts.hash++;
    else console.log(`hash differs: ${text}`);
    const parameters = parametersOf(arch);
    if (parameters === Number(row.params)) counts.parameters++;
    else console.log(`parameters differ: ${text} has ${parameters}, the table says ${row.params}`);
    if (nasBench101.format(arch) === text) counts.order++;
    if (counts.rows % 20_000 === 0) console.log(`${counts.rows} rows, ${seconds(started)} s`);
  }
  const { rows } = counts;
  console.log(
    `rows ${rows}; the same hash ${counts.hash}, parameters ${counts.parameters}, order of vertices ${counts.order}`,
  );

  const enumerating = performance.now();
  const hashes = new Set<string>();
  const byVertices: Record<number, number> = {};
  let cells = 0;
  for (const cell of allCells()) {
    cells++;
    byVertices[cell.adjacency.length] = (byVertices[cell.adjacency.length] ?? 0) + 1;
    hashes.add(cellHash(cell));
  }
  console.log(
    `cells ${cells}, distinct hashes ${hashes.size}, ${seconds(enumerating)} s; by vertices:`,
    byVertices,
  );
  const isRight =
    counts.hash === rows && counts.parameters === rows && cells === CELLS && hashes.size === CELLS;
  console.log(isRight ? 'all as published' : 'NOT as published');
  return isRight ? 0 : 1;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}
