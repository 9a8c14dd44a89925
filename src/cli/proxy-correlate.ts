// `auspex proxy correlate`: how well zero-cost scores order the rows of a table.
import { Command } from 'commander';
import { randomSplit } from '../datasets/splits.js';
import type { Table } from '../datasets/table.js';
import { ONNX } from '../networks/resolver.js';
import { evaluate, type MetricResult } from '../predictors/evaluate.js';
import { type Correlation, correlationReport, resultTexts } from '../report/index.js';
import { readTableFile, writeBeside } from '../store/table-file.js';
import { AuspexError } from '../util/errors.js';
import { printable } from '../util/printable.js';
import { wholeNumber } from './command.js';
import { names } from './data-options.js';
import { fit, formatExact, table, WIDTH } from './format.js';
import {
  columnsNamed,
  columnValues,
  type Outlets,
  type ProxyColumn,
  planOf,
  type ScoringFlags,
  type ScoringPlan,
  withScoring,
} from './proxy-plan.js';
import type { NetworkRecord } from './proxy-pool.js';
import { scoredNetworks } from './proxy-run.js';
import { columnJson, exitCodeOf, isScored, problemLines } from './proxy-text.js';
import { version } from './version.js';

interface CorrelateFlags extends ScoringFlags {
  data: string;
  label: string;
  sample?: number;
  resamples: number;
  report?: string;
}

export function correlateCommand(outlets: Outlets): Command {
  const command = new Command('correlate')
    .summary('how well scores order the rows of a table')
    .description(
      `Scores rows of a benchmark table and compares: Kendall's τ-b and Spearman's ρ
with intervals, for every proxy and combination, the strongest first. Above 0,
a better score means a better row, whichever way either of them counts.`,
    )
    .requiredOption('--data <table>', 'a table with what was measured')
    .requiredOption('--label <name>', 'what to compare with')
    .option('--proxies <names>', 'which: names, a+b for mean ranks, or all', names, ['all'])
    .option('--sample <n>', 'rows, drawn by the seed (all)', wholeNumber)
    .option('--resamples <n>', 'resamples of the bootstrap', wholeNumber, 1000)
    .option('--report <file>', 'write a bar chart and the numbers as one HTML file');
  return withScoring(command)
    .addHelpText(
      'after',
      `
Examples:
  auspex proxy correlate --data lts.csv --label perplexity --proxies all
  auspex proxy correlate --data nb201.csv.gz --label cifar10_test \\
    --proxies snip,synflow,snip+synflow --sample 500 \\
    -o scores.jsonl --report r.html

The JSON is described in docs/proxy-json.md, the proxies in docs/proxies.md.`,
    )
    .action((flags: CorrelateFlags) => run(flags, outlets));
}

interface Found {
  readonly flags: CorrelateFlags;
  readonly table: Table;
  readonly plan: ScoringPlan;
  readonly columns: readonly ProxyColumn[];
  readonly records: readonly NetworkRecord[];
  readonly correlations: readonly Correlation[];
}

async function run(flags: CorrelateFlags, outlets: Outlets): Promise<void> {
  const table = await readTableFile(flags.data);
  const columns = columnsNamed(flags.proxies ?? ['all']);
  const plan = planOf(flags, table.space === ONNX ? null : table.space, columns);
  const rows = chosenRows(table, flags);
  const networks = Array.from(rows, (row) => table.arch(row));
  const records = await scoredNetworks(networks, plan, flags, outlets, 'correlate');
  const truths = table.column(flags.label);
  const found = {
    flags,
    table,
    plan,
    columns,
    records,
    correlations: correlationsOf(
      columns,
      records,
      records.map(({ index }) => truths[rows[index]!]!),
      { ...flags, higherIsBetter: table.label(flags.label).higherIsBetter },
    ),
  };
  if (flags.report !== undefined) {
    await writeBeside(flags.report, [new TextEncoder().encode(reportOf(found))]);
  }
  outlets.write(flags.json ? correlateJson(found) : correlateText(found));
  if (!records.some(isScored)) outlets.exit(exitCodeOf(records));
}

/** Rows that have the label, in the order of the table; all of them, or a sample. */
function chosenRows(table: Table, { label, sample, seed, data }: CorrelateFlags): Uint32Array {
  const known = table.rowsWith([label]);
  if (known.length < 2) {
    throw new AuspexError('TABLE_TOO_SMALL', `${known.length} rows have '${label}'; 2 are needed at least`, {
      where: { file: data },
    });
  }
  if (sample === undefined || sample >= known.length) return known;
  if (sample < 2) throw new AuspexError('BAD_OPTION', '--sample must be 2 rows at least');
  return randomSplit(known.length, { train: sample, seed })
    .train.map((row) => known[row]!)
    .sort();
}

interface CorrelateOptions {
  /** Of the label. */
  readonly higherIsBetter: boolean;
  readonly resamples: number;
  readonly seed: number;
}

/** The strongest first, be it that it promises the opposite; those without a value last. */
export function correlationsOf(
  columns: readonly ProxyColumn[],
  records: readonly Pick<NetworkRecord, 'scores'>[],
  truths: readonly number[],
  { higherIsBetter, resamples, seed }: CorrelateOptions,
): Correlation[] {
  const values = columnValues(
    columns,
    records.map(({ scores }) => scores),
  );
  const found = columns.map((column, c): Correlation => {
    const rows = records.flatMap((_, r) => (values[c]![r] === undefined ? [] : [r]));
    const [sign, way] = [column.higherIsBetter ? 1 : -1, higherIsBetter ? 1 : -1];
    const about = { name: column.name, title: column.title, higherIsBetter: column.higherIsBetter };
    if (rows.length < 2)
      return { ...about, rows: rows.length, tau: none('tau-b'), spearman: none('spearman') };
    const { metrics } = evaluate(
      rows.map((r) => ({ value: sign * values[c]![r]! })),
      rows.map((r) => way * truths[r]!),
      { metrics: ['tau-b', 'spearman'], resamples, seed },
    );
    return { ...about, rows: rows.length, tau: metrics[0]!, spearman: metrics[1]! };
  });
  const strength = ({ tau }: Correlation): number =>
    tau.estimate === undefined ? -1 : Math.abs(tau.estimate);
  return found.sort((a, b) => strength(b) - strength(a));
}

/** A proxy that scores fewer than two rows. */
const WITHOUT = 'PROXY_WITHOUT_SCORES';

const none = (name: 'tau-b' | 'spearman'): MetricResult => ({
  name,
  title: name,
  better: 'higher',
  problem: { code: WITHOUT, message: 'fewer than 2 scores' },
});

function notesOf({ plan, records, correlations }: Found): string[] {
  const problems = correlations.flatMap(({ name, tau: { problem } }) =>
    // Why there are no scores is said of the networks.
    problem && problem.code !== WITHOUT ? [`  ${name}: ${problem.message}`] : [],
  );
  return [...problems, ...problemLines({ plan, records })];
}

/** What is missing is explained below the table. */
const shown = (metric: MetricResult): string[] =>
  metric.estimate === undefined ? ['–', ''] : resultTexts(metric);

function correlateText(found: Found): string {
  const { flags, table: of, records, correlations } = found;
  const { name, unit, higherIsBetter } = of.label(flags.label);
  const rows = correlations.map((correlation) => [
    `${correlation.name} ${correlation.higherIsBetter ? '↑' : '↓'}`,
    ...shown(correlation.tau),
    ...shown(correlation.spearman),
    formatExact(correlation.rows),
  ]);
  const number = { align: 'right' as const };
  const sections = [
    [
      `${name}${unit === '' ? '' : ` (${unit})`}, ${higherIsBetter ? 'higher' : 'lower'} is better`,
      `  ${formatExact(records.length)} of ${formatExact(of.rows)} rows of ${fit(flags.data, 50, 'end')}, seed ${flags.seed}`,
    ],
    [
      ...table(
        [
          { title: 'proxy', flexible: 'start' },
          { title: 'τ-b', ...number },
          { title: '95% interval', ...number },
          { title: 'ρ', ...number },
          { title: '95% interval', ...number },
          { title: 'rows', ...number },
        ],
        rows,
      ),
      '  ↑ higher is better, ↓ lower is better; τ-b of Kendall, ρ of Spearman',
    ],
    notesOf(found),
    ...(flags.output === undefined ? [] : [[`scores written to ${flags.output}`]]),
    ...(flags.report === undefined ? [] : [[`report written to ${flags.report}`]]),
  ].filter((lines) => lines.length > 0);
  return sections.map((lines) => lines.map((line) => printable(fit(line, WIDTH))).join('\n')).join('\n\n');
}

function reportOf(found: Found): string {
  const { flags, table: of, plan, records, correlations } = found;
  const { proxies: _, space: __, ...options } = plan;
  return correlationReport({
    data: {
      file: flags.data,
      space: of.space,
      rows: `${formatExact(records.length)} of ${formatExact(of.rows)}`,
    },
    label: of.label(flags.label),
    settings: Object.entries(options).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
    correlations,
    notes: notesOf(found).map((line) => line.trim()),
    resamples: flags.resamples,
    version: version(),
  });
}

function correlateJson({ flags, table: of, plan, columns, records, correlations }: Found): string {
  const { proxies: _, space, ...options } = plan;
  const { name, unit, higherIsBetter } = of.label(flags.label);
  const metric = ({ estimate, low, high, problem }: MetricResult): object => ({
    value: estimate ?? null,
    low: low ?? null,
    high: high ?? null,
    problem: problem ?? null,
  });
  return JSON.stringify(
    {
      schema: 'auspex.proxy.correlate/1',
      data: { file: flags.data, space, rows: of.rows },
      label: { name, unit, higherIsBetter },
      options,
      rows: records.length,
      failed: records.filter((record) => !isScored(record)).length,
      correlations: correlations.map((correlation) => ({
        ...columnJson(columns.find((column) => column.name === correlation.name)!),
        rows: correlation.rows,
        tau: metric(correlation.tau),
        spearman: metric(correlation.spearman),
      })),
      bootstrap: { confidence: 0.95, resamples: flags.resamples, seed: flags.seed },
      report: flags.report ?? null,
      output: flags.output ?? null,
    },
    null,
    2,
  );
}
