// The colours of a comparison: items of the tree by what was found of their rows.
import type { Mark } from '../engine/protocol.js';
import type { OpenNetwork } from '../state/network.svelte.js';

/** By item; a group is marked if something in it is, as changed if marks differ. */
export function colouredMarks<C>(
  { parents, rows }: OpenNetwork['tree'],
  marks: readonly Mark[],
  colours: Readonly<Record<Mark, C>>,
): Map<number, C> {
  const strongest = new Map<number, Mark>();
  const markOf = (id: number): Mark => strongest.get(id) ?? 'same';
  for (let id = parents.length - 1; id > 0; id--) {
    const own = rows[id]! >= 0 ? marks[rows[id]!]! : 'same';
    const mark = own === 'same' ? markOf(id) : own;
    strongest.set(id, mark);
    const parent = parents[id]!;
    if (mark === 'same' || markOf(parent) === mark) continue;
    strongest.set(parent, markOf(parent) === 'same' ? mark : 'changed');
  }
  return new Map([...strongest].map(([id, mark]) => [id, colours[mark]]));
}
