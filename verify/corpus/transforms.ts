// Takes the control flow out of every ONNX file of a folder, writes it in floats, and cuts off what has no gradients; then
// runs it before and after in ONNX Runtime. Each file has a process of its own under a limit of memory and time.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type FileResult, lowest, type StepResult } from './transform-results.js';

const HELP = `npm run build:tools && node build/verify/corpus/transforms.js FOLDER [options]

  --memory GB         address space of a process (default: 6)
  --timeout SECONDS   per file (default: 120)
  --only TEXT         files whose name contains it
  --json              one line per file in place of the table
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    memory: { type: 'string', default: '6' },
    timeout: { type: 'string', default: '120' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** Node itself reserves address space that it never uses. */
const RESERVED_GB = 4;

function checkFile(path: string): FileResult {
  const kilobytes = Math.round((Number(values.memory) + RESERVED_GB) * 1024 * 1024);
  const worker = join(import.meta.dirname, 'transform-file.js');
  const script = `ulimit -v ${kilobytes}; exec "$0" "$@"`;
  try {
    const out = execFileSync('sh', ['-c', script, process.execPath, worker, path], {
      timeout: 1000 * Number(values.timeout),
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return JSON.parse(out.trim().split('\n').at(-1)!) as FileResult;
  } catch (error) {
    return { path, steps: {}, left: [], error: (error as Error).message.slice(0, 200) };
  }
}

function formatStep(name: string, step: StepResult): string {
  const least = lowest(step);
  const near = least === undefined ? '' : `, cosine ≥ ${least.toFixed(5)}`;
  const outputs = name === 'cut' ? `, outputs ${step.outputs?.join('; ')}` : '';
  return `  ${name}: ${step.changes ?? 0} changes${near}${outputs}${step.error ? `, ${step.error}` : ''}\n`;
}

const [folder] = positionals;
if (values.help || folder === undefined) {
  process.stdout.write(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  const files = readdirSync(folder).filter((name) => name.endsWith('.onnx') && name.includes(values.only));
  const results = files.sort().map((file) => {
    const result = checkFile(join(folder, file));
    if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
    else {
      const steps = Object.entries(result.steps).map(([name, step]) => formatStep(name, step));
      const left = result.left.length > 0 ? `  left: ${result.left.join(', ')}\n` : '';
      process.stdout.write(
        `${basename(file)}${result.error ? `: ${result.error}` : ''}\n${steps.join('')}${left}`,
      );
    }
    return result;
  });
  for (const name of ['control flow', 'float', 'cut']) {
    const steps = results.flatMap(({ steps: { [name]: step } }) => (step ? [step] : []));
    const near = steps.map((step) => lowest(step) ?? -1);
    const [close, closer] = [0.99, 0.999].map((limit) => near.filter((c) => c >= limit).length);
    const failed = steps.filter(({ error }) => error !== undefined).length;
    process.stderr.write(
      `${name}: ${steps.length} files, cosine ≥ 0.99 in ${close}, ≥ 0.999 in ${closer}, errors in ${failed}\n`,
    );
  }
}
