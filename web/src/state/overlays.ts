// What the graph can be coloured by. A new overlay is one entry of this list.
import type { CountName, NodeTable } from '../engine/protocol.js';
import { formatBytes, formatCount, formatMs } from './format.js';
import type { OpenNetwork } from './network.svelte.js';

export interface Overlay {
  readonly name: string;
  readonly title: string;
  readonly format: (value: number) => string;
  /** A value for each row of the table of nodes; undefined if it is not there for a network. */
  values(of: OpenNetwork): ArrayLike<number> | undefined;
}

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
  },
];

function timesByRow(times: Readonly<Record<string, number>>, { names }: NodeTable): Float64Array {
  return Float64Array.from(names, (name) => times[name] ?? 0);
}

export function overlayNamed(name: string): Overlay | undefined {
  return OVERLAYS.find((overlay) => overlay.name === name);
}
