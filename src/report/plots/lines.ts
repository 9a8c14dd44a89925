// Curves: training, search. Several series, each with an optional band.
import { axis, extent } from './axis.js';
import { type Area, areaOf, clipped, framed, INSET, legend } from './frame.js';
import type { AxisName } from './scatter.js';
import { lineClass, SERIES } from './style.js';
import { type Point, px, tag, through } from './svg.js';

const [WIDTH, HEIGHT] = [640, 400];

export interface Series {
  readonly name: string;
  readonly x: ArrayLike<number>;
  /** A value that is not finite is a gap. */
  readonly y: ArrayLike<number>;
  /** The band around the curve: a standard deviation, a range over seeds. */
  readonly low?: ArrayLike<number>;
  readonly high?: ArrayLike<number>;
}

export interface LinePlotOptions {
  readonly title: string;
  readonly description?: string;
  readonly x: AxisName;
  readonly y: AxisName;
  readonly series: readonly Series[];
}

/**
 * Curves as a stand-alone SVG document. Codes: PLOT_RANGE, PLOT_LOG.
 *
 * @example
 * linePlot({
 *   title: 'Best of a search',
 *   x: { label: 'evaluations', kind: 'log' },
 *   y: { label: 'regret (%)' },
 *   series: [{ name: 'evolution', x: steps, y: mean, low, high }],
 * });
 */
export function linePlot({ title, description, x: xName, y: yName, series }: LinePlotOptions): string {
  const columns = series.flatMap(({ y, low, high }) => [y, low ?? [], high ?? []]);
  const isLog = yName.kind === 'log';
  // A band that reaches to zero has no end on a logarithmic axis; it goes to where the curves end.
  const yDomain = isLog ? extent(...series.map(({ y }) => y), ...columns.map(positive)) : extent(...columns);
  const names = series.length > 1 ? series.map(({ name }) => name) : [];
  const key = legend(names, areaOf(WIDTH, HEIGHT), 44, (i, left, middle) =>
    tag('path', { class: lineClass(i), d: `M${px(left)} ${px(middle)}h17` }),
  );
  const area = areaOf(WIDTH, HEIGHT, { top: 40 + key.height });
  const x = axis({
    ...xName,
    domain: extent(...series.map((s) => s.x)) ?? (xName.kind === 'log' ? [1, 10] : [0, 1]),
    range: [area.left + INSET, area.right - INSET],
    count: 8,
  });
  const y = axis({
    ...yName,
    domain: yDomain ?? (isLog ? [1, 10] : [0, 1]),
    range: [area.bottom - INSET, area.top + INSET],
  });
  return framed({
    width: WIDTH,
    height: HEIGHT,
    title,
    description:
      description ?? `${yName.label} against ${xName.label}: ${series.map(({ name }) => name).join(', ')}.`,
    xLabel: xName.label,
    yLabel: yName.label,
    x,
    y,
    area,
    marks: [
      ...series.flatMap((s, i) => bandMarks(s, i, x.at, y.at, area)),
      ...series.flatMap((s, i) => curveMarks(s, i, x.at, y.at)),
    ],
    extra: key.markup,
  });
}

function positive(values: ArrayLike<number>): Float64Array {
  return Float64Array.from(values).filter((value) => value > 0);
}

type At = (value: number) => number;

/** Runs of points that all satisfy a condition. */
function runs(count: number, isThere: (i: number) => boolean): number[][] {
  const found: number[][] = [];
  for (let i = 0; i < count; i++) {
    if (!isThere(i)) continue;
    if (i > 0 && isThere(i - 1)) found.at(-1)!.push(i);
    else found.push([i]);
  }
  return found;
}

function curveMarks({ x, y }: Series, i: number, atX: At, atY: At): string[] {
  return runs(Math.min(x.length, y.length), (k) => Number.isFinite(x[k]) && Number.isFinite(y[k])).map(
    (run) => {
      const points = run.map((k): Point => [atX(x[k]!), atY(y[k]!)]);
      const [[cx, cy] = [0, 0]] = points;
      return points.length === 1
        ? tag('circle', { class: `f${i % SERIES}`, cx, cy, r: 2.5 })
        : tag('path', { class: lineClass(i), d: through(points) });
    },
  );
}

function bandMarks({ x, low, high }: Series, i: number, atX: At, atY: At, area: Area): string[] {
  if (low === undefined || high === undefined) return [];
  const isThere = (k: number): boolean => [x[k], low[k], high[k]].every(Number.isFinite);
  const inside = (value: number): number => {
    const at = atY(value);
    return Number.isFinite(at) ? at : area.bottom;
  };
  return runs(Math.min(x.length, low.length, high.length), isThere).flatMap((run) => {
    const upper = run.map((k): Point => [atX(x[k]!), inside(high[k]!)]);
    const lower = run.map((k): Point => [atX(x[k]!), inside(low[k]!)]);
    const polygon = clipped([...upper, ...lower.reverse()], area);
    return polygon.length < 3
      ? []
      : [tag('path', { class: `f${i % SERIES} band`, d: through(polygon, true) })];
  });
}
