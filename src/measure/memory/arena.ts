// The memory pool of ONNX Runtime on a CPU, as far as it decides which pages a network touches: regions that double in size, the
// smallest free chunk that fits, split if at least half of it would be left over. Pages that are never written take no memory.

const GRAIN = 256;
const PAGE = 4096;
const FIRST_REGION = 1 << 20;
const LARGEST_STEP = 2 ** 30;
/** A chunk is split if it is this often as large as what is asked for, or has this many bytes to spare. */
const SPLIT_FACTOR = 2;
const MOST_SPARE = 128 << 20;

export interface Chunk {
  readonly region: number;
  readonly offset: number;
  size: number;
  isFree: boolean;
}

interface Region {
  /** In the order of their offsets. */
  readonly chunks: Chunk[];
  readonly touched: Uint8Array;
}

export class Arena {
  readonly #regions: Region[] = [];
  #step = FIRST_REGION;
  #touchedPages = 0;

  get touchedBytes(): number {
    return this.#touchedPages * PAGE;
  }

  /** Takes a chunk without writing to it. */
  take(bytes: number): Chunk {
    const size = Math.max(1, Math.ceil(bytes / GRAIN)) * GRAIN;
    const chunk = this.#smallest(size) ?? this.#extend(size);
    const spare = chunk.size - size;
    if (chunk.size >= SPLIT_FACTOR * size || spare >= MOST_SPARE) {
      const { chunks } = this.#regions[chunk.region]!;
      const rest = { region: chunk.region, offset: chunk.offset + size, size: spare, isFree: true };
      chunks.splice(chunks.indexOf(chunk) + 1, 0, rest);
      chunk.size = size;
    }
    chunk.isFree = false;
    return chunk;
  }

  /** Writes to a part of a chunk. */
  touch({ region, offset }: Chunk, start: number, bytes: number): void {
    if (bytes === 0) return;
    const { touched } = this.#regions[region]!;
    const [first, last] = [offset + start, offset + start + bytes - 1].map((at) => Math.floor(at / PAGE));
    for (let page = first!; page <= last!; page++) {
      if (touched[page] === 1) continue;
      touched[page] = 1;
      this.#touchedPages++;
    }
  }

  /** Gives a chunk back; free neighbours become one. */
  give(chunk: Chunk): void {
    const { chunks } = this.#regions[chunk.region]!;
    chunk.isFree = true;
    let at = chunks.indexOf(chunk);
    const before = chunks[at - 1];
    if (before?.isFree) {
      before.size += chunk.size;
      chunks.splice(at--, 1);
    }
    const after = chunks[at + 1];
    if (!after?.isFree) return;
    chunks[at]!.size += after.size;
    chunks.splice(at + 1, 1);
  }

  #smallest(size: number): Chunk | undefined {
    let best: Chunk | undefined;
    for (const { chunks } of this.#regions) {
      for (const chunk of chunks) {
        if (chunk.isFree && chunk.size >= size && (best === undefined || chunk.size < best.size))
          best = chunk;
      }
    }
    return best;
  }

  #extend(size: number): Chunk {
    const isEnough = size <= this.#step;
    while (size > this.#step) this.#step *= 2;
    const chunk = { region: this.#regions.length, offset: 0, size: this.#step, isFree: true };
    this.#regions.push({ chunks: [chunk], touched: new Uint8Array(Math.ceil(this.#step / PAGE)) });
    if (isEnough) this.#step = Math.min(2 * this.#step, Math.max(this.#step, LARGEST_STEP));
    return chunk;
  }
}
