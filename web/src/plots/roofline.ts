// Every node by its FLOPs per byte: how fast it was, how fast a machine lets it be, or, without a machine, its FLOPs.
import type * as Plot from '@observablehq/plot';
import type { Roofs } from '../engine/protocol.js';
import { formatCount } from '../state/format.js';
import type { OpenNetwork } from '../state/network.svelte.js';
import { nameOf } from './numbers.js';

interface NodePoint {
  readonly row: number;
  readonly operator: string;
  readonly flops: number;
  readonly intensity: number;
  /** FLOPs per second; without times and roofs, FLOPs. */
  readonly y: number;
}

/** What is on the vertical axis. */
export type RooflineKind = 'reached' | 'attainable' | 'work';

/** The limits of a machine: as given, as measured with the profile, or else the best that any node reached. */
export function roofsOf(
  { times, counts, described }: OpenNetwork,
  given: Roofs | undefined,
): Roofs | undefined {
  if (given !== undefined || times === undefined) return given;
  if (times.roofs !== undefined) return times.roofs;
  const best = (column: Float64Array): number =>
    described.nodes.names.reduce((most, name, row) => {
      const ms = times.times[name] ?? 0;
      return ms > 0 ? Math.max(most, (1000 * column[row]!) / ms) : most;
    }, 0);
  const roofs = { flopsPerSecond: best(counts.flops), bytesPerSecond: best(counts.memoryAccessBytes) };
  return roofs.flopsPerSecond > 0 && roofs.bytesPerSecond > 0 ? roofs : undefined;
}

export function rooflineKind({ times }: OpenNetwork, roofs: Roofs | undefined): RooflineKind {
  return times !== undefined ? 'reached' : roofs === undefined ? 'work' : 'attainable';
}

const TITLES: Readonly<Record<RooflineKind, string>> = {
  reached: 'FLOPs per second, reached',
  attainable: 'FLOPs per second, attainable',
  work: 'FLOPs',
};

const MOST_OPERATORS = 7;

/** Nodes that compute something; of runs without times, none. */
export function rooflinePlot(
  plot: typeof Plot,
  width: number,
  network: OpenNetwork,
  roofs: Roofs | undefined,
): SVGSVGElement | HTMLElement {
  const kind = rooflineKind(network, roofs);
  const points = pointsOf(network, kind, roofs);
  const named = operatorsOf(points);
  const colourOf = ({ operator }: NodePoint): string => (named.includes(operator) ? operator : 'other');
  const domain = points.some((point) => colourOf(point) === 'other') ? [...named, 'other'] : named;
  const made = plot.plot({
    width,
    height: 320,
    marginLeft: 64,
    inset: 10,
    x: {
      ...{ type: 'log', label: 'FLOPs per byte of memory access', grid: true, tickFormat: formatCount },
      ...{ ticks: Math.min(6, Math.floor(width / 110)), labelAnchor: 'center' },
    },
    y: { type: 'log', label: TITLES[kind], grid: true, tickFormat: formatCount, ticks: 6 },
    color: { legend: true, domain, scheme: 'observable10' },
    marks: [
      ...(roofs === undefined ? [] : roofMarks(plot, roofs, points)),
      plot.dot(points, {
        x: 'intensity',
        y: 'y',
        fill: colourOf,
        fillOpacity: 0.75,
        r: 4,
        title: ({ row, flops, intensity, y }: NodePoint) =>
          `${nameOf(network, row)}\n${formatCount(flops)} FLOPs, ${formatCount(intensity)} per byte` +
          (kind === 'work' ? '' : `\n${formatCount(y)} ${TITLES[kind]}`),
        tip: { fill: 'var(--surface)' },
      }),
    ],
  });
  return made;
}

function pointsOf(network: OpenNetwork, kind: RooflineKind, roofs: Roofs | undefined): NodePoint[] {
  const { counts, described, times } = network;
  const { operators, names } = described.nodes;
  const heightOf = (flops: number, intensity: number, row: number): number => {
    if (kind === 'work') return flops;
    if (kind === 'attainable') return Math.min(roofs!.flopsPerSecond, intensity * roofs!.bytesPerSecond);
    const ms = times!.times[names[row]!] ?? 0;
    return ms > 0 ? (1000 * flops) / ms : Number.NaN;
  };
  return Array.from(counts.flops, (flops, row): NodePoint => {
    const intensity = flops / counts.memoryAccessBytes[row]!;
    return { row, operator: operators[row]!, flops, intensity, y: heightOf(flops, intensity, row) };
  }).filter(({ y, intensity }) => y > 0 && intensity > 0 && Number.isFinite(intensity));
}

/** Operators with most FLOPs, which get colours of their own. */
function operatorsOf(points: readonly NodePoint[]): string[] {
  const sums = new Map<string, number>();
  for (const { operator, flops } of points) sums.set(operator, (sums.get(operator) ?? 0) + flops);
  return [...sums]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST_OPERATORS)
    .map(([operator]) => operator);
}

/** Bytes limit up to the ridge, computing beyond it. */
function roofMarks(plot: typeof Plot, roofs: Roofs, points: readonly NodePoint[]): Plot.Markish[] {
  const { flopsPerSecond, bytesPerSecond } = roofs;
  const ridge = flopsPerSecond / bytesPerSecond;
  const intensities = points.map(({ intensity }) => intensity);
  const [least, most] = [Math.min(ridge / 4, ...intensities), Math.max(4 * ridge, ...intensities)];
  const line = [
    { x: least, y: least * bytesPerSecond },
    { x: ridge, y: flopsPerSecond },
    { x: most, y: flopsPerSecond },
  ];
  const text = `${formatCount(flopsPerSecond)}FLOP/s, ${formatCount(bytesPerSecond)}B/s`;
  return [
    plot.line(line, { x: 'x', y: 'y', stroke: 'var(--danger)', strokeWidth: 1.5 }),
    plot.text([line[2]!], {
      ...{ x: 'x', y: 'y', text: () => text, textAnchor: 'end', dy: -8 },
      ...{ fill: 'currentColor', stroke: 'var(--surface)' },
    }),
  ];
}
