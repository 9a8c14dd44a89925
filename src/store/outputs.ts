// The guard before the work: whatever a command will write can be written, is none of its inputs, and replaces no file
// of another kind unless told to. What is wrong is found in the first second, not after hours.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { outputProblem, outputTarget, temporaryOf } from '../onnx/output-file.js';
import { AuspexError } from '../util/errors.js';
import { FILE_KINDS, type FileKind, fileKind } from './file-kind.js';
import { removeStale } from './write-file.js';

export interface PlannedOutput {
  readonly path: string;
  /** What will be written; a folder is created with those above it. */
  readonly kind: FileKind | 'folder';
  /** It is read and continued: it must be of this kind, if it is there. */
  readonly isContinued?: boolean | undefined;
}

export interface OutputPlan {
  readonly outputs: readonly PlannedOutput[];
  /** Paths that are read; `-` and those that are not given are left out. */
  readonly inputs: Iterable<string | undefined>;
  /** Replaces files of any kind, but never an input. */
  readonly force?: boolean | undefined;
}

/**
 * Refuses outputs that would fail or destroy something. Nothing is changed, but for what killed processes left.
 *
 * @throws AuspexError OUTPUT_IS_INPUT, OUTPUT_TWICE, FILE_UNWRITABLE, OUTPUT_EXISTS
 * @example
 * checkOutputs({ outputs: [{ path: 'p.onnx', kind: 'predictor' }], inputs: ['a.csv'] });
 */
export function checkOutputs({ outputs, inputs, force = false }: OutputPlan): void {
  const read = new Map<string, string>();
  for (const path of inputs) {
    const identity = path === undefined || path === '-' ? undefined : identityOf(path);
    if (identity !== undefined) read.set(identity, path!);
  }
  const written = new Map<string, string>();
  for (const output of outputs) {
    const { path } = output;
    const identity = identityOf(path);
    const input = identity === undefined ? undefined : read.get(identity);
    if (input !== undefined) throw isInput(path, input);
    const other = identity === undefined ? undefined : written.get(identity);
    if (other !== undefined) {
      throw new AuspexError('OUTPUT_TWICE', `two outputs are the same file, '${other}' and '${path}'`, {
        where: { file: path },
        hint: 'give each output its own file',
      });
    }
    if (identity !== undefined) written.set(identity, path);
  }
  for (const output of outputs) {
    if (output.kind === 'folder') checkFolder(output.path);
    else checkFile(output.path, { ...output, kind: output.kind }, outputs, force);
  }
}

function isInput(path: string, input: string): AuspexError {
  const same = path === input ? '' : ` (as '${input}')`;
  return new AuspexError('OUTPUT_IS_INPUT', `this file is an input${same}; writing would destroy it`, {
    where: { file: path },
    hint: 'write to another file',
  });
}

/** Equal for paths of one file; undefined for devices, pipes and folders, of which several may use one. */
function identityOf(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat !== undefined) return stat.isFile() ? `${stat.dev}:${stat.ino}` : undefined;
    const target = outputTarget(path);
    return target.kind === 'file'
      ? join(realpathSync(dirname(resolve(target.path))), basename(target.path))
      : undefined;
  } catch {
    // What is wrong with the path is said when it is read or written.
    return resolve(path);
  }
}

function notWritable(path: string, cause: unknown): AuspexError {
  const { reason, hint } = outputProblem(cause);
  return new AuspexError('FILE_UNWRITABLE', `this output cannot be written: ${reason}`, {
    where: { file: path },
    kind: 'failure',
    ...(hint === undefined ? {} : { hint }),
    cause,
  });
}

/** Writes and removes a file beside the one at the path, as writing that one will do. */
function probe(path: string): void {
  const temporary = temporaryOf(path);
  rmSync(temporary, { force: true });
  closeSync(openSync(temporary, 'wx'));
  rmSync(temporary);
}

function checkFolder(path: string): void {
  try {
    let nearest = resolve(path);
    while (!existsSync(nearest)) nearest = dirname(nearest);
    if (!statSync(nearest).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    probe(join(nearest, 'auspex'));
  } catch (cause) {
    throw notWritable(path, cause);
  }
}

function checkFile(
  path: string,
  { kind, isContinued = false }: PlannedOutput & { kind: FileKind },
  outputs: readonly PlannedOutput[],
  force: boolean,
): void {
  try {
    const target = outputTarget(path);
    if (target.kind === 'descriptor') return;
    if (target.kind === 'stream' || target.before !== undefined) accessSync(path, constants.W_OK);
    if (target.kind === 'stream') return;
    const folder = dirname(target.path);
    const isMade = outputs.some(
      (other) => other.kind === 'folder' && resolve(other.path) === resolve(folder),
    );
    if (!existsSync(folder) && isMade) return;
    probe(target.path);
    removeStale(target.path);
    if (target.before === undefined) return;
  } catch (cause) {
    throw notWritable(path, cause);
  }
  const found = fileKind(path);
  // Whether a log is there and may be replaced is for the log to say.
  const isFree = isContinued ? false : force || kind === 'log';
  if (found === 'empty' || found === kind || isFree) return;
  const what = found === 'other' ? 'not one of auspex' : FILE_KINDS[found];
  throw new AuspexError('OUTPUT_EXISTS', `this file exists and is ${what}, not ${FILE_KINDS[kind]}`, {
    where: { file: path },
    hint: isContinued ? 'give the file to continue' : 'write to another file, or overwrite it with --force',
  });
}
