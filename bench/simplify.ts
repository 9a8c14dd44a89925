// How many files `convert --simplify` and `convert --opset 21` take, how many nodes are left and how long it takes, beside
// ONNX Runtime's basic optimisation, onnxsim and `onnx.version_converter` on the same files, in turn. Times are of the
// processor, from the file to the bytes of the new one. A file counts only if ONNX Runtime takes it.
//
//   npm run bench -- simplify a.onnx b.onnx …      (PYTHON=path/to/python with onnx and onnxruntime,
//                                                   ONNXSIM=folder in which `npm install onnxsim` ran)
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
const peers = join(import.meta.dirname, '../../bench/peers');
const { answerer: peer, version } = await Answerer.start(
  python([join(peers, 'simplify.py')], 'onnx and onnxruntime'),
);
const [runtime, converter] = version.split(' ');
const { ONNXSIM } = process.env;
const onnxsim =
  ONNXSIM === undefined
    ? undefined
    : await Answerer.start({
        command: process.execPath,
        args: [join(peers, 'onnxsim.mjs'), ONNXSIM],
        needs: 'onnxsim, from npm in the folder that ONNXSIM names,',
      });

/** What one side does with a file. */
type Side = (path: string) => Promise<Done | undefined>;

function done(answer: string): Done | undefined {
  const [ms, nodes] = answer.split(' ').map(Number);
  return Number.isNaN(ms) ? undefined : { ms: ms!, nodes: nodes! };
}

async function isTaken(path: string): Promise<boolean> {
  return done(await peer.ask(`load ${path}`)) !== undefined;
}

const theirs =
  (name: string): Side =>
  async (path) =>
    done(await peer.ask(`${name} ${path}`));

async function byOnnxsim(path: string): Promise<Done | undefined> {
  const [ms, out] = (await onnxsim!.answerer.ask(`simplify ${path}`)).split(' ') as [string, string];
  if (ms === 'failed' || !(await isTaken(out))) return undefined;
  return { ms: Number(ms), nodes: readModel(out).graph.nodes.length };
}

const ours =
  (name: string): Side =>
  async (path) => {
    const before = process.cpuUsage();
    try {
      const { model } = await WORK[name]!(readModel(path));
      const bytes = encodeModel(model);
      const { user, system } = process.cpuUsage(before);
      writeFileSync(written, bytes);
      const { nodes } = model.graph;
      return (await isTaken(written)) ? { ms: (user + system) / 1000, nodes: nodes.length } : undefined;
    } catch (error) {
      console.error(`${basename(path)}: ${(error as Error).message}`);
      return undefined;
    }
  };

/** The median of some runs. */
async function several(side: Side, path: string): Promise<Done | undefined> {
  const all: Done[] = [];
  for (let i = 0; i < REPEATS; i++) {
    const one = await side(path);
    if (one === undefined) return undefined;
    all.push(one);
  }
  return { ms: median(all.map(({ ms }) => ms)), nodes: all[0]!.nodes };
}

const cell = (one: Done | undefined): string =>
  `${one?.ms.toFixed(0).padStart(8) ?? '  failed'}${String(one?.nodes ?? '').padStart(7)}`;

/** What both take, of two columns. */
function compared(rows: readonly (readonly (Done | undefined)[])[], column: number, title: string): void {
  const both = rows.flatMap((row) => (row[0] && row[column] ? [[row[0], row[column]] as const] : []));
  const sum = (of: (pair: readonly [Done, Done]) => number): number =>
    both.reduce((all, pair) => all + of(pair), 0);
  const succeed = (index: number): number => rows.filter((row) => row[index]).length;
  const ratio = median(both.map(([a, b]) => b.ms / a.ms)).toFixed(1);
  console.log(`auspex and ${title}:`);
  console.log(`  succeed: ${succeed(0)} and ${succeed(column)}`);
  console.log(`  nodes of files that both take: ${sum(([a]) => a.nodes)} and ${sum(([, b]) => b.nodes)}`);
  const times = [sum(([a]) => a.ms), sum(([, b]) => b.ms)].map((ms) => ms.toFixed(0));
  console.log(`  their time: ${times.join(' and ')} ms; median ratio ${ratio}x`);
}

const COMPARISONS: Readonly<Record<string, readonly (readonly [string, Side])[]>> = {
  simplify: [
    [`ONNX Runtime ${runtime}, basic`, theirs('simplify')],
    ...(onnxsim === undefined ? [] : [[`onnxsim ${onnxsim.version}, WebAssembly`, byOnnxsim] as const]),
  ],
  opset: [[`onnx.version_converter ${converter}`, theirs('opset')]],
};

for (const [name, others] of Object.entries(COMPARISONS)) {
  const titles = others.map(([title]) => title);
  console.log(`\n${name}: milliseconds of the processor and nodes left, auspex, ${titles.join(', ')}`);
  const rows: (Done | undefined)[][] = [];
  for (const path of paths) {
    if (!(await isTaken(path))) continue;
    const row: (Done | undefined)[] = [];
    for (const side of [ours(name), ...others.map(([, one]) => one)]) row.push(await several(side, path));
    rows.push(row);
    console.log(`${basename(path).slice(-40).padEnd(40)} ${row.map(cell).join(' ')}`);
  }
  console.log(`files that ONNX Runtime takes: ${rows.length}`);
  titles.forEach((title, i) => {
    compared(rows, i + 1, title);
  });
}
await onnxsim?.answerer.close();
await peer.close();
rmSync(folder, { recursive: true });
