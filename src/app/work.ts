// What every long work of the application takes: a signal that stops it, and somebody to tell how far it is.
import { Pace } from '../util/pauses.js';

export interface Work {
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((done: number, all: number) => void) | undefined;
}

/** Numbers from 0, with pauses in which signals arrive and progress is told. Throws the signal's reason. */
export async function* yielding(count: number, { signal, progress }: Work): AsyncGenerator<number> {
  const pace = new Pace(signal);
  for (let i = 0; i < count; i++) {
    yield i;
    if (!pace.isDue) continue;
    progress?.(i + 1, count);
    await pace.turn();
  }
  progress?.(count, count);
}
