// Long computations that leave others their turn: at least every 50 ms whatever waits is done, and a signal is seen.
import { AuspexError } from '../util/errors.js';

const TURN_MS = 25;

/** Throws TRAINING_STOPPED where the signal says so. */
export function expectGoing(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new AuspexError('TRAINING_STOPPED', 'the training was stopped', {
    kind: 'failure',
    hint: 'training can be resumed from checkpoints, if there are any',
  });
}

/** Lets others have their turn if the last one was long ago. */
export class Pace {
  readonly #signal: AbortSignal | undefined;
  #since = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** To be awaited only where `isDue`, as awaiting costs more than small steps do. */
  get isDue(): boolean {
    return performance.now() - this.#since > TURN_MS;
  }

  async turn(): Promise<void> {
    this.#signal?.throwIfAborted();
    await new Promise((done) => setTimeout(done, 0));
    this.#signal?.throwIfAborted();
    this.#since = performance.now();
  }
}

/** Runs a computation that yields now and then, giving the part that is done. */
export async function paced<T>(
  steps: Generator<number, T>,
  signal?: AbortSignal,
  onPart?: (part: number) => void,
): Promise<T> {
  const pace = new Pace();
  expectGoing(signal);
  for (;;) {
    const { done, value } = steps.next();
    if (done) {
      onPart?.(1);
      return value;
    }
    if (!pace.isDue) continue;
    onPart?.(value);
    await pace.turn();
    expectGoing(signal);
  }
}

/** Runs such a computation without a break. */
export function atOnce<T>(steps: Generator<number, T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
