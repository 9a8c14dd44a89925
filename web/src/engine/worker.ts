// The worker's side: each message is a call of the engine, answered with its result or with what went wrong.
import { Engine, type Places } from './engine.js';
import { problemFrom } from './problem.js';
import type { Problem } from './protocol.js';

/** Methods that the page may call. */
export type Method = Exclude<keyof Engine, 'constructor'>;

export interface CallMessage {
  readonly call: number;
  readonly method: Method;
  readonly args: readonly unknown[];
}

export type AnswerMessage =
  | { readonly call: number; readonly result: unknown }
  | { readonly call: number; readonly problem: Problem };

let engine: Engine | undefined;

addEventListener('message', async ({ data }: MessageEvent<CallMessage | { readonly places: Places }>) => {
  if ('places' in data) {
    engine = new Engine(data.places);
    return;
  }
  const { call, method, args } = data;
  try {
    const run = engine![method] as (...given: unknown[]) => unknown;
    postMessage({ call, result: await run.apply(engine, [...args]) } satisfies AnswerMessage);
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AuspexError')) console.info(error);
    postMessage({ call, problem: problemFrom(error) } satisfies AnswerMessage);
  }
});
