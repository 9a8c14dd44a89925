// A space as strategies see it: texts in, texts out, nothing that a constraint forbids.
import { changeEach, choiceCount, crossover, mutate, mutateEach, neighbours } from '../spaces/choices.js';
import type { AnySpace } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import { type Pause, pauses } from '../util/pauses.js';
import type { Random } from '../util/random.js';
import { isTableSpace } from './table-space.js';

/** Samples in a row that may be forbidden before a constraint counts as one that cannot be kept. */
const SAMPLE_TRIES = 10_000;

/** Samples that are drawn before they are checked. */
const MOST_DRAWN = 256;

/** Architectures that are made between two pauses. */
const PAUSED = 16;

/** Mutants of one architecture that may be forbidden. */
const MUTANT_TRIES = 100;

/** Architectures that are kept as their texts were read; all are forgotten when there are more. */
const MOST_KEPT = 20_000;

/** A constraint on architectures as texts: whether each of a list is allowed. */
export interface TextConstraint {
  readonly name: string;
  allows(architectures: readonly string[]): Promise<readonly boolean[]>;
}

export class Candidates {
  readonly space: AnySpace;
  readonly #constraints: readonly TextConstraint[];
  readonly #pause: Pause;
  readonly #allowed = new Map<string, boolean>();
  readonly #archs = new Map<string, unknown>();
  readonly #keys = new Map<string, string>();
  #made = 0;

  /** @param pause awaited while candidates are made */
  constructor(space: AnySpace, constraints: readonly TextConstraint[] = [], pause: Pause = pauses()) {
    this.space = space;
    this.#constraints = constraints;
    this.#pause = pause;
  }

  /** The same for architectures that are the same network. */
  key(text: string): string {
    const { hash, key: ownKey = hash, hasCanonicalTexts } = this.space;
    if (ownKey === undefined || hasCanonicalTexts) return text;
    const known = this.#keys.get(text);
    if (known !== undefined) return known;
    if (this.#keys.size >= MOST_KEPT) this.#keys.clear();
    const key = ownKey(this.#archOf(text));
    this.#keys.set(text, key);
    return key;
  }

  async allows(text: string): Promise<boolean> {
    return (await this.#allowedOf([text])).length === 1;
  }

  async sample(random: Random): Promise<string> {
    return (await this.samples(1, random))[0]!;
  }

  /** As many draws as it takes, checked in lists; the same as `sample` gives one by one. */
  async samples(count: number, random: Random): Promise<string[]> {
    const found: string[] = [];
    for (let forbidden = 0; found.length < count; ) {
      const drawn = Array.from({ length: Math.min(MOST_DRAWN, count - found.length) }, () =>
        this.#textOf(this.space.sample(random)),
      );
      await this.#pause();
      const allowed = await this.#allowedOf(drawn);
      found.push(...allowed);
      forbidden = allowed.length > 0 ? 0 : forbidden + drawn.length;
      if (forbidden >= SAMPLE_TRIES) throw this.#tooTight();
    }
    return found;
  }

  #tooTight(): AuspexError {
    const names = this.#constraints.map(({ name }) => name).join(', ');
    return new AuspexError(
      'CONSTRAINT_TOO_TIGHT',
      `none of ${SAMPLE_TRIES} sampled architectures of ${this.space.title} satisfies ${names}`,
      { hint: 'use a looser --max or --min' },
    );
  }

  /** At most so many rows of a table, drawn at random, for spaces that are one; undefined for others. */
  async rows(most: number, random: Random): Promise<string[] | undefined> {
    const { space } = this;
    if (!isTableSpace(space)) return undefined;
    const { texts } = space;
    const all =
      most >= texts.length ? texts : Array.from(random.sample(texts.length, most), (i) => texts[i]!);
    const found: string[] = [];
    for (let at = 0; at < all.length; at += MOST_DRAWN) {
      await this.#pause();
      found.push(...(await this.#allowedOf(all.slice(at, at + MOST_DRAWN))));
    }
    if (found.length === 0) throw this.#tooTight();
    return found;
  }

  /** Architectures that are not the same network, fewer where the space has no more. */
  async pool(size: number, random: Random): Promise<string[]> {
    const found = new Map<string, string>();
    for (let misses = 0; found.size < size && misses < 10 * size + 100; ) {
      for (const text of await this.samples(size - found.size, random)) {
        const key = this.key(text);
        misses = found.has(key) ? misses + 1 : 0;
        if (!found.has(key)) found.set(key, text);
      }
    }
    return [...found.values()];
  }

  /** Makes architectures until there are enough different ones that are not taken, or too many were made in vain. */
  async distinct(
    size: number,
    make: () => Promise<string | undefined>,
    taken: ReadonlySet<string> = new Set(),
  ): Promise<string[]> {
    const found = new Map<string, string>();
    for (let misses = 0; found.size < size && misses < 10 * size + 100; misses++) {
      const text = await make();
      if (text === undefined) continue;
      const key = this.key(text);
      if (found.has(key) || taken.has(key)) continue;
      found.set(key, text);
      misses = 0;
    }
    return [...found.values()];
  }

  /** One choice made differently; undefined if only forbidden architectures are found. */
  mutate(parent: string, random: Random): Promise<string | undefined> {
    const { space } = this;
    const arch = this.#archOf(parent);
    return this.#firstAllowed(() =>
      isTableSpace(space) ? space.mutate(arch, random) : mutate(space, arch, random),
    );
  }

  /** Every choice made differently with a probability, at least one of them. */
  async mutateEach(parent: string, probability: number, random: Random): Promise<string | undefined> {
    const { space } = this;
    if (isTableSpace(space)) await space.prepare(this.#pause);
    const arch = this.#archOf(parent);
    return this.#firstAllowed(() =>
      isTableSpace(space)
        ? space.nearest(mutateEach(space.base, arch, probability, random), random, arch)
        : mutateEach(space, arch, probability, random),
    );
  }

  /** A child of two, then on average one of its choices made differently. */
  async cross(a: string, b: string, random: Random): Promise<string | undefined> {
    const { space } = this;
    if (isTableSpace(space)) await space.prepare(this.#pause);
    const [x, y] = [this.#archOf(a), this.#archOf(b)];
    return this.#firstAllowed(() => {
      const child = crossover(space, x, y, random);
      const base = isTableSpace(space) ? space.base : space;
      const changed = changeEach(base, child, 1 / Math.max(1, choiceCount(base, child)), random);
      return isTableSpace(space) && changed !== child ? space.nearest(changed, random, child) : changed;
    });
  }

  /** All that are one choice away, in random order. */
  async neighbours(text: string, random: Random): Promise<string[]> {
    const { space } = this;
    const arch = this.#archOf(text);
    const around = isTableSpace(space) ? space.neighbours(arch) : neighbours(space, arch);
    const order = random.sample(around.length, around.length);
    return this.#allowedOf(Array.from(order, (i) => this.#textOf(around[i])));
  }

  async #firstAllowed(make: () => unknown): Promise<string | undefined> {
    // Looking at the clock takes longer than making one.
    if (++this.#made % PAUSED === 0) await this.#pause();
    for (let tries = 0; tries < MUTANT_TRIES; tries++) {
      const text = this.#textOf(make());
      if (this.#constraints.length === 0 || (await this.allows(text))) return text;
    }
    return undefined;
  }

  /** Those of a list that all constraints allow. */
  async #allowedOf(texts: readonly string[]): Promise<string[]> {
    if (this.#constraints.length === 0) return [...texts];
    let left = [...new Set(texts)].filter((text) => !this.#allowed.has(text));
    const fresh = left;
    for (const constraint of this.#constraints) {
      if (left.length === 0) break;
      const allowed = await constraint.allows(left);
      left = left.filter((_, i) => allowed[i]);
    }
    for (const text of fresh) this.#allowed.set(text, false);
    for (const text of left) this.#allowed.set(text, true);
    return texts.filter((text) => this.#allowed.get(text));
  }

  /** Reads a text once. */
  #archOf(text: string): unknown {
    const known = this.#archs.get(text);
    if (known !== undefined) return known;
    const arch = this.space.parse(text);
    this.#keep(text, arch);
    return arch;
  }

  #textOf(arch: unknown): string {
    const text = this.space.format(arch);
    this.#keep(text, arch);
    return text;
  }

  #keep(text: string, arch: unknown): void {
    // Most children of a late population were made before: what is kept of them stays.
    if (this.#archs.has(text)) return;
    if (this.#archs.size >= MOST_KEPT) this.#archs.clear();
    this.#archs.set(text, arch);
  }
}
