// Models on disk (Node only): opened without reading weights, written so that a crash leaves no half file.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Graph, Model } from '../graph/graph.js';
import { subgraphs } from '../graph/graph.js';
import { type ExternalFiles, hasData, type Tensor, tensorByteLength, tensorBytes } from '../graph/tensor.js';
import { ByteRange, type ByteSource } from '../util/bytes.js';
import { AuspexError } from '../util/errors.js';
import {
  discardStaged,
  type OutputTarget,
  outputTarget,
  placeStaged,
  type StagedFile,
  stageFile,
  THROUGH,
  unwritable,
} from './output-file.js';
import { decodeModel, type ReadOptions } from './read.js';
import type { WireWriter } from './wire.js';
import { MAX_MESSAGE_BYTES, modelMessage } from './write.js';

const WINDOW_BYTES = 1024 * 1024;

/** Closes a file when its last range is gone. */
const open = new FinalizationRegistry<number>((descriptor) => closeSync(descriptor));

/** A file that is read where it is asked for. */
export class FileSource implements ByteSource {
  readonly size: number;
  readonly windowBytes = WINDOW_BYTES;
  readonly #path: string;
  readonly #descriptor: number;

  constructor(path: string) {
    this.#path = path;
    [this.#descriptor, { size: this.size }] = openFile(path);
    open.register(this, this.#descriptor);
  }

  read(offset: number, length: number): Uint8Array {
    return readPart(this.#path, this.#descriptor, offset, length);
  }
}

/** A file that is open only while it is read: a model may have its weights in thousands of them. */
class ReopenedSource implements ByteSource {
  readonly size: number;
  readonly windowBytes = WINDOW_BYTES;
  readonly #path: string;
  readonly #modifiedMs: number;

  constructor(path: string) {
    this.#path = path;
    const [descriptor, { size, mtimeMs }] = openFile(path);
    closeSync(descriptor);
    this.size = size;
    this.#modifiedMs = mtimeMs;
  }

  read(offset: number, length: number): Uint8Array {
    const [descriptor, { size, mtimeMs }] = openFile(this.#path);
    try {
      if (size === this.size && mtimeMs === this.#modifiedMs) {
        return readPart(this.#path, descriptor, offset, length);
      }
    } finally {
      closeSync(descriptor);
    }
    throw new AuspexError('DATA_CHANGED', 'the file changed after the model was opened', {
      where: { file: this.#path },
      hint: 'open the model again',
    });
  }
}

function openFile(path: string): [descriptor: number, stat: Stats] {
  try {
    // Opening a pipe would wait for someone to write into it.
    const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(descriptor);
    if (stat.isFile()) return [descriptor, stat];
    closeSync(descriptor);
    throw Object.assign(new Error('not a file'), { code: 'EISDIR' });
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'this is not a file',
  EACCES: 'reading this file is not permitted',
};

/** The error of a file that cannot be opened or read. */
export function unreadable(path: string, cause: unknown): AuspexError {
  const { code = 'unknown' } = cause as NodeJS.ErrnoException;
  const reason = REASONS[code] ?? `the file cannot be read (${code})`;
  return new AuspexError('FILE_UNREADABLE', reason, { where: { file: path }, cause });
}

/** All of a small file. @throws AuspexError FILE_UNREADABLE */
export function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function readPart(path: string, descriptor: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    let count: number;
    try {
      // Reads over 1 GiB at a time fail on some systems.
      count = readSync(descriptor, bytes, done, Math.min(length - done, 2 ** 30), offset + done);
    } catch (cause) {
      throw unreadable(path, cause);
    }
    if (count === 0) {
      throw new AuspexError('DATA_TRUNCATED', 'the file became shorter while it was read', {
        where: { file: path, offset: offset + done },
      });
    }
    done += count;
  }
  return bytes;
}

/** External data beside a model: relative paths only, and nothing outside the model's folder. */
class FolderFiles implements ExternalFiles {
  readonly #folder: string;
  readonly #open = new Map<string, ByteRange>();

  constructor(folder: string) {
    this.#folder = realpathSync(folder);
  }

  open(location: string): ByteRange {
    const known = this.#open.get(location);
    if (known) return known;
    const refuse = (): never => {
      throw new AuspexError('EXTERNAL_DATA', `external data at '${location}' is outside the model's folder`, {
        hint: "external data must be inside the model's folder",
      });
    };
    const outside = (path: string): boolean => {
      const way = relative(this.#folder, path);
      return way === '' || way.split(sep)[0] === '..' || isAbsolute(way);
    };
    if (isAbsolute(location) || /^[a-zA-Z]:|\0|\\/.test(location)) refuse();
    const path = resolve(this.#folder, location);
    if (outside(path)) refuse();
    let real: string;
    try {
      real = realpathSync(path);
    } catch (cause) {
      throw new AuspexError('DATA_MISSING', `the weight file '${location}' is missing`, {
        hint: 'put it beside the model',
        cause,
      });
    }
    if (outside(real)) refuse();
    const source = new ReopenedSource(real);
    const range = new ByteRange(source, 0, source.size);
    this.#open.set(location, range);
    return range;
  }
}

interface ReadFileOptions extends ReadOptions {
  /** False: the file is open only while something is read, for thousands of models at once. */
  readonly isKeptOpen?: boolean;
}

/**
 * Reads a model from a path or from bytes. Weights are not read: a file of any size opens in milliseconds,
 * and missing files with external data are noticed only when their data is asked for.
 *
 * @example
 * const model = readModel('resnet50.onnx');
 * console.log(model.graph.nodes.length);
 */
export function readModel(
  from: string | Uint8Array,
  { isKeptOpen = true, ...options }: ReadFileOptions = {},
): Model {
  if (typeof from !== 'string') return decodeModel(from, options);
  const source = isKeptOpen ? new FileSource(from) : new ReopenedSource(from);
  try {
    return decodeModel(source, { externalFiles: new FolderFiles(dirname(from)), ...options });
  } catch (error) {
    throw error instanceof AuspexError ? error.within({ file: from }) : error;
  }
}

export interface WriteOptions {
  /**
   * Where weights go: `auto` puts them into a file beside the model when it would pass 2 GiB,
   * `always` does so for every tensor of 1 KiB and more.
   */
  externalData?: 'auto' | 'always';
}

const EXTERNAL_FROM_BYTES = 1024;
/** Offsets are multiples of a page, so that runtimes can map the weights into memory. */
const ALIGNMENT = 4096;

/**
 * Writes a model to a path, with external data if it is too large for one file. Either all of it is there afterwards, or
 * nothing has changed.
 *
 * @example
 * const arch = 'nats-size:8:8:8:8:8';
 * writeModel(network(arch).model(), 'small.onnx');
 * cost('small.onnx').totals.parameters === network(arch).counts().parameters; // true
 */
export function writeModel(model: Model, path: string, options: WriteOptions = {}): void {
  const total = totalDataBytes(model.graph);
  const split = options.externalData === 'always' || total > MAX_MESSAGE_BYTES - 64 * 1024 * 1024;
  if (!split) {
    writeAtomically(path, (write) => modelMessage(model).pieces().forEach(write));
    return;
  }
  const target = fileTarget(path);
  const location = `${basename(target.path)}.data`;
  const placed = new Map<Tensor['data'], { location: string; offset: number; length: number }>();
  let message: WireWriter | undefined;
  const data = join(dirname(path), location);
  const weights = stage(data, fileTarget(join(dirname(target.path), location)), (write) => {
    let at = 0;
    message = modelMessage(model, (tensor) => {
      const length = tensorByteLength(tensor);
      if (length < EXTERNAL_FROM_BYTES || !hasData(tensor)) return undefined;
      const before = placed.get(tensor.data);
      if (before) return before;
      const padding = (ALIGNMENT - (at % ALIGNMENT)) % ALIGNMENT;
      write(new Uint8Array(padding));
      const place = { location, offset: at + padding, length };
      write(tensorBytes(tensor));
      at = place.offset + length;
      placed.set(tensor.data, place);
      return place;
    });
  });
  try {
    const structure = stage(path, target, (write) => message!.pieces().forEach(write));
    replaceTogether(weights, structure);
  } finally {
    discardStaged(weights);
  }
}

function totalDataBytes(graph: Graph): number {
  let total = 0;
  for (const tensor of graph.initializers.values()) total += tensorByteLength(tensor);
  for (const node of graph.nodes) {
    for (const attribute of node.attributes.values()) {
      if (attribute.type === 'tensor') total += tensorByteLength(attribute.value);
    }
    for (const [, inner] of subgraphs(node)) total += totalDataBytes(inner);
  }
  return total;
}

type Fill = (write: (bytes: Uint8Array) => void) => void;

/** Replaces a file whole, or writes through what is none. */
export function writeAtomically(path: string, fill: Fill): void {
  const target = attemptTo(path, () => outputTarget(path));
  if (target.kind === 'file') {
    replace(stage(path, target, fill));
    return;
  }
  attemptTo(path, () => {
    const descriptor = target.kind === 'stream' ? openSync(target.path, THROUGH) : target.descriptor;
    try {
      fill((bytes) => writeAll(descriptor, bytes));
    } finally {
      if (target.kind === 'stream') closeSync(descriptor);
    }
  });
}

/** Of an output that must be a regular file. */
function fileTarget(path: string): OutputTarget & { kind: 'file' } {
  const target = attemptTo(path, () => outputTarget(path));
  if (target.kind === 'file') return target;
  throw new AuspexError('FILE_UNWRITABLE', 'a model with weights in a second file must be a regular file', {
    where: { file: path },
    kind: 'failure',
    hint: 'write to a regular file',
  });
}

function attemptTo<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

/** A file that is complete but does not stand in its place yet. */
interface Staged extends Pick<StagedFile, 'path' | 'temporary'> {
  /** The path as it was given. */
  readonly given: string;
}

/** Puts two files in place; if the second cannot be, the first is as it was before. */
function replaceTogether(first: Staged, second: Staged): void {
  const before = lstatSync(first.path, { throwIfNoEntry: false });
  const backup = `${first.path}.${process.pid}.old`;
  let isMoved = false;
  let isReplaced = false;
  try {
    if (before && !before.isDirectory()) {
      renameSync(first.path, backup);
      isMoved = true;
    }
    replace(first);
    isReplaced = true;
    replace(second);
  } catch (cause) {
    discardStaged(second);
    if (isMoved) renameSync(backup, first.path);
    else if (isReplaced) rmSync(first.path, { force: true });
    throw unwritable(first.given, cause);
  }
  if (isMoved) rmSync(backup);
}

function replace(staged: Staged): void {
  try {
    placeStaged(staged);
  } catch (cause) {
    discardStaged(staged);
    throw unwritable(staged.given, cause);
  }
}

function stage(given: string, target: OutputTarget & { kind: 'file' }, fill: Fill): Staged {
  const { path, temporary, descriptor } = attemptTo(given, () => stageFile(target));
  let isOpen = true;
  try {
    fill((bytes) => writeAll(descriptor, bytes));
    fsyncSync(descriptor);
    isOpen = false;
    closeSync(descriptor);
    return { given, path, temporary };
  } catch (cause) {
    if (isOpen) closeSync(descriptor);
    discardStaged({ temporary });
    throw unwritable(given, cause);
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(descriptor, bytes, done, Math.min(bytes.length - done, 2 ** 30));
    } catch (error) {
      // A pipe that does not block, and whose reader has not come this far.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
