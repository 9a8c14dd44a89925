// Runs cases in child processes and watches them: a case that takes too long or too much memory is run once
// more on its own before it counts as a defect, as a busy machine can make anything slow.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Outcome } from './pipeline.js';
import type { Order, Report } from './worker.js';

export interface CaseResult {
  readonly index: number;
  readonly kind: string;
  readonly from: string;
  readonly outcome: Outcome;
  readonly durationMs: number;
  readonly peakRssBytes: number;
}

export interface PoolOptions {
  readonly seed: number;
  /** Folder of the project. */
  readonly root: string;
  readonly workers: number;
  /** Each part of a case may take this long. */
  readonly limitMs: number;
  /** A case may add this much memory to that of an idle worker. */
  readonly limitBytes: number;
}

/** How much longer a case gets when it is run alone to make sure. */
const PATIENCE = 10;
const CONFIRMING_RUNS = 3;

/** A result with the time the case had on a processor. */
type TimedResult = CaseResult & { readonly cpuMs: number };

/** Runs the cases of `indices` and gives each result to `onResult`, in no particular order. */
export async function runCases(
  indices: Iterable<number>,
  options: PoolOptions,
  onResult: (result: CaseResult) => void,
): Promise<void> {
  const queue = indices[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    let worker = new Worker(options);
    for (let next = queue.next(); !next.done; next = queue.next()) {
      const index = next.value;
      let result: CaseResult = await worker.run(index, options.limitMs);
      if (isSuspicious(result, worker, options)) {
        worker.end();
        result = await confirm(index, options);
        worker = new Worker(options);
      }
      onResult(result);
    }
    worker.end();
  };
  await Promise.all(Array.from({ length: options.workers }, lane));
}

function isSuspicious(result: CaseResult, worker: Worker, options: PoolOptions): boolean {
  if (!worker.isAlive) return true;
  return result.peakRssBytes - worker.idleRssBytes > options.limitBytes;
}

/**
 * A case on its own in a fresh process, judged by the time it had on a processor in the best of a few runs:
 * in the first one most time goes into compiling.
 */
async function confirm(index: number, options: PoolOptions): Promise<CaseResult> {
  const worker = new Worker(options);
  let best: TimedResult | undefined;
  for (let run = 0; run < CONFIRMING_RUNS && worker.isAlive; run++) {
    const result = await worker.run(index, PATIENCE * options.limitMs);
    if (best === undefined || result.cpuMs < best.cpuMs) best = result;
    if (result.outcome.kind === 'defect') best = result;
  }
  worker.end();
  const result = best!;
  if (result.outcome.kind === 'defect') return result;
  const defect = (what: string): CaseResult => ({ ...result, outcome: { kind: 'defect', what } });
  if (result.cpuMs > options.limitMs) return defect(`takes ${Math.round(result.cpuMs)} ms`);
  const grown = result.peakRssBytes - worker.idleRssBytes;
  if (grown > options.limitBytes) return defect(`takes ${Math.round(grown / 2 ** 20)} MiB of memory`);
  return { ...result, durationMs: result.cpuMs };
}

class Worker {
  readonly #child: ChildProcess;
  readonly #ready: Promise<void>;
  idleRssBytes = 0;
  isAlive = true;

  constructor({ seed, root }: PoolOptions) {
    this.#child = fork(join(import.meta.dirname, 'worker.js'), [String(seed), root], {
      execArgv: ['--max-old-space-size=3000'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#ready = new Promise((resolve) => {
      this.#child.once('exit', () => {
        this.isAlive = false;
        resolve();
      });
      const listen = (report: Report): void => {
        if (report.kind !== 'ready') return;
        this.idleRssBytes = report.rssBytes;
        this.#child.off('message', listen);
        resolve();
      };
      this.#child.on('message', listen);
    });
  }

  /** Runs one case. If the worker dies or takes too long, that is the outcome, and the worker is gone. */
  async run(index: number, limitMs: number): Promise<TimedResult> {
    await this.#ready;
    const child = this.#child;
    return new Promise((resolve) => {
      const start = performance.now();
      let made = { kind: 'unknown', from: 'unknown' };
      let timer: NodeJS.Timeout | undefined;
      const finish = (rest: Omit<TimedResult, 'index' | 'kind' | 'from'>): void => {
        clearTimeout(timer);
        child.off('message', listen);
        child.off('exit', crashed);
        resolve({ index, ...made, ...rest });
      };
      const stopped = (what: string): void => {
        this.isAlive = false;
        const durationMs = performance.now() - start;
        finish({ outcome: { kind: 'defect', what }, durationMs, cpuMs: durationMs, peakRssBytes: 0 });
      };
      const crashed = (code: number | null, signal: string | null): void =>
        stopped(`the process ended (${signal ?? `exit code ${code}`})`);
      const listen = (report: Report): void => {
        if (report.kind === 'running') {
          made = { kind: report.mutation, from: report.from };
          // Making the case has its own time; the limit is for each thing that auspex does with it.
          clearTimeout(timer);
          timer = setTimeout(() => {
            stopped(`takes more than ${limitMs} ms`);
            child.kill('SIGKILL');
          }, limitMs);
        } else if (report.kind === 'done') {
          const { outcome, durationMs, cpuMs, peakRssBytes } = report;
          finish({ outcome, durationMs, cpuMs, peakRssBytes });
        }
      };
      if (!this.isAlive) {
        stopped('no process could be started');
        return;
      }
      child.on('message', listen);
      child.once('exit', crashed);
      child.send({ index } satisfies Order);
    });
  }

  end(): void {
    this.isAlive = false;
    this.#child.kill('SIGKILL');
  }
}
