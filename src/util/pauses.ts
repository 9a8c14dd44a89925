// Long computations that let others run: every so often a macrotask, in which signals arrive and progress is shown.

/** How long a computation may run without a pause. */
const SLICE_MS = 50;

/** To be awaited in loops: mostly returns at once. */
export type Pause = () => Promise<void>;

/**
 * @returns what pauses if the last pause was 50 ms ago, and throws the signal's reason once it is given
 * @example
 * const pause = pauses(signal);
 * for (const item of items) { work(item); await pause(); }
 */
export function pauses(signal?: AbortSignal): Pause {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await new Promise((done) => setTimeout(done, 0));
    since = performance.now();
    signal?.throwIfAborted();
  };
}
