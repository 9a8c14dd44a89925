// Which architectures a predictor has seen, in 8 bytes each: the first half of a digest of each canonical text, sorted.
// 4,000 architectures take 32 KB (43 KB as base64); that one of 100,000 others is taken for one of them has a chance
// of 1 in 46 billion.

import { digest } from '../../util/digest.js';
import { AuspexError } from '../../util/errors.js';
import type { Table } from '../table.js';

/** Digests of architectures, as a sorted set. */
export class ArchDigests {
  /** Upper and lower halves in turn, ascending. */
  readonly #words: Uint32Array;

  private constructor(words: Uint32Array) {
    this.#words = words;
  }

  /** @param keys canonical texts, such as a space's hashes; equal ones count once */
  static of(keys: Iterable<string>): ArchDigests {
    const numbers = new Set<bigint>();
    for (const key of keys) {
      const [upper, lower] = halves(key);
      numbers.add((BigInt(upper) << 32n) | BigInt(lower));
    }
    const sorted = BigUint64Array.from(numbers).sort();
    return new ArchDigests(
      Uint32Array.from({ length: 2 * sorted.length }, (_, i) =>
        Number(i % 2 === 0 ? sorted[i >> 1]! >> 32n : sorted[i >> 1]! & 0xffffffffn),
      ),
    );
  }

  /** Reads what `toString` gives. Code: DIGESTS_DAMAGED. */
  static parse(text: string): ArchDigests {
    const damaged = (): AuspexError =>
      new AuspexError('DIGESTS_DAMAGED', 'the digests of architectures are damaged');
    let bytes: string;
    try {
      bytes = atob(text);
    } catch {
      throw damaged();
    }
    if (bytes.length % 8 !== 0) throw damaged();
    const view = new DataView(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)).buffer);
    const words = Uint32Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i));
    for (let i = 2; i < words.length; i += 2) {
      if ((words[i]! - words[i - 2]! || words[i + 1]! - words[i - 1]!) <= 0) throw damaged();
    }
    return new ArchDigests(words);
  }

  /** How many different architectures. */
  get size(): number {
    return this.#words.length / 2;
  }

  has(key: string): boolean {
    const [upper, lower] = halves(key);
    const words = this.#words;
    let from = 0;
    let to = this.size;
    while (from < to) {
      const middle = (from + to) >> 1;
      const difference = words[2 * middle]! - upper || words[2 * middle + 1]! - lower;
      if (difference === 0) return true;
      if (difference < 0) from = middle + 1;
      else to = middle;
    }
    return false;
  }

  /** As base64, to be kept in a file. */
  toString(): string {
    const view = new DataView(new ArrayBuffer(4 * this.#words.length));
    this.#words.forEach((word, i) => {
      view.setUint32(4 * i, word);
    });
    let bytes = '';
    for (let i = 0; i < view.byteLength; i++) bytes += String.fromCharCode(view.getUint8(i));
    return btoa(bytes);
  }
}

/** What equal architectures have in common: a space's hash, or the text itself. */
export type ArchKey = (arch: string) => string;

const asItIs: ArchKey = (arch) => arch;

/**
 * Digests of the architectures of some rows.
 *
 * @example
 * const seen = digestsOf(table, split.train, keyOf);
 * isSeen(seen, table.arch(7), keyOf);
 */
export function digestsOf(table: Table, rows: Iterable<number>, key: ArchKey = asItIs): ArchDigests {
  return ArchDigests.of(keys(table, rows, key));
}

/** Whether an architecture is among those of a set, made with the same key. */
export function isSeen(digests: ArchDigests, arch: string, key: ArchKey = asItIs): boolean {
  return digests.has(key(arch));
}

/** A digest of all architectures of a table in their order, which tells it from a shuffled or changed one. */
export function tableDigest(table: Table): string {
  let chained = `${table.space} ${table.rows}`;
  for (const arch of table.architectures) chained = digest(`${chained} ${arch}`);
  return chained.length === 32 ? chained : digest(chained);
}

function* keys(table: Table, rows: Iterable<number>, key: ArchKey): Generator<string> {
  for (const row of rows) yield key(table.arch(row));
}

/** The first 64 bits of a digest. */
function halves(key: string): [upper: number, lower: number] {
  const hex = digest(key);
  return [Number.parseInt(hex.slice(0, 8), 16), Number.parseInt(hex.slice(8, 16), 16)];
}
