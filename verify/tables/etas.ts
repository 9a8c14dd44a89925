// ETAS against random search, regularised evolution and itself with other scores, on tables: the best-found value after
// every evaluation, over seeds.
//
//   node build/verify/tables/etas.js DATA FOLDER --scores language.jsonl [--seeds 50] [--set lts-gpt2] [--only 'ETAS(ntsr)']
//
// Scores are those that proxies-language.js found, so that a search costs nothing; a score that some rows of a table lack
// is left out, and said so. For NAS-Bench-201, which has no attention, they are the published ones. Curves come into
// FOLDER/curves.jsonl as they are found and a second run goes on. FOLDER gets etas.html, etas.md and an SVG for every table.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import '../../src/ops/index.js';
import type { Table } from '../../src/datasets/table.js';
import { linePlot, type Series } from '../../src/report/index.js';
import { htmlTable, page } from '../../src/report/pages/page.js';
import {
  agingEvolution,
  ETAS_PRESETS,
  type EtasOptions,
  etas,
  randomSearch,
  rankCombined,
  runSearch,
  type Scorer,
  type Strategy,
  tableEvaluator,
  tableSpace,
} from '../../src/search/index.js';
import { nasBench201 } from '../../src/spaces/cells/nasbench201.js';
import type { AnySpace } from '../../src/spaces/space.js';
import { hwGptS } from '../../src/spaces/transformers/hwgpt.js';
import { ltsGpt2 } from '../../src/spaces/transformers/lts-gpt2.js';
import { readTableFile } from '../../src/store/table-file.js';
import { TrialLog } from '../../src/store/trial-log.js';
import { drawnRows, markdown, meanText, ScoreFile } from './scores.js';

interface SearchSet {
  readonly title: string;
  readonly space: AnySpace;
  readonly table: Table;
  readonly label: string;
  /** Settings of ETAS by name; `small` where the paper's pool is most of the table, or all of it. */
  readonly presets: Readonly<Record<string, EtasOptions>>;
  /** Scores by name, each with a number for every row it knows. */
  readonly scores: Readonly<Record<string, ReadonlyMap<string, number>>>;
  /** Ranks that are put together, by the names of scores. */
  readonly combined: Readonly<Record<string, readonly string[]>>;
}

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scores: { type: 'string' },
    seeds: { type: 'string', default: '50' },
    set: { type: 'string' },
    only: { type: 'string' },
  },
});
const [data, folder] = positionals;
if (!data || !folder || !flags.scores) throw new Error('usage: etas.js DATA FOLDER --scores SCORES.jsonl');
const file = new ScoreFile(flags.scores);
const seeds = Number(flags.seeds);
const GPT = ETAS_PRESETS['etas-gpt'];
/** 3 of the pool and 3 of each of 10 rounds. */
const BUDGET = GPT.top * (1 + GPT.rounds);
/** The paper's population of 100 would take more than all evaluations. */
const EVOLUTION = { population: 10, tournament: 5 } as const;

async function languageSet(
  title: string,
  space: AnySpace,
  source: { readonly file: string; readonly label: string; readonly setting: string; readonly rows: number },
  presets: SearchSet['presets'],
): Promise<SearchSet> {
  const whole = await readTableFile(join(data!, source.file));
  const table = whole.take(drawnRows(whole.rows, source.rows));
  const column = (proxy: string): Map<string, number> => {
    const found = new Map<string, number>();
    for (const text of table.architectures) {
      const arch = space.format(space.parse(text));
      const score = file.get(source.setting, arch, 0, proxy);
      if (score !== undefined) found.set(arch, score);
    }
    return found;
  };
  return {
    title,
    space,
    table,
    label: source.label,
    presets,
    scores: { params: column('params:non-embedding'), sept: column('sept'), ntkt: column('ntkt') },
    combined: { ntsr: ['ntkt', 'sept'], 'sept+params': ['sept', 'params'] },
  };
}

/** Accuracies on CIFAR-10 of the cells that published scores are there of. */
async function cellSet(): Promise<SearchSet> {
  const published = await readTableFile(join(data!, 'nasbench201_published_proxies.csv.gz'));
  const trained = await readTableFile(join(data!, 'nasbench201.csv.gz'));
  const rowOf = new Map([...published.architectures].map((text, row) => [text, row]));
  const rows = Array.from({ length: trained.rows }, (_, row) => row);
  const table = trained.take(rows.filter((row) => rowOf.has(trained.arch(row))));
  const column = (name: string): Map<string, number> =>
    new Map([...table.architectures].map((text) => [text, published.column(name)[rowOf.get(text)!]!]));
  return {
    title: 'NAS-Bench-201, CIFAR-10 validation',
    space: nasBench201,
    table,
    label: 'cifar10_valid',
    presets: { '': GPT },
    scores: {
      params: column('params'),
      nwot: column('nwot'),
      synflow: column('synflow'),
      snip: column('snip'),
    },
    combined: { 'nwot+synflow': ['nwot', 'synflow'] },
  };
}

const SETS: Readonly<Record<string, () => Promise<SearchSet>>> = {
  'lts-gpt2': () =>
    languageSet(
      'LTS GPT-2, WikiText-103',
      ltsGpt2,
      { file: 'lts_random_gpt2_wt103.jsonl.gz', label: 'valid_ppl', setting: 'lts-gpt2 n192', rows: 200 },
      { '': GPT, small: { ...GPT, pool: 30, candidates: 10 } },
    ),
  'hwgpt-s': () =>
    languageSet(
      'HW-GPT-Bench S',
      hwGptS,
      { file: 'hwgpt_s_perplexity.jsonl.gz', label: 'perplexity', setting: 'hwgpt-s n64 v1000', rows: 500 },
      { '': GPT, small: { ...GPT, pool: 30, candidates: 10 } },
    ),
  nasbench201: cellSet,
};

/** Strategies by what they are called; ETAS with every score that all rows have. */
function strategiesOf(set: SearchSet): Map<string, Strategy> {
  const all = new Set(Array.from(set.table.architectures, (text) => set.space.format(set.space.parse(text))));
  const scorers = new Map<string, Scorer>();
  for (const [name, values] of Object.entries(set.scores)) {
    const missing = [...all].filter((arch) => !Number.isFinite(values.get(arch))).length;
    if (missing > 0) console.log(`${set.title}: ${missing} of ${all.size} networks have no score ${name}`);
    else
      scorers.set(name, {
        name,
        better: 'higher',
        score: async (list) => Float64Array.from(list, ({ arch }) => values.get(arch!.text)!),
      });
  }
  for (const [name, members] of Object.entries(set.combined)) {
    const found = members.flatMap((member) => scorers.get(member) ?? []);
    if (found.length === members.length) scorers.set(name, { ...rankCombined(found), name });
  }
  const found = new Map<string, Strategy>([
    ['random', randomSearch()],
    ['evolution', agingEvolution(EVOLUTION)],
  ]);
  for (const [preset, options] of Object.entries(set.presets)) {
    const name = (score: string): string => `ETAS(${score})${preset && `, ${preset}`}`;
    found.set(name('none'), etas(undefined, options));
    for (const [score, scorer] of scorers) found.set(name(score), etas(scorer, options));
  }
  return found;
}

/** A line of curves.jsonl: the best value after each evaluation. */
interface Curve {
  readonly set: string;
  readonly strategy: string;
  readonly seed: number;
  readonly best: readonly number[];
}

type Run = (strategy: Strategy, seed: number) => Promise<number[]>;

/** Searches a table; what comes is the best value after each evaluation. One that ended early keeps what it had. */
function runner({ space: base, table, label }: SearchSet): Run {
  const space = tableSpace(base, table, [label]);
  const evaluator = tableEvaluator(base, table, [label]);
  const better = evaluator.objectives[0]!.better === 'higher' ? Math.max : Math.min;
  return async (strategy, seed) => {
    const { trials } = await runSearch({ space, evaluator, strategy, budget: BUDGET, seed });
    const best: number[] = [];
    for (const { value } of trials) best.push(better(best.at(-1) ?? value!, value!));
    while (best.length < BUDGET) best.push(best.at(-1)!);
    return best;
  };
}

const AT = [3, 9, 18, BUDGET];
const sections: string[] = [];
const tables: string[] = [];
mkdirSync(folder, { recursive: true });
const log = TrialLog.open(join(folder, 'curves.jsonl'), { resume: true });
const known = log.records as readonly Curve[];
for (const [name, read] of Object.entries(SETS)) {
  if (flags.set !== undefined && flags.set !== name) continue;
  const set = await read();
  const run = runner(set);
  const [series, rows]: [Series[], string[][]] = [[], []];
  for (const [title, strategy] of strategiesOf(set)) {
    if (flags.only !== undefined && flags.only !== title) continue;
    const curves: (readonly number[])[] = [];
    for (let seed = 0; seed < seeds; seed++) {
      const before = known.find((l) => l.set === name && l.strategy === title && l.seed === seed);
      const best = before?.best ?? (await run(strategy, seed));
      if (!before) log.append({ set: name, strategy: title, seed, best } satisfies Curve);
      curves.push(best);
    }
    const at = (k: number): number[] => curves.map((best) => best[k]!);
    rows.push([title, ...AT.map((evaluations) => meanText(at(evaluations - 1), 2))]);
    series.push(seriesOf(title, at));
  }
  const { better } = set.table.label(set.label);
  const values = [...set.table.column(set.label)].sort((a, b) => (better === 'higher' ? b - a : a - b));
  const about = `${set.title}: ${values.length} networks, best ${set.label} ${values[0]!.toFixed(2)}; ${seeds} seeds`;
  const columns = ['strategy', ...AT.map((evaluations) => `after ${evaluations}`)];
  tables.push(`${about}\n\n${markdown(columns, rows)}\n`);
  console.log(tables.at(-1));
  // Searches without a score are in every plot; ETAS with one preset is in one.
  const plots = Object.keys(set.presets).map((preset) => {
    const isOther = (title: string): boolean =>
      title.startsWith('ETAS') && (title.split(', ')[1] ?? '') !== preset;
    return linePlot({
      title: preset ? `${set.title}: a ${preset} pool` : set.title,
      description: `Best-found ${set.label} against evaluations: means of ${seeds} seeds, and what all but a tenth at either end lie between`,
      x: { label: 'evaluations' },
      y: { label: `best ${set.label}` },
      series: series.filter((each) => !isOther(each.name)),
    });
  });
  for (const [i, svg] of plots.entries()) {
    writeFileSync(join(folder, `etas-${name}${i === 0 ? '' : `-${i + 1}`}.svg`), svg);
  }
  const head = columns.map((title, i) => ({ title, isNumber: i > 0 }));
  sections.push(
    `<h2>${set.title}</h2><p>${about}.</p><div class="plots">${plots.join('')}</div>${htmlTable(head, rows)}`,
  );
}
const intro = '<h1>ETAS on tables</h1><p>Best value found; mean ± standard deviation over seeds.</p>';
writeFileSync(join(folder, 'etas.md'), tables.join('\n'));
writeFileSync(join(folder, 'etas.html'), page('ETAS on tables', [intro, ...sections]));

/** From the first evaluations on that all have made by the same rule: those of the pool. */
function seriesOf(name: string, at: (k: number) => number[]): Series {
  const steps = Array.from({ length: BUDGET - GPT.top + 1 }, (_, k) => k + GPT.top);
  const quantile = (part: number) => (evaluations: number) => {
    const sorted = at(evaluations - 1).sort((a, b) => a - b);
    return sorted[Math.round(part * (sorted.length - 1))]!;
  };
  return {
    name,
    x: steps,
    y: steps.map((evaluations) => at(evaluations - 1).reduce((sum, x) => sum + x, 0) / seeds),
    low: steps.map(quantile(0.1)),
    high: steps.map(quantile(0.9)),
  };
}
