// What the draws of a table say together: of every cell and label the mean and the deviation, beside what was published.
import type { DrawResult } from './result.js';
import type { Published, ReproducedTable, ResultCell } from './table.js';

/** Mean of a metric over draws. */
export interface Mean {
  readonly mean: number;
  /** Standard deviation over draws, with n − 1; undefined for a single one. */
  readonly deviation: number | undefined;
  /** Draw by draw. */
  readonly values: readonly number[];
}

/** One line of a table: a cell and one of its labels, or the mean over all of them. */
export interface SummaryLine {
  readonly cell: ResultCell;
  /** The column compared with; undefined for the mean over several. */
  readonly label: string | undefined;
  readonly seeds: readonly number[];
  /** Of those that are shown, by name; none without draws. */
  readonly metrics: ReadonlyMap<string, Mean>;
  /** The share of truths that intervals held, where what was learned is what was tested. */
  readonly coverage: Mean | undefined;
  /** Of training, a draw's mean over those that were not interrupted; undefined if all were. */
  readonly seconds: number | undefined;
  readonly published: readonly Published[];
  readonly others: readonly Published[];
  /** How the first metric stands to floor and goal; undefined without either or without draws. */
  readonly verdict: Verdict | undefined;
  /** What makes the mean doubtful. */
  readonly problems: readonly string[];
}

type Verdict = 'goal' | 'floor' | 'below';

/** @param resultsOf draws of a cell that are done, by its id */
export function summarise(
  { cells }: Pick<ReproducedTable, 'cells'>,
  resultsOf: ReadonlyMap<string, readonly DrawResult[]>,
): SummaryLine[] {
  return cells.flatMap((cell) => linesOf(cell, resultsOf.get(cell.id) ?? []));
}

function linesOf(cell: ResultCell, results: readonly DrawResult[]): SummaryLine[] {
  const labels = cell.labels.map(({ test }) => test);
  const several: readonly (string | undefined)[] = labels.length > 1 ? [undefined, ...labels] : labels;
  return several.map((label) => {
    const metrics = new Map<string, Mean>();
    for (const name of cell.metrics) {
      const values = results.flatMap((result) => estimateOf(result, label, name) ?? []);
      if (values.length > 0) metrics.set(name, meanOf(values));
    }
    const about = ({ label: of }: Published): boolean =>
      of === label || (of === undefined && labels.length === 1);
    const whole = results.filter(({ isResumed }) => !isResumed);
    return {
      cell,
      label,
      seeds: results.map(({ seed }) => seed),
      metrics,
      coverage: coverageOf(results, label),
      seconds: whole.length === 0 ? undefined : meanOf(whole.map(({ seconds }) => seconds.train)).mean,
      published: cell.published.filter(about),
      others: cell.others.filter(about),
      verdict: verdictOf(cell, metrics.get(cell.metrics[0])),
      problems: problemsOf(results),
    };
  });
}

/** A metric of one label, or its mean over all; undefined where one has none. */
function estimateOf(result: DrawResult, label: string | undefined, name: string): number | undefined {
  const labels = label === undefined ? result.labels : result.labels.filter(({ test }) => test === label);
  const values = labels.flatMap(({ metrics }) => metrics[name]?.estimate ?? []);
  return values.length === labels.length && values.length > 0 ? meanOf(values).mean : undefined;
}

function coverageOf(results: readonly DrawResult[], label: string | undefined): Mean | undefined {
  const shares = results.flatMap(({ labels }) => {
    const own = labels.filter(({ test }) => label === undefined || test === label);
    const found = own.flatMap(({ train, test, coverage }) =>
      coverage && train === test ? [coverage.share] : [],
    );
    return found.length > 0 && found.length === own.length ? [meanOf(found).mean] : [];
  });
  return shares.length === 0 ? undefined : meanOf(shares);
}

export function meanOf(values: readonly number[]): Mean {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    mean,
    deviation: values.length < 2 ? undefined : Math.sqrt(squares / (values.length - 1)),
    values,
  };
}

function verdictOf({ floor, goal }: ResultCell, found: Mean | undefined): Verdict | undefined {
  if (found === undefined || (floor === undefined && goal === undefined)) return undefined;
  if (goal !== undefined && found.mean >= goal) return 'goal';
  return floor !== undefined && found.mean >= floor ? 'floor' : 'below';
}

/** Draws are only comparable if they were made from the same data by the same recipe. */
function problemsOf(results: readonly DrawResult[]): string[] {
  const differ = (of: (result: DrawResult) => unknown): boolean =>
    new Set(results.map((result) => JSON.stringify(of(result)))).size > 1;
  return [
    ...(differ(({ recipe }) => recipe) ? ['its draws used different recipes'] : []),
    ...(differ(({ data, rows }) => [data.rows, rows]) ? ['its draws used different tables'] : []),
  ];
}
