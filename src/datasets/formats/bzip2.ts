// Unpacks bzip2, block by block: Huffman codes → move-to-front and run lengths → the inverse Burrows–Wheeler transform
// → run lengths again. Every block's checksum is compared. (Seward 1996; no specification exists but the program.)
import { AuspexError } from '../../util/errors.js';

const BLOCK_MAGIC = 0x314159265359;
const END_MAGIC = 0x177245385090;
const MAX_CODE_LENGTH = 20;
/** Symbols after which the next table of codes is chosen. */
const GROUP = 50;
/** Codes up to this many bits are looked up at once. */
const SHORT = 10;
const RUN_A = 0;
const RUN_B = 1;
/** Equal bytes after which a count follows. */
const RUN = 4;

/** CRC-32 with the highest bit first. */
const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc >>> 0;
});

class BitReader {
  readonly #chunks: Iterator<Uint8Array>;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #base = 0;
  #bits = 0;
  #count = 0;

  /** Whether anything was read at all. */
  get hasRead(): boolean {
    return this.#base + this.#at > 0;
  }

  constructor(chunks: Iterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.iterator]();
  }

  /** Whether there is another whole byte. */
  get hasMore(): boolean {
    while (this.#at >= this.#bytes.length) {
      const { value, done } = this.#chunks.next();
      if (done) return false;
      this.#base += this.#at;
      this.#bytes = value;
      this.#at = 0;
    }
    return true;
  }

  /** Up to 24 bits. */
  bits(count: number): number {
    const value = this.peek(count);
    this.drop(count);
    return value;
  }

  /** The next bits, which stay; after the end of the file, zeros. */
  peek(count: number): number {
    while (this.#count < count) {
      const byte = this.#at < this.#bytes.length || this.hasMore ? this.#bytes[this.#at]! : 0;
      // Counted beyond the end, too, for `drop` to notice.
      this.#at++;
      this.#bits = ((this.#bits & 0xffffff) << 8) | byte;
      this.#count += 8;
    }
    return (this.#bits >>> (this.#count - count)) & ((1 << count) - 1);
  }

  /** Takes bits that were looked at. */
  drop(count: number): void {
    this.#count -= count;
    if (this.#at - (this.#count >> 3) > this.#bytes.length) {
      throw this.error('BZIP2_TRUNCATED', 'the file ends in the middle of a block');
    }
  }

  long(count: number): number {
    return this.bits(count - 24) * 2 ** 24 + this.bits(24);
  }

  /** Goes to the next whole byte, after `bits`, which leaves less than one. */
  align(): void {
    this.#count = 0;
  }

  error(code: string, message: string): AuspexError {
    return new AuspexError(code, message, {
      where: { offset: this.#base + this.#at },
      hint: 'the file was probably truncated; download or copy it again',
    });
  }
}

/** The codes of one table, in order of their lengths. */
interface Codes {
  /** The largest code of each length, or −1. */
  readonly limits: Int32Array;
  /** What to add to a code of a length to get its place in `symbols`. */
  readonly bases: Int32Array;
  readonly symbols: Uint16Array;
  /** By the next bits, for codes that are no longer: symbol × 32 + length; 0 for longer ones. */
  readonly short: Uint16Array;
}

/**
 * Unpacks one or more streams, as Python's `bz2.BZ2File` does.
 *
 * @param maxBytes a file that unpacks to more is refused: 45 packed bytes can stand for 45 million.
 */
export function* bunzip2(chunks: Iterable<Uint8Array>, maxBytes = 2 ** 38): Generator<Uint8Array> {
  const reader = new BitReader(chunks);
  let total = 0;
  for (let stream = 0; reader.hasMore; stream++) {
    const isBzip2 = reader.bits(24) === 0x425a68;
    const level = isBzip2 ? reader.bits(8) - 0x30 : 0;
    if (level < 1 || level > 9) {
      // What follows the last stream is left alone.
      if (stream > 0) return;
      throw reader.error('BZIP2_MALFORMED', 'the file is not bzip2');
    }
    for (const block of blocksOf(reader, level * 100_000)) {
      total += block.length;
      if (total > maxBytes)
        throw reader.error('BZIP2_LIMIT', `the file unpacks to more than ${maxBytes} bytes`);
      yield block;
    }
    reader.align();
  }
  if (total === 0 && !reader.hasRead) throw reader.error('BZIP2_MALFORMED', 'the file is empty');
}

function* blocksOf(reader: BitReader, blockSize: number): Generator<Uint8Array> {
  const table = new Uint32Array(blockSize);
  let combined = 0;
  for (;;) {
    const magic = reader.long(48);
    const crc = reader.long(32);
    if (magic === END_MAGIC) {
      if (combined !== crc) throw reader.error('BZIP2_DAMAGED', 'the checksum of the file is wrong');
      return;
    }
    if (magic !== BLOCK_MAGIC) throw reader.error('BZIP2_MALFORMED', 'a block does not begin as blocks do');
    if (reader.bits(1) === 1)
      throw reader.error('BZIP2_MALFORMED', 'blocks of bzip2 before 0.9.5 are not read');
    const origin = reader.bits(24);
    const length = readBlock(reader, table);
    if (origin >= length) throw reader.error('BZIP2_MALFORMED', 'a block begins outside itself');
    const block = unsorted(table, length, origin);
    if (crcOf(block) !== crc) throw reader.error('BZIP2_DAMAGED', 'the checksum of a block is wrong');
    combined = (((combined << 1) | (combined >>> 31)) ^ crc) >>> 0;
    yield block;
  }
}

/** Reads the last column of the sorted block into the table and gives its length. */
function readBlock(reader: BitReader, table: Uint32Array): number {
  const symbols = usedBytes(reader);
  const codes = readCodes(reader, symbols.length + 2);
  const { selectors, tables } = codes;
  const end = symbols.length + 1;
  let length = 0;
  let run = 0;
  let weight = 1;
  for (let group = 0; ; group++) {
    const selected = selectors[group];
    if (selected === undefined) throw reader.error('BZIP2_MALFORMED', 'a block does not end');
    const code = tables[selected]!;
    for (let i = 0; i < GROUP; i++) {
      const symbol = decode(reader, code);
      if (symbol === RUN_A || symbol === RUN_B) {
        if (weight > table.length) throw reader.error('BZIP2_MALFORMED', 'a run is longer than its block');
        run += weight << symbol;
        weight <<= 1;
        continue;
      }
      if (run > 0) {
        if (length + run > table.length) throw reader.error('BZIP2_MALFORMED', 'a block is too long');
        table.fill(symbols[0]!, length, length + run);
        length += run;
        run = 0;
        weight = 1;
      }
      if (symbol === end) return length;
      if (length === table.length) throw reader.error('BZIP2_MALFORMED', 'a block is too long');
      const byte = symbols[symbol - 1]!;
      symbols.copyWithin(1, 0, symbol - 1);
      symbols[0] = byte;
      table[length++] = byte;
    }
  }
}

/** The bytes that occur, in order. */
function usedBytes(reader: BitReader): Uint8Array {
  const rows = reader.bits(16);
  const used: number[] = [];
  for (let row = 0; row < 16; row++) {
    if ((rows & (0x8000 >> row)) === 0) continue;
    const bits = reader.bits(16);
    for (let i = 0; i < 16; i++) if (bits & (0x8000 >> i)) used.push(16 * row + i);
  }
  if (used.length === 0) throw reader.error('BZIP2_MALFORMED', 'a block has no bytes');
  return Uint8Array.from(used);
}

/** Which table each group of symbols uses, and the tables. */
function readCodes(reader: BitReader, alphabet: number): { selectors: Uint8Array; tables: Codes[] } {
  const count = reader.bits(3);
  const selectors = new Uint8Array(reader.bits(15));
  if (count < 2 || count > 6) throw reader.error('BZIP2_MALFORMED', `a block has ${count} tables of codes`);
  const recent = Array.from({ length: count }, (_, i) => i);
  for (let i = 0; i < selectors.length; i++) {
    let place = 0;
    while (reader.bits(1) === 1) {
      if (++place === count)
        throw reader.error('BZIP2_MALFORMED', 'a group chooses a table that is not there');
    }
    recent.unshift(...recent.splice(place, 1));
    selectors[i] = recent[0]!;
  }
  return { selectors, tables: Array.from({ length: count }, () => codesOf(readLengths(reader, alphabet))) };
}

/** The length of every symbol's code, each told as its difference from the one before. */
function readLengths(reader: BitReader, alphabet: number): Uint8Array {
  const lengths = new Uint8Array(alphabet);
  let length = reader.bits(5);
  for (let symbol = 0; symbol < alphabet; symbol++) {
    for (;;) {
      if (length < 1 || length > MAX_CODE_LENGTH) {
        throw reader.error('BZIP2_MALFORMED', `a code is ${length} bits long`);
      }
      if (reader.bits(1) === 0) break;
      length += reader.bits(1) === 0 ? 1 : -1;
    }
    lengths[symbol] = length;
  }
  return lengths;
}

function codesOf(lengths: Uint8Array): Codes {
  const limits = new Int32Array(MAX_CODE_LENGTH + 2).fill(-1);
  const bases = new Int32Array(MAX_CODE_LENGTH + 2);
  const symbols = new Uint16Array(lengths.length);
  const short = new Uint16Array(1 << SHORT);
  let code = 0;
  let place = 0;
  for (let length = 1; length <= MAX_CODE_LENGTH; length++) {
    code <<= 1;
    bases[length] = place - code;
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue;
      symbols[place++] = symbol;
      const rest = SHORT - length;
      if (rest >= 0) short.fill(symbol * 32 + length, code << rest, (code + 1) << rest);
      limits[length] = code++;
    }
  }
  return { limits, bases, symbols, short };
}

function decode(reader: BitReader, { limits, bases, symbols, short }: Codes): number {
  const known = short[reader.peek(SHORT)]!;
  if (known !== 0) {
    reader.drop(known & 31);
    return known >> 5;
  }
  for (let length = SHORT + 1; length <= MAX_CODE_LENGTH; length++) {
    const code = reader.peek(length);
    if (code > limits[length]!) continue;
    const symbol = symbols[code + bases[length]!];
    // Below the first code of its length: no symbol has it.
    if (symbol === undefined) break;
    reader.drop(length);
    return symbol;
  }
  throw reader.error('BZIP2_MALFORMED', 'a code stands for no symbol');
}

/** The block as it was before it was sorted, its runs written out. */
function unsorted(table: Uint32Array, length: number, origin: number): Uint8Array {
  const starts = new Uint32Array(256);
  for (let i = 0; i < length; i++) starts[table[i]!]!++;
  let sum = 0;
  for (let byte = 0; byte < 256; byte++) [starts[byte], sum] = [sum, sum + starts[byte]!];
  for (let i = 0; i < length; i++) {
    const place = starts[table[i]! & 0xff]!++;
    table[place] = (table[place]! & 0xff) | (i << 8);
  }
  let out = new Uint8Array(length + 256);
  let at = 0;
  let same = 0;
  let last = -1;
  for (let i = 0, next = table[origin]! >>> 8; i < length; i++) {
    const entry = table[next]!;
    next = entry >>> 8;
    const byte = entry & 0xff;
    if (at + 256 > out.length) out = enlarged(out);
    if (same === RUN) {
      out.fill(last, at, at + byte);
      at += byte;
      same = 0;
      last = -1;
      continue;
    }
    same = byte === last ? same + 1 : 1;
    last = byte;
    out[at++] = byte;
  }
  return out.subarray(0, at);
}

function enlarged(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(bytes.length * 2);
  larger.set(bytes);
  return larger;
}

function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) crc = (crc << 8) ^ CRC[((crc >>> 24) ^ bytes[i]!) & 0xff]!;
  return ~crc >>> 0;
}
