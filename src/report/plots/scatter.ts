// Points in a plane: circles where they are few, densities where they are many, so that a file stays small and
// readable whatever the table.

import { thousands } from '../../util/thousands.js';
import { type AxisKind, axis, extent } from './axis.js';
import { type Area, areaOf, clipped, framed, INSET, legend } from './frame.js';
import { hexagonMarks, hexagons, RADIUS } from './hexagons.js';
import { type Point, px, tag, through } from './svg.js';

/** More points than this are drawn as densities. */
export const MOST_CIRCLES = 2000;

const [WIDTH, HEIGHT] = [528, 542];
const TOP = 58;

export interface AxisName {
  readonly label: string;
  readonly kind?: AxisKind;
}

/** An interval of x for a value of y. */
export interface BandPoint {
  readonly low: number;
  readonly high: number;
  readonly at: number;
}

export interface ScatterOptions {
  readonly title: string;
  readonly description?: string;
  readonly x: AxisName;
  readonly y: AxisName;
  /** Points with a coordinate that is not finite are left out. */
  readonly points: { readonly x: ArrayLike<number>; readonly y: ArrayLike<number> };
  /** The name of the line x = y; with it, both axes have one scale. */
  readonly diagonal?: string;
  readonly band?: { readonly name: string; readonly points: readonly BandPoint[] };
  /** A line through points, such as a front. */
  readonly line?: { readonly name: string; readonly points: readonly Point[] };
  /** What a point is: `rows`. */
  readonly unit?: string;
}

/**
 * A scatter plot as a stand-alone SVG document. Codes: PLOT_RANGE, PLOT_LOG.
 *
 * @example scatterPlot({ title: 'τ', x: { label: 'true' }, y: { label: 'predicted' }, points, diagonal: 'equal' })
 */
export function scatterPlot(options: ScatterOptions): string {
  const { title, points, diagonal, band, line, unit = 'points' } = options;
  const finite = finitePoints(points);
  const both = diagonal === undefined ? undefined : (extent(finite.x, finite.y) ?? [0, 1]);
  const area = areaOf(WIDTH, HEIGHT, { top: TOP });
  const x = axis({
    ...options.x,
    domain: both ?? extent(finite.x) ?? [0, 1],
    range: [area.left + INSET, area.right - INSET],
  });
  const y = axis({
    ...options.y,
    domain: both ?? extent(finite.y) ?? [0, 1],
    range: [area.bottom - INSET, area.top + INSET],
  });
  const shown = marksOf(finite.x.map(x.at), finite.y.map(y.at), unit);
  const outline = band && bandOutline(band.points, x.at, y.at, area);
  const guide = diagonal === undefined ? [] : [tag('path', { class: 'guide', d: diagonalOf(area) })];
  const own = line?.points.map(([px, py]): Point => [x.at(px), y.at(py)]) ?? [];
  const names = [
    { name: shown.name, swatch: shown.swatch },
    ...(diagonal === undefined ? [] : [{ name: diagonal, swatch: guideSwatch }]),
    ...(band && outline ? [{ name: band.name, swatch: bandSwatch }] : []),
    ...(line ? [{ name: line.name, swatch: lineSwatch }] : []),
  ];
  return framed({
    width: WIDTH,
    height: HEIGHT,
    title,
    description:
      options.description ?? `${options.y.label} against ${options.x.label}, ${finite.x.length} ${unit}.`,
    xLabel: options.x.label,
    yLabel: options.y.label,
    x,
    y,
    area,
    marks: [
      ...(outline ? [tag('path', { class: 'f1 band', d: outline })] : []),
      ...shown.marks,
      // Its edges again, where marks cover it.
      ...(outline ? [tag('path', { class: 's1 edge', d: outline })] : []),
      ...guide,
      ...(own.length > 1 ? [tag('path', { class: 's1 line', d: through(own) })] : []),
      ...own.map(([cx, cy]) => tag('circle', { class: 'f1', cx, cy, r: 3.5 })),
    ],
    extra: legend(
      names.map(({ name }) => name),
      area,
      44,
      (i, left, middle) => names[i]!.swatch(left, middle),
    ).markup,
  });
}

function finitePoints({ x, y }: ScatterOptions['points']): { x: Float64Array; y: Float64Array } {
  const rows: number[] = [];
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    if (Number.isFinite(x[i]) && Number.isFinite(y[i])) rows.push(i);
  }
  return { x: Float64Array.from(rows, (i) => x[i]!), y: Float64Array.from(rows, (i) => y[i]!) };
}

interface Shown {
  readonly marks: readonly string[];
  readonly name: string;
  readonly swatch: (x: number, y: number) => string;
}

function marksOf(xs: Float64Array, ys: Float64Array, unit: string): Shown {
  if (xs.length <= MOST_CIRCLES) {
    // The more there are, the more they cover each other.
    const opacity = xs.length > 300 ? '.4' : '.65';
    const circles = Array.from(xs, (cx, i) => tag('circle', { cx, cy: ys[i], r: xs.length > 300 ? 2.2 : 3 }));
    return {
      marks: [tag('g', { class: 'f0', 'fill-opacity': opacity }, ...circles)],
      name: unit,
      swatch: (x, y) => tag('circle', { class: 'f0', 'fill-opacity': '.65', cx: x + 8, cy: y, r: 3 }),
    };
  }
  const found = hexagons(xs, ys);
  const most = found.reduce((max, { count }) => Math.max(max, count), 1);
  return {
    marks: hexagonMarks(found),
    name: most === 1 ? `1 of the ${unit}` : `1 to ${thousands(most)} ${unit}`,
    swatch: (x, y) =>
      ['.14', '.5', '1']
        .map((opacity, i) =>
          tag('rect', {
            class: 'f0',
            'fill-opacity': opacity,
            x: x + i * 6,
            y: y - RADIUS,
            width: 6,
            height: 2 * RADIUS,
          }),
        )
        .join(''),
  };
}

function diagonalOf({ left, right, top, bottom }: Area): string {
  return `M${px(left)} ${px(bottom)}L${px(right)} ${px(top)}`;
}

/** The band as the outline of an area, as much of it as lies in the plot. */
function bandOutline(
  points: readonly BandPoint[],
  x: (value: number) => number,
  y: (value: number) => number,
  area: Area,
): string | undefined {
  const corner = (value: number, at: number): Point => [finiteOr(x(value), area.left), y(at)];
  const polygon = clipped(
    [
      ...points.map(({ low, at }) => corner(low, at)),
      ...points.map(({ high, at }) => corner(high, at)).reverse(),
    ],
    area,
  );
  return polygon.length < 3 ? undefined : through(polygon, true);
}

/** On a logarithmic axis, 0 and less lie infinitely far to the left. */
function finiteOr(value: number, otherwise: number): number {
  return Number.isFinite(value) ? value : otherwise;
}

function guideSwatch(x: number, y: number): string {
  return tag('path', { class: 'guide', d: `M${px(x)} ${px(y)}h17` });
}

function bandSwatch(x: number, y: number): string {
  return tag('rect', { class: 'f1 s1 band edge', x, y: y - 5, width: 17, height: 10 });
}

function lineSwatch(x: number, y: number): string {
  return tag('path', { class: 's1 line', d: `M${px(x)} ${px(y)}h17` });
}
