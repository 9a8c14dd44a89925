// Long computations that let others run: every so often a macrotask, in which signals arrive and progress is shown.

/** How long a computation may run without a pause. */
const SLICE_MS = 25;

/** Lets others have their turn if the last one was long ago. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  /** @param signal whose reason is thrown once it is given */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** To be awaited only where `isDue`, as awaiting costs more than small steps do. */
  get isDue(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  async turn(): Promise<void> {
    this.#signal?.throwIfAborted();
    await new Promise((done) => setTimeout(done, 0));
    this.#signal?.throwIfAborted();
    this.#since = performance.now();
  }
}

/** To be awaited in loops: mostly returns at once. */
export type Pause = () => Promise<void>;

/**
 * The same as a function.
 *
 * @example
 * const pause = pauses(signal);
 * for (const item of items) { work(item); await pause(); }
 */
export function pauses(signal?: AbortSignal): Pause {
  const pace = new Pace(signal);
  return async () => {
    if (pace.isDue) await pace.turn();
  };
}

/**
 * Runs a computation that yields now and then, giving the part that is done.
 *
 * @param expectGoing throws where it has to stop
 */
export async function paced<T>(
  steps: Generator<number, T>,
  expectGoing: () => void,
  onPart?: (part: number) => void,
): Promise<T> {
  const pace = new Pace();
  expectGoing();
  for (;;) {
    const { done, value } = steps.next();
    if (done) {
      onPart?.(1);
      return value;
    }
    if (!pace.isDue) continue;
    onPart?.(value);
    await pace.turn();
    expectGoing();
  }
}

/** Runs such a computation without a break. */
export function atOnce<T>(steps: Generator<number, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
