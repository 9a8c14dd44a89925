// The output of `auspex train`.
import type { SkippedNetwork, Trained } from '../../app/train/request.js';
import { bestOf } from '../../app/train/request.js';
import type { TrainingProgress } from '../../predictors/train.js';
import { duration } from '../progress.js';
import { formatExact, table, wrap, wrapLines } from './format.js';

export function progressNote({ loss, score, member = 0 }: TrainingProgress, members: number): string {
  if (loss === undefined) return '';
  const of = members > 1 ? `member ${member + 1} of ${members}, ` : '';
  const validated = score === undefined ? '' : `, validation ${score.toFixed(3)}`;
  return `${of}loss ${loss.toPrecision(3)}${validated}`;
}

/** Networks that are named; the others are counted. */
const NAMED = 10;

export function skippedText(skipped: readonly SkippedNetwork[]): string {
  const lines = skipped.slice(0, NAMED).map(({ ref, error }) => `  ${ref}: ${error.code}, ${error.message}`);
  const more = skipped.length > NAMED ? [`  … ${skipped.length - NAMED} more`] : [];
  return [`${skipped.length} rows were skipped:`, ...lines, ...more].map(wrapLines).join('\n');
}

export function trainedText(trained: Trained): string {
  const { kind, predictor, members, excluded, seconds, output, steps } = trained;
  const { info } = predictor;
  const best = bestOf(members).filter((score) => score !== null);
  const score = info.labels[0]?.transform === 'log' ? 'mean scaled error of logarithms' : 'mean tau-b';
  const rows = info.labels.map(({ name, unit, transform, interval }) => {
    const widths = interval?.groups.map(({ halfWidth }) => halfWidth) ?? [];
    return [name, unit, transform, widths.length === 0 ? 'none' : widthText(widths, transform)];
  });
  const columns = [
    { title: 'label', flexible: 'middle' as const },
    { title: 'unit' },
    { title: 'scale' },
    { title: '90% interval' },
  ];
  const work = steps === undefined ? '' : `${members.length} x ${formatExact(steps)} steps, `;
  return [
    `${output}: ${kind.title} for ${info.seen.spaces.join(', ')}`,
    `  ${formatExact(info.seen.rows)} rows, seed ${info.seen.seed}, ${work}${duration(seconds)}`,
    ...(best.length > 0
      ? wrap(`validation (${score}): ${best.map((b) => Math.abs(b).toFixed(4)).join(', ')}`, 2, 4)
      : []),
    ...(excluded > 0
      ? wrap(`${formatExact(excluded)} held-out rows were also trained on; intervals exclude them`, 2)
      : []),
    ...(rows.length > 0 ? ['', ...table(columns, rows, 2)] : []),
  ].join('\n');
}

function widthText(widths: readonly number[], scale: string): string {
  const text = (w: number): string =>
    scale === 'log' ? `x/÷ ${Math.exp(w).toFixed(3)}` : `± ${w.toPrecision(3)}`;
  const [least, most] = [Math.min(...widths), Math.max(...widths)];
  return least === most ? text(least) : `${text(least)} to ${text(most)}`;
}
