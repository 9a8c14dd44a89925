// The output of `auspex train`.
import type { SkippedNetwork, Trained } from '../../app/train/request.js';
import { bestOf } from '../../app/train/request.js';
import type { IoTest } from '../../predictors/kinds/io-tests.js';
import type { TrainingProgress } from '../../predictors/train.js';
import { duration } from '../progress.js';
import { formatExact, table, wrap, wrapLines } from './format.js';
import { IO_SETS } from './io.js';

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
    ...ioTestsText(info.recipe),
  ].join('\n');
}

/** How far an IO model is from networks and images that it did not learn from. */
function ioTestsText(recipe: unknown): string[] {
  const { tests } = recipe as { readonly tests?: readonly IoTest[] };
  if (tests === undefined) return [];
  const rows = tests.map(({ name, networks, images, error, baseline }) => [
    IO_SETS[name as keyof typeof IO_SETS] ?? name,
    formatExact(networks),
    formatExact(images),
    error.toPrecision(4),
    baseline.toPrecision(4),
    (error / baseline).toFixed(3),
  ]);
  const columns = [
    { title: 'output features', flexible: 'middle' as const },
    ...['networks', 'images', 'MSE', 'of the mean', 'ratio'].map((title) => ({
      title,
      align: 'right' as const,
    })),
  ];
  return ['', ...table(columns, rows, 2)];
}

function widthText(widths: readonly number[], scale: string): string {
  const text = (w: number): string =>
    scale === 'log' ? `x/÷ ${Math.exp(w).toFixed(3)}` : `± ${w.toPrecision(3)}`;
  const [least, most] = [Math.min(...widths), Math.max(...widths)];
  return least === most ? text(least) : `${text(least)} to ${text(most)}`;
}
