// Plots of a network's cost.
import type * as Plot from '@observablehq/plot';
import type { Timeline } from '../engine/protocol.js';
import { formatBytes } from '../state/format.js';
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
    height: 270,
    marginTop: 36,
    marginBottom: 40,
    marginLeft: 76,
    x: { label: 'node, in the order of running', labelAnchor: 'center' },
    y: {
      ...{ label: 'live activations (bytes)', tickFormat: formatBytes, grid: true, zero: true },
      ticks: byteTicks(top.bytes),
    },
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

/** Round numbers of binary units, from nothing to the most. */
function byteTicks(most: number): number[] {
  const unit = 1024 ** Math.floor(Math.log2(Math.max(1, most)) / 10);
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500]
    .flatMap((step) => [step / 10, step])
    .sort((a, b) => a - b);
  const step = unit * steps.find((each) => most / (each * unit) <= 6)!;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

/** As much of a text as fits beside a point in half of a plot. */
function shortened(text: string, width: number): string {
  const most = Math.max(20, Math.floor((width - 110) / 6));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

export function nameOf(network: OpenNetwork, row: number): string {
  const { names, operators } = network.described.nodes;
  return row < 0 ? '' : `${operators[row]} ${names[row]}`;
}
