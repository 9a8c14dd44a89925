// What all plots have: paper, title, grid, ticks, names of the axes, and a text for those who cannot see them.
import type { Axis } from './axis.js';
import { PLOT_STYLE } from './style.js';
import { escaped, type Point, shortened, tag, text } from './svg.js';

/** The rectangle that marks are drawn in. */
export interface Area {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface FrameOptions {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** For screen readers: what the plot shows. */
  readonly description: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly x: Axis;
  readonly y: Axis;
  /** Markup that lies inside the area. */
  readonly marks: readonly string[];
  /** Markup that lies outside, such as a legend. */
  readonly extra?: readonly string[];
  readonly area: Area;
}

/** Room for ticks and names. */
const MARGIN = { left: 76, right: 18, top: 40, bottom: 50 } as const;

/** Marks keep this distance from the frame, so that a mark on the edge lies inside. */
export const INSET = 10;

export function areaOf(width: number, height: number, margin: Partial<Area> = {}): Area {
  const m: Area = { ...MARGIN, ...margin };
  return { left: m.left, right: width - m.right, top: m.top, bottom: height - m.bottom };
}

/** A picture as a document of its own, that can also stand in a page. */
export function drawing(
  { width, height, title, description }: Pick<FrameOptions, 'width' | 'height' | 'title' | 'description'>,
  ...marks: readonly string[]
): string {
  return tag(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'auspex-plot',
      viewBox: `0 0 ${width} ${height}`,
      width: String(width),
      height: String(height),
      role: 'img',
    },
    tag('title', {}, escaped(title)),
    tag('desc', {}, escaped(description)),
    tag('style', {}, PLOT_STYLE),
    tag('rect', { class: 'paper', width, height }),
    ...marks,
  );
}

/** A plot: its marks in a frame with axes. */
export function framed(options: FrameOptions): string {
  const { width, height, title, description, xLabel, yLabel, x, y, marks, extra = [], area } = options;
  const { left, right, top, bottom } = area;
  const vertical = x.ticks.map(({ at }) =>
    tag('path', { class: 'grid', d: `M${at.toFixed(1)} ${top}V${bottom}` }),
  );
  const horizontal = y.ticks.map(({ at }) =>
    tag('path', { class: 'grid', d: `M${left} ${at.toFixed(1)}H${right}` }),
  );
  return drawing(
    { width, height, title, description },
    text(left, 24, shortened(title, right - left, 14), { class: 'title' }),
    ...vertical,
    ...horizontal,
    ...marks,
    tag('rect', { class: 'frame', x: left, y: top, width: right - left, height: bottom - top }),
    ...x.ticks.map((t) => text(t.at, bottom + 17, t.text, { class: 'soft', 'text-anchor': 'middle' })),
    ...y.ticks.map((t) => text(left - 7, t.at + 4, t.text, { class: 'soft', 'text-anchor': 'end' })),
    text((left + right) / 2, height - 12, shortened(xLabel, right - left), { 'text-anchor': 'middle' }),
    ...(yLabel === '' ? [] : [turned(15, (top + bottom) / 2, shortened(yLabel, bottom - top))]),
    ...extra,
  );
}

function turned(x: number, y: number, content: string): string {
  return text(x, y, content, { 'text-anchor': 'middle', transform: `rotate(-90 ${x} ${y})` });
}

/** Names beside their colours, in rows below the title; gives how high it is, too. */
export function legend(
  names: readonly string[],
  area: Pick<Area, 'left' | 'right'>,
  top: number,
  swatch: (i: number, x: number, y: number) => string,
): { readonly markup: readonly string[]; readonly height: number } {
  const markup: string[] = [];
  let [x, y] = [area.left, top];
  for (const [i, name] of names.entries()) {
    const shown = shortened(name, area.right - area.left - 30);
    const width = 34 + [...shown].length * 7;
    if (x > area.left && x + width > area.right) [x, y] = [area.left, y + 18];
    markup.push(swatch(i, x, y), text(x + 22, y + 4, shown));
    x += width;
  }
  return { markup, height: names.length === 0 ? 0 : y - top + 18 };
}

/** The part of a polygon that lies in a rectangle: Sutherland & Hodgman 1974. */
export function clipped(polygon: readonly Point[], { left, right, top, bottom }: Area): Point[] {
  const edges: readonly (readonly [axis: 0 | 1, bound: number, sign: 1 | -1])[] = [
    [0, left, 1],
    [0, right, -1],
    [1, top, 1],
    [1, bottom, -1],
  ];
  let points = [...polygon];
  for (const [axis, bound, sign] of edges) {
    const isInside = (point: Point): boolean => (point[axis] - bound) * sign >= 0;
    points = points.flatMap((point, i) => {
      const before = points.at(i - 1)!;
      const crossing = isInside(point) === isInside(before) ? [] : [crossed(before, point, axis, bound)];
      return isInside(point) ? [...crossing, point] : crossing;
    });
  }
  return points;
}

function crossed(a: Point, b: Point, axis: 0 | 1, bound: number): Point {
  const part = (bound - a[axis]) / (b[axis] - a[axis]);
  const other = a[1 - axis]! + part * (b[1 - axis]! - a[1 - axis]!);
  return axis === 0 ? [bound, other] : [other, bound];
}
