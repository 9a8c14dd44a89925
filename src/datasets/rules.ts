// What rows of a table must be like beyond their format, and what becomes of rows that are not.
import { AuspexError } from '../util/errors.js';
import type { Table } from './table.js';

/** A row that was left out. */
export interface SkippedRow {
  /** Where it is, such as `line 12`. */
  readonly at: string;
  readonly code: string;
  readonly message: string;
}

export interface TableRules {
  /**
   * Throws for a space that a table cannot have; gives what checks texts of architectures, which throws for those of
   * other spaces.
   */
  readonly space?: (name: string) => ((arch: string) => void) | undefined;
  /** Whether a table without labels is refused. */
  readonly needsLabels?: boolean;
  /** Takes rows that are wrong. Without it the first of them is an error. */
  readonly skip?: (row: SkippedRow) => void;
}

/** A wrong row: skipped if rules allow it, thrown otherwise. Anything that is no AuspexError is thrown. */
export function skipOr(rules: TableRules, error: unknown, at: string): void {
  if (!(error instanceof AuspexError) || rules.skip === undefined) throw error;
  rules.skip({ at, code: error.code, message: error.message });
}

/** Checks a table that was not read line by line, and leaves out rows that may be skipped. */
export function checkedTable(table: Table, rules: TableRules): Table {
  requireLabels(table.labels.length, rules);
  const check = rules.space?.(table.space);
  if (check === undefined) return table;
  const kept: number[] = [];
  for (let row = 0; row < table.rows; row++) {
    const at = `row ${row + 1}`;
    try {
      check(table.arch(row));
      kept.push(row);
    } catch (error) {
      skipOr(rules, error instanceof AuspexError ? error.within({ path: at }) : error, at);
    }
  }
  return kept.length === table.rows ? table : table.take(kept);
}

/** @param columns what could be labels, for the hint */
export function requireLabels(
  labels: number,
  { needsLabels = false }: TableRules,
  columns: readonly string[] = [],
  at?: string,
): void {
  if (labels > 0 || !needsLabels) return;
  throw new AuspexError('TABLE_NO_LABELS', 'the table has no labels', {
    ...(at === undefined ? {} : { where: { path: at } }),
    hint:
      columns.length === 0
        ? 'name its columns of numbers with --label'
        : `name columns of numbers with --label: ${columns.join(', ')}`,
  });
}
