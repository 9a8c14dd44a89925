// The results of a run as a table for people: one row per kind of mutation.
import type { CaseResult } from './pool.js';

export interface KindSummary {
  kind: string;
  cases: number;
  results: number;
  errors: Record<string, number>;
  defects: number;
  slowestMs: number;
  maxRssBytes: number;
}

/** What is kept of a run: sums per kind, and every defect. */
export class Summary {
  readonly #kinds = new Map<string, KindSummary>();
  readonly defects: CaseResult[] = [];

  add(result: CaseResult): void {
    const kind = this.#kind(result.kind);
    kind.cases++;
    kind.slowestMs = Math.max(kind.slowestMs, result.durationMs);
    kind.maxRssBytes = Math.max(kind.maxRssBytes, result.peakRssBytes);
    const { outcome } = result;
    if (outcome.kind === 'result') kind.results++;
    else if (outcome.kind === 'error') kind.errors[outcome.code] = (kind.errors[outcome.code] ?? 0) + 1;
    else {
      kind.defects++;
      this.defects.push(result);
    }
  }

  #kind(name: string): KindSummary {
    let found = this.#kinds.get(name);
    if (found === undefined) {
      found = { kind: name, cases: 0, results: 0, errors: {}, defects: 0, slowestMs: 0, maxRssBytes: 0 };
      this.#kinds.set(name, found);
    }
    return found;
  }

  get kinds(): readonly KindSummary[] {
    return [...this.#kinds.values()].sort((a, b) => (a.kind < b.kind ? -1 : 1));
  }

  get total(): KindSummary {
    const total: KindSummary = {
      kind: 'all',
      cases: 0,
      results: 0,
      errors: {},
      defects: 0,
      slowestMs: 0,
      maxRssBytes: 0,
    };
    for (const kind of this.#kinds.values()) {
      total.cases += kind.cases;
      total.results += kind.results;
      total.defects += kind.defects;
      total.slowestMs = Math.max(total.slowestMs, kind.slowestMs);
      total.maxRssBytes = Math.max(total.maxRssBytes, kind.maxRssBytes);
      for (const [code, count] of Object.entries(kind.errors)) {
        total.errors[code] = (total.errors[code] ?? 0) + count;
      }
    }
    return total;
  }
}

export function formatSummary(summary: Summary, reproduce: (index: number) => string): string {
  const rows = [...summary.kinds, summary.total].map((k) => [
    k.kind,
    String(k.cases),
    String(k.results),
    String(k.cases - k.results - k.defects),
    String(k.defects),
    k.slowestMs.toFixed(0),
    (k.maxRssBytes / 2 ** 20).toFixed(0),
    codes(k.errors, k.kind === 'all' ? Number.POSITIVE_INFINITY : 3),
  ]);
  const header = ['mutation', 'cases', 'results', 'errors', 'defects', 'slowest ms', 'max RSS MiB', 'codes'];
  const lines = table(header, rows);
  for (const { index, kind, from, outcome } of summary.defects) {
    const what = outcome.kind === 'defect' ? outcome.what : '';
    lines.push('', `defect in case ${index} (${kind}, from ${from}):`, `  ${what.replaceAll('\n', '\n  ')}`);
    lines.push(`  again: ${reproduce(index)}`);
  }
  return lines.join('\n');
}

/** Error codes with how often they came, most frequent first. */
function codes(errors: Readonly<Record<string, number>>, most: number): string {
  const sorted = Object.entries(errors).sort(([, a], [, b]) => b - a);
  const shown = sorted.slice(0, most).map(([code, count]) => `${code} ${count}`);
  return [...shown, ...(sorted.length > most ? [`… ${sorted.length - most} more`] : [])].join(', ');
}

/** Columns as wide as their widest cell; the first and the last are text, the others numbers. */
function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((h, i) => rows.reduce((w, row) => Math.max(w, row[i]!.length), h.length));
  const last = header.length - 1;
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === last ? cell : i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('  ')
      .trimEnd();
  const rule = widths.map((w, i) => '-'.repeat(i === last ? 5 : w));
  return [line(header), line(rule), ...rows.map(line)];
}
