// The results as text of at most 80 columns.
import type { TestResult } from './check.js';
import type { ShapeResult } from './shapes.js';
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
import { isTransformWrong, type TransformCheck } from './transformations.js';
import type { UnknownChanges } from './unknowns.js';

const WIDTH = 80;

export function formatReport(results: readonly TestResult[], changes: UnknownChanges): string {
  const sections = [
    formatTable(shapeTable(results)),
    formatTable(symbolicTable(results)),
    formatTable(rewriteTable(results)),
    formatTable(upgradeTable(results)),
    formatTable(transformTable(results)),
    notRun(results)
      .map(([reason, models]) => clip(`${String(models).padStart(5)}  ${reason}`))
      .join('\n'),
    problems(
      'Shapes: wrong',
      results,
      (r) => r.shapes.verdict === 'wrong',
      (r) => describe(r.shapes),
    ),
    problems('Shapes: unknown and not on the list', results, isIn(changes.unlisted), (r) =>
      describe(r.shapes),
    ),
    problems('Shapes: on the list, but not unknown any more', results, isIn(changes.outdated), () => []),
    problems(
      'With symbols: wrong',
      results,
      (r) => r.symbolic.verdict === 'wrong',
      (r) => describe(r.symbolic),
    ),
    problems(
      'Written and read again: different',
      results,
      (r) => r.rewriteDifference !== undefined,
      (r) => [`first difference: ${r.rewriteDifference}`],
    ),
    problems(
      'ONNX Runtime: different',
      results,
      (r) => r.runtime?.outcome === 'different',
      (r) => [r.runtime?.reason ?? ''],
    ),
    problems(
      'Opset raised: refused or different',
      results,
      (r) => isUpgradeWrong(r),
      (r) => [r.upgrade?.reason ?? ''],
    ),
    problems(
      'Transformed: far, broken or defective',
      results,
      (r) => wronglyTransformed(r).length > 0,
      (r) =>
        wronglyTransformed(r).map(
          ({ transformation, outcome, reason }) => `${transformation}: ${outcome}: ${reason}`,
        ),
    ),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

export function wronglyTransformed({ transformations = [] }: TestResult): readonly TransformCheck[] {
  return transformations.filter(isTransformWrong);
}

export function isUpgradeWrong({ upgrade }: TestResult): boolean {
  return upgrade?.outcome === 'different' || upgrade?.outcome === 'refused';
}

function isIn(ids: readonly string[]): (result: TestResult) => boolean {
  const set = new Set(ids);
  return ({ id }) => set.has(id);
}

function problems(
  title: string,
  results: readonly TestResult[],
  matches: (result: TestResult) => boolean,
  details: (result: TestResult) => readonly string[],
): string {
  const found = results.filter(matches);
  if (found.length === 0) return '';
  const lines = found.flatMap((r) => [`  ${r.id}`, ...details(r).map((line) => `    ${line}`)]);
  return [`${title} (${found.length})`, ...lines].map(clip).join('\n');
}

function describe({ error, output }: ShapeResult): string[] {
  if (error !== undefined) return error.split('\n');
  return output ? [`${output.name}: expected ${output.expected}`, `inferred ${output.inferred}`] : [];
}

function formatTable(table: Table): string {
  return aligned(table)
    .map((cells) => cells.join('  '))
    .join('\n');
}

function clip(line: string): string {
  return line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`;
}
