// Correlations of scores with a label: for people, and as the page that `--report` writes.
import type { CorrelateFound } from '../../app/correlate.js';
import { WITHOUT_SCORES } from '../../app/correlations.js';
import { version } from '../../app/version.js';
import type { MetricResult } from '../../predictors/evaluate.js';
import { correlationReport, resultTexts } from '../../report/index.js';
import { fit, formatExact, table, wrap } from './format.js';
import { problemLines } from './score.js';
import { joined } from './sections.js';

/** @param width of the terminal; without end where nothing is to be cut */
export function correlateText(found: CorrelateFound, report: string | undefined, width: number): string {
  const { table: of, file, label, plan, records, correlations, output } = found;
  const { name, unit, better } = label;
  const rows = correlations.map((correlation) => [
    `${correlation.name} ${correlation.better === 'higher' ? '↑' : '↓'}`,
    ...shown(correlation.tau),
    ...shown(correlation.spearman),
    formatExact(correlation.rows),
  ]);
  const number = { align: 'right' as const };
  const counts = `${formatExact(records.length)} of ${formatExact(of.rows)} rows`;
  return joined(
    [
      [
        `${name}${unit === '' ? '' : ` (${unit})`}, ${better} is better`,
        `  ${counts} of ${fit(file, Math.max(50, width - 40), 'middle')}, seed ${plan.seed}`,
      ],
      [
        ...table(
          [
            { title: 'proxy', flexible: 'middle' },
            { title: 'τ-b', ...number },
            { title: '95% interval', ...number },
            { title: 'ρ', ...number },
            { title: '95% interval', ...number },
            { title: 'rows', ...number },
          ],
          rows,
          2,
          width,
        ),
        ...wrap("↑ higher is better, ↓ lower is better; Kendall's τ-b, Spearman's ρ", 2, 2, width),
      ],
      notesOf(found, width),
      output === null ? [] : [`scores written to ${output}`],
      report === undefined ? [] : [`report written to ${report}`],
    ],
    width,
  );
}

/** What is missing is explained below the table. */
const shown = (metric: MetricResult): string[] =>
  metric.estimate === undefined ? ['–', ''] : resultTexts(metric);

function notesOf({ plan, records, correlations }: CorrelateFound, width: number): string[] {
  const problems = correlations.flatMap(({ name, tau: { problem } }) =>
    problem && problem.code !== WITHOUT_SCORES ? [`  ${name}: ${problem.message}`] : [],
  );
  return [...problems, ...problemLines({ plan, records }, width)];
}

/** A self-contained HTML page. */
export function correlatePage(found: CorrelateFound): string {
  const { table: of, file, label, plan, records, correlations, resamples } = found;
  const { proxies: _, space: __, ...options } = plan;
  return correlationReport({
    data: { file, space: of.space, rows: `${formatExact(records.length)} of ${formatExact(of.rows)}` },
    label,
    settings: Object.entries(options).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
    correlations,
    notes: notesOf(found, Number.POSITIVE_INFINITY).map((line) => line.trim()),
    resamples,
    version: version(),
  });
}
