// What every long work of the application takes: a signal that stops it, and somebody to tell how far it is.

export interface Work {
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((done: number, all: number) => void) | undefined;
}

/** Work that takes longer lets others run in between. */
const SLICE_MS = 50;

/** Numbers from 0, with pauses in which signals arrive and progress is told. Throws the signal's reason. */
export async function* yielding(count: number, { signal, progress }: Work): AsyncGenerator<number> {
  let since = performance.now();
  for (let i = 0; i < count; i++) {
    yield i;
    if (performance.now() - since < SLICE_MS) continue;
    progress?.(i + 1, count);
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal?.throwIfAborted();
    since = performance.now();
  }
  progress?.(count, count);
}
