// Bars that lie, so that names have room: one method, one device, one operator a row.
import { axis, extent } from './axis.js';
import { areaOf, framed, INSET } from './frame.js';
import { px, shortened, tag, text } from './svg.js';

const WIDTH = 640;
const ROW = 26;

export interface Bar {
  readonly name: string;
  readonly value: number;
  /** An interval around the value. */
  readonly low?: number;
  readonly high?: number;
}

export interface BarChartOptions {
  readonly title: string;
  readonly description?: string;
  /** Name of the values. */
  readonly label: string;
  readonly bars: readonly Bar[];
}

/** Bars from zero as a stand-alone SVG document; a value that is not finite has none. Code: PLOT_RANGE. */
export function barChart({ title, description, label, bars }: BarChartOptions): string {
  const height = 40 + 50 + Math.max(1, bars.length) * ROW;
  const longest = bars.reduce((most, { name }) => Math.max(most, [...name].length), 4);
  const left = Math.min(230, 24 + longest * 7);
  const area = areaOf(WIDTH, height, { left, right: 84 });
  const domain = extent([0], ...bars.map(({ value, low, high }) => [value, low ?? value, high ?? value]));
  const [low, high] = domain ?? [0, 1];
  const x = axis({
    domain: low === high ? [0, 1] : [low, high],
    range: [area.left + (low < 0 ? INSET : 0), area.right - INSET],
    count: 6,
  });
  const rows = bars.map((bar, i) => rowOf(bar, area.top + (i + 0.5) * ROW, x.at, area));
  return framed({
    width: WIDTH,
    height,
    title,
    description:
      description ?? `${label}: ${bars.map(({ name, value }) => `${name} ${short(value)}`).join(', ')}.`,
    xLabel: label,
    yLabel: '',
    x,
    y: { at: (value) => value, ticks: [] },
    area,
    marks: rows.flatMap(({ marks }) => marks),
    extra: rows.flatMap(({ names }) => names),
  });
}

function rowOf(
  { name, value, low, high }: Bar,
  middle: number,
  at: (value: number) => number,
  { left, right }: { readonly left: number; readonly right: number },
): { marks: readonly string[]; names: readonly string[] } {
  const names = [
    text(left - 8, middle + 4, shortened(name, left - 16), { 'text-anchor': 'end' }),
    text(right + 8, middle + 4, short(value), { class: 'soft' }),
  ];
  if (!Number.isFinite(value)) return { marks: [], names };
  const [from, to] = [Math.min(at(0), at(value)), Math.max(at(0), at(value))];
  const bar = tag('rect', {
    class: 'f0',
    'fill-opacity': '.75',
    x: from,
    y: middle - 8,
    width: to - from,
    height: 16,
  });
  if (!Number.isFinite(low) || !Number.isFinite(high)) return { marks: [bar], names };
  const [a, b, y] = [px(at(low!)), px(at(high!)), px(middle)];
  const d = `M${a} ${y}H${b}M${a} ${px(middle - 4)}v8M${b} ${px(middle - 4)}v8`;
  return { marks: [bar, tag('path', { class: 's1 line', d })], names };
}

function short(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(4))) : 'none';
}
