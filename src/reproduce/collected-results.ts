// What is known of a table from a folder of results, without running anything.
import { type Draw, type DrawResult, settingsOf } from './result.js';
import type { ResultFiles } from './result-files.js';
import { drawsOf, type TableChoice } from './run-table.js';
import { type SummaryLine, summarise } from './summary.js';
import type { ReproducedTable } from './table.js';

export interface CollectedTable {
  readonly lines: readonly SummaryLine[];
  readonly results: readonly DrawResult[];
  /** Draws that were asked for. */
  readonly draws: readonly Draw[];
  /** Results that were made with other settings, and do not count. */
  readonly others: number;
}

export function collect(files: ResultFiles, table: ReproducedTable, choice: TableChoice): CollectedTable {
  const draws = drawsOf(table, choice);
  const results = new Map<string, DrawResult[]>();
  let others = 0;
  for (const draw of draws) {
    const result = files.readWith(draw, settingsOf(draw.cell, choice.steps));
    if (result === undefined) {
      if (files.read(draw) !== undefined) others++;
      continue;
    }
    results.set(draw.cell.id, [...(results.get(draw.cell.id) ?? []), result]);
  }
  const cells = [...new Set(draws.map(({ cell }) => cell))];
  return { lines: summarise({ cells }, results), results: [...results.values()].flat(), draws, others };
}
