// How many files `convert --simplify` and `convert --opset 21` take, how many nodes are left and how long it takes, beside
// ONNX Runtime's basic optimisation and `onnx.version_converter` on the same files, in turn. Times are of the processor,
// from the file to the bytes of the new one. A file counts only if ONNX Runtime takes it.
//
//   npm run bench -- simplify a.onnx b.onnx …      (PYTHON=path/to/python with onnx and onnxruntime)
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Model } from '../src/graph/graph.js';
import { readModel } from '../src/onnx/file.js';
import { encodeModel } from '../src/onnx/write.js';
import { withOpset } from '../src/transform/opset.js';
import { simplified } from '../src/transform/simplify/simplify.js';
import type { Transformed } from '../src/transform/transform.js';
import { Answerer, python } from './answerer.js';
import { median } from './blocks.js';

const REPEATS = 3;
const OPSET = 21;

/** What became of a file. */
interface Done {
  readonly ms: number;
  readonly nodes: number;
}

const WORK: Readonly<Record<string, (model: Model) => Transformed | Promise<Transformed>>> = {
  simplify: (model) => simplified(model),
  opset: (model) => withOpset(model, OPSET),
};

const paths = process.argv.slice(3);
if (paths.length === 0) {
  console.error('usage: npm run bench -- simplify a.onnx b.onnx …');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'auspex-bench-'));
const written = join(folder, 'out.onnx');
const script = join(import.meta.dirname, '../../bench/peers/simplify.py');
const { answerer: peer, version } = await Answerer.start(python([script], 'onnx and onnxruntime'));
const [runtime, converter] = version.split(' ');

function theirs(answer: string): Done | undefined {
  const [ms, nodes] = answer.split(' ').map(Number);
  return Number.isNaN(ms) ? undefined : { ms: ms!, nodes: nodes! };
}

async function ours(name: string, path: string): Promise<Done | undefined> {
  const before = process.cpuUsage();
  try {
    const { model } = await WORK[name]!(readModel(path));
    const bytes = encodeModel(model);
    const { user, system } = process.cpuUsage(before);
    writeFileSync(written, bytes);
    const isTaken = theirs(await peer.ask(`load ${written}`)) !== undefined;
    return isTaken ? { ms: (user + system) / 1000, nodes: model.graph.nodes.length } : undefined;
  } catch (error) {
    console.error(`${basename(path)}: ${(error as Error).message}`);
    return undefined;
  }
}

/** The median of some runs. */
async function several(run: () => Promise<Done | undefined>): Promise<Done | undefined> {
  const all: Done[] = [];
  for (let i = 0; i < REPEATS; i++) {
    const done = await run();
    if (done === undefined) return undefined;
    all.push(done);
  }
  return { ms: median(all.map(({ ms }) => ms)), nodes: all[0]!.nodes };
}

const cell = (done: Done | undefined): string =>
  `${done?.ms.toFixed(0).padStart(8) ?? '  failed'}${String(done?.nodes ?? '').padStart(7)}`;

for (const [name, title] of [
  ['simplify', `ONNX Runtime ${runtime}, basic`],
  ['opset', `onnx.version_converter ${converter}`],
] as const) {
  console.log(`\n${name}: milliseconds of the processor and nodes left, auspex and ${title}`);
  const rows: [Done | undefined, Done | undefined][] = [];
  let taken = 0;
  for (const path of paths) {
    if (theirs(await peer.ask(`load ${path}`)) === undefined) continue;
    taken++;
    const pair: [Done | undefined, Done | undefined] = [
      await several(() => ours(name, path)),
      await several(async () => theirs(await peer.ask(`${name} ${path}`))),
    ];
    rows.push(pair);
    console.log(`${basename(path).slice(-40).padEnd(40)} ${cell(pair[0])} ${cell(pair[1])}`);
  }
  const both = rows.filter((row): row is [Done, Done] => row[0] !== undefined && row[1] !== undefined);
  const sum = (of: (row: [Done, Done]) => number): number => both.reduce((all, row) => all + of(row), 0);
  console.log(`files that ONNX Runtime takes: ${taken}`);
  console.log(`succeed: ${rows.filter(([a]) => a).length} and ${rows.filter(([, b]) => b).length}`);
  console.log(`nodes of files that both take: ${sum(([a]) => a.nodes)} and ${sum(([, b]) => b.nodes)}`);
  console.log(
    `their time: ${sum(([a]) => a.ms).toFixed(0)} and ${sum(([, b]) => b.ms).toFixed(0)} ms; median ratio ` +
      `${median(both.map(([a, b]) => b.ms / a.ms)).toFixed(1)}x`,
  );
}
await peer.close();
rmSync(folder, { recursive: true });
