// How long opening a table takes and how much memory, each time in a process of its own, beside Python's csv module and
// NumPy doing the same: texts in a list, numbers in arrays. In turn, in one run; medians.
//   npm run bench -- tables [FILE.csv.gz …] [--repeats 5]
// Without a file, a table as large as NAS-Bench-101 (423,624 rows, 11 columns) is made up.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzip } from '../src/datasets/formats/gzip.js';
import { readTableFile } from '../src/store/table-file.js';
import { writeOutput } from '../src/store/write-file.js';
import { Random } from '../src/util/random.js';
import { median } from './blocks.js';

const ROWS = 423_624;

const { values: options, positionals } = parseArgs({
  args: process.argv.slice(3),
  allowPositionals: true,
  options: { repeats: { type: 'string', default: '5' }, open: { type: 'string' } },
});

interface Opening {
  readonly rows: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

if (options.open === undefined) await compare();
else await openHere(options.open);

/** What the child does. */
async function openHere(path: string): Promise<void> {
  const start = performance.now();
  const before = process.cpuUsage();
  const { rows } = await readTableFile(path);
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  // Not maxRSS, which a process inherits from the one that started it.
  const [, kilobytes] = /VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))!;
  const opening: Opening = {
    rows,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    megabytes: Number(kilobytes) / 1024,
  };
  console.log(JSON.stringify(opening));
}

async function compare(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'auspex-bench-'));
  try {
    const files = positionals.length > 0 ? positionals : [await madeUp(folder)];
    console.log(`medians of ${options.repeats} processes each, in turn; the first of each does not count`);
    console.log('                                  rows         time     CPU time    peak memory');
    for (const file of files) {
      const ours: Opening[] = [];
      const theirs: Opening[] = [];
      for (let i = 0; i <= Number(options.repeats); i++) {
        ours.push(child(process.execPath, process.argv[1]!, 'tables', '--open', file));
        theirs.push(child(process.env.PYTHON ?? 'python3', 'bench/peers/tables.py', file));
      }
      console.log(basename(file));
      print('auspex', ours.slice(1));
      print("Python's csv", theirs.slice(1));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function child(command: string, ...args: string[]): Opening {
  const { stdout, stderr, status } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as Opening;
}

function print(who: string, openings: readonly Opening[]): void {
  const of = (key: keyof Opening): number => median(openings.map((opening) => opening[key]));
  const cells = [
    String(of('rows')).padStart(24),
    `${of('seconds').toFixed(2)} s`.padStart(13),
    `${of('cpuSeconds').toFixed(2)} s`.padStart(13),
    `${of('megabytes').toFixed(0)} MB`.padStart(15),
  ];
  console.log(`  ${who.padEnd(12)}${cells.join('')}`);
}

/** Cells of NAS-Bench-101's form with made-up numbers. */
async function madeUp(folder: string): Promise<string> {
  const random = Random.seeded(1);
  const ops = ['conv1x1-bn-relu', 'conv3x3-bn-relu', 'maxpool3x3'];
  const hex = (): string => random.uint32().toString(16).padStart(8, '0');
  function* lines(): Generator<Uint8Array> {
    const encoder = new TextEncoder();
    yield encoder.encode(
      'hash,vertices,adjacency,ops,params,test_accuracy,val_accuracy_one_run,val_accuracy_4,val_accuracy_12,val_accuracy_36,train_seconds\n',
    );
    for (let row = 0; row < ROWS; row++) {
      const bits = Array.from({ length: 21 }, () => random.below(2)).join('');
      const cell = Array.from({ length: 5 }, () => random.pick(ops)).join(' ');
      const numbers = Array.from({ length: 5 }, () => random.float().toFixed(9)).join(',');
      const hash = hex() + hex() + hex() + hex();
      yield encoder.encode(
        `${hash},7,${bits},${cell},${random.below(5e7)},${numbers},${random.below(9000)}\n`,
      );
    }
  }
  const path = join(folder, 'made-up.csv.gz');
  await writeOutput(path, gzip(lines()));
  return path;
}
