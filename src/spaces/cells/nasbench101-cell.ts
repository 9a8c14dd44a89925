// Cells of NAS-Bench-101: which there are, which of them are the same, and the benchmark's own hash.
//
// A cell is a graph of up to 7 vertices in topological order, the first being the input and the last the output,
// with up to 9 edges and an operation at each vertex between. Of all orders of its vertices the benchmark trained
// one: the first when adjacency matrices are counted as binary numbers, then operations. Cells here have that
// order, so that two are the same if and only if they are equal.
import { labelledGraphHash } from './labelled-graph-hash.js';

/** In the order in which the benchmark counts them. */
export const OPERATIONS = ['conv3x3-bn-relu', 'conv1x1-bn-relu', 'maxpool3x3'] as const;
export type Operation = (typeof OPERATIONS)[number];

export const MAX_VERTICES = 7;
export const MAX_EDGES = 9;

export interface NasBench101 {
  /** `adjacency[i][j]` is 1 where i feeds j, which is after i. */
  readonly adjacency: readonly (readonly number[])[];
  /** Of the vertices between input and output. */
  readonly ops: readonly Operation[];
}

/** The cell without vertices that lie on no path from the input to the output; undefined if there is no path. */
export function prune({ adjacency, ops }: NasBench101): NasBench101 | undefined {
  const last = adjacency.length - 1;
  const fromInput = adjacency.map((_, i) => i === 0);
  const toOutput = adjacency.map((_, i) => i === last);
  for (let j = 1; j <= last; j++) {
    for (let i = 0; i < j; i++) if (fromInput[i] && adjacency[i]![j]) fromInput[j] = true;
  }
  for (let i = last - 1; i >= 0; i--) {
    for (let j = i + 1; j <= last; j++) if (toOutput[j] && adjacency[i]![j]) toOutput[i] = true;
  }
  if (!fromInput[last]) return undefined;
  const kept = [...adjacency.keys()].filter((i) => fromInput[i] && toOutput[i]);
  return {
    adjacency: kept.map((i) => kept.map((j) => adjacency[i]![j]!)),
    ops: kept.slice(1, -1).map((i) => ops[i - 1]!),
  };
}

export function edgeCount({ adjacency }: NasBench101): number {
  return adjacency.reduce((n, row) => row.reduce((m, edge) => m + edge, n), 0);
}

/**
 * The cell as the benchmark has it, pruned and in its order; undefined where it has none: input and output are not joined,
 * or it is too large without what does nothing.
 */
export function canonical(cell: NasBench101): NasBench101 | undefined {
  const pruned = prune(cell);
  if (pruned === undefined || pruned.adjacency.length > MAX_VERTICES || edgeCount(pruned) > MAX_EDGES) {
    return undefined;
  }
  const { adjacency, ops } = pruned;
  const labels = ops.map((op) => OPERATIONS.indexOf(op));
  let [leastEdges, leastLabels] = [Number.POSITIVE_INFINITY, 0];
  forEachOrder(adjacency, (order, edges) => {
    const code = labelCode(order.slice(1, -1).map((vertex) => labels[vertex - 1]!));
    if (edges < leastEdges || (edges === leastEdges && code < leastLabels)) {
      [leastEdges, leastLabels] = [edges, code];
    }
  });
  return decode(adjacency.length, leastEdges, leastLabels);
}

/** Edges as a number: bit x + y·(y − 1)/2 for x → y. */
function edgeBit(x: number, y: number): number {
  return 1 << (x + (y * (y - 1)) / 2);
}

/** Operations as a number, the first being the most significant digit. */
function labelCode(labels: readonly number[]): number {
  return labels.reduce((code, label) => code * OPERATIONS.length + label, 0);
}

function decode(vertices: number, edges: number, labels: number): NasBench101 {
  const range = [...Array(vertices).keys()];
  const base = OPERATIONS.length;
  return {
    adjacency: range.map((x) => range.map((y) => Number(x < y && (edges & edgeBit(x, y)) !== 0))),
    ops: range.slice(2).map((_, i) => OPERATIONS[Math.floor(labels / base ** (vertices - 3 - i)) % base]!),
  };
}

/** Calls `visit` for every topological order of a pruned cell, with the edges it has in that order. */
function forEachOrder(
  adjacency: readonly (readonly number[])[],
  visit: (order: readonly number[], edges: number) => void,
): void {
  const last = adjacency.length - 1;
  const sources = adjacency.map((_, j) => adjacency.reduce((set, row, i) => set | (row[j]! << i), 0));
  const order = [0];
  const column = (vertex: number): number => {
    const at = order.length;
    let edges = 0;
    for (let x = 0; x < at; x++) if (adjacency[order[x]!]![vertex]) edges |= edgeBit(x, at);
    return edges;
  };
  const place = (placed: number, edges: number): void => {
    if (order.length === last) {
      const all = edges | column(last);
      order.push(last);
      visit(order, all);
      order.pop();
      return;
    }
    for (let vertex = 1; vertex < last; vertex++) {
      if (placed & (1 << vertex) || sources[vertex]! & ~placed) continue;
      const more = edges | column(vertex);
      order.push(vertex);
      place(placed | (1 << vertex), more);
      order.pop();
    }
  };
  place(1, 0);
}

/** Every cell of the benchmark once, those of few vertices first. */
export function* allCells(maxVertices = MAX_VERTICES): Generator<NasBench101> {
  for (let vertices = 2; vertices <= maxVertices; vertices++) {
    const pairs = (vertices * (vertices - 1)) / 2;
    for (let edges = 0; edges < 1 << pairs; edges++) {
      if (!isConnected(vertices, edges)) continue;
      const symmetries = symmetriesOf(decode(vertices, edges, 0).adjacency, edges);
      if (symmetries === undefined) continue;
      for (const labels of leastLabels(vertices - 2, symmetries)) yield decode(vertices, edges, labels);
    }
  }
}

/** Whether there are few enough edges, and every vertex is fed and feeds another. */
function isConnected(vertices: number, edges: number): boolean {
  let [count, fed, feeding] = [0, 1, 1 << (vertices - 1)];
  for (let y = 1; y < vertices; y++) {
    for (let x = 0; x < y; x++) {
      if ((edges & edgeBit(x, y)) === 0) continue;
      count++;
      fed |= 1 << y;
      feeding |= 1 << x;
    }
  }
  const all = (1 << vertices) - 1;
  return count <= MAX_EDGES && fed === all && feeding === all;
}

/** The orders in which a graph has the same edges; undefined if it has lesser ones in another. */
function symmetriesOf(
  adjacency: readonly (readonly number[])[],
  edges: number,
): readonly (readonly number[])[] | undefined {
  const found: number[][] = [];
  let isLeast = true;
  forEachOrder(adjacency, (order, others) => {
    if (others < edges) isLeast = false;
    if (others === edges) found.push(order.slice(1, -1).map((vertex) => vertex - 1));
  });
  return isLeast ? found : undefined;
}

/** Codes of the operations that no symmetry makes lesser. */
function* leastLabels(count: number, symmetries: readonly (readonly number[])[]): Generator<number> {
  const base = OPERATIONS.length;
  for (let code = 0; code < base ** count; code++) {
    const labels = Array.from({ length: count }, (_, i) => Math.floor(code / base ** (count - 1 - i)) % base);
    if (symmetries.every((order) => labelCode(order.map((i) => labels[i]!)) >= code)) yield code;
  }
}

/** The benchmark's hash of a cell, the same for all orders of its vertices. */
export function cellHash({ adjacency, ops }: NasBench101): string {
  return labelledGraphHash([-1, ...ops.map((op) => OPERATIONS.indexOf(op)), -2], adjacency);
}
