// A map of points in a plane, coloured by a value; some are marked.
import { axis, extent } from './axis.js';
import { areaOf, framed, INSET } from './frame.js';
import { escaped, tag, text } from './svg.js';

export interface MapPoint {
  readonly x: number;
  readonly y: number;
  /** Shown when the pointer rests on it. */
  readonly name: string;
  /** What it is coloured by; not known of all. */
  readonly value?: number;
  readonly isMarked?: boolean;
}

export interface MapOptions {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** What colours stand for. */
  readonly value?: string;
  readonly points: readonly MapPoint[];
}

const [WIDTH, HEIGHT, TOP] = [760, 640, 66];

/** From dark to light, told apart also in grey (after viridis, van der Walt & Smith 2015). */
const COLOURS = ['#440154', '#414487', '#2a788e', '#22a884', '#7ad151', '#fde725'];

/** An SVG document. */
export function embeddingMap({ title, xLabel, yLabel, value, points }: MapOptions): string {
  const area = areaOf(WIDTH, HEIGHT, { top: TOP });
  const domain = (of: (point: MapPoint) => number): readonly [number, number] =>
    extent(points.map(of)) ?? [0, 1];
  const x = axis({ domain: domain((p) => p.x), range: [area.left + INSET, area.right - INSET] });
  const y = axis({ domain: domain((p) => p.y), range: [area.bottom - INSET, area.top + INSET] });
  const values = points
    .flatMap(({ value: v }) => (v === undefined || Number.isNaN(v) ? [] : [v]))
    .sort((a, b) => a - b);
  // By rank: a few bad networks would take most of the scale.
  const bounds = COLOURS.slice(1).map(
    (_, i) => values[Math.floor(((i + 1) * values.length) / COLOURS.length)]!,
  );
  const colourOf = (v: number | undefined): string =>
    v === undefined || Number.isNaN(v) ? '#8a939e' : COLOURS[bounds.filter((bound) => v >= bound).length]!;
  const radius = points.length > 1000 ? 2.2 : 3.5;
  // Marked ones are drawn last, above the others.
  const ordered = [...points].sort((a, b) => Number(a.isMarked ?? false) - Number(b.isMarked ?? false));
  const marks = ordered.map((point) =>
    tag(
      'circle',
      {
        cx: x.at(point.x),
        cy: y.at(point.y),
        r: point.isMarked ? radius + 2 : radius,
        fill: colourOf(point.value),
        ...(point.isMarked ? { stroke: '#d97706', 'stroke-width': '2' } : { 'fill-opacity': '.8' }),
      },
      tag('title', {}, named(point)),
    ),
  );
  return framed({
    width: WIDTH,
    height: HEIGHT,
    title,
    description: `${points.length} networks by two principal components${value ? `, coloured by ${value}` : ''}.`,
    xLabel,
    yLabel,
    x,
    y,
    area,
    marks,
    extra: value && values.length > 0 ? scale(value, values, area.left) : [],
  });
}

function named({ name, value }: MapPoint): string {
  return escaped(value === undefined || Number.isNaN(value) ? name : `${name}: ${formatted(value)}`);
}

/** Enough digits to tell networks apart. */
function formatted(value: number): string {
  return String(Number(value.toPrecision(5)));
}

function scale(value: string, values: readonly number[], left: number): string[] {
  const step = 22;
  const end = left + 240;
  return [
    text(end - 8, 50, `${value}, ${formatted(values[0]!)}`, { 'text-anchor': 'end' }),
    ...COLOURS.map((fill, i) => tag('rect', { x: end + i * step, y: 40, width: step, height: 12, fill })),
    text(end + 8 + COLOURS.length * step, 50, formatted(values.at(-1)!)),
  ];
}
