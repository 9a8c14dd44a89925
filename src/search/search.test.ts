import { describe, expect, it } from 'vitest';
import { nasBench201 } from '../spaces/nasbench201.js';
import { Random } from '../util/random.js';
import { agingEvolution } from './aging-evolution.js';
import { costWithin, scoreWithin } from './constraints.js';
import type { Evaluator, Strategy, Trial } from './contract.js';
import { etas } from './etas.js';
import { localSearch } from './local-search.js';
import { memoryLog } from './log.js';
import { nsga2 } from './nsga2.js';
import { randomSearch } from './random-search.js';
import { runSearch, search } from './search.js';
import {
  allTexts,
  digitSpace,
  evaluatorOf,
  scorerOf,
  searchDigits,
  sumOf,
  unordered,
} from './toy.testing.js';

/** A score that says something, but not all. */
const rough = scorerOf((arch) => Math.floor(sumOf(arch) / 4));

/** Small enough that every part of each comes to run in a hundred trials. */
const STRATEGIES: Readonly<Record<string, Strategy>> = {
  random: randomSearch(),
  evolution: agingEvolution({ population: 10, tournament: 4 }),
  'evolution with 3 children': agingEvolution({ population: 10, tournament: 4, children: 3 }),
  local: localSearch(),
  'local, first': localSearch({ move: 'first' }),
  etas: etas(rough, { pool: 40, candidates: 20, rounds: 30, patience: 30 }),
  'etas without a score': etas(undefined, { pool: 20, candidates: 5, rounds: 30, patience: 30 }),
  nsga2: nsga2({ population: 8 }),
};
const each = Object.entries(STRATEGIES);

/** Proposes nothing before it knows the value of what it proposed last. */
const isOneByOne = (name: string): boolean => name === 'local, first';

/** What a trial says, but for the time it took. */
const said = (trials: readonly Trial[]): unknown[] => trials.map(({ seconds, ...rest }) => rest);
const untimed = (records: readonly unknown[]): unknown[] =>
  records.map((record) => ({ ...(record as object), seconds: 0 }));

describe.each(each)('%s', (name, strategy) => {
  it('finds the best there is with enough to spend', async () => {
    const space = digitSpace(4, 3);
    const evaluator = evaluatorOf(sumOf);
    const result = await searchDigits(strategy, 81, 1, { space, evaluator });
    expect(result.best?.arch).toBe('2,2,2,2');
    const lower = await searchDigits(strategy, 81, 1, {
      space,
      evaluator: evaluatorOf((a) => -sumOf(a), 'lower'),
    });
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

  it('does not spend more than it has, nor anything twice', async () => {
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
    if (name === 'random') expect([trials.length, end]).toEqual([84, 'exhausted']);
  });

  it('goes on from a log that is cut off anywhere', async () => {
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

  it('goes on with more to spend as if it had always had it', async () => {
    const log = memoryLog();
    await searchDigits(strategy, 17, 4, { log });
    const more = await searchDigits(strategy, 40, 4, { log: memoryLog(log.records) });
    expect(said(more.trials)).toEqual(said((await searchDigits(strategy, 40, 4)).trials));
  });

  it('does the same with several evaluations at once', async () => {
    let [running, most] = [0, 0];
    const random = Random.seeded(1);
    const evaluator: Evaluator = {
      ...evaluatorOf(sumOf),
      evaluate: async (arch) => {
        most = Math.max(most, ++running);
        await new Promise((done) => setTimeout(done, random.below(3)));
        running--;
        return sumOf(arch);
      },
    };
    const log = memoryLog();
    const { trials } = await searchDigits(strategy, 30, 4, { evaluator, parallel: 3, log });
    expect(said(trials)).toEqual(said((await searchDigits(strategy, 30, 4)).trials));
    expect(most).toBe(isOneByOne(name) ? 1 : 3);
    // Trials are in the log as they ended; with one of the first ones lost, only that one is evaluated again.
    const lost = log.records.filter((record) => (record as Trial).index !== 1 || !(record as Trial).arch);
    const again = evaluatorOf(sumOf);
    const resumed = await searchDigits(strategy, 30, 4, { evaluator: again, log: memoryLog(lost) });
    expect(said(resumed.trials)).toEqual(said(trials));
    expect(again.asked).toEqual([trials[1]!.arch]);
  });

  it('goes on after evaluations that fail', async () => {
    const evaluator: Evaluator = {
      name: 'fails',
      better: 'higher',
      evaluate: async (arch) => {
        if (sumOf(arch) % 3 === 0) throw new Error('out of memory');
        return sumOf(arch) % 3 === 1 ? Number.NaN : sumOf(arch);
      },
    };
    const { trials, best } = await searchDigits(strategy, 60, 7, { evaluator });
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

describe('a search', () => {
  const options = { space: digitSpace(6, 4), strategy: randomSearch(), budget: 20, seed: 1 };

  it('visits a whole space and ends', async () => {
    const { trials, end } = await searchDigits(randomSearch(), 1000, 1, { space: digitSpace(4, 3) });
    expect(trials.map(({ arch }) => arch).sort()).toEqual(allTexts(4, 3).sort());
    expect(end).toBe('exhausted');
  });

  it('is not taken up under other conditions', async () => {
    const log = memoryLog();
    const evaluator = evaluatorOf(sumOf);
    await runSearch({ ...options, evaluator, log });
    const constraint = costWithin(nasBench201, 'parameters', { most: 1e6 });
    for (const [other, message] of [
      [{ seed: 2 }, /seed 1, not 2/],
      [{ strategy: localSearch() }, /strategy "random", not "local"/],
      [{ evaluator: { ...evaluator, name: 'another' } }, /evaluator "known", not "another"/],
      [{ evaluator: { ...evaluator, better: 'lower' as const } }, /objectives/],
      [{ constraints: [constraint] }, /constraints \[\], not \["parameters <= 1000000"\]/],
    ] as const) {
      await expect(runSearch({ ...options, evaluator, log, ...other })).rejects.toMatchObject({
        code: 'SEARCH_LOG_OTHER',
        message: expect.stringMatching(message),
      });
    }
  });

  it('is not taken up from a log that it does not lead to', async () => {
    const log = memoryLog();
    const evaluator = evaluatorOf(sumOf);
    await runSearch({ ...options, evaluator, log });
    const changed = log.records.map((r) =>
      (r as Trial).index === 4 ? { ...(r as Trial), arch: '0,0,0,0,0,0' } : r,
    );
    await expect(runSearch({ ...options, evaluator, log: memoryLog(changed) })).rejects.toMatchObject({
      code: 'SEARCH_LOG_DIVERGED',
    });
    await expect(
      runSearch({ ...options, evaluator, log: memoryLog([...log.records, { kind: 'else' }]) }),
    ).rejects.toMatchObject({ code: 'SEARCH_LOG_DAMAGED' });
  });

  it('can be stopped, and loses only what was under way', async () => {
    const stop = new AbortController();
    const log = memoryLog();
    const evaluator: Evaluator = {
      ...evaluatorOf(sumOf),
      evaluate: (arch, signal) =>
        new Promise((done, fail) => {
          signal.addEventListener('abort', () => fail(new Error('stopped')));
          if (log.records.length >= 8) stop.abort();
          else done(sumOf(arch));
        }),
    };
    const { trials, end } = await runSearch({ ...options, evaluator, log, signal: stop.signal, parallel: 2 });
    expect(end).toBe('stopped');
    expect([7, 8]).toContain(trials.length);
    const resumed = await runSearch({ ...options, evaluator: evaluatorOf(sumOf), log });
    expect(said(resumed.trials)).toEqual(
      said((await runSearch({ ...options, evaluator: evaluatorOf(sumOf) })).trials),
    );
  });

  it('ends its evaluations when nobody listens any more', async () => {
    const evaluator = evaluatorOf(sumOf);
    const signals: AbortSignal[] = [];
    const listening = search({
      ...options,
      evaluator: {
        ...evaluator,
        evaluate: (arch, signal) => {
          signals.push(signal);
          return evaluator.evaluate(arch, signal);
        },
      },
    });
    for await (const { index } of listening) if (index === 3) break;
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(evaluator.asked.length).toBeLessThan(20);
  });

  it('ends when its log cannot be written', async () => {
    const log = {
      records: [],
      append: ({ kind }: { kind: string }) => {
        if (kind === 'trial') throw new Error('disk full');
      },
    };
    await expect(runSearch({ ...options, evaluator: evaluatorOf(sumOf), log })).rejects.toThrow('disk full');
  });

  it('says that no architecture keeps to its constraints', async () => {
    const constraints = [scoreWithin(scorerOf(sumOf), { most: -1 })];
    await expect(runSearch({ ...options, evaluator: evaluatorOf(sumOf), constraints })).rejects.toMatchObject(
      { code: 'CONSTRAINT_TOO_TIGHT', message: expect.stringContaining('known <= -1') },
    );
  });

  it('keeps to limits on what networks cost', async () => {
    const limit = costWithin(nasBench201, 'parameters', { most: 300_000 });
    const all = [...Array(30).keys()].map((i) => nasBench201.format(nasBench201.sample(Random.seeded(i))));
    const allowed = await Promise.all(all.map((arch) => limit.allows(arch)));
    expect(new Set(allowed).size).toBe(2);
    const { trials } = await runSearch({
      ...options,
      space: nasBench201,
      evaluator: evaluatorOf((arch) => arch.length),
      constraints: [limit],
      budget: 10,
    });
    for (const { arch } of trials) expect(await limit.allows(arch)).toBe(true);
  });
});
