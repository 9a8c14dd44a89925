// Goes through folders of ONNX files and says what becomes of each: sizes found, inputs drawn and run, another batch proven
// row by row or refused. Every file has a process of its own with limits of memory and time.
//
//   node build/verify/corpus/sizes.js FOLDER… [--seconds 300] [--json out.jsonl]
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { FileResult, Step } from './sizes-result.js';

/** Of address space, in kB: 6 GB of memory and what Node and ONNX Runtime reserve beside it. */
const MEMORY_KB = 6_000_000 + 6_000_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '300' }, json: { type: 'string' } },
});
const files = positionals.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.onnx'))
    .sort()
    .map((name) => join(folder, name)),
);

function check(file: string): FileResult {
  const script = join(import.meta.dirname, 'sizes-file.js');
  const command = `ulimit -v ${MEMORY_KB}; exec nice -n 5 "$0" --max-old-space-size=3000 "$1" "$2"`;
  const run = spawnSync('bash', ['-c', command, process.execPath, script, file], {
    encoding: 'utf8',
    timeout: Number(values.seconds) * 1000,
    maxBuffer: 2 ** 26,
  });
  try {
    return JSON.parse(run.stdout) as FileResult;
  } catch {
    const what =
      run.error?.message ??
      (/\w*Error[^\n]*/.exec(run.stderr)?.[0] || `ended by ${run.signal ?? run.status}`);
    return { file, sizes: { isDone: false, code: 'CRASHED', what } };
  }
}

const text = (step: Step | undefined): string =>
  step === undefined ? '–' : step.isDone ? step.what : `${step.code ?? 'DEFECT'}: ${step.what}`;

const results = files.map((file, i) => {
  const found = check(file);
  process.stdout.write(`${i + 1}/${files.length} ${basename(file)}\n`);
  for (const key of ['sizes', 'runs', 'batch', 'open', 'converted'] as const) {
    if (found[key]) process.stdout.write(`    ${key.padEnd(10)}${text(found[key])}\n`);
  }
  return found;
});

const done = (of: readonly FileResult[], key: 'sizes' | 'runs' | 'batch' | 'open' | 'converted'): number =>
  of.filter((found) => found[key]?.isDone).length;
const running = results.filter(({ runs }) => runs?.isDone);
const fixed = running.filter(({ isFixed }) => isFixed);
const open = running.filter(({ isFixed }) => !isFixed);
const codes = new Map<string, number>();
for (const { batch } of fixed) {
  if (batch?.isDone === false)
    codes.set(batch.code ?? 'DEFECT', (codes.get(batch.code ?? 'DEFECT') ?? 0) + 1);
}
process.stdout.write(
  [
    '',
    `${files.length} files; sizes found ${done(results, 'sizes')}, inputs drawn and run ${running.length}`,
    `fixed batch: ${fixed.length} run, re-batched and proven ${done(fixed, 'batch')} (open: ${done(fixed, 'open')})`,
    `fixed batch, as it is or in opset 17 and floats: ${fixed.filter((f) => f.batch?.isDone || f.converted?.isDone).length}`,
    `open batch: ${open.length} run, proven ${done(open, 'batch')}`,
    `refused: ${[...codes].map(([code, count]) => `${code} ${count}`).join(', ') || 'none'}`,
    '',
  ].join('\n'),
);
if (values.json) writeFileSync(values.json, results.map((found) => `${JSON.stringify(found)}\n`).join(''));
