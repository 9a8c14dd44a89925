// Work features of the networks that bundled devices are fitted to: a line of JSON each.
//
//   node build/verify/devices/features.js DATA GRAPHS > features.jsonl
//
// To be run in the root of the repository, whose own measurements are read, too. DATA has the tables of HELP; GRAPHS has timm's networks as ONNX files, without weights. Of the tables, some
// architectures are drawn with a fixed seed.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { diskResolver } from '../../src/app/resolve.js';
import { workFeatures } from '../../src/predictors/devices/work-features.js';
import { Random } from '../../src/util/random.js';

const TABLES = [
  { set: 'nasbench201', space: 'nasbench201', file: 'nasbench201_latency.csv.gz', rows: 700 },
  { set: 'fbnet', space: 'fbnet', file: 'fbnet_latency.csv.gz', rows: 300 },
  { set: 'ofa', space: 'ofa-mobilenetv3', file: 'ofa_latency.csv.gz', rows: 300 },
];
/** Of each family that was measured for auspex. */
const MEASURED = 'verify/nnlqp';
const MEASURED_ROWS = 45;

const [data, graphs] = process.argv.slice(2);
if (graphs === undefined) {
  console.error('usage: node build/verify/devices/features.js DATA GRAPHS > features.jsonl');
  process.exit(2);
}
const resolver = diskResolver();

function write(set: string, name: string, reference: string, space?: string): void {
  try {
    const network = resolver.network(reference, space === undefined ? {} : { space }).settled();
    const { values, operators } = workFeatures(network);
    console.log(JSON.stringify({ set, name, hash: network.hash(), values, operators }));
  } catch (error) {
    console.error(`${name}: ${(error as Error).message}`);
  }
}

for (const file of readdirSync(graphs)
  .filter((each) => each.endsWith('.onnx'))
  .sort()) {
  write('timm', file.replace(/\.onnx$/, ''), join(graphs, file));
}
const measured = readdirSync(MEASURED)
  .filter((file) => /^nnlqp_.*\.csv\.gz$/.test(file))
  .map((file) => {
    const space = file.replace('.csv.gz', '').replace('_', '-');
    return { set: space, space, file: resolve(MEASURED, file), rows: MEASURED_ROWS };
  });
for (const { set, space, file, rows } of [...TABLES, ...measured]) {
  const [, ...lines] = gunzipSync(readFileSync(resolve(data!, file)))
    .toString()
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  const random = Random.seeded(1);
  for (let row = 0; row < rows; row++) {
    const other = row + random.below(lines.length - row);
    [lines[row], lines[other]] = [lines[other]!, lines[row]!];
    const quoted = /^"((?:[^"]|"")*)"/.exec(lines[row]!)?.[1]?.replaceAll('""', '"');
    const text = quoted ?? lines[row]!.split(',')[0]!;
    write(set, text, text, space);
  }
}
