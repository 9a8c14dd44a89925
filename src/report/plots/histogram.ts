// How values are spread: counts in bins of a round width (Freedman & Diaconis 1981). Where a few values lie far out,
// the outermost bins hold them, and the plot says so.

import { thousands } from '../../util/thousands.js';
import { axis, extent, roundStep } from './axis.js';
import { areaOf, framed, INSET } from './frame.js';
import { px, tag, text } from './svg.js';

const [WIDTH, HEIGHT] = [640, 320];
const MOST_BINS = 60;
/** Share of values at each end that may be gathered. */
const TAIL = 0.005;

export interface HistogramOptions {
  readonly title: string;
  readonly description?: string;
  /** Name of the values. */
  readonly label: string;
  /** Finite ones count. */
  readonly values: ArrayLike<number>;
  /** What is counted: `rows`. */
  readonly unit?: string;
}

interface Bins {
  /** Where the first begins. */
  readonly start: number;
  readonly step: number;
  readonly counts: readonly number[];
  /** Values beyond the ends, counted in the outermost bins. */
  readonly below: number;
  readonly above: number;
}

/** A histogram as a stand-alone SVG document. Code: PLOT_RANGE. */
export function histogram({ title, description, label, values, unit = 'values' }: HistogramOptions): string {
  const { start, step, counts, below, above } = binned(values);
  const area = areaOf(WIDTH, HEIGHT, { top: below + above > 0 ? 54 : 40 });
  const x = axis({
    domain: [start, start + step * counts.length],
    range: [area.left + INSET, area.right - INSET],
    count: 8,
  });
  const most = Math.max(1, ...counts);
  const y = axis({ domain: [0, most], range: [area.bottom, area.top + INSET], count: 5 });
  const bars = counts.flatMap((count, i) => {
    const [left, right] = [x.at(start + i * step), x.at(start + (i + 1) * step)];
    return count === 0
      ? []
      : [`M${px(left + 0.5)} ${px(area.bottom)}V${px(y.at(count))}H${px(right - 0.5)}V${px(area.bottom)}Z`];
  });
  const zero = start < 0 && start + step * counts.length > 0;
  return framed({
    width: WIDTH,
    height: HEIGHT,
    title,
    description: description ?? `Distribution of ${label} over ${unit}.`,
    xLabel: label,
    yLabel: unit,
    x,
    y: { ...y, ticks: y.ticks.filter(({ text: t }) => !t.includes('.')) },
    area,
    marks: [
      ...(bars.length === 0 ? [] : [tag('path', { class: 'f0', 'fill-opacity': '.75', d: bars.join('') })]),
      ...(zero
        ? [tag('path', { class: 'guide', d: `M${px(x.at(0))} ${px(area.bottom)}V${px(area.top)}` })]
        : []),
    ],
    ...(below + above > 0
      ? {
          extra: [
            text(
              area.left,
              43,
              `the outer bars include all values beyond: ${thousands(below)} below, ${thousands(above)} above`,
              {
                class: 'soft',
              },
            ),
          ],
        }
      : {}),
  });
}

/** Counts of values in bins that begin at round numbers. */
export function binned(values: ArrayLike<number>): Bins {
  const sorted = Float64Array.from(values).filter(Number.isFinite).sort();
  const n = sorted.length;
  const [least, most] = extent(sorted) ?? [0, 0];
  const quantile = (q: number): number => sorted[Math.round(q * (n - 1))] ?? 0;
  const spread = 2 * (quantile(0.75) - quantile(0.25)) * n ** (-1 / 3);
  const wanted = spread > 0 ? spread : (most - least) / Math.sqrt(n || 1);
  if (!(most - least > Math.max(Math.abs(least), Math.abs(most)) * 1e-12)) {
    // All the same.
    const step = roundStep(Math.max(Math.abs(most), 1e-300) * 0.1 || 1);
    return { start: most - step / 2, step, counts: [n], below: 0, above: 0 };
  }
  let step = roundStep(wanted);
  let [low, high] = [least, most];
  if ((most - least) / step > MOST_BINS) {
    [low, high] = [quantile(TAIL), quantile(1 - TAIL)];
    // As many equal values as that leave no width to see the rest by.
    if (!(high > low)) [low, high] = [least, most];
    if ((high - low) / step > MOST_BINS - 2) step = roundStep((1.5 * (high - low)) / MOST_BINS);
  }
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(first, Math.ceil(high / step - 1e-9) - 1);
  const counts = new Array<number>(last - first + 1).fill(0);
  let [below, above] = [0, 0];
  for (const value of sorted) {
    const bin = Math.floor(value / step + 1e-9) - first;
    if (bin < 0) below++;
    // A value on the last edge belongs to the last bin.
    else if (value - (last + 1) * step > 1e-9 * step) above++;
    counts[Math.min(Math.max(bin, 0), last - first)]!++;
  }
  return { start: first * step, step, counts, below, above };
}
