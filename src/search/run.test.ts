import { describe, expect, it } from 'vitest';
import { ArchNetwork } from '../networks/index.js';
import { nasBench201 } from '../spaces/cells/nasbench201.js';
import { Random } from '../util/random.js';
import { said } from './conformance.testing.js';
import { costWithin, scoreWithin } from './constraints.js';
import type { Evaluator, SearchContext, Trial } from './contract.js';
import { inBatches, oneByOne } from './evaluating.js';
import { joinedEvaluator, scorerEvaluator } from './evaluators.js';
import { type LogRecord, memoryLog } from './log.js';
import { runSearch, search } from './run.js';
import { localSearch } from './strategies/local-search.js';
import { randomSearch } from './strategies/random-search.js';
import { allTexts, digitSpace, evaluatorOf, scorerOf, searchDigits, sumOf, textOf } from './toy.testing.js';

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
    const constraint = costWithin('parameters', { most: 1e6 });
    for (const [other, message] of [
      [{ seed: 2 }, /seed 1, not 2/],
      [{ strategy: localSearch() }, /strategy "random", not "local"/],
      [{ evaluator: { ...evaluator, name: 'another' } }, /evaluator "known", not "another"/],
      [{ evaluator: evaluatorOf(sumOf, 'lower') }, /objectives/],
      [{ sizes: { width: 2 } }, /sizes nothing, not {"width":2}/],
      [{ files: { '--evaluator': 'ab' } }, /file of --evaluator has changed/],
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
    const evaluator = oneByOne(
      evaluatorOf(sumOf),
      (network, signal) =>
        new Promise((done, fail) => {
          signal.addEventListener('abort', () => fail(new Error('stopped')));
          if (log.records.length >= 8) stop.abort();
          else done([sumOf(textOf(network))]);
        }),
      2,
    );
    const { trials, end } = await runSearch({ ...options, evaluator, log, signal: stop.signal });
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
        evaluate: (networks, signal) => {
          signals.push(signal);
          return evaluator.evaluate(networks, signal);
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
    const limit = costWithin('parameters', { most: 300_000 });
    const all = [...Array(30).keys()].map(
      (i) => new ArchNetwork(nasBench201, nasBench201.sample(Random.seeded(i))),
    );
    const allowed = await limit.allows(all);
    expect(new Set(allowed).size).toBe(2);
    const { trials } = await runSearch({
      ...options,
      space: nasBench201,
      evaluator: evaluatorOf((arch) => arch.length),
      constraints: [limit],
      budget: 10,
    });
    const found = trials.map(({ arch }) => new ArchNetwork(nasBench201, nasBench201.parse(arch)));
    expect(await limit.allows(found)).toEqual(trials.map(() => true));
  });

  it('asks once for a list, and writes it to the log at once', async () => {
    const lists: number[] = [];
    const written: number[] = [];
    const evaluator = inBatches(evaluatorOf(sumOf), async (networks) => {
      lists.push(networks.length);
      return networks.map((network) => ({ values: [sumOf(textOf(network))] }));
    });
    const log = memoryLog();
    const append = (...records: readonly LogRecord[]): void => {
      written.push(records.length);
      void log.append(...records);
    };
    const strategy = localSearch();
    await runSearch({ ...options, strategy, evaluator, log: { records: [], append }, budget: 30 });
    // The start, its 18 neighbours, then those of the best of them that are new.
    expect(lists.slice(0, 2)).toEqual([1, 18]);
    expect(written).toEqual([1, ...lists]);
  });

  it('joins evaluators', async () => {
    const both = joinedEvaluator([
      scorerEvaluator({ ...scorerOf(sumOf), name: 'sum' }),
      oneByOne({ name: 'first', objectives: [{ name: 'digit', better: 'lower' }] }, async (network) => {
        if (textOf(network).startsWith('3')) throw new Error('too large');
        return [Number.parseInt(textOf(network), 10)];
      }),
    ]);
    expect(both.name).toBe('sum and first');
    const { trials } = await runSearch({ ...options, evaluator: both });
    for (const { arch, objectives, error } of trials) {
      if (arch.startsWith('3')) expect(error?.message).toBe('too large');
      else expect(objectives).toEqual([sumOf(arch), Number.parseInt(arch, 10)]);
    }
  });

  it('goes on if an evaluator breaks down in a list', async () => {
    const evaluator: Evaluator = {
      ...evaluatorOf(sumOf),
      async *evaluate(networks) {
        yield [{ place: 0, outcome: { values: [sumOf(textOf(networks[0]!))] }, seconds: 0 }];
        throw new Error('broken');
      },
    };
    const { trials } = await runSearch({ ...options, evaluator });
    expect(trials.length).toBe(20);
    expect(trials.filter(({ error }) => error?.message === 'broken').length).toBe(19);
  });

  it('lets others run, and stops in a long computation', async () => {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), 120);
    const strategy = {
      name: 'busy',
      options: {},
      async *propose({ candidates, random, pause }: SearchContext) {
        for (let i = 0; i < 1e9; i++) {
          await candidates.sample(random);
          await pause();
        }
        yield [];
      },
    };
    const begin = performance.now();
    const { end } = await runSearch({
      ...options,
      strategy,
      evaluator: evaluatorOf(sumOf),
      signal: stop.signal,
    });
    clearTimeout(timer);
    expect(end).toBe('stopped');
    expect(performance.now() - begin).toBeLessThan(5000);
  });

  it('refuses the log of another version', async () => {
    const log = memoryLog();
    const evaluator = evaluatorOf(sumOf);
    await runSearch({ ...options, evaluator, log });
    for (const version of [1, 3]) {
      const other = log.records.with(0, { ...(log.records[0] as object), version });
      await expect(runSearch({ ...options, evaluator, log: memoryLog(other) })).rejects.toMatchObject({
        code: 'SEARCH_LOG_VERSION',
        message: expect.stringContaining(version === 1 ? 'an earlier version' : 'a later version'),
      });
    }
    for (const damaged of [{ seconds: 'long' }, { index: -1 }, { arch: 3 }]) {
      const other = log.records.with(3, { ...(log.records[3] as object), ...damaged });
      await expect(runSearch({ ...options, evaluator, log: memoryLog(other) })).rejects.toMatchObject({
        code: 'SEARCH_LOG_DAMAGED',
        message: 'record 4 of the search log is invalid',
      });
    }
  });
});
