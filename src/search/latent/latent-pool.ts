// The architectures that a search in latent space can choose from, with their embeddings, each of which is made once: the rows of
// a table, or else samples, and neighbours of good ones as they are found.
import { AuspexError } from '../../util/errors.js';
import type { Embedding, SearchContext } from '../contract.js';

export interface PoolOptions {
  /** Most rows of a table; drawn where it has more. */
  readonly rows: number;
  /** Architectures that are drawn where the space is not a table. */
  readonly samples: number;
}

type Context = Pick<SearchContext, 'candidates' | 'random' | 'embed'>;

export class LatentPool {
  readonly #context: Context;
  readonly #embedding: Embedding;
  readonly #options: PoolOptions;
  readonly #texts: string[] = [];
  /** Keys of what is or was in the pool; not kept for tables, whose rows are all there. */
  readonly #keys = new Set<string>();
  readonly #isTable: boolean;
  readonly #taken = new Set<number>();
  #data = new Float64Array(0);
  #width = 0;

  private constructor(context: Context, embedding: Embedding, options: PoolOptions, isTable: boolean) {
    this.#context = context;
    this.#embedding = embedding;
    this.#options = options;
    this.#isTable = isTable;
  }

  /** @throws AuspexError CANNOT_EMBED where nothing of the pool can be embedded */
  static async open(context: Context, embedding: Embedding, options: PoolOptions): Promise<LatentPool> {
    const { candidates, random } = context;
    const rows = await candidates.rows(options.rows, random);
    const pool = new LatentPool(context, embedding, options, rows !== undefined);
    await pool.#add(rows ?? (await candidates.pool(options.samples, random)));
    if (pool.#texts.length > 0) return pool;
    throw new AuspexError(
      'CANNOT_EMBED',
      `${embedding.name} embeds no architecture of ${candidates.space.title}`,
      { hint: 'give --embedding a predictor that was trained on this space' },
    );
  }

  /** Numbers of an embedding. */
  get width(): number {
    return this.#width;
  }

  get count(): number {
    return this.#texts.length;
  }

  /** (count, width), row by row. */
  get data(): Float64Array {
    return this.#data.subarray(0, this.count * this.#width);
  }

  text(place: number): string {
    return this.#texts[place]!;
  }

  point(place: number): Float64Array {
    return this.#data.subarray(place * this.#width, (place + 1) * this.#width);
  }

  isTaken(place: number): boolean {
    return this.#taken.has(place);
  }

  take(place: number): void {
    this.#taken.add(place);
  }

  /** Places that are not taken, in random order, at most so many. */
  draw(count: number): number[] {
    const left = Array.from({ length: this.count }, (_, place) => place).filter(
      (place) => !this.isTaken(place),
    );
    return Array.from(this.#context.random.sample(left.length, count), (i) => left[i]!);
  }

  /**
   * What is found around good architectures joins the pool, or others where all is taken. Tables have all from the start.
   *
   * @returns whether anything is left to take
   */
  async grow(parents: readonly string[]): Promise<boolean> {
    const { candidates, random } = this.#context;
    if (!this.#isTable) {
      const around: string[] = [];
      for (const parent of parents) around.push(...(await candidates.neighbours(parent, random)));
      await this.#add(around);
      if (this.#taken.size === this.count) {
        const { samples } = this.#options;
        await this.#add(await candidates.distinct(samples, () => candidates.sample(random), this.#keys));
      }
    }
    return this.#taken.size < this.count;
  }

  async #add(texts: readonly string[]): Promise<void> {
    const { candidates, embed } = this.#context;
    const fresh = this.#isTable ? texts : texts.filter((text) => this.#isNew(candidates.key(text)));
    if (fresh.length === 0) return;
    const { width, data } = await embed(this.#embedding, fresh);
    this.#width = width;
    const size = (this.count + fresh.length) * width;
    if (size > this.#data.length) {
      const grown = new Float64Array(this.count === 0 ? size : 2 * size);
      grown.set(this.#data);
      this.#data = grown;
    }
    fresh.forEach((text, i) => {
      const row = data.subarray(i * width, (i + 1) * width);
      // What cannot be embedded cannot be chosen.
      if (!row.every(Number.isFinite)) return;
      this.#data.set(row, this.count * width);
      this.#texts.push(text);
    });
  }

  #isNew(key: string): boolean {
    const isNew = !this.#keys.has(key);
    this.#keys.add(key);
    return isNew;
  }
}
