// Information-flow consistency (NAR-Former, Yi et al. 2023): the same cell with its operations written down in another
// order. What a predictor says of both should agree.
import type { Cell } from '../../spaces/space.js';

/**
 * The cell in the next order of its operations, the input first and the output last, in which every edge still leads
 * forward and which reads differently. The first such order, comparing orders as words (1 2 3, 1 3 2, 2 1 3, …); the
 * cell itself where there is none.
 */
export function reorderedCell(cell: Cell): Cell {
  for (const order of topologicalOrders(cell)) {
    const other = inOrder(cell, order);
    if (!readsLike(cell, other)) return other;
  }
  return cell;
}

/**
 * Orders in which every edge leads forward, as words in a dictionary. Of orders that differ only by operations which are
 * interchangeable (alike, and joined to the same ones) only the first is given, as they read the same.
 */
function* topologicalOrders(cell: Cell): Generator<readonly number[]> {
  const { ops, adjacency } = cell;
  const last = ops.length - 1;
  const isFed = (v: number, rest: readonly number[]): boolean => rest.some((u) => adjacency[u]![v] !== 0);
  const from = function* (placed: readonly number[], rest: readonly number[]): Generator<readonly number[]> {
    if (rest.length === 0) yield [...placed, last];
    for (const [i, v] of rest.entries()) {
      // Only what nothing waiting feeds comes next, so that no order begun is in vain.
      if (isFed(v, rest) || rest.slice(0, i).some((u) => areTwins(cell, u, v))) continue;
      yield* from([...placed, v], rest.toSpliced(i, 1));
    }
  };
  if (last > 0)
    yield* from(
      [0],
      Array.from({ length: last - 1 }, (_, i) => i + 1),
    );
}

function areTwins({ ops, adjacency }: Cell, u: number, v: number): boolean {
  if (ops[u] !== ops[v] || adjacency[u]![v] !== 0 || adjacency[v]![u] !== 0) return false;
  return adjacency.every((row, i) => row[u] === row[v] && adjacency[u]![i] === adjacency[v]![i]);
}

function inOrder({ ops, adjacency }: Cell, order: readonly number[]): Cell {
  return {
    ops: order.map((i) => ops[i]!),
    adjacency: order.map((i) => order.map((j) => adjacency[i]![j]!)),
  };
}

function readsLike(a: Cell, b: Cell): boolean {
  return a.ops.every((op, i) => op === b.ops[i] && a.adjacency[i]!.every((e, j) => e === b.adjacency[i]![j]));
}
