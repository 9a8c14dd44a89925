// Plots of predictions: latency by device, and several networks at once.
import type * as Plot from '@observablehq/plot';
import type { PredictedLabel } from '../engine/protocol.js';
import { formatCount, formatNumber } from '../state/format.js';

export const DOT_ORDERS = ['latency', 'name', 'width of the interval'] as const;
export type DotOrder = (typeof DOT_ORDERS)[number];

/** How much higher the upper end of an interval is than the lower. */
const widthOf = ({ low, high }: PredictedLabel): number =>
  low === undefined || high === undefined ? Number.POSITIVE_INFINITY : high / low;

const COMPARE: Readonly<Record<DotOrder, (a: PredictedLabel, b: PredictedLabel) => number>> = {
  latency: (a, b) => a.value - b.value,
  name: (a, b) => a.label.localeCompare(b.label),
  'width of the interval': (a, b) => widthOf(a) - widthOf(b),
};

export function dotPlot(
  plot: typeof Plot,
  width: number,
  labels: readonly PredictedLabel[],
  order: DotOrder,
): SVGSVGElement | HTMLElement {
  const sorted = [...labels].sort(COMPARE[order]);
  return plot.plot({
    width,
    height: 80 + 18 * sorted.length,
    marginTop: 40,
    marginBottom: 40,
    marginLeft: Math.min(200, width / 2),
    x: {
      label: `latency (${sorted[0]?.unit ?? 'ms'})`,
      labelAnchor: 'center',
      type: 'log',
      axis: 'both',
      grid: true,
      tickFormat: formatNumber,
      ticks: 5,
    },
    y: { label: null, domain: sorted.map(({ label }) => label) },
    marks: [
      plot.ruleY(
        sorted.filter(({ low }) => low !== undefined),
        { x1: 'low', x2: 'high', y: 'label', stroke: 'var(--muted)', strokeWidth: 2 },
      ),
      plot.dot(sorted, {
        x: 'value',
        y: 'label',
        fill: 'var(--accent)',
        r: 4,
        tip: { fill: 'var(--surface)' },
      }),
    ],
  });
}

export interface ParetoPoint {
  readonly id: number;
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  readonly parameters: number;
  readonly isFront: boolean;
}

interface ParetoAxes {
  readonly x: string;
  readonly y: string;
  readonly isLogX: boolean;
}

export function paretoPlot(
  plot: typeof Plot,
  width: number,
  points: readonly ParetoPoint[],
  axes: ParetoAxes,
  onclick: (id: number) => void,
): SVGSVGElement | HTMLElement {
  const front = points.filter(({ isFront }) => isFront).sort((a, b) => a.x - b.x);
  const range = [Math.min(...points.map(({ x }) => x)), Math.max(...points.map(({ x }) => x))];
  const place = axes.isLogX ? Math.log : Number;
  const isRight = (x: number): boolean => place(x) > (place(range[0]!) + place(range[1]!)) / 2;
  const made = plot.plot({
    width,
    height: Math.min(560, Math.max(320, width * 0.5)),
    marginLeft: 60,
    marginRight: 30,
    marginTop: 30,
    inset: 40,
    x: {
      label: axes.x,
      labelAnchor: 'center',
      type: axes.isLogX ? 'log' : 'linear',
      grid: true,
      tickFormat: formatCount,
      ticks: Math.min(6, Math.floor(width / 120)),
    },
    y: { label: axes.y, grid: true, nice: true, tickFormat: formatCount },
    r: { range: [4, 18] },
    marks: [
      plot.line(front, {
        x: 'x',
        y: 'y',
        curve: 'step-after',
        stroke: 'var(--accent)',
        strokeOpacity: 0.6,
        strokeDasharray: '4 3',
      }),
      plot.ruleX(
        points.filter(({ low }) => low !== undefined),
        { x: 'x', y1: 'low', y2: 'high', stroke: 'var(--muted)', strokeOpacity: 0.7 },
      ),
      plot.dot(points, {
        x: 'x',
        y: 'y',
        r: 'parameters',
        fill: ({ isFront }: ParetoPoint) => (isFront ? 'var(--accent)' : 'var(--muted)'),
        fillOpacity: 0.75,
        title: (point: ParetoPoint) =>
          `${point.name}\n${axes.y} ${formatNumber(point.y)}, ${axes.x} ${formatCount(point.x)}, ${formatCount(point.parameters)} parameters`,
        tip: { fill: 'var(--surface)' },
        className: 'points',
      }),
      plot.text(points, {
        x: 'x',
        y: 'y',
        text: 'name',
        // Beside the point: its interval goes up and down. At the right edge, to the left.
        dx: 22,
        textAnchor: 'start',
        filter: ({ x }: ParetoPoint) => !isRight(x),
        fill: 'currentColor',
        stroke: 'var(--surface)',
      }),
      plot.text(points, {
        x: 'x',
        y: 'y',
        text: 'name',
        dx: -22,
        textAnchor: 'end',
        filter: ({ x }: ParetoPoint) => isRight(x),
        fill: 'currentColor',
        stroke: 'var(--surface)',
      }),
    ],
  });
  // The plot's value is the point that is pointed at.
  made.style.cursor = 'pointer';
  made.addEventListener('click', () => {
    const point = (made as { value?: ParetoPoint | null }).value;
    if (point) onclick(point.id);
  });
  return made;
}
