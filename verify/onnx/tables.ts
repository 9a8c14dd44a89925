// The counts of a run: one row per suite, and one for all.
import type { TestResult } from './check.js';
import type { Verdict } from './compare.js';
import type { RuntimeOutcome } from './runtime.js';
import { TRANSFORMATIONS, type TransformOutcome } from './transformations.js';
import type { UpgradeOutcome } from './upgrade.js';

/** The first column is text, the others are numbers. */
export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const VERDICTS: readonly Verdict[] = ['pass', 'unknown', 'wrong'];
const UPGRADES: readonly UpgradeOutcome[] = [
  'same',
  'rounded',
  'expected',
  'not run',
  'refused',
  'different',
];
const OUTCOMES: readonly RuntimeOutcome[] = ['same', 'loaded', 'refused', 'different'];

export const shapeTable = (results: readonly TestResult[]): Table =>
  verdictTable('Shapes', results, (r) => r.shapes.verdict);

export const symbolicTable = (results: readonly TestResult[]): Table =>
  verdictTable('With symbols', results, (r) => r.symbolic.verdict);

function verdictTable(
  title: string,
  results: readonly TestResult[],
  verdictOf: (result: TestResult) => Verdict,
): Table {
  const row = (of: readonly TestResult[]): (number | string)[] => {
    const counts = VERDICTS.map((verdict) => count(of, (r) => verdictOf(r) === verdict));
    return [of.length, ...counts, percent(counts[0]!, of.length)];
  };
  return { header: [title, 'models', ...VERDICTS, 'pass %'], rows: bySuite(results, row) };
}

export function rewriteTable(results: readonly TestResult[]): Table {
  const outcomes = results.some((r) => r.runtime !== undefined) ? OUTCOMES : [];
  const row = (of: readonly TestResult[]): number[] => {
    const equal = count(of, (r) => r.rewriteDifference === undefined);
    const counts = outcomes.map((outcome) => count(of, (r) => r.runtime?.outcome === outcome));
    return [equal, of.length - equal, ...counts];
  };
  const header = outcomes.map((outcome, i) => (i === 0 ? `ORT ${outcome}` : outcome));
  return { header: ['Written again', 'equal', 'unequal', ...header], rows: bySuite(results, row) };
}

export function upgradeTable(results: readonly TestResult[]): Table {
  const upgraded = results.filter((r) => r.upgrade !== undefined);
  const row = (of: readonly TestResult[]): number[] => [
    of.length,
    ...UPGRADES.map((outcome) => count(of, (r) => r.upgrade?.outcome === outcome)),
  ];
  return { header: ['Opset raised', 'models', ...UPGRADES], rows: bySuite(upgraded, row) };
}

const TRANSFORMS: readonly TransformOutcome[] = [
  ...(['unchanged', 'same', 'close', 'far', 'refused', 'not run', 'broken', 'defect'] as const),
];

/** One row for every transformation. */
export function transformTable(results: readonly TestResult[]): Table {
  const rows = TRANSFORMATIONS.map(({ name }) => [
    name,
    ...TRANSFORMS.map((outcome) =>
      String(
        count(results, ({ transformations = [] }) =>
          transformations.some((each) => each.transformation === name && each.outcome === outcome),
        ),
      ),
    ),
  ]);
  return { header: ['Transformed', ...TRANSFORMS], rows };
}

/** Why models could not be run in ONNX Runtime, with how many, most frequent first. */
export function notRun(results: readonly TestResult[]): [reason: string, models: number][] {
  const counts = new Map<string, number>();
  for (const { runtime } of results) {
    if (runtime?.outcome !== 'loaded' && runtime?.outcome !== 'refused') continue;
    const reason = `${runtime.outcome}: ${runtime.reason}`;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}

function bySuite(
  results: readonly TestResult[],
  row: (of: readonly TestResult[]) => readonly (number | string)[],
): string[][] {
  const suites = [...new Set(results.map((r) => r.suite))];
  const rows = suites.map((suite) => [suite, ...row(results.filter((r) => r.suite === suite))]);
  const all = suites.length > 1 ? [['all', ...row(results)]] : [];
  return [...rows, ...all].map((cells) => cells.map(String));
}

function count(results: readonly TestResult[], matches: (result: TestResult) => boolean): number {
  return results.filter(matches).length;
}

/** Rounded down, so that 100.0 means all. */
function percent(part: number, whole: number): string {
  return (Math.floor((1000 * part) / whole) / 10).toFixed(1);
}

/** Header and rows with their cells padded to the width of their columns: text left, numbers right. */
export function aligned({ header, rows }: Table): string[][] {
  const widths = header.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  return [header, ...rows].map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))),
  );
}
