// Where networks are scored: in this thread, or in workers, which a network that needs too much memory takes down alone.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ScoringPlan } from './proxy-plan.js';
import { type NetworkResult, NetworkScorer, type Problem, problemOf } from './proxy-scoring.js';

/** Scores one network at a time. */
export interface Lane {
  score(network: string): Promise<NetworkResult>;
  close(): Promise<void>;
}

/** As many lanes as workers are asked for. One is this thread: a worker of its own would only begin later. */
export async function openLanes(plan: ScoringPlan, workers: number, threads?: number): Promise<Lane[]> {
  if (workers === 1) {
    const scorer = new NetworkScorer(plan, threads);
    return [{ score: (network) => scorer.score(network), close: async () => undefined }];
  }
  return Promise.all(Array.from({ length: workers }, () => WorkerLane.open(plan, threads)));
}

/** A thread that is started again for the next network if one takes it down. */
class WorkerLane implements Lane {
  readonly #plan: ScoringPlan;
  readonly #threads: number | undefined;
  #worker: Worker | undefined;
  /** Takes the result of the network that is being scored. */
  #settle: (result: NetworkResult) => void = () => undefined;

  private constructor(plan: ScoringPlan, threads?: number) {
    this.#plan = plan;
    this.#threads = threads;
  }

  static async open(plan: ScoringPlan, threads?: number): Promise<WorkerLane> {
    const lane = new WorkerLane(plan, threads);
    await lane.#start();
    return lane;
  }

  async #start(): Promise<Worker> {
    const workerData = { plan: this.#plan, threads: this.#threads };
    const worker = new Worker(new URL('./proxy-worker.js', import.meta.url), { workerData });
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
    worker.on('exit', (code) => lost({ code: 'WORKER_ENDED', message: `its worker ended with ${code}` }));
    this.#worker = worker;
    return worker;
  }

  async score(network: string): Promise<NetworkResult> {
    const worker = this.#worker ?? (await this.#start());
    return new Promise((resolve) => {
      this.#settle = resolve;
      worker.postMessage(network);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }
}
