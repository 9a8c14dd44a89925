// Real files brought to another opset: how many are converted, and how many compute the same to the bit in ONNX Runtime.
// `node build/verify/corpus/opset.js [--to 21] [--peer FOLDER] FILE...`; FOLDER holds what version_converter.py made of
// the same files.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Verification, verified } from '../../src/app/convert/verify.js';
import { readModel, writeModel } from '../../src/onnx/file.js';
import { withOpset } from '../../src/transform/opset.js';
import { AuspexError } from '../../src/util/errors.js';

interface FileResult {
  readonly file: string;
  readonly opset: number | undefined;
  readonly auspex: string;
  readonly peer?: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    to: { type: 'string', default: '21' },
    peer: { type: 'string' },
    one: { type: 'boolean', default: false },
  },
});
const to = Number(values.to);

if (values.one) process.stdout.write(JSON.stringify(await checkFile(positionals[0]!)));
else report(positionals.flatMap(inProcessOfItsOwn));

/** A file that takes too long, or ONNX Runtime with it, does not take the others with it. */
function inProcessOfItsOwn(file: string): FileResult[] {
  const options = ['--one', '--to', values.to, ...(values.peer ? ['--peer', values.peer] : [])];
  const { stdout, signal, status } = spawnSync(process.execPath, [process.argv[1]!, ...options, file], {
    encoding: 'utf8',
    timeout: 180_000,
    maxBuffer: 2 ** 26,
  });
  const result: FileResult =
    status === 0 ? JSON.parse(stdout) : { file, opset: undefined, auspex: `ended: ${signal ?? status}` };
  const { opset, auspex, peer } = result;
  if (opset !== undefined && opset >= to) return [];
  process.stderr.write(`${basename(file)} (${opset}): ${auspex}${peer ? ` | ${peer}` : ''}\n`);
  return [result];
}

async function checkFile(file: string): Promise<FileResult> {
  const folder = mkdtempSync(join(tmpdir(), 'auspex-opset-'));
  let opset: number | undefined;
  try {
    const model = readModel(file);
    opset = model.opsetImports.get('');
    if (opset !== undefined && opset >= to) return { file, opset, auspex: '' };
    const own = join(folder, basename(file));
    let auspex: string;
    try {
      const { model: after } = withOpset(model, to);
      writeModel(after, own);
      auspex = await outcome(() => verified({ models: [model, after], files: [file, own], tolerance: 1 }));
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      auspex = `refused: ${error.describe()}`;
    }
    const other = values.peer && join(values.peer, basename(file));
    if (!other) return { file, opset, auspex };
    const peer = existsSync(other)
      ? await outcome(() => verified({ models: [model, model], files: [file, other], tolerance: 1 }))
      : 'refused';
    return { file, opset, auspex, peer };
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    return { file, opset, auspex: `unreadable: ${error.code}` };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** `equal`, how far apart, or why it was not compared. */
async function outcome(verify: () => Promise<Verification>): Promise<string> {
  try {
    const result = await verify();
    if (result.status === 'not run')
      return `not run${result.isRun ? '' : ', does not load'}: ${result.reason}`;
    const worst = Math.max(0, ...result.outputs.map(({ relative }) => relative));
    return worst === 0 ? 'equal' : `apart: ${worst.toExponential(1)}`;
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    return `broken: ${error.message}`;
  }
}

function report(results: readonly FileResult[]): void {
  const kinds = ['equal', 'apart', 'broken', 'refused', 'not run', 'unreadable', 'ended'];
  const row = (name: string, of: (r: FileResult) => string | undefined): string =>
    [name, ...kinds.map((kind) => results.filter((r) => of(r)?.startsWith(kind)).length)].join('\t');
  const rows = [['', ...kinds].join('\t'), row('auspex', (r) => r.auspex)];
  if (values.peer) rows.push(row('onnx.version_converter', (r) => r.peer));
  process.stdout.write(`${results.length} files below opset ${to}\n${rows.join('\n')}\n`);
}
