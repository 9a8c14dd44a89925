// What is painted of a network: its drawing, with the colours of the chosen overlay or of a comparison.
import type { OpenNetwork } from '../state/network.svelte.js';
import { coloursFor } from './colours.js';
import type { Scene } from './paint.js';

/** The most that any box has of an overlay; open groups show what is in them instead. */
export function mostOf({ drawing, overlayValues: values }: OpenNetwork): number {
  if (values === undefined || drawing === undefined) return 0;
  let largest = 0;
  drawing.items.forEach((id, i) => {
    if (!drawing.isOpen[i]) largest = Math.max(largest, values[id]!);
  });
  return largest;
}

/** Undefined until the network is laid out. */
export function sceneOf(
  network: OpenNetwork,
  isDark: boolean,
  found: ReadonlySet<number> = new Set(),
  marks?: ReadonlyMap<number, string>,
): Scene | undefined {
  const { drawing, tree, overlay, overlayValues: values, selected, faulty } = network;
  if (drawing === undefined) return undefined;
  const isColoured = values !== undefined && overlay !== undefined && marks === undefined;
  return {
    ...{ drawing, tree, colours: coloursFor(isDark), isDark, selected, faulty, found, marks },
    overlay: isColoured ? { values, most: mostOf(network), format: overlay.format } : undefined,
  };
}
