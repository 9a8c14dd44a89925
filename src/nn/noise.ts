// The random numbers that training steps ask for. Drawing them one by one would cost more than the step: there is
// a table for every kind of noise, filled anew every 64 steps, and each place of the model that asks gets a
// stretch of it that begins elsewhere in every step. All of it is a function of the seed and the step's number.
import { type Feeds, type HostTensor, hostTensor } from '../runtime/session.js';
import { NOISE_OFFSETS, type Noise, type NoiseSite, noiseInput } from './scope.js';
import { streamFor } from './stream.js';

/** Steps that share a table. */
export const TABLE_STEPS = 64;
const LEAST_TABLE_SIZE = 2 ** 20;
/** Random words that are drawn at a time; tables are multiples of it. */
const CHUNK = 4096;

/** The elements of a table for a site of `count`: four times as many or more, a power of two. */
export function tableSize(count: number): number {
  return Math.max(LEAST_TABLE_SIZE, 2 ** Math.ceil(Math.log2(4 * count)));
}

/** Fills a table for a block of steps. A larger table begins with the elements of a smaller one. */
export function fillTable(table: Float32Array, noise: Noise, seed: number, block: number): void {
  const random = streamFor(seed, noiseInput(noise), block);
  const words = new Uint32Array(CHUNK);
  for (let start = 0; start < table.length; start += CHUNK) {
    random.fill(words);
    const part = table.subarray(start, start + CHUNK);
    if (noise.kind === 'keep') fillKeep(part, words, noise.rate);
    else fillNormal(part, words);
  }
}

/** 1/(1 − rate) with probability 1 − rate, else 0. */
function fillKeep(part: Float32Array, words: Uint32Array, rate: number): void {
  const dropped = Math.round(rate * 2 ** 32);
  const kept = 1 / (1 - rate);
  for (let i = 0; i < part.length; i++) part[i] = words[i]! < dropped ? 0 : kept;
}

/** Box & Muller 1958, both numbers of a pair. The half keeps the logarithm away from 0. */
function fillNormal(part: Float32Array, words: Uint32Array): void {
  for (let i = 0; i < part.length; i += 2) {
    const radius = Math.sqrt(-2 * Math.log((words[i]! + 0.5) / 2 ** 32));
    const angle = (words[i + 1]! / 2 ** 32) * 2 * Math.PI;
    part[i] = radius * Math.cos(angle);
    part[i + 1] = radius * Math.sin(angle);
  }
}

/** Where in its table the noise of each site begins in a step. */
function drawOffsets(
  sites: readonly NoiseSite[],
  sizes: ReadonlyMap<string, number>,
  seed: number,
  step: number,
): BigInt64Array {
  const random = streamFor(seed, NOISE_OFFSETS, step);
  return BigInt64Array.from(sites, ({ noise, count }) =>
    BigInt(random.below(sizes.get(noiseInput(noise))! - count + 1)),
  );
}

/** Tables that the steps of a training share, whatever the shapes of their batches. */
export class NoiseTables {
  readonly seed: number;
  readonly #tables = new Map<string, { block: number; readonly tensor: HostTensor }>();

  constructor(seed: number) {
    this.seed = seed;
  }

  /** A table with at least `size` elements; valid until that of another step is asked for. */
  async table(noise: Noise, size: number, step: number): Promise<HostTensor> {
    const name = noiseInput(noise);
    const block = Math.floor(step / TABLE_STEPS);
    const known = this.#tables.get(name);
    const isLargeEnough = known !== undefined && known.tensor.data.length >= size;
    if (isLargeEnough && known.block === block) return known.tensor;
    const tensor = isLargeEnough ? known.tensor : await hostTensor('float32', new Float32Array(size), [size]);
    fillTable(tensor.data as Float32Array, noise, this.seed, block);
    this.#tables.set(name, { block, tensor });
    return tensor;
  }
}

/** The noise of one compiled step. */
export class NoiseSource {
  readonly #sites: readonly NoiseSite[];
  readonly #tables: NoiseTables;
  readonly #kinds = new Map<string, Noise>();
  readonly #sizes = new Map<string, number>();

  constructor(sites: readonly NoiseSite[], seed: number, tables = new NoiseTables(seed)) {
    this.#sites = sites;
    this.#tables = tables;
    for (const { noise, count } of sites) {
      const name = noiseInput(noise);
      this.#kinds.set(name, noise);
      this.#sizes.set(name, Math.max(this.#sizes.get(name) ?? 0, tableSize(count)));
    }
  }

  /** The inputs of a step. */
  async feeds(step: number): Promise<Feeds> {
    if (this.#sites.length === 0) return {};
    const offsets = drawOffsets(this.#sites, this.#sizes, this.#tables.seed, step);
    const feeds: Record<string, HostTensor> = {
      [NOISE_OFFSETS]: await hostTensor('int64', offsets, [offsets.length]),
    };
    for (const [name, noise] of this.#kinds) {
      feeds[name] = await this.#tables.table(noise, this.#sizes.get(name)!, step);
    }
    return feeds;
  }
}
