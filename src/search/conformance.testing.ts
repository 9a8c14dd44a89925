// What every strategy must keep to, run over all that are registered: the same trials for the same seed, from any part of
// a log and in any batches; within the budget and the constraints.
import { describe, expect, it } from 'vitest';
import { Random } from '../util/random.js';
import { scoreWithin } from './constraints.js';
import type { Evaluator, Strategy, Trial } from './contract.js';
import { inBatches, oneByOne } from './evaluating.js';
import { memoryLog } from './log.js';
import { digitSpace, evaluatorOf, scorerOf, searchDigits, sumOf, textOf, unordered } from './toy.testing.js';

/** What a trial says, but for the time it took. */
export const said = (trials: readonly Trial[]): unknown[] => trials.map(({ seconds, ...rest }) => rest);
const untimed = (records: readonly unknown[]): unknown[] =>
  records.map((record) => ({ ...(record as object), seconds: 0 }));

export interface StrategyCase {
  readonly strategy: Strategy;
  /** It proposes nothing before it knows the value of what it proposed last. */
  readonly isOneByOne?: boolean;
}

/** @param given so small that every part of the strategy comes to run in a hundred trials */
export function testStrategy(name: string, { strategy, isOneByOne = false }: StrategyCase): void {
  describe(name, () => {
    it('finds the best there is with enough to spend', async () => {
      const space = digitSpace(4, 3);
      const result = await searchDigits(strategy, 81, 1, { space });
      expect(result.best?.arch).toBe('2,2,2,2');
      const evaluator = evaluatorOf((arch) => -sumOf(arch), 'lower');
      const lower = await searchDigits(strategy, 81, 1, { space, evaluator });
      expect(lower.best?.arch).toBe('2,2,2,2');
    });

    it('does the same for the same seed', async () => {
      const [a, b, c] = [
        await searchDigits(strategy, 60, 5),
        await searchDigits(strategy, 60, 5),
        await searchDigits(strategy, 60, 6),
      ];
      expect(said(a.trials)).toEqual(said(b.trials));
      expect(said(a.trials)).not.toEqual(said(c.trials));
    });

    it('spends no more than it has, and evaluates nothing twice', async () => {
      for (const budget of [0, 1, 2, 7, 33, 50]) {
        const evaluator = evaluatorOf(sumOf);
        const { trials, end } = await searchDigits(strategy, budget, 2, { evaluator });
        expect(trials.length).toBe(budget);
        expect(end).toBe('budget');
        expect(trials.map(({ arch }) => arch)).toEqual(evaluator.asked);
        expect(new Set(evaluator.asked).size).toBe(budget);
        expect(trials.map(({ index }) => index)).toEqual(trials.map((_, i) => i));
      }
    });

    it('does not evaluate the same network under another name', async () => {
      const space = unordered(digitSpace(6, 4));
      const evaluator = evaluatorOf(sumOf);
      const { trials, end } = await searchDigits(strategy, 1000, 3, { space, evaluator });
      const keys = evaluator.asked.map((arch) => space.hash!(space.parse(arch)));
      expect(new Set(keys).size).toBe(keys.length);
      // As many as there are multisets of 6 of 4 digits.
      expect(trials.length).toBeLessThanOrEqual(84);
      expect(end).not.toBe('budget');
    });

    it('proposes canonical texts of the space', async () => {
      const space = digitSpace(6, 4);
      const { trials } = await searchDigits(strategy, 60, 8, { space });
      for (const { arch } of trials) expect(space.format(space.parse(arch))).toBe(arch);
    });

    it('resumes from a log that is cut off anywhere', async () => {
      const log = memoryLog();
      const whole = await searchDigits(strategy, 30, 4, { log });
      for (let length = 0; length <= log.records.length; length++) {
        const cut = memoryLog(log.records.slice(0, length));
        const evaluator = evaluatorOf(sumOf);
        const resumed = await searchDigits(strategy, 30, 4, { log: cut, evaluator });
        expect(untimed(cut.records)).toEqual(untimed(log.records));
        expect(said(resumed.trials)).toEqual(said(whole.trials));
        const before = log.records.slice(0, length).filter((record) => (record as Trial).arch !== undefined);
        expect(evaluator.asked.length).toBe(30 - before.length);
      }
    });

    it('resumes with a larger budget as if it had always had it', async () => {
      const log = memoryLog();
      await searchDigits(strategy, 17, 4, { log });
      const more = await searchDigits(strategy, 40, 4, { log: memoryLog(log.records) });
      expect(said(more.trials)).toEqual(said((await searchDigits(strategy, 40, 4)).trials));
    });

    it.each([1, 3, 256])('does the same in batches of %i', async (size) => {
      const about = evaluatorOf(sumOf);
      const evaluator = inBatches(
        about,
        async (networks) => networks.map((network) => ({ values: [sumOf(textOf(network))] })),
        size,
      );
      const { trials } = await searchDigits(strategy, 30, 4, { evaluator });
      expect(said(trials)).toEqual(said((await searchDigits(strategy, 30, 4)).trials));
    });

    it('does the same with several evaluations at once', async () => {
      let [running, most] = [0, 0];
      const random = Random.seeded(1);
      const evaluator = oneByOne(
        evaluatorOf(sumOf),
        async (network) => {
          most = Math.max(most, ++running);
          await new Promise((done) => setTimeout(done, random.below(3)));
          running--;
          return [sumOf(textOf(network))];
        },
        3,
      );
      const log = memoryLog();
      const { trials } = await searchDigits(strategy, 30, 4, { evaluator, log });
      expect(said(trials)).toEqual(said((await searchDigits(strategy, 30, 4)).trials));
      expect(most).toBe(isOneByOne ? 1 : 3);
      // Trials are in the log as they ended; with one of the first ones lost, only that one is evaluated again.
      const lost = log.records.filter((record) => (record as Trial).index !== 1 || !(record as Trial).arch);
      const again = evaluatorOf(sumOf);
      const resumed = await searchDigits(strategy, 30, 4, { evaluator: again, log: memoryLog(lost) });
      expect(said(resumed.trials)).toEqual(said(trials));
      expect(again.asked).toEqual([trials[1]!.arch]);
    });

    it('goes on after evaluations that fail', async () => {
      const { trials, best } = await searchDigits(strategy, 60, 7, { evaluator: failing() });
      expect(trials.length).toBe(60);
      for (const { arch, value, error } of trials) {
        const kind = sumOf(arch) % 3;
        expect(value).toBe(kind === 2 ? sumOf(arch) : undefined);
        expect(error?.code).toBe(['EVALUATION_FAILED', 'EVALUATION_NOT_FINITE', undefined][kind]);
      }
      expect(best?.value).toBe(Math.max(...trials.map(({ value = 0 }) => value)));
    });

    it('goes on if every evaluation fails', async () => {
      const evaluator = evaluatorOf(() => Number.POSITIVE_INFINITY);
      const { trials, best } = await searchDigits(strategy, 60, 7, { evaluator });
      expect(trials.length).toBe(60);
      expect(best).toBeUndefined();
    });

    it('proposes nothing that is forbidden', async () => {
      const most = scoreWithin(scorerOf(sumOf), { least: 2, most: 9 });
      const { trials } = await searchDigits(strategy, 60, 7, { constraints: [most] });
      expect(trials.length).toBe(60);
      for (const { arch } of trials) expect(sumOf(arch) >= 2 && sumOf(arch) <= 9).toBe(true);
      expect(Math.max(...trials.map(({ value }) => value!))).toBe(9);
    });
  });
}

function failing(): Evaluator {
  return oneByOne(evaluatorOf(sumOf), async (network) => {
    const sum = sumOf(textOf(network));
    if (sum % 3 === 0) throw new Error('out of memory');
    return [sum % 3 === 1 ? Number.NaN : sum];
  });
}
