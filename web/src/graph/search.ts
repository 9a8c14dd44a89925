// Items of a network by name, operator, shape or module.
import type { OpenNetwork } from '../state/network.svelte.js';

const MOST_FOUND = 2000;

/** Items that contain every word, in the order of running. `1x64x56x56` finds shapes as they are written in types. */
export function searched({ tree, described, outputs }: OpenNetwork, query: string): number[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => (/^\d+(x\d+)+$/.test(word) ? word.replaceAll('x', ',') : word));
  const { names, operators } = described.nodes;
  const found: number[] = [];
  for (let id = 1; id < tree.titles.length && found.length < MOST_FOUND; id++) {
    const row = tree.rows[id]!;
    const more = row < 0 ? tree.details[id]! : `${names[row]} ${operators[row]} ${outputs[row]}`;
    const text = `${tree.titles[id]} ${tree.details[id]} ${more}`.toLowerCase();
    if (words.every((word) => text.includes(word))) found.push(id);
  }
  return found.sort((a, b) => tree.order[a]! - tree.order[b]!);
}
