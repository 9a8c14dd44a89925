// Where networks are scored: in this thread, or in processes of their own, which a network that needs too much memory or
// time takes down alone. The scores that it had by then are kept.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Network } from '../../networks/index.js';
import type { Problem } from '../problem.js';
import type { NetworkResult } from './record.js';
import type { NetworkScorer, ScoreReport } from './scoring.js';

/** Scores one network at a time. */
export interface Lane {
  /** @param report called with every score as it is found */
  score(network: Network, report?: ScoreReport): Promise<NetworkResult>;
  close(): Promise<void>;
}

export interface LaneOptions {
  readonly workers: number;
  /** Also one lane is a process of its own. */
  readonly isApart?: boolean | undefined;
  /** Seconds that a network may take; needs a process of its own. */
  readonly timeout?: number | undefined;
}

/** What a process says. */
export type LaneMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'score'; readonly name: string; readonly found: number | Problem }
  | { readonly kind: 'result'; readonly result: NetworkResult };

/**
 * As many lanes as workers are asked for.
 *
 * @param scorer of this thread; processes make their own of its plan
 */
export async function openLanes(scorer: NetworkScorer, options: LaneOptions): Promise<Lane[]> {
  const { workers, isApart = false, timeout } = options;
  if (workers === 1 && !isApart && timeout === undefined) {
    return [{ score: (network, report) => scorer.score(network, report), close: async () => undefined }];
  }
  return Promise.all(Array.from({ length: workers }, () => ProcessLane.open(scorer, timeout)));
}

/** The worker's own file, as seen from this one and from the command line, which is one file of another folder. */
const WORKER = new URL(
  /\/app\/score\/lanes\.\w+$/.test(import.meta.url) ? './worker.js' : '../app/score/worker.js',
  import.meta.url,
);

/** Large results of ONNX Runtime are freed when they are no longer needed. */
const WORKER_FLAGS = [...process.execArgv, '--expose-gc'];

/** A process that is started again for the next network if one takes it down. */
class ProcessLane implements Lane {
  readonly #scorer: NetworkScorer;
  readonly #timeout: number | undefined;
  #child: ChildProcess | undefined;
  #take: (message: LaneMessage) => void = () => undefined;
  #lose: (problem: Problem) => void = () => undefined;

  private constructor(scorer: NetworkScorer, timeout: number | undefined) {
    this.#scorer = scorer;
    this.#timeout = timeout;
  }

  static async open(scorer: NetworkScorer, timeout: number | undefined): Promise<ProcessLane> {
    const lane = new ProcessLane(scorer, timeout);
    await lane.#start();
    return lane;
  }

  async #start(): Promise<ChildProcess> {
    const { plan, options } = this.#scorer;
    const child = fork(fileURLToPath(WORKER), { serialization: 'advanced', execArgv: WORKER_FLAGS });
    child.send({ plan, options });
    // Its first message; a process that ends before is a failure of auspex itself.
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => {
        throw new Error(`a process that scores networks ended with ${code}`);
      }),
    ]);
    child.on('message', (message: LaneMessage) => this.#take(message));
    child.on('exit', (code, signal) => {
      if (this.#child === child) this.#child = undefined;
      this.#lose({
        code: 'WORKER_ENDED',
        message: `the process that scored it ended with ${signal ?? `exit code ${code}`}`,
        hint: 'it may have run out of memory: give a smaller --batch, or less --memory',
        isFailure: true,
      });
    });
    this.#child = child;
    return child;
  }

  async score(network: Network, report?: ScoreReport): Promise<NetworkResult> {
    const child = this.#child ?? (await this.#start());
    const scores: Record<string, number> = {};
    const errors: Record<string, Problem> = {};
    return new Promise((resolve) => {
      const timer =
        this.#timeout === undefined ? undefined : setTimeout(() => this.#stop(child), this.#timeout * 1000);
      const settle = (result: NetworkResult): void => {
        clearTimeout(timer);
        this.#take = () => undefined;
        this.#lose = () => undefined;
        resolve(result);
      };
      this.#take = (message) => {
        if (message.kind === 'result') settle(message.result);
        if (message.kind !== 'score') return;
        const { name, found } = message;
        if (typeof found === 'number') scores[name] = found;
        else errors[name] = found;
        report?.(name, found);
      };
      this.#lose = (problem) => settle(this.#partial(scores, errors, problem));
      child.send(network.ref);
    });
  }

  /** The scores that were found, and for all others why they were not. */
  #partial(
    scores: Readonly<Record<string, number>>,
    errors: Record<string, Problem>,
    problem: Problem,
  ): NetworkResult {
    if (Object.keys(scores).length === 0) return { scores, error: problem };
    for (const name of this.#scorer.plan.proxies) {
      if (scores[name] === undefined) errors[name] ??= problem;
    }
    return { scores, errors };
  }

  #stop(child: ChildProcess): void {
    const lose = this.#lose;
    this.#child = undefined;
    this.#lose = () => undefined;
    child.kill('SIGKILL');
    lose({
      code: 'PROXY_TIMEOUT',
      message: `it took more than ${this.#timeout} seconds`,
      hint: 'give a smaller --batch, fewer --proxies, or a longer --timeout',
      isFailure: true,
    });
  }

  async close(): Promise<void> {
    this.#child?.kill('SIGKILL');
  }
}
