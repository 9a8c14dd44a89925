// A long list of decisions, a bit each.

export class BitPattern {
  readonly #words: Uint32Array;
  readonly #length: number;

  private constructor(words: Uint32Array, length: number) {
    this.#words = words;
    this.#length = length;
  }

  /** @param parts zeros and ones */
  static of(parts: readonly Uint8Array[]): BitPattern {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const words = new Uint32Array(Math.ceil(length / 32));
    let at = 0;
    for (const part of parts) {
      for (let i = 0; i < part.length; i++, at++) words[at >>> 5]! |= part[i]! << (at & 31);
    }
    return new BitPattern(words, length);
  }

  /** In how many decisions two patterns of the same length agree. */
  agreement(other: BitPattern): number {
    let different = 0;
    for (let i = 0; i < this.#words.length; i++) different += ones(this.#words[i]! ^ other.#words[i]!);
    return this.#length - different;
  }
}

/** How many bits are set. */
function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return (((fours + (fours >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
