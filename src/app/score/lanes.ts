// Where networks are scored: in this thread, or in workers, which a network that needs too much memory takes down alone.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Network } from '../../networks/index.js';
import { type Problem, problemOf } from '../problem.js';
import type { NetworkResult } from './record.js';
import type { NetworkScorer } from './scoring.js';

/** Scores one network at a time. */
export interface Lane {
  score(network: Network): Promise<NetworkResult>;
  close(): Promise<void>;
}

/**
 * As many lanes as workers are asked for. One is this thread: a worker of its own would only begin later.
 *
 * @param scorer of this thread; workers make their own of its plan
 */
export async function openLanes(scorer: NetworkScorer, workers: number): Promise<Lane[]> {
  if (workers === 1) {
    return [{ score: (network) => scorer.score(network), close: async () => undefined }];
  }
  return Promise.all(Array.from({ length: workers }, () => WorkerLane.open(scorer)));
}

/** The worker's own file, as seen from this one and from the command line, which is one file of another folder. */
const WORKER = new URL(
  /\/app\/score\/lanes\.\w+$/.test(import.meta.url) ? './worker.js' : '../app/score/worker.js',
  import.meta.url,
);

/** A thread that is started again for the next network if one takes it down. */
class WorkerLane implements Lane {
  readonly #scorer: NetworkScorer;
  #worker: Worker | undefined;
  /** Takes the result of the network that is being scored. */
  #settle: (result: NetworkResult) => void = () => undefined;

  private constructor(scorer: NetworkScorer) {
    this.#scorer = scorer;
  }

  static async open(scorer: NetworkScorer): Promise<WorkerLane> {
    const lane = new WorkerLane(scorer);
    await lane.#start();
    return lane;
  }

  async #start(): Promise<Worker> {
    const { plan, options } = this.#scorer;
    const worker = new Worker(WORKER, { workerData: { plan, options } });
    // Its first message; an error until then is one of auspex itself, and is thrown.
    await once(worker, 'message');
    const lost = (error: Problem): void => {
      // An error is followed by the exit, when another may have taken its place.
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#settle({ scores: {}, error });
    };
    worker.on('message', (result: NetworkResult) => this.#settle(result));
    worker.on('error', (error) => lost(problemOf(error)));
    worker.on('exit', (code) =>
      lost({ code: 'WORKER_ENDED', message: `the worker exited with code ${code}` }),
    );
    this.#worker = worker;
    return worker;
  }

  async score(network: Network): Promise<NetworkResult> {
    const worker = this.#worker ?? (await this.#start());
    return new Promise((resolve) => {
      this.#settle = resolve;
      worker.postMessage(network.ref);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }
}
