// Two ways to evaluate a list of networks: in batches, for what is fast on many at once, and one by one, several at the
// same time, for what is expensive, so that each outcome is in the log as soon as it is known.
import type { Network } from '../networks/index.js';
import { AuspexError } from '../util/errors.js';
import { pauses } from '../util/pauses.js';
import type { Evaluated, EvaluationError, Evaluator, Outcome } from './contract.js';

type About = Pick<Evaluator, 'name' | 'objectives'>;

/** Networks of a batch: enough for the speed of batches, few enough that little is lost when a search is killed. */
const BATCH = 1024;

/**
 * An evaluator that works on batches. What it throws for a batch is found by halves: only the networks at fault fail, so
 * that outcomes do not depend on batches.
 *
 * @example
 * inBatches({ name: 'widths', objectives }, async (networks) => networks.map((n) => ({ values: [widthOf(n)] })));
 */
export function inBatches(
  about: About,
  evaluate: (networks: readonly Network[], signal: AbortSignal) => Promise<readonly Outcome[]>,
  size = BATCH,
): Evaluator {
  const attempted = async (
    networks: readonly Network[],
    signal: AbortSignal,
  ): Promise<readonly Outcome[]> => {
    try {
      return await evaluate(networks, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (networks.length === 1) return [{ error: evaluationError(error) }];
      const middle = networks.length >> 1;
      const first = await attempted(networks.slice(0, middle), signal);
      return [...first, ...(await attempted(networks.slice(middle), signal))];
    }
  };
  return {
    ...about,
    async *evaluate(networks, signal) {
      const pause = pauses(signal);
      for (let start = 0; start < networks.length; start += size) {
        const begin = performance.now();
        const outcomes = await attempted(networks.slice(start, start + size), signal);
        const seconds = (performance.now() - begin) / 1000 / outcomes.length;
        yield outcomes.map((outcome, i) => ({ place: start + i, outcome, seconds }));
        await pause();
      }
    },
  };
}

/**
 * An evaluator of single networks.
 *
 * @param evaluate gives a number for every objective; what it throws is the error of the network
 * @param parallel how many are evaluated at the same time
 */
export function oneByOne(
  about: About,
  evaluate: (network: Network, signal: AbortSignal) => Promise<readonly number[]>,
  parallel = 1,
): Evaluator {
  const evaluated = async (place: number, network: Network, signal: AbortSignal): Promise<Evaluated> => {
    const begin = performance.now();
    const outcome = await evaluate(network, signal).then(
      (values) => ({ values }),
      (error: unknown) => {
        if (signal.aborted) throw error;
        return { error: evaluationError(error) };
      },
    );
    return { place, outcome, seconds: (performance.now() - begin) / 1000 };
  };
  return {
    ...about,
    async *evaluate(networks, signal) {
      const running = new Map<number, Promise<Evaluated>>();
      try {
        for (let next = 0; next < networks.length || running.size > 0; ) {
          while (running.size < parallel && next < networks.length) {
            signal.throwIfAborted();
            running.set(next, evaluated(next, networks[next]!, signal));
            next++;
          }
          const ended = await Promise.race(running.values());
          running.delete(ended.place);
          yield [ended];
        }
      } finally {
        await Promise.allSettled(running.values());
      }
    },
  };
}

export function evaluationError(error: unknown): EvaluationError {
  const code = error instanceof AuspexError ? error.code : 'EVALUATION_FAILED';
  return { code, message: error instanceof Error ? error.message : String(error) };
}
