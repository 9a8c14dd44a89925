// Plots of a network's cost.
import type * as Plot from '@observablehq/plot';
import type { CountColumns, Timeline } from '../engine/protocol.js';
import { formatBytes, formatCount } from '../state/format.js';
import type { OpenNetwork } from '../state/network.svelte.js';

/** So many points at most are drawn of a timeline; the highest of each stretch. */
const MOST_STEPS = 2000;

export function timelinePlot(
  plot: typeof Plot,
  width: number,
  timeline: Timeline,
  network: OpenNetwork,
): SVGSVGElement | HTMLElement {
  const { bytes, rows, peak } = timeline;
  const stretch = Math.ceil(bytes.length / MOST_STEPS);
  const steps: { step: number; bytes: number; name: string }[] = [];
  for (let from = 0; from < bytes.length; from += stretch) {
    let most = from;
    for (let step = from; step < Math.min(bytes.length, from + stretch); step++)
      if (bytes[step]! > bytes[most]!) most = step;
    steps.push({ step: most, bytes: bytes[most]!, name: nameOf(network, rows[most]!) });
  }
  const top = { step: peak, bytes: bytes[peak] ?? 0, name: nameOf(network, rows[peak] ?? -1) };
  return plot.plot({
    width,
    height: 260,
    marginLeft: 76,
    x: { label: 'node, in the order of running' },
    y: { label: 'live activations', tickFormat: formatBytes, grid: true, zero: true },
    marks: [
      plot.areaY(steps, { x: 'step', y: 'bytes', curve: 'step', fill: 'var(--accent)', fillOpacity: 0.25 }),
      plot.lineY(steps, { x: 'step', y: 'bytes', curve: 'step', stroke: 'var(--accent)', strokeWidth: 1.2 }),
      plot.dot([top], { x: 'step', y: 'bytes', fill: 'var(--danger)', r: 4 }),
      plot.text([top], {
        x: 'step',
        y: 'bytes',
        text: () => shortened(`peak ${formatBytes(top.bytes)} at ${top.name}`, width),
        textAnchor: top.step > bytes.length / 2 ? 'end' : 'start',
        dx: top.step > bytes.length / 2 ? -8 : 8,
        dy: -8,
        fill: 'currentColor',
        stroke: 'var(--surface)',
      }),
      plot.tip(
        steps,
        plot.pointerX({
          x: 'step',
          y: 'bytes',
          title: ({ name, bytes: live }: (typeof steps)[number]) => `${name}\n${formatBytes(live)}`,
          fill: 'var(--surface)',
        }),
      ),
    ],
  });
}

/** As much of a text as fits beside a point in half of a plot. */
function shortened(text: string, width: number): string {
  const most = Math.max(20, Math.floor((width - 110) / 6));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function nameOf(network: OpenNetwork, row: number): string {
  const { names, operators } = network.described.nodes;
  return row < 0 ? '' : `${operators[row]} ${names[row]}`;
}

/** Nodes that do something, with as many FLOPs as bytes or more. */
export function rooflinePlot(
  plot: typeof Plot,
  width: number,
  counts: CountColumns,
  network: OpenNetwork,
): SVGSVGElement | HTMLElement {
  const { operators } = network.described.nodes;
  const points = Array.from(counts.flops, (flops, row) => ({
    flops,
    row,
    operator: operators[row]!,
    intensity: flops / counts.memoryAccessBytes[row]!,
  })).filter(({ flops, intensity }) => flops > 0 && intensity > 0 && Number.isFinite(intensity));
  const sums = new Map<string, number>();
  for (const { operator, flops } of points) sums.set(operator, (sums.get(operator) ?? 0) + flops);
  const shown = [...sums]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 7)
    .map(([operator]) => operator);
  const kind = ({ operator }: { operator: string }): string =>
    shown.includes(operator) ? operator : 'other';
  return plot.plot({
    width,
    height: 320,
    marginLeft: 64,
    inset: 10,
    x: {
      ...{ type: 'log', label: 'FLOPs per byte of memory access', grid: true, tickFormat: formatCount },
      ticks: Math.min(6, Math.floor(width / 110)),
    },
    y: { type: 'log', label: 'FLOPs', grid: true, tickFormat: formatCount, ticks: 6 },
    color: { legend: true, domain: [...shown, 'other'], scheme: 'observable10' },
    marks: [
      plot.dot(points, {
        x: 'intensity',
        y: 'flops',
        fill: kind,
        fillOpacity: 0.75,
        r: 4,
        title: (point: (typeof points)[number]) =>
          `${nameOf(network, point.row)}\n${formatCount(point.flops)} FLOPs, ${formatCount(point.intensity)} per byte`,
        tip: { fill: 'var(--surface)' },
      }),
    ],
  });
}
