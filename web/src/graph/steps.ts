// Walking through the graph by keys: down and up along edges, left and right among those at the same height.
import type { Drawing } from '../layout/nested.js';

export function neighbour(drawing: Drawing, from: number | undefined, key: string): number | undefined {
  const { items, boxes, joins, isOpen } = drawing;
  const at = from === undefined ? -1 : items.indexOf(from);
  if (at < 0) return items[0];
  const isAlong = key === 'ArrowDown' || key === 'ArrowUp';
  if (isAlong) {
    const [own, other] = key === 'ArrowDown' ? [0, 1] : [1, 0];
    for (let e = 0; e < joins.length; e += 3) if (joins[e + own] === from) return joins[e + other];
    // At the end of an open group: on with what is around it, or into it.
    if (isOpen[at] && key === 'ArrowDown') return items[at + 1];
    const around = items.findLastIndex((_, i) => i < at && isOpen[i] === 1 && contains(boxes, i, at));
    return around < 0 ? undefined : items[around];
  }
  const side = key === 'ArrowRight' ? 1 : -1;
  const [x, y] = [boxes[4 * at]!, boxes[4 * at + 1]! + boxes[4 * at + 3]! / 2];
  let best: number | undefined;
  let distance = Infinity;
  for (let i = 0; i < items.length; i++) {
    const dx = side * (boxes[4 * i]! - x);
    const middle = boxes[4 * i + 1]! + boxes[4 * i + 3]! / 2;
    if (dx <= 0 || Math.abs(middle - y) > 40 || dx >= distance) continue;
    [best, distance] = [items[i], dx];
  }
  return best;
}

function contains(boxes: Float32Array, outer: number, inner: number): boolean {
  const [x, y] = [boxes[4 * inner]!, boxes[4 * inner + 1]!];
  const [left, top] = [boxes[4 * outer]!, boxes[4 * outer + 1]!];
  return x >= left && y >= top && x <= left + boxes[4 * outer + 2]! && y <= top + boxes[4 * outer + 3]!;
}
