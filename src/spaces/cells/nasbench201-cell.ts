// Cells of NAS-Bench-201: what they compute, which of them compute the same, and the graphs that predictors see of them.
import type { Cell } from '../space.js';

export const OPERATIONS = ['none', 'skip_connect', 'nor_conv_1x1', 'nor_conv_3x3', 'avg_pool_3x3'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** The operations of the edges, in the order of `EDGES`. */
export type NasBench201 = readonly Operation[];

export const EDGES = [
  [0, 1],
  [0, 2],
  [1, 2],
  [0, 3],
  [1, 3],
  [2, 3],
] as const;
export const NODES = 4;

/** Eight nodes: input, the six edges, output; an edge's operation feeds those of the edges that leave its end. */
export function cell(arch: NasBench201): Cell {
  return cellOf(
    arch,
    EDGES.map((_, edge) => edge),
  );
}

/** The cell of some of the edges. */
function cellOf(arch: NasBench201, edges: readonly number[]): Cell {
  const ends = [[0, 0] as const, ...edges.map((edge) => EDGES[edge]!), [NODES - 1, NODES] as const];
  return {
    ops: ['input', ...edges.map((edge) => arch[edge]!), 'output'],
    adjacency: ends.map(([, to], i) => ends.map(([from], j) => Number(j > i && from === to))),
  };
}

export function fromCell({ ops, adjacency }: Cell): NasBench201 | undefined {
  const arch = ops
    .slice(1, -1)
    .filter((op): op is Operation => (OPERATIONS as readonly string[]).includes(op));
  if (arch.length !== EDGES.length) return undefined;
  const wanted = cell(arch);
  return String(wanted.ops) === String(ops) && String(wanted.adjacency) === String(adjacency)
    ? arch
    : undefined;
}

/**
 * What the cell computes, as a sum of operations applied to sums: without what is multiplied by zero, skips being what they
 * copy, and terms in order. A convolution whose result is used n > 1 times has *n behind its name, as two convolutions of
 * the same would have weights of their own.
 *
 * Two cells have the same expression if and only if they are the same network up to the order of its parts: 5,260 are
 * different. (The paper's 6,466 keeps zeros in sums, does not join sums that are skipped into others, and takes one
 * convolution used twice for two.)
 */
export function expressionOf(arch: NasBench201): string {
  countTerms(arch);
  const terms = ['x'];
  for (let edge = 0; edge < EDGES.length; edge++) {
    const operation = arch[edge]!;
    const used = uses[edge + 1]!;
    const times = operation !== 'avg_pool_3x3' && used > 1 ? `*${used}` : '';
    terms.push(used === 0 ? '' : `${operation}${times}(${sumText(EDGES[edge]![0], terms)})`);
  }
  return sumText(NODES - 1, terms);
}

function sumText(node: number, terms: readonly string[]): string {
  const parts: string[] = [];
  for (let term = 0; term < TERMS; term++) {
    for (let n = sums[node * TERMS + term]!; n > 0; n--) parts.push(terms[term]!);
  }
  return parts.length === 1 ? parts[0]! : parts.sort().join('+');
}

/** The input, and the result of every edge. */
const TERMS = 1 + EDGES.length;
/** What every node is the sum of, (nodes, terms): how often each term, of edges with an operation. See `countTerms`. */
const sums = new Uint8Array(NODES * TERMS);
/** How often each term is part of a sum that matters. */
const uses = new Uint8Array(TERMS);

/** Writes `sums` and `uses` of a cell; they are not made anew, as searches and tables count thousands of cells. */
function countTerms(arch: NasBench201): void {
  sums.fill(0);
  sums[0] = 1;
  // Edges are in the order of the nodes they go to.
  for (let edge = 0; edge < EDGES.length; edge++) {
    const operation = arch[edge]!;
    if (operation === 'none') continue;
    const [from, to] = [EDGES[edge]![0] * TERMS, EDGES[edge]![1] * TERMS];
    let isFed = false;
    for (let term = 0; term < TERMS; term++) {
      if (sums[from + term] === 0) continue;
      isFed = true;
      if (operation === 'skip_connect') sums[to + term]! += sums[from + term]!;
    }
    if (isFed && operation !== 'skip_connect') sums[to + edge + 1]!++;
  }
  uses.set(sums.subarray((NODES - 1) * TERMS));
  for (let edge = EDGES.length - 1; edge >= 0; edge--) {
    if (uses[edge + 1] === 0) continue;
    const from = EDGES[edge]![0] * TERMS;
    for (let term = 0; term < TERMS; term++) uses[term]! += sums[from + term]!;
  }
}

const pruned = new Map<NasBench201, Cell>();

/**
 * The cell without operations that do nothing: `none` is left out, then what no longer lies between the input and the
 * output, which always stay. Cells that are the same network have one form, that of the first of them (`firstLike`).
 */
export function prunedCell(arch: NasBench201): Cell {
  const first = firstLike(arch);
  let found = pruned.get(first);
  if (found === undefined) {
    found = withoutUnused(first);
    pruned.set(first, found);
  }
  return found;
}

function withoutUnused(arch: NasBench201): Cell {
  const isFed = Array.from({ length: NODES }, (_, node) => node === 0);
  const isUsed = Array.from({ length: NODES }, (_, node) => node === NODES - 1);
  // Edges are in the order of the nodes they go to.
  EDGES.forEach(([from, to], edge) => {
    if (arch[edge] !== 'none' && isFed[from]) isFed[to] = true;
  });
  for (let edge = EDGES.length - 1; edge >= 0; edge--) {
    const [from, to] = EDGES[edge]!;
    if (arch[edge] !== 'none' && isUsed[to]) isUsed[from] = true;
  }
  const edges = EDGES.flatMap(([from, to], edge) =>
    arch[edge] !== 'none' && isFed[from] && isUsed[to] ? [edge] : [],
  );
  return cellOf(arch, edges);
}

/** Every cell once, counted up with operations as digits, that of the first edge being the least. */
export function* allCells(): Generator<NasBench201> {
  const base = OPERATIONS.length;
  for (let code = 0; code < base ** EDGES.length; code++) {
    yield EDGES.map((_, edge) => OPERATIONS[Math.floor(code / base ** edge) % base]!);
  }
}

const counted = allCells();
const firsts = new Map<string, NasBench201>();
/** By the number of a cell: what was found once. */
const firstOf: (NasBench201 | undefined)[] = [];

/** The first of all cells that are the same network; none of them has fewer operations left when it is pruned. */
function firstLike(arch: NasBench201): NasBench201 {
  const number = numberOf(arch);
  let first = firstOf[number];
  if (first !== undefined) return first;
  const expression = expressionOf(arch);
  for (;;) {
    first = firsts.get(expression);
    if (first !== undefined) break;
    // Counted only as far as someone has asked: all of them take some hundredths of a second.
    const { value } = counted.next() as IteratorYieldResult<NasBench201>;
    const next = expressionOf(value);
    if (!firsts.has(next)) firsts.set(next, value);
    firstOf[numberOf(value)] = firsts.get(next)!;
  }
  firstOf[number] = first;
  return first;
}

/** In the order of `allCells`. */
function numberOf(arch: NasBench201): number {
  let number = 0;
  for (let edge = EDGES.length - 1; edge >= 0; edge--) {
    number = number * OPERATIONS.length + OPERATIONS.indexOf(arch[edge]!);
  }
  return number;
}
