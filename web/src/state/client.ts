// Calls of the engine in its worker, as functions that give promises.
import type { Engine, Places } from '../engine/engine.js';
import type { Problem, Provider } from '../engine/protocol.js';
import type { AnswerMessage, Method } from '../engine/worker.js';

/** An error of the engine. */
export class EngineProblem extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(`${problem.code}: ${problem.message}`);
    this.problem = problem;
  }
}

type Result<M extends Method> = Awaited<ReturnType<Engine[M]>>;

export class EngineClient {
  readonly #provider: Provider;
  #worker: Worker | undefined;
  #calls = 0;
  readonly #waiting = new Map<number, { done: (result: unknown) => void; failed: (error: Error) => void }>();

  constructor(provider: Provider = 'wasm') {
    this.#provider = provider;
  }

  /** Starts the worker now, so that the first call does not wait for it. */
  warm(): void {
    this.#worker ??= this.#start();
  }

  call<M extends Method>(method: M, ...args: Parameters<Engine[M]>): Promise<Result<M>> {
    const call = this.#calls++;
    return new Promise<Result<M>>((done, failed) => {
      this.#waiting.set(call, { done: done as (result: unknown) => void, failed });
      this.#worker ??= this.#start();
      this.#worker.postMessage({ call, method, args });
    });
  }

  /** Ends all that is under way. Networks have to be opened again. */
  restart(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#failAll({ code: 'CANCELLED', message: 'cancelled', at: [] });
  }

  #start(): Worker {
    const worker = new Worker(new URL('../engine/worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<AnswerMessage>) => {
      const waiting = this.#waiting.get(data.call);
      this.#waiting.delete(data.call);
      if ('problem' in data) waiting?.failed(new EngineProblem(data.problem));
      else waiting?.done(data.result);
    });
    worker.addEventListener('error', () => {
      this.#failAll({
        code: 'WORKER_FAILED',
        message: 'the worker of the page has failed',
        hint: 'load the page again',
        at: [],
      });
    });
    const places: Places = {
      bundled: new URL('bundled/', document.baseURI).href,
      provider: this.#provider,
    };
    worker.postMessage({ places });
    return worker;
  }

  #failAll(problem: Problem): void {
    for (const { failed } of this.#waiting.values()) failed(new EngineProblem(problem));
    this.#waiting.clear();
  }
}

export function problemOf(error: unknown): Problem {
  if (error instanceof EngineProblem) return error.problem;
  return { code: 'UNEXPECTED', message: String(error), at: [] };
}
