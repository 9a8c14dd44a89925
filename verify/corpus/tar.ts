// Reads a gzipped tar file entry by entry, so that no more than a block of it is in memory.
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

const BLOCK = 512;

/** Called with the bytes of an entry, in pieces. */
export type EntrySink = (piece: Uint8Array) => void;

/**
 * Gives the files of a tarball to sinks.
 *
 * @param sinkOf the sink of an entry by its path; undefined where it is not wanted
 */
export async function readTarball(
  path: string,
  sinkOf: (entry: string) => EntrySink | undefined,
): Promise<void> {
  const entries = new EntryReader(sinkOf);
  await pipeline(createReadStream(path), createGunzip(), async (pieces: AsyncIterable<Uint8Array>) => {
    for await (const piece of pieces) entries.push(piece);
  });
  if (!entries.isComplete) throw new Error(`${path}: the tar file ends in the middle of an entry`);
}

/** Long names stand in entries of their own, in front of the entry they belong to. */
const LONG_NAME = 'L';
const EXTENDED = 'x';
const FILE: ReadonlySet<string> = new Set(['0', '\0', '']);

class EntryReader {
  readonly #sinkOf: (entry: string) => EntrySink | undefined;
  readonly #header = new Uint8Array(BLOCK);
  #headerBytes = 0;
  #left = 0;
  #padding = 0;
  #sink: EntrySink | undefined;
  #longName: string | undefined;

  constructor(sinkOf: (entry: string) => EntrySink | undefined) {
    this.#sinkOf = sinkOf;
  }

  get isComplete(): boolean {
    return this.#left === 0 && this.#headerBytes === 0;
  }

  push(piece: Uint8Array): void {
    let rest = piece;
    while (rest.length > 0) rest = rest.subarray(this.#take(rest));
  }

  /** How many bytes were used. */
  #take(bytes: Uint8Array): number {
    if (this.#left > 0) {
      const part = bytes.subarray(0, this.#left);
      this.#sink?.(part);
      this.#left -= part.length;
      return part.length;
    }
    if (this.#padding > 0) {
      const skipped = Math.min(this.#padding, bytes.length);
      this.#padding -= skipped;
      return skipped;
    }
    const part = bytes.subarray(0, BLOCK - this.#headerBytes);
    this.#header.set(part, this.#headerBytes);
    this.#headerBytes += part.length;
    if (this.#headerBytes === BLOCK) {
      this.#headerBytes = 0;
      this.#begin();
    }
    return part.length;
  }

  #begin(): void {
    // Two empty blocks end the archive.
    if (this.#header.every((byte) => byte === 0)) return;
    const kind = textIn(this.#header, 156, 1);
    this.#left = sizeIn(this.#header);
    this.#padding = (BLOCK - (this.#left % BLOCK)) % BLOCK;
    if (kind === LONG_NAME || kind === EXTENDED) {
      const pieces: Uint8Array[] = [];
      this.#sink = (piece) => {
        pieces.push(piece.slice());
        const text = Buffer.concat(pieces).toString('utf8');
        this.#longName =
          kind === LONG_NAME
            ? text.replace(/\0.*$/s, '')
            : (/(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1] ?? this.#longName);
      };
      return;
    }
    const [prefix, name] = [textIn(this.#header, 345, 155), textIn(this.#header, 0, 100)];
    const entry = this.#longName ?? (prefix === '' ? name : `${prefix}/${name}`);
    this.#longName = undefined;
    this.#sink = FILE.has(kind) ? this.#sinkOf(entry) : undefined;
  }
}

function textIn(header: Uint8Array, start: number, length: number): string {
  const text = Buffer.from(header.subarray(start, start + length)).toString('utf8');
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

/** In octal digits. */
function sizeIn(header: Uint8Array): number {
  const size = Number.parseInt(textIn(header, 124, 12).trim() || '0', 8);
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('the tar file has a header without a size');
  return size;
}
