// The output of `auspex evaluate`.
import { type Evaluated, rowsText } from '../../app/evaluate.js';
import {
  bootstrapText,
  coverageText,
  type EvaluatedLabel,
  resultTexts,
} from '../../report/pages/evaluation-report.js';
import { fit, formatExact, table, terminalWidth, wrap } from './format.js';
import { joined } from './sections.js';

export function evaluationText(found: Evaluated, report: string | undefined): string {
  const { file, info, data, tableRows, chosen, labels, absent } = found;
  const rows = rowsText(tableRows, chosen);
  const head = [
    `${info.kind} for ${info.seen.spaces.join(', ')}, trained on ${formatExact(info.seen.rows)} rows, seed ${info.seen.seed}`,
    `  predictor  ${fit(file, terminalWidth() - 13, 'middle')}`,
    `  table      ${fit(data, terminalWidth() - 13, 'middle')}`,
    ...wrap(`rows       ${rows}`, 2, 13),
  ];
  const sections = [
    head,
    ...labels.map(labelLines),
    ...(absent.length === 0 ? [] : [wrap(`not in the table: ${absent.join(', ')}`, 0, 2)]),
    ...(report === undefined ? [] : [[`report written to ${report}`]]),
  ];
  return joined(sections, terminalWidth());
}

function labelLines({ label, unit, better, trainedOn, promised, evaluation }: EvaluatedLabel): string[] {
  const { rows, withoutTruth, metrics, coverage, bootstrap } = evaluation;
  const title = [
    `${label}${unit === '' ? '' : ` (${unit})`}, ${better} is better: `,
    `${formatExact(rows)} rows`,
    withoutTruth === 0 ? '' : `, ${formatExact(withoutTruth)} without a value`,
    trainedOn === label ? '' : `, predicted by a model trained on ${trainedOn}`,
  ];
  const columns = [
    { title: 'metric' },
    { title: '', flexible: 'start' as const },
    { title: 'value', align: 'right' as const },
    { title: '95% interval' },
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
