// The figures of docs/evidence/conformance.md: the part of a document between two marks is replaced by a run's results.
import { readFileSync, writeFileSync } from 'node:fs';
import type { TestResult } from './check.js';
import {
  aligned,
  notRun,
  rewriteTable,
  shapeTable,
  symbolicTable,
  type Table,
  transformTable,
  upgradeTable,
} from './tables.js';
import type { UnknownEntry } from './unknowns.js';

/** @param list the list of unknowns the run was compared with; its path names the marks. */
export function updateFigures(
  document: string,
  list: string,
  results: readonly TestResult[],
  unknowns: readonly UnknownEntry[],
): void {
  const begin = `<!-- figures: ${list} -->\n`;
  const end = '<!-- end of figures -->';
  const text = readFileSync(document, 'utf8');
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`${document} has no part marked '${begin.trim()}'`);
  const figures = formatFigures(results, unknowns);
  writeFileSync(document, `${text.slice(0, from)}${begin}\n${figures}\n\n${text.slice(to)}`);
}

function formatFigures(results: readonly TestResult[], unknowns: readonly UnknownEntry[]): string {
  const run = new Set(results.map((r) => r.id));
  const reasons = unknowns
    .map(({ reason, models }) => ({ reason, models: models.filter((id) => run.has(id)) }))
    .filter(({ models }) => models.length > 0);
  const sections = [
    formatTable(shapeTable(results)),
    formatTable(symbolicTable(results)),
    formatTable(rewriteTable(results)),
    formatTable(upgradeTable(results)),
    formatTable(transformTable(results)),
    formatTable({
      header: ['Not run in ONNX Runtime', 'models'],
      rows: notRun(results).map(([reason, models]) => [reason, String(models)]),
    }),
    formatTable({
      header: ['Unknown, because', 'models'],
      rows: reasons.map(({ reason, models }) => [reason, String(models.length)]),
    }),
  ];
  return sections.join('\n\n');
}

function formatTable(table: Table): string {
  const [header, ...rows] = aligned(table) as [string[], ...string[][]];
  const rule = header.map((cell, i) =>
    i === 0 ? '-'.repeat(cell.length) : `${'-'.repeat(cell.length - 1)}:`,
  );
  return [header, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
