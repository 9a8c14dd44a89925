// Choices that a walk through a network makes before it can know whether they are right. A walk that fails is begun again
// with the latest choice made differently.

/** Walks at most; a network that none of them gets through is refused. */
const MOST_WALKS = 48;

export class Decisions {
  readonly #made: { chosen: number; readonly options: number }[] = [];
  #next = 0;

  /** One of several options, the first ones first. */
  choose<T>(options: readonly T[]): T {
    if (options.length === 1) return options[0]!;
    const before = this.#made[this.#next];
    const decision = before ?? { chosen: 0, options: options.length };
    if (before === undefined) this.#made.push(decision);
    this.#next++;
    return options[Math.min(decision.chosen, options.length - 1)]!;
  }

  /** Changes the latest decision that has options left; false if there is none. */
  #change(): boolean {
    this.#made.length = this.#next;
    this.#next = 0;
    for (;;) {
      const last = this.#made.at(-1);
      if (last === undefined) return false;
      if (++last.chosen < last.options) return true;
      this.#made.pop();
    }
  }

  /** The result of the first of at most so many walks that does not fail; else the error of the first one. */
  static search<T>(
    walk: (decisions: Decisions) => T,
    isFailure: (error: unknown) => boolean,
    most = MOST_WALKS,
  ): T {
    const decisions = new Decisions();
    let first: unknown;
    for (let tried = 0; tried < most; tried++) {
      try {
        return walk(decisions);
      } catch (error) {
        if (!isFailure(error)) throw error;
        first ??= error;
        if (!decisions.#change()) break;
      }
    }
    throw first;
  }
}
