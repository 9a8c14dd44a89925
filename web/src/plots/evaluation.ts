// Plots of an evaluation: predictions against measured values.
import type * as Plot from '@observablehq/plot';
import type { EvaluationPoints } from '../../../src/app/documents/evaluate.js';
import { formatNumber } from '../state/format.js';

export interface ComparedRow {
  readonly measured: number;
  readonly predicted: number;
  readonly low: number | undefined;
  readonly high: number | undefined;
  /** Whether the measured value is within the interval; undefined without one. */
  readonly isInside: boolean | undefined;
}

export function rowsOf({ measured, predicted, low, high }: EvaluationPoints): ComparedRow[] {
  return measured.map((value, i) => {
    const [from, to] = [low?.[i], high?.[i]];
    const isInside = from === undefined || to === undefined ? undefined : from <= value && value <= to;
    return { measured: value, predicted: predicted[i] ?? Number.NaN, low: from, high: to, isInside };
  });
}

/** Values that span more than this factor are drawn on logarithmic axes. */
const WIDE = 30;

/** Points on the diagonal are predicted exactly; intervals are vertical lines. */
export function comparedPlot(
  plot: typeof Plot,
  width: number,
  rows: readonly ComparedRow[],
  unit: string,
): SVGSVGElement | HTMLElement {
  const values = rows.flatMap(({ measured, predicted }) => [measured, predicted]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const type = least > 0 && most / least > WIDE ? 'log' : 'linear';
  const of = unit === '' || unit === 'fraction' ? '' : ` (${unit})`;
  const scale = { type, domain: [least, most], nice: true, grid: true, tickFormat: formatNumber } as const;
  const isInside = ({ isInside: is }: ComparedRow): boolean => is !== false;
  return plot.plot({
    width,
    height: Math.min(460, Math.max(280, width * 0.75)),
    marginLeft: 60,
    x: { ...scale, label: `measured${of}`, ticks: Math.max(3, Math.floor(width / 90)) },
    y: { ...scale, label: `predicted${of}`, clamp: true },
    marks: [
      plot.ruleX(
        rows.filter(({ low }) => low !== undefined),
        { x: 'measured', y1: 'low', y2: 'high', stroke: 'var(--muted)', strokeOpacity: 0.25, clip: true },
      ),
      plot.line(
        [
          [least, least],
          [most, most],
        ],
        { stroke: 'var(--muted)', strokeDasharray: '4 3' },
      ),
      plot.dot(rows, {
        x: 'measured',
        y: 'predicted',
        r: rows.length > 300 ? 2 : 3.5,
        className: 'compared',
        fill: (row: ComparedRow) => (isInside(row) ? 'var(--accent)' : 'var(--danger)'),
        fillOpacity: 0.75,
      }),
      plot.tip(
        rows,
        plot.pointer({
          x: 'measured',
          y: 'predicted',
          fill: 'var(--surface)',
          title: ({ measured, predicted, low, high }: ComparedRow) =>
            `measured ${formatNumber(measured)}\npredicted ${formatNumber(predicted)}${low === undefined ? '' : `\ninterval ${formatNumber(low)} to ${formatNumber(high)}`}`,
        }),
      ),
    ],
  });
}
