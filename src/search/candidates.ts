// A space as strategies see it: texts in, texts out, nothing that a constraint forbids.
import type { AnySpace } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import type { Random } from '../util/random.js';
import type { Constraint } from './contract.js';
import { binomial, choiceCount, neighbours, withChanges } from './sites.js';
import { isTableSpace } from './table-space.js';

/** Samples in a row that may be forbidden before a constraint counts as one that cannot be kept. */
const SAMPLE_TRIES = 10_000;

/** Mutants of one architecture that may be forbidden. */
const MUTANT_TRIES = 100;

export class Candidates {
  readonly space: AnySpace;
  readonly #constraints: readonly Constraint[];
  readonly #allowed = new Map<string, boolean>();
  readonly #counts = new Map<string, number>();

  constructor(space: AnySpace, constraints: readonly Constraint[] = []) {
    this.space = space;
    this.#constraints = constraints;
  }

  /** The same for architectures that are the same network. */
  key(text: string): string {
    return this.space.hash?.(this.space.parse(text)) ?? text;
  }

  async allows(text: string): Promise<boolean> {
    const known = this.#allowed.get(text);
    if (known !== undefined) return known;
    let allowed = true;
    for (const constraint of this.#constraints) {
      allowed &&= await constraint.allows(text);
    }
    this.#allowed.set(text, allowed);
    return allowed;
  }

  async sample(random: Random): Promise<string> {
    for (let tries = 0; tries < SAMPLE_TRIES; tries++) {
      const text = this.space.format(this.space.sample(random));
      if (await this.allows(text)) return text;
    }
    const names = this.#constraints.map(({ name }) => name).join(', ');
    throw new AuspexError(
      'CONSTRAINT_TOO_TIGHT',
      `none of ${SAMPLE_TRIES} architectures of ${this.space.title} that were drawn keeps to ${names}`,
      { hint: 'allow more' },
    );
  }

  /** Architectures that are not the same network, fewer where the space has no more. */
  async pool(size: number, random: Random): Promise<string[]> {
    return this.distinct(size, () => this.sample(random));
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
    const arch = this.space.parse(parent);
    return this.#firstAllowed(() => this.space.mutate(arch, random));
  }

  /**
   * Every choice made differently with a probability, at least one of them: the number of changes is drawn from the
   * binomial distribution of `choiceCount` choices, and they are made at as many places by `space.mutate`.
   */
  mutateEach(parent: string, probability: number, random: Random): Promise<string | undefined> {
    const arch = this.space.parse(parent);
    const count = this.#choiceCount(parent, arch);
    return this.#firstAllowed(() => {
      let changes = 0;
      // A copy of the parent is no mutant. The limit is for probabilities near 0.
      for (let tries = 0; changes === 0 && tries < MUTANT_TRIES; tries++) {
        changes = binomial(count, probability, random);
      }
      return this.#changed(arch, Math.max(1, changes), random);
    });
  }

  /** A child of two, then on average one of its choices made differently. */
  async cross(a: string, b: string, random: Random): Promise<string | undefined> {
    const [x, y] = [this.space.parse(a), this.space.parse(b)];
    // A child has as many choices as one of its parents, or nearly, and parents come again and again.
    const count = this.#choiceCount(a, x);
    return this.#firstAllowed(() => {
      const child = this.space.crossover(x, y, random);
      const changes = binomial(count, 1 / count, random);
      return changes === 0 ? child : this.#changed(child, changes, random);
    });
  }

  /** All that are one choice away, as far as drawing finds them. */
  async neighbours(text: string, random: Random): Promise<string[]> {
    const found: string[] = [];
    for (const arch of neighbours(this.space, this.space.parse(text), random)) {
      const neighbour = this.space.format(arch);
      if (await this.allows(neighbour)) found.push(neighbour);
    }
    return found;
  }

  #changed(arch: unknown, changes: number, random: Random): unknown {
    const { space } = this;
    if (changes === 1 || !isTableSpace(space)) return withChanges(space, arch, changes, random);
    return space.nearest(withChanges(space.base, arch, changes, random), random, arch);
  }

  #choiceCount(text: string, arch: unknown): number {
    let count = this.#counts.get(text);
    if (count === undefined) {
      count = choiceCount(isTableSpace(this.space) ? this.space.base : this.space, arch);
      this.#counts.set(text, count);
    }
    return count;
  }

  async #firstAllowed(make: () => unknown): Promise<string | undefined> {
    for (let tries = 0; tries < MUTANT_TRIES; tries++) {
      const text = this.space.format(make());
      if (await this.allows(text)) return text;
    }
    return undefined;
  }
}
