// What the graph can be coloured by. A new overlay is one entry of this list.
import type { CountName, LayerProxy, NodeTable } from '../engine/protocol.js';
import { formatBytes, formatCount, formatMs, formatPercent } from './format.js';
import type { OpenNetwork } from './network.svelte.js';

export interface Overlay {
  readonly name: string;
  readonly title: string;
  readonly format: (value: number) => string;
  /** A value for each row of the table of nodes; undefined if it is not there for a network. */
  values(of: OpenNetwork): ArrayLike<number> | undefined;
  /** How the values were found, in a sentence. */
  how?(of: OpenNetwork): string | undefined;
  /** What has to be computed when it is chosen; undefined for what is there, or has to be dropped into the page. */
  readonly computed?: 'latency' | LayerProxy;
}

/** Values that are computed when somebody chooses the overlay. */
const computed = (
  name: NonNullable<Overlay['computed']>,
  title: string,
  format: (value: number) => string,
): Overlay => ({
  name,
  title,
  format,
  values: ({ shares }) => shares[name]?.values,
  how: ({ shares }) => shares[name]?.how,
  computed: name,
});

const counted = (name: CountName, title: string, format: (value: number) => string): Overlay => ({
  name,
  title,
  format,
  values: ({ counts }) => counts[name],
});

export const OVERLAYS: readonly Overlay[] = [
  counted('macs', 'MACs', formatCount),
  counted('flops', 'FLOPs', formatCount),
  counted('parameters', 'Parameters', formatCount),
  counted('weightBytes', 'Weight bytes', formatBytes),
  counted('activationBytes', 'Activation bytes', formatBytes),
  counted('memoryAccessBytes', 'Memory access', formatBytes),
  {
    name: 'time',
    title: 'Measured time',
    format: formatMs,
    values: ({ times, described }) => times && timesByRow(times.times, described.nodes),
    how: ({ times }) => times?.title,
  },
  computed('latency', 'Predicted latency', formatMs),
  computed('synflow', 'SynFlow', formatPercent),
  computed('snip', 'SNIP', formatPercent),
];

function timesByRow(times: Readonly<Record<string, number>>, { names }: NodeTable): Float64Array {
  return Float64Array.from(names, (name) => times[name] ?? 0);
}

export function overlayNamed(name: string): Overlay | undefined {
  return OVERLAYS.find((overlay) => overlay.name === name);
}
