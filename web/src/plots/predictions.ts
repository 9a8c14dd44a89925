// Plots of predictions: latency by device, and several networks at once.
import type * as Plot from '@observablehq/plot';
import type { PredictedLabel } from '../engine/protocol.js';
import { formatCount, formatNumber } from '../state/format.js';

export function dotPlot(
  plot: typeof Plot,
  width: number,
  labels: readonly PredictedLabel[],
): SVGSVGElement | HTMLElement {
  const sorted = [...labels].sort((a, b) => a.value - b.value);
  return plot.plot({
    width,
    height: 60 + 18 * sorted.length,
    marginLeft: Math.min(200, width / 3),
    x: {
      label: `latency (${sorted[0]?.unit ?? 'ms'})`,
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
  const made = plot.plot({
    width,
    height: Math.min(560, Math.max(320, width * 0.5)),
    marginLeft: 60,
    marginRight: 30,
    marginTop: 30,
    inset: 40,
    x: {
      label: axes.x,
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
        dy: -20,
        textAnchor: 'middle',
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
