// What `auspex evaluate` found, for people within 80 columns, and as JSON (docs/evaluate-json.md).
import type { PredictorInfo } from '../predictors/predictor.js';
import {
  bootstrapText,
  coverageText,
  type EvaluatedLabel,
  resultTexts,
} from '../report/evaluation-report.js';
import { printable } from '../util/printable.js';
import type { ChosenRows } from './evaluate.js';
import { fit, formatExact, table, WIDTH, wrap } from './format.js';

export interface Found {
  readonly file: string;
  readonly info: PredictorInfo;
  readonly data: string;
  readonly tableRows: number;
  readonly chosen: ChosenRows;
  readonly labels: readonly EvaluatedLabel[];
  /** Labels that the predictor has and the table has not. */
  readonly absent: readonly string[];
}

/** Of rows that no split chose. */
const SEEN = 'some may be what it was trained on (see --unseen)';

export function evaluationText(found: Found, report: string | undefined): string {
  const { file, info, data, tableRows, chosen, labels, absent } = found;
  const rows =
    chosen.split === undefined
      ? `all ${formatExact(tableRows)}; ${SEEN}`
      : `${formatExact(chosen.rows.length)}, the ${chosen.part} rows of ${chosen.split}`;
  const head = [
    `${info.kind} for ${info.seen.spaces.join(', ')}, trained on ${formatExact(info.seen.rows)} rows, seed ${info.seen.seed}`,
    `  predictor  ${fit(file, WIDTH - 13, 'end')}`,
    `  table      ${fit(data, WIDTH - 13, 'end')}`,
    `  rows       ${fit(rows, WIDTH - 13, 'end')}`,
  ];
  const sections = [
    head,
    ...labels.map(labelLines),
    ...(absent.length === 0 ? [] : [wrap(`not in the table: ${absent.join(', ')}`, 0, 2)]),
    ...(report === undefined ? [] : [[`report written to ${report}`]]),
  ];
  return sections.map((lines) => lines.map((line) => printable(fit(line, WIDTH))).join('\n')).join('\n\n');
}

function labelLines({
  label,
  unit,
  higherIsBetter,
  trainedOn,
  promised,
  evaluation,
}: EvaluatedLabel): string[] {
  const { rows, withoutTruth, metrics, coverage, bootstrap } = evaluation;
  const title = [
    `${label}${unit === '' ? '' : ` (${unit})`}, ${higherIsBetter ? 'higher' : 'lower'} is better: `,
    `${formatExact(rows)} rows`,
    withoutTruth === 0 ? '' : `, ${formatExact(withoutTruth)} without a value`,
    trainedOn === label ? '' : `, predicted by one trained on ${trainedOn}`,
  ];
  const columns = [
    { title: 'metric' },
    { title: '' },
    { title: 'value', align: 'right' as const },
    { title: '95% interval', flexible: 'start' as const },
  ];
  return [
    ...wrap(title.join(''), 0, 2),
    ...table(
      columns,
      metrics.map((metric) => [metric.name, metric.title, ...resultTexts(metric)]),
    ),
    ...(coverage === undefined ? [] : wrap(coverageText(coverage, promised, unit), 2)),
    ...wrap(bootstrapText(rows, bootstrap), 2),
  ];
}

export function evaluationJson(found: Found, report: string | undefined): string {
  const { file, info, data, tableRows, chosen, labels, absent } = found;
  return JSON.stringify(
    {
      schema: 'auspex.evaluate/1',
      predictor: {
        file,
        kind: info.kind,
        space: info.seen.spaces.join(', '),
        rows: info.seen.rows,
        seed: info.seen.seed,
        labels: info.labels.map(({ name }) => name),
      },
      data: {
        file: data,
        rows: tableRows,
        split: chosen.split ?? null,
        part: chosen.part ?? null,
        chosen: chosen.rows.length,
      },
      labels: labels.map(labelJson),
      absent,
      report: report ?? null,
    },
    null,
    2,
  );
}

function labelJson({ label, unit, higherIsBetter, trainedOn, promised, evaluation }: EvaluatedLabel): object {
  const { rows, withoutTruth, metrics, coverage, bootstrap } = evaluation;
  return {
    label,
    unit,
    higherIsBetter,
    trainedOn,
    rows,
    withoutTruth,
    metrics: metrics.map(({ name, title, better, estimate, low, high, degenerate, problem }) => ({
      name,
      title,
      better,
      value: estimate ?? null,
      low: low ?? null,
      high: high ?? null,
      degenerate: degenerate ?? null,
      problem: problem ?? null,
    })),
    intervals: coverage === undefined ? null : { promised: promised ?? null, ...coverage },
    bootstrap,
  };
}
