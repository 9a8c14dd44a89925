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

/** What a process is asked for: some of the proxies of its plan. */
export interface LaneRequest {
  readonly ref: string;
  readonly proxies: readonly string[];
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

const TIMED_OUT = 'PROXY_TIMEOUT';

/** What is known of a network so far. */
interface Found {
  readonly scores: Record<string, number>;
  readonly errors: Record<string, Problem>;
}

/** What came of asking a process: its result, or why it ended before. */
type Attempt =
  | { readonly result: NetworkResult; readonly problem?: never }
  | { readonly problem: Problem; readonly result?: never };

/** The result of a process with what earlier ones found, and what it found before it failed. */
function withFound(
  { scores, errors }: Found,
  { error, ...result }: NetworkResult,
  missing: string[],
): NetworkResult {
  if (Object.keys(scores).length === 0 && error) return { ...result, error };
  const failed = error ? missing.map((name) => [name, error] as const) : [];
  const all = { ...errors, ...result.errors, ...Object.fromEntries(failed) };
  const hasErrors = Object.keys(all).length > 0;
  return { ...result, scores: { ...scores, ...result.scores }, ...(hasErrors && { errors: all }) };
}

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

  /** A process that ends takes down the score it was at; another one goes on with those that are missing. */
  async score(network: Network, report?: ScoreReport): Promise<NetworkResult> {
    const found: Found = { scores: {}, errors: {} };
    const countOf = (): number => Object.keys(found.scores).length + Object.keys(found.errors).length;
    const until = performance.now() + (this.#timeout ?? Number.POSITIVE_INFINITY) * 1000;
    for (let isFirst = true; ; isFirst = false) {
      const before = countOf();
      const { result, problem } = await this.#attempt(network, found, until, report);
      if (problem === undefined) return withFound(found, result, this.#missing(found));
      const missing = this.#missing(found);
      // Where a new process gets no further, preparing the network is what ends it.
      const isOver = problem.code === TIMED_OUT || (!isFirst && countOf() === before);
      for (const name of isOver ? missing : missing.slice(0, 1)) {
        found.errors[name] = problem;
        report?.(name, problem);
      }
      if (!isOver && missing.length > 1) continue;
      return Object.keys(found.scores).length === 0 ? { scores: {}, error: problem } : found;
    }
  }

  #missing({ scores, errors }: Found): string[] {
    return this.#scorer.plan.proxies.filter(
      (name) => scores[name] === undefined && errors[name] === undefined,
    );
  }

  /** The scores that are missing, until the process ends or the time is over. */
  async #attempt(network: Network, found: Found, until: number, report?: ScoreReport): Promise<Attempt> {
    const child = this.#child ?? (await this.#start());
    return new Promise((resolve) => {
      const timer =
        this.#timeout === undefined
          ? undefined
          : setTimeout(() => this.#stop(child), Math.max(0, until - performance.now()));
      const settle = (ended: Attempt): void => {
        clearTimeout(timer);
        this.#take = () => undefined;
        this.#lose = () => undefined;
        resolve(ended);
      };
      this.#take = (message) => {
        if (message.kind === 'result') settle({ result: message.result });
        if (message.kind !== 'score') return;
        const { name, found: score } = message;
        if (typeof score === 'number') found.scores[name] = score;
        else found.errors[name] = score;
        report?.(name, score);
      };
      this.#lose = (problem) => settle({ problem });
      child.send({ ref: network.ref, proxies: this.#missing(found) } satisfies LaneRequest);
    });
  }

  #stop(child: ChildProcess): void {
    const lose = this.#lose;
    this.#child = undefined;
    this.#lose = () => undefined;
    child.kill('SIGKILL');
    lose({
      code: TIMED_OUT,
      message: `it took more than ${this.#timeout} seconds`,
      hint: 'give a smaller --batch, fewer --proxies, or a longer --timeout',
      isFailure: true,
    });
  }

  async close(): Promise<void> {
    this.#child?.kill('SIGKILL');
  }
}
