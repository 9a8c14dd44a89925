// Benchmarks beside their peers:
//
//   npm run bench -- inspect model.onnx …   reading and counting, against Python's onnx
//   npm run bench -- engine                 training and inference, against PyTorch
//   npm run bench -- layers                 single convolutions of every kind, against PyTorch
//   npm run bench -- shared                 steps on two threads beside a busy program, against one thread
//   npm run bench -- metrics                rank correlations, against SciPy
//   npm run bench -- forest                 random forests, against scikit-learn
//   npm run bench -- predictors p.onnx …    predictors' speed, against PyTorch
//   npm run bench -- proxies                zero-cost proxies, against PyTorch
//   npm run bench -- gennape                GENNAPE's encoder, against PyTorch Geometric
//
// Options of all these: --starts 5, --repeats 9, --warm-up 3, --only REGEX, --json FILE. PYTHON names a Python that has the
// peer's packages. Others have no peer, or their own way:
//
//   npm run bench -- growth                 time against the size of batches, graphs and weights
//   npm run bench -- measure [net.onnx …]   auspex measure, against a loop written by hand
//   npm run bench -- tables [table.csv.gz]  opening tables, against Python's csv
//   npm run bench -- simplify a.onnx …      simplifying and other opsets, against ONNX Runtime and onnx
//   npm run bench -- spaces                 architectures to networks and numbers
//   npm run bench -- page a.onnx b.onnx     the page in Chromium: first paint, opening, layout, frames, predictions
//   npm run bench -- rates                  scores of zero-cost proxies in a second
//   npm run bench -- report FILE.json …     the tables of docs/evidence/speed.md
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { writeOutput } from '../src/store/write-file.js';
import type { Bench, Options } from './bench.js';
import { type Compared, compared } from './blocks.js';
import { documentOf, heading, lineOf } from './document.js';

const COMPARISONS: Readonly<Record<string, () => Promise<{ bench: Bench }>>> = {
  inspect: () => import('./inspect.js'),
  engine: () => import('./engine.js'),
  layers: () => import('./layers.js'),
  shared: () => import('./shared.js'),
  metrics: () => import('./metrics.js'),
  forest: () => import('./forest.js'),
  predictors: () => import('./predictors.js'),
  proxies: () => import('./proxies.js'),
  gennape: () => import('./gennape.js'),
};
const OTHERS: Readonly<Record<string, () => Promise<unknown>>> = {
  growth: () => import('./growth.js'),
  measure: () => import('./measure.js'),
  tables: () => import('./tables.js'),
  simplify: () => import('./simplify.js'),
  spaces: () => import('./spaces.js'),
  page: () => import('./page.js'),
  rates: () => import('./rates.js'),
  report: () => import('./report.js'),
};

const [first, ...rest] = process.argv.slice(2);
const isSide = first === 'side';
const name = (isSide ? rest[0] : first) ?? '';
if (Object.hasOwn(OTHERS, name)) await OTHERS[name]!();
else if (Object.hasOwn(COMPARISONS, name)) {
  const { bench } = await COMPARISONS[name]!();
  if (isSide) await answer(bench, rest.slice(1));
  else await compareAll(bench, rest);
} else {
  const names = [...Object.keys(COMPARISONS), ...Object.keys(OTHERS)];
  console.error(`usage: npm run bench -- ${names.join(' | ')} …`);
  process.exitCode = 2;
}

/** Our side: lines are answered until there are no more. */
async function answer({ options = {}, side }: Bench, args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const run = await side({ values: values as Options['values'], files: positionals });
  console.log(process.version);
  for await (const line of createInterface({ input: process.stdin })) console.log(await run(line));
  process.exit(0);
}

async function compareAll(
  { options = {}, usage, rows, side: _ }: Bench,
  args: readonly string[],
): Promise<void> {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: {
      ...options,
      starts: { type: 'string', default: '5' },
      repeats: { type: 'string', default: '9' },
      'warm-up': { type: 'string', default: '3' },
      only: { type: 'string', default: '' },
      json: { type: 'string' },
    },
    allowPositionals: true,
    tokens: true,
  });
  if (usage !== undefined && positionals.length === 0) {
    console.error(`usage: npm run bench -- ${usage}`);
    process.exit(2);
  }
  const given: Options = { values: values as Options['values'], files: positionals };
  const own = tokens.flatMap((token) =>
    token.kind === 'option' && Object.hasOwn(options, token.name) ? [`--${token.name}`, token.value!] : [],
  );
  const side = {
    command: process.execPath,
    args: [process.argv[1]!, 'side', name, ...own, ...positionals],
    needs: 'auspex',
  };
  const counts = {
    starts: Number(values.starts),
    repeats: Number(values.repeats),
    warmUp: Number(values['warm-up']),
  };
  const folder = mkdtempSync(join(tmpdir(), 'auspex-bench-'));
  try {
    const wanted = (await rows(given, side, folder)).filter((row) =>
      new RegExp(String(values.only)).test(row.name),
    );
    const width = Math.max(...wanted.map((row) => row.name.length));
    console.log(heading(counts, width));
    const found: Compared[] = [];
    for (const row of wanted) {
      const one = await compared(row, counts, (done, all) => {
        if (process.stderr.isTTY) process.stderr.write(`\r${row.name}: ${done} of ${all}\x1b[K`);
      });
      if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
      console.log(lineOf(one, width));
      found.push(one);
    }
    const document = documentOf(name, { ...given.values, files: positionals }, counts, found);
    const text = `${JSON.stringify(document, null, 2)}\n`;
    if (typeof values.json === 'string') await writeOutput(values.json, [new TextEncoder().encode(text)]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
