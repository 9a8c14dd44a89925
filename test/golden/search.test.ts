// Three searches through the command line. The trials one by one are frozen and may be written anew when a strategy uses
// random numbers otherwise; what must hold of any search is tested apart from them.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  differences,
  findFile,
  forAll,
  isUpdate,
  output,
  readFixture,
  run,
  scratch,
  writeFixture,
} from './harness.js';

interface Trial {
  readonly kind: 'trial';
  readonly index: number;
  readonly arch: string;
  readonly by: string;
  readonly parents?: number[];
  readonly round?: number;
  readonly seconds?: number;
  readonly value?: number;
  readonly objectives?: number[];
}

interface Searched {
  readonly args: string[];
  readonly result: {
    evaluations: number;
    failed: number;
    best: { arch: string; value: number };
    front?: unknown[];
  };
  readonly trials: Trial[];
}

const FIXTURE = 'search.json';
const budgetOf = (name: string): number => (name === 'etas' ? 15 : 40);
const { folder, remove } = scratch('search');
afterAll(remove);

/** Rows of a space of five widths that we make up: the accuracy has one peak, the latency grows with all widths. */
const WIDTHS = [8, 16, 24, 32, 40, 48, 56, 64];
const TABLE = Array.from({ length: 400 }, (_, row) => {
  const widths = Array.from(
    { length: 5 },
    (_, i) => WIDTHS[Math.floor((row * 37 + 11) / 8 ** i + row * (i + 1)) % 8]!,
  );
  const accuracy =
    90 - widths.reduce((sum, w, i) => sum + Math.abs(w - WIDTHS[Math.min(7, i + 5)]!) / (4 + i), 0);
  const latency = widths.reduce((sum, w, i) => sum + (w * (i + 1)) / 10, 1);
  return { arch: widths.join(':'), accuracy, latency };
});
const label = (unit: string, higherIsBetter: boolean) => ({ unit, higherIsBetter, provenance: 'made up' });
const HEAD = {
  table: 1,
  space: 'nats-size',
  labels: { accuracy: label('%', true), latency: label('ms', false) },
};

const SEARCHES: readonly [name: string, space: string, args: () => string[], floor: () => number][] = [
  [
    'etas',
    'nats-size',
    () =>
      '--strategy etas --option pool=60 --option candidates=20 --proxy macs --evaluator table:table.csv --label accuracy'.split(
        ' ',
      ),
    // Among the best tenth of the table.
    () => TABLE.map(({ accuracy }) => accuracy).sort((a, b) => b - a)[39]!,
  ],
  [
    'evolution',
    'nasbench201',
    () => [
      ...'--strategy evolution --option population=10 --option tournament=4 --label cifar10_test'.split(' '),
      '--evaluator',
      `predictor:${findFile('nasbench201-accuracy.onnx')}`,
    ],
    () => 92,
  ],
  [
    'nsga2',
    'nasbench201',
    () => [
      ...'--strategy nsga2 --option population=10 --label pixel2,fpga --better lower,lower'.split(' '),
      '--evaluator',
      `predictor:${findFile('nasbench201-latency.onnx')}`,
    ],
    () => -Infinity,
  ],
];

const trialsOf = (name: string): Trial[] =>
  readFileSync(join(folder, name, 'trials.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ kind }) => kind === 'trial')
    .sort((a, b) => a.index - b.index);

const searched = new Map<string, Searched>();

beforeAll(async () => {
  const lines = TABLE.map(({ arch, accuracy, latency }) => `${arch},${accuracy},${latency}`);
  writeFileSync(
    join(folder, 'table.csv'),
    `# auspex ${JSON.stringify(HEAD)}\narch,accuracy,latency\n${lines.join('\n')}\n`,
  );
  await forAll(SEARCHES, async ([name, space, own]) => {
    const args = ['search', space, ...own(), '--seed', '4'];
    const text = await output(folder, [...args, '--budget', String(budgetOf(name)), '-o', name, '--json']);
    searched.set(name, { args, result: JSON.parse(text), trials: trialsOf(name) });
  });
}, 240_000);

describe.each(SEARCHES)('%s', (name, space, _, floor) => {
  const budget = budgetOf(name);

  it('finds what is good, and nothing twice', () => {
    const { result, trials } = searched.get(name)!;
    expect([result.evaluations, trials.length]).toEqual([budget, budget]);
    expect(result.failed).toBe(0);
    expect(trials.map(({ index }) => index)).toEqual(trials.map((_, i) => i));
    expect(new Set(trials.map(({ arch }) => arch)).size).toBe(budget);
    expect(result.best.value).toBeGreaterThanOrEqual(floor());
    const best = trials.find(({ arch }) => arch === result.best.arch)!;
    expect(best.value).toBe(result.best.value);
    if (name !== 'nsga2') expect(result.best.value).toBe(Math.max(...trials.map(({ value }) => value!)));
    else expect(result.best.value).toBe(Math.min(...trials.map(({ value }) => value!)));
  });

  it('has valid architectures', async () => {
    const { trials } = searched.get(name)!;
    const input = `${trials.map(({ arch }) => arch).join('\n')}\n`;
    const text = await output(folder, ['space', 'describe', space, '--input', '-', '--json'], input);
    expect(text.trimEnd().split('\n').length).toBe(budget);
    if (name !== 'etas') return;
    const rows = new Map(TABLE.map(({ arch, accuracy }) => [arch, accuracy]));
    for (const { arch, value } of trials) expect(value).toBe(rows.get(arch));
  });

  it('goes on from a log that was cut, to the same trials', async () => {
    const { args, trials } = searched.get(name)!;
    const cut = `${name}-cut`;
    cpSync(join(folder, name), join(folder, cut), { recursive: true });
    const log = readFileSync(join(folder, name, 'trials.jsonl'), 'utf8');
    const at = log.indexOf('"kind":"trial","index":12,');
    expect(at).toBeGreaterThan(0);
    // In the middle of a record.
    writeFileSync(join(folder, cut, 'trials.jsonl'), log.slice(0, at + 40));
    await output(folder, [...args, '--budget', String(budget), '-o', cut, '--resume', '--json']);
    const timeless = (of: Trial[]) => of.map(({ seconds, ...rest }) => rest);
    expect(timeless(trialsOf(cut))).toEqual(timeless(trials));
    const { status, stderr } = await run(folder, [...args, '--budget', '50', '-o', cut]);
    expect([status, stderr]).toEqual([2, expect.stringContaining('LOG_EXISTS')]);
  });
});

// Written anew with `node tools/golden-update.js search` when the use of random numbers changes on purpose.
describe('trial by trial', () => {
  type Row = [arch: string, by: string, parents: number[], values: number[]];
  const rowsOf = (name: string): Row[] =>
    searched
      .get(name)!
      .trials.map(({ arch, by, parents = [], value, objectives }) => [
        arch,
        by,
        parents,
        objectives ?? [value!],
      ]);
  const frozen = isUpdate ? {} : readFixture<Record<string, Row[]>>(FIXTURE);

  it.each(SEARCHES)('%s does what it did', (name) => {
    if (isUpdate) {
      const all = Object.fromEntries(SEARCHES.map(([of]) => [of, rowsOf(of)]));
      writeFixture(FIXTURE, all);
      return;
    }
    const [then, now] = [frozen[name]!, rowsOf(name)];
    expect(now.map((row) => row.slice(0, 3))).toEqual(then.map((row) => row.slice(0, 3)));
    const values = (rows: Row[]) =>
      Object.fromEntries(
        rows.flatMap(([, , , list], i) => list.map((value, k) => [`trial ${i}, ${k}`, value])),
      );
    expect(differences(values(then), values(now), 1e-5)).toEqual([]);
  });
});
