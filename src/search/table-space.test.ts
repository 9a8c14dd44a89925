import { describe, expect, it } from 'vitest';
import { Table } from '../datasets/table.js';
import { ArchNetwork } from '../networks/index.js';
import { nasBench201 } from '../spaces/cells/nasbench201.js';
import { crossover, mutate } from '../spaces/choices.js';
import type { AnySpace } from '../spaces/space.js';
import { ltsGpt2 } from '../spaces/transformers/lts-gpt2.js';
import { Random } from '../util/random.js';
import type { Evaluator, Strategy } from './contract.js';
import { joinedEvaluator, scorerEvaluator, tableEvaluator } from './evaluators.js';
import { runSearch } from './run.js';
import { agingEvolution } from './strategies/aging-evolution.js';
import { etas } from './strategies/etas.js';
import { localSearch } from './strategies/local-search.js';
import { nsga2 } from './strategies/nsga2.js';
import { randomSearch } from './strategies/random-search.js';
import { type TableSpace, tableSpace } from './table-space.js';
import { allTexts, digitSpace, outcomesOf, scorerOf, sumOf } from './toy.testing.js';

function tableOf(space: AnySpace, architectures: readonly string[], value: (arch: string) => number): Table {
  return new Table({
    space: space.name,
    labels: [
      { name: 'accuracy', unit: '%', better: 'higher', provenance: 'made up' },
      { name: 'latency', unit: 'ms', better: 'lower', provenance: 'made up' },
    ],
    architectures,
    columns: { accuracy: architectures.map(value), latency: architectures.map((arch) => arch.length) },
  });
}

/** Architectures of a space so large that none of them is a neighbour of another. */
function sparse(count: number): string[] {
  const random = Random.seeded(8);
  return Array.from({ length: count }, () => ltsGpt2.format(ltsGpt2.sample(random)));
}

const width = (arch: string): number => Number(arch.split(':')[0]) + Number(arch.split(':')[1]) / 100;

describe('a space of the rows of a table', () => {
  const space = digitSpace(4, 3);
  const whole = tableOf(space, allTexts(4, 3), sumOf);

  it('is the space itself where the table has all of it', () => {
    const within = tableSpace(space, whole);
    expect(within.size).toBe(81n);
    const [a, b] = [Random.seeded(1), Random.seeded(1)];
    for (let i = 0; i < 50; i++) {
      const arch = space.parse('0,1,2,0');
      expect(within.mutate(arch, a)).toEqual(mutate(space, arch, b));
      expect(crossover(within, arch, [1, 1, 1, 1], a)).toEqual(crossover(space, arch, [1, 1, 1, 1], b));
    }
  });

  it('stays within the table, and neighbours are neighbours as long as there are any', () => {
    const texts = allTexts(4, 3).filter((_, i) => i % 3 !== 0);
    const within = tableSpace(space, tableOf(space, texts, sumOf));
    const random = Random.seeded(2);
    for (let i = 0; i < 200; i++) {
      const arch = within.sample(random);
      const mutant = within.mutate(arch, random);
      expect(texts).toContain(space.format(mutant));
      expect(mutant.filter((digit, place) => digit !== arch[place]).length).toBe(1);
      expect(texts).toContain(space.format(crossover(within, arch, within.sample(random), random)));
    }
  });

  it('goes to rows that are alike where no neighbour is in the table', () => {
    const texts = sparse(60);
    const within = tableSpace(ltsGpt2, tableOf(ltsGpt2, texts, width));
    const random = Random.seeded(3);
    const start = ltsGpt2.parse(texts[0]!);
    const seen = new Map<string, number>();
    for (let i = 0; i < 3000; i++) {
      const text = ltsGpt2.format(within.mutate(start, random));
      expect(texts).toContain(text);
      seen.set(text, (seen.get(text) ?? 0) + 1);
    }
    expect(seen.has(texts[0]!)).toBe(false);
    // Geometric in how alike they are: the most frequent is met in a tenth of all, and all others are met, too.
    const counts = [...seen.values()].sort((a, b) => b - a);
    expect(Math.abs(counts[0]! / 3000 - 0.1)).toBeLessThan(0.04);
    expect(seen.size).toBeGreaterThan(50);
  });

  it('leaves a few rows that are neighbours only of each other', () => {
    const [first] = sparse(1);
    const texts = [first!.replace(/h\d+/, 'h2'), first!.replace(/h\d+/, 'h4'), ...sparse(60).slice(1)];
    const within = tableSpace(ltsGpt2, tableOf(ltsGpt2, texts, width));
    const pair = texts.slice(0, 2).map((text) => ltsGpt2.parse(text));
    expect(within.neighbours(pair[0]!)).toEqual([pair[1]]);
    const random = Random.seeded(4);
    const seen = new Set(Array.from({ length: 300 }, () => ltsGpt2.format(within.mutate(pair[0]!, random))));
    expect(seen.has(texts[1]!)).toBe(true);
    expect(seen.size).toBeGreaterThan(20);
  });

  it('finds the row that is most alike', () => {
    const texts = [
      '512:2:e256:k4:i1536,2048:h4,8',
      '512:3:e256:k4:i1536,2048,2048:h4,8,8',
      '128:2:e128:k1:i512,512:h2,2',
    ];
    const within = tableSpace(ltsGpt2, tableOf(ltsGpt2, texts, width));
    const random = Random.seeded(4);
    const nearest = (text: string, other?: string): string =>
      ltsGpt2.format(
        within.nearest(ltsGpt2.parse(text), random, other === undefined ? undefined : ltsGpt2.parse(other)),
      );
    expect(nearest('576:2:e256:k4:i1536,2048:h4,8')).toBe(texts[0]);
    expect(nearest('576:2:e256:k4:i1536,2048:h4,8', texts[0])).toBe(texts[1]);
    expect(nearest(texts[0]!, texts[0])).toBe(texts[1]);
    expect(nearest('192:2:e128:k1:i512,512:h2,2')).toBe(texts[2]);
  });

  const strategies: readonly Strategy[] = [
    randomSearch(),
    agingEvolution({ population: 10, tournament: 5 }),
    localSearch({ move: 'first' }),
    etas(scorerOf(width), { pool: 10, candidates: 10 }),
    nsga2({ population: 10 }),
  ];

  it.each(strategies.map((strategy) => [strategy.name, strategy] as const))(
    'can be searched where rows are few: %s',
    async (name, strategy) => {
      const texts = sparse(80);
      const table = tableOf(ltsGpt2, texts, width);
      const { trials, best } = await runSearch({
        space: tableSpace(ltsGpt2, table),
        evaluator: tableEvaluator(ltsGpt2, table, ['accuracy', 'latency']),
        strategy,
        budget: 80,
        seed: 1,
      });
      expect(trials.filter(({ error }) => error !== undefined)).toEqual([]);
      const top = Math.max(...texts.map(width));
      expect(best!.value).toBe(top);
      if (name === 'etas') expect(best!.index).toBeLessThan(34);
      else expect(trials.length).toBeGreaterThan(70);
      for (const { arch, objectives } of trials) expect(objectives).toEqual([width(arch), arch.length]);
    },
  );

  it('leaves rows without a value out', async () => {
    const table = tableOf(space, allTexts(4, 3), (arch) => (sumOf(arch) > 4 ? Number.NaN : sumOf(arch)));
    const { trials, end } = await runSearch({
      space: tableSpace(space, table, ['accuracy']),
      evaluator: tableEvaluator(space, table, ['accuracy']),
      strategy: randomSearch(),
      budget: 100,
      seed: 1,
    });
    expect(trials.length).toBe(allTexts(4, 3).filter((arch) => sumOf(arch) <= 4).length);
    expect(trials.every(({ error }) => error === undefined)).toBe(true);
    expect(end).toBe('exhausted');
    expect(() => tableSpace(space, tableOf(space, [], sumOf))).toThrow(/no rows/);
    expect(() => tableSpace(nasBench201, table)).toThrow(/table contains digits/);
  });
});

describe('a table as evaluator', () => {
  const value = async (evaluator: Evaluator, arch: string, space: AnySpace = nasBench201) => {
    const network = new ArchNetwork(space, space.parse(arch));
    const [outcome] = await outcomesOf(evaluator, [network]);
    return 'values' in outcome! ? outcome.values : outcome!.error.code;
  };

  it('finds an architecture under another text, its own first', async () => {
    const one = '|nor_conv_3x3~0|+|none~0|none~1|+|nor_conv_1x1~0|none~1|none~2|';
    // The same without what leads nowhere.
    const same = '|none~0|+|none~0|none~1|+|nor_conv_1x1~0|none~1|none~2|';
    const more = '|none~0|+|avg_pool_3x3~0|none~1|+|nor_conv_1x1~0|none~1|none~2|';
    const other = '|none~0|+|none~0|none~1|+|nor_conv_3x3~0|none~1|none~2|';
    const table = tableOf(nasBench201, [one, same], (arch) => (arch === one ? 1 : 2));
    const evaluator = tableEvaluator(nasBench201, table, ['accuracy']);
    expect(await value(evaluator, one)).toEqual([1]);
    expect(await value(evaluator, same)).toEqual([2]);
    expect(await value(evaluator, more)).toEqual([1]);
    expect(await value(evaluator, other)).toBe('ARCH_NOT_IN_TABLE');
    const { trials } = await runSearch({
      space: nasBench201,
      evaluator,
      strategy: randomSearch(),
      budget: 5,
      seed: 1,
    });
    expect(trials.every(({ error }) => error?.code === 'ARCH_NOT_IN_TABLE')).toBe(true);
  });

  it('knows which way is better', () => {
    const space = digitSpace(2, 2);
    const table = tableOf(space, allTexts(2, 2), sumOf);
    expect(tableEvaluator(space, table, ['latency']).objectives[0]!.better).toBe('lower');
    expect(tableEvaluator(space, table, ['accuracy', 'latency']).objectives).toEqual([
      { name: 'accuracy', better: 'higher', unit: '%' },
      { name: 'latency', better: 'lower', unit: 'ms' },
    ]);
    expect(() => tableEvaluator(space, table, ['else'])).toThrow(/no label 'else'/);
    expect(() => tableEvaluator(space, table, [])).toThrow(/no label/);
  });

  it('can be joined with another', async () => {
    const space = digitSpace(2, 2);
    const table = tableOf(space, allTexts(2, 2), sumOf);
    const joined = joinedEvaluator([
      tableEvaluator(space, table, ['accuracy']),
      scorerEvaluator({ ...scorerOf((arch) => -sumOf(arch), 'lower'), name: 'guess' }),
    ]);
    expect(joined.objectives).toEqual([
      { name: 'accuracy', better: 'higher', unit: '%' },
      { name: 'guess', better: 'lower' },
    ]);
    expect(await value(joined, '1,1', space)).toEqual([2, -2]);
  });
});

it('a space of rows is one to the rest', () => {
  const within: TableSpace<unknown> = tableSpace<unknown>(
    digitSpace(2, 2) as AnySpace,
    tableOf(digitSpace(2, 2), ['0,0'], sumOf),
  );
  expect(() => within.mutate([0, 0], Random.seeded(1))).toThrow(/one row/);
});
