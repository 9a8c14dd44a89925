// Seeded randomness: xoshiro128** 1.1 (Blackman & Vigna 2018, https://prng.di.unimi.it), its state filled from
// the seed by SplitMix64 as its authors advise. The same seed gives the same numbers on every machine. Not for
// secrets.

const MASK_64 = (1n << 64n) - 1n;

/** The four words of state for a seed: two steps of SplitMix64. */
function splitMix64(seed: bigint): [number, number, number, number] {
  let state = seed & MASK_64;
  const next = (): bigint => {
    state = (state + 0x9e3779b97f4a7c15n) & MASK_64;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK_64;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK_64;
    return z ^ (z >> 31n);
  };
  const [a, b] = [next(), next()];
  return [Number(a & 0xffffffffn), Number(a >> 32n), Number(b & 0xffffffffn), Number(b >> 32n)];
}

function rotateLeft(x: number, bits: number): number {
  return (x << bits) | (x >>> (32 - bits));
}

function boxMuller(u: number, v: number): number {
  // 1 − u lies in (0, 1], where the logarithm is finite.
  return Math.sqrt(-2 * Math.log(1 - u)) * Math.cos(2 * Math.PI * v);
}

/**
 * A stream of random numbers.
 *
 * @example
 * const random = Random.seeded(1);
 * random.below(6) + 1; // a die
 */
export class Random {
  #s0: number;
  #s1: number;
  #s2: number;
  #s3: number;

  /** @param state four 32-bit words, not all zero. Most callers want `Random.seeded`. */
  constructor(state: readonly [number, number, number, number]) {
    [this.#s0, this.#s1, this.#s2, this.#s3] = state;
  }

  /** A stream for a seed. Streams with different `stream` numbers are independent of each other. */
  static seeded(seed: number, stream = 0): Random {
    return new Random(splitMix64((BigInt(seed) << 32n) ^ BigInt(stream)));
  }

  /** A whole number from 0 to 2^32−1. */
  uint32(): number {
    const result = Math.imul(rotateLeft(Math.imul(this.#s1, 5), 7), 9) >>> 0;
    const shifted = this.#s1 << 9;
    this.#s2 ^= this.#s0;
    this.#s3 ^= this.#s1;
    this.#s1 ^= this.#s2;
    this.#s0 ^= this.#s3;
    this.#s2 ^= shifted;
    this.#s3 = rotateLeft(this.#s3, 11);
    return result;
  }

  /** Fills an array with what as many calls of `uint32` would give, several times faster. */
  fill(words: Uint32Array): void {
    let [s0, s1, s2, s3] = [this.#s0, this.#s1, this.#s2, this.#s3];
    for (let i = 0; i < words.length; i++) {
      words[i] = Math.imul(rotateLeft(Math.imul(s1, 5), 7), 9);
      const shifted = s1 << 9;
      s2 ^= s0;
      s3 ^= s1;
      s1 ^= s2;
      s0 ^= s3;
      s2 ^= shifted;
      s3 = rotateLeft(s3, 11);
    }
    [this.#s0, this.#s1, this.#s2, this.#s3] = [s0, s1, s2, s3];
  }

  /** A number from 0 up to but not including 1, with 53 random bits. */
  float(): number {
    const high = this.uint32() >>> 5;
    const low = this.uint32() >>> 6;
    return (high * 2 ** 26 + low) / 2 ** 53;
  }

  /** Fills an array with what as many calls of `float` would give. */
  floats(values: Float64Array): void {
    const words = new Uint32Array(2 * values.length);
    this.fill(words);
    for (let i = 0; i < values.length; i++) {
      values[i] = ((words[2 * i]! >>> 5) * 2 ** 26 + (words[2 * i + 1]! >>> 6)) / 2 ** 53;
    }
  }

  /** Fills an array with what as many calls of `normal` would give. */
  normals(values: Float64Array): void {
    const uniform = new Float64Array(2 * values.length);
    this.floats(uniform);
    for (let i = 0; i < values.length; i++) values[i] = boxMuller(uniform[2 * i]!, uniform[2 * i + 1]!);
  }

  /** A number of the standard normal distribution (Box & Muller 1958). */
  normal(): number {
    return boxMuller(this.float(), this.float());
  }

  /** A whole number from 0 to `count` − 1, every one equally likely. */
  below(count: number): number {
    if (!Number.isInteger(count) || count < 1 || count > 2 ** 32) {
      throw new RangeError(`cannot draw a number below ${count}`);
    }
    // What lies beyond the last whole multiple of `count` is drawn again, or small numbers would win.
    const limit = 2 ** 32 - (2 ** 32 % count);
    for (;;) {
      const drawn = this.uint32();
      if (drawn < limit) return drawn % count;
    }
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** One of the items. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** Different whole numbers below `count`, every choice equally likely. More of them begin with the same ones. */
  sample(count: number, size: number): Uint32Array {
    const all = Uint32Array.from({ length: count }, (_, i) => i);
    const drawn = Math.min(size, count);
    for (let i = 0; i < drawn; i++) {
      const j = i + this.below(count - i);
      [all[i], all[j]] = [all[j]!, all[i]!];
    }
    return all.slice(0, drawn);
  }

  /** True with a probability. */
  chance(probability: number): boolean {
    return this.float() < probability;
  }
}
