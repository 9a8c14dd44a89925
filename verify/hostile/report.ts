// The results of a run: sums per kind of mutation, as a table for people or for a document.
import { readFileSync, writeFileSync } from 'node:fs';
import type { CaseResult } from './pool.js';

export interface KindSummary {
  readonly kind: string;
  cases: number;
  results: number;
  errors: Record<string, number>;
  defects: number;
  slowestMs: number;
  maxRssBytes: number;
}

function emptySummary(kind: string): KindSummary {
  return { kind, cases: 0, results: 0, errors: {}, defects: 0, slowestMs: 0, maxRssBytes: 0 };
}

/** What is kept of a run: sums per kind, and every defect. */
export class Summary {
  readonly #kinds = new Map<string, KindSummary>();
  readonly total = emptySummary('all');
  readonly defects: CaseResult[] = [];

  add(result: CaseResult): void {
    let kind = this.#kinds.get(result.kind);
    if (kind === undefined) {
      kind = emptySummary(result.kind);
      this.#kinds.set(result.kind, kind);
    }
    const { outcome } = result;
    if (outcome.kind === 'defect') this.defects.push(result);
    for (const sums of [kind, this.total]) {
      sums.cases++;
      sums.slowestMs = Math.max(sums.slowestMs, result.durationMs);
      sums.maxRssBytes = Math.max(sums.maxRssBytes, result.peakRssBytes);
      if (outcome.kind === 'result') sums.results++;
      else if (outcome.kind === 'defect') sums.defects++;
      else sums.errors[outcome.code] = (sums.errors[outcome.code] ?? 0) + 1;
    }
  }

  get kinds(): readonly KindSummary[] {
    return [...this.#kinds.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1));
  }
}

const HEADER = ['mutation', 'cases', 'results', 'errors', 'defects', 'slowest ms', 'max RSS MiB', 'codes'];

/** Codes that are listed for one kind; for all kinds together all are. */
const LISTED_CODES = 3;

function rowsOf(summary: Summary): string[][] {
  return [...summary.kinds, summary.total].map((k) => [
    k.kind,
    String(k.cases),
    String(k.results),
    String(k.cases - k.results - k.defects),
    String(k.defects),
    k.slowestMs.toFixed(0),
    (k.maxRssBytes / 2 ** 20).toFixed(0),
    codes(k.errors, k === summary.total ? Number.POSITIVE_INFINITY : LISTED_CODES),
  ]);
}

/** Error codes with how often they came, most frequent first. */
function codes(errors: Readonly<Record<string, number>>, most: number): string {
  const sorted = Object.entries(errors).sort(([, a], [, b]) => b - a);
  const shown = sorted.slice(0, most).map(([code, count]) => `${code} ${count}`);
  return [...shown, ...(sorted.length > most ? [`… ${sorted.length - most} more`] : [])].join(', ');
}

/** A table for a terminal, and every defect with how to see it again. */
export function formatSummary(summary: Summary, reproduce: (index: number) => string): string {
  const rows = rowsOf(summary);
  const widths = HEADER.map((title, i) => rows.reduce((w, row) => Math.max(w, row[i]!.length), title.length));
  const last = HEADER.length - 1;
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === last ? cell : i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('  ')
      .trimEnd();
  const rule = HEADER.map((title, i) => '-'.repeat(i === last ? title.length : widths[i]!));
  const lines = [HEADER, rule, ...rows].map(line);
  for (const { index, kind, from, outcome } of summary.defects) {
    const what = outcome.kind === 'defect' ? outcome.what : '';
    lines.push('', `defect in case ${index} (${kind}, from ${from}):`, `  ${what.replaceAll('\n', '\n  ')}`);
    lines.push(`  again: ${reproduce(index)}`);
  }
  return lines.join('\n');
}

const BEGIN = '<!-- figures -->\n';
const END = '<!-- end of figures -->';

/** Puts the results of a run into a document, between two marks. */
export function updateDocument(path: string, summary: Summary, command: string): void {
  const text = readFileSync(path, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${path} has no part marked '${BEGIN.trim()}'`);
  const rule = HEADER.map((_, i) => (i === 0 || i === HEADER.length - 1 ? '---' : '---:'));
  const table = [HEADER, rule, ...rowsOf(summary)].map((cells) => `| ${cells.join(' | ')} |`);
  const figures = [`\`${command}\`:`, '', ...table].join('\n');
  writeFileSync(path, `${text.slice(0, from)}${BEGIN}\n${figures}\n\n${text.slice(to)}`);
}
