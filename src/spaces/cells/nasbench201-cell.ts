// Cells of NAS-Bench-201: what they compute, which of them compute the same, and the graphs that predictors see of them.
import { elementChoices } from '../choice.js';
import type { Cell, Space } from '../space.js';

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

const SITES = EDGES.map((edge) => `edge ${edge.join('-')}`);

/** What spaces have in common whose architectures are one of some operations for every edge. */
export function operationsOnEdges<O extends string>(
  operations: readonly O[],
): Pick<Space<readonly O[]>, 'size' | 'sample' | 'choices' | 'sizeOf' | 'largestCell'> {
  return {
    size: BigInt(operations.length) ** BigInt(EDGES.length),
    sample: (random) => EDGES.map(() => random.pick(operations)),
    choices: (arch) =>
      elementChoices(
        (i) => SITES[i]!,
        operations,
        arch,
        (changed) => changed,
      ),
    sizeOf: (arch) => ({
      unit: 'operations that are not none',
      value: arch.filter((operation) => operation !== 'none').length,
    }),
    largestCell: EDGES.length + 2,
  };
}

/** Eight nodes: input, the six edges, output; an edge's operation feeds those of the edges that leave its end. */
export function cell(arch: NasBench201): Cell {
  return cellOf(
    arch,
    EDGES.map((_, edge) => edge),
  );
}

/** The cell of some of the edges. */
function cellOf(arch: NasBench201, edges: readonly number[]): Cell {
  const ops: string[] = ['input'];
  const ends: (readonly [from: number, to: number])[] = [[0, 0]];
  for (const edge of edges) {
    ops.push(arch[edge]!);
    ends.push(EDGES[edge]!);
  }
  ops.push('output');
  ends.push([NODES - 1, NODES]);
  const adjacency: number[][] = [];
  for (const [i, [, to]] of ends.entries()) {
    const row = new Array<number>(ends.length).fill(0);
    for (let j = i + 1; j < ends.length; j++) if (ends[j]![0] === to) row[j] = 1;
    adjacency.push(row);
  }
  return { ops, adjacency };
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
  countTerms(numberOf(arch));
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

/** The operations of the edges, as places in `OPERATIONS`. */
const codes = new Uint8Array(EDGES.length);
const [NONE, SKIP, POOL] = (['none', 'skip_connect', 'avg_pool_3x3'] as const).map((name) =>
  OPERATIONS.indexOf(name),
);
const [FROM, TO] = [0, 1].map((end) => Uint8Array.from(EDGES, (edge) => edge[end]! * TERMS)) as [
  Uint8Array,
  Uint8Array,
];

/**
 * Writes `codes`, `sums` and `uses` of the cell of a number; they are not made anew, as searches and tables count thousands
 * of cells.
 */
function countTerms(number: number): void {
  sums.fill(0);
  sums[0] = 1;
  // Edges are in the order of the nodes they go to.
  for (let edge = 0, rest = number; edge < EDGES.length; edge++) {
    const operation = rest % OPERATIONS.length;
    rest = (rest - operation) / OPERATIONS.length;
    codes[edge] = operation;
    if (operation === NONE) continue;
    const [from, to] = [FROM[edge]!, TO[edge]!];
    let isFed = false;
    for (let term = 0; term < TERMS; term++) {
      if (sums[from + term] === 0) continue;
      isFed = true;
      if (operation === SKIP) sums[to + term]! += sums[from + term]!;
    }
    if (isFed && operation !== SKIP) sums[to + edge + 1]!++;
  }
  uses.set(sums.subarray((NODES - 1) * TERMS));
  for (let edge = EDGES.length - 1; edge >= 0; edge--) {
    if (uses[edge + 1] === 0) continue;
    const from = FROM[edge]!;
    for (let term = 0; term < TERMS; term++) uses[term]! += sums[from + term]!;
  }
}

const hashes = new Int32Array(2 * TERMS);

/**
 * A number for the expression of the cell that was counted last: equal for equal ones, and different for all others of the
 * space. Much faster than texts: a term's hash is mixed from its operation and the sum it is applied to, and that of a
 * sum is the sum of its terms', in any order.
 */
function signature(): number {
  [hashes[0], hashes[1]] = [1, 1];
  for (let edge = 0; edge < EDGES.length; edge++) {
    const used = uses[edge + 1]!;
    if (used === 0) continue;
    const times = codes[edge] === POOL ? 1 : used;
    const from = FROM[edge]!;
    for (let lane = 0; lane < 2; lane++) {
      const given =
        sumHash(from, lane) + Math.imul(codes[edge]! + 1, 0x9e3779b1) + Math.imul(times, 0x85ebca6b);
      hashes[2 * (edge + 1) + lane] = mixed(given + lane);
    }
  }
  const last = (NODES - 1) * TERMS;
  return (sumHash(last, 0) >>> 0) * 2 ** 21 + (sumHash(last, 1) >>> 11);
}

function sumHash(node: number, lane: number): number {
  let sum = 0;
  for (let term = 0; term < TERMS; term++) sum += Math.imul(sums[node + term]!, hashes[2 * term + lane]!);
  return sum | 0;
}

function mixed(given: number): number {
  let h = given | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** By the number of a cell. */
const pruned: Cell[] = [];

/**
 * The cell without operations that do nothing: `none` is left out, then what no longer lies between the input and the
 * output, which always stay. Cells that are the same network have one form, that of the first of them (`firstLike`).
 */
export function prunedCell(arch: NasBench201): Cell {
  const first = firstLike(arch);
  pruned[first] ??= withoutUnused(cellNumbered(first));
  return pruned[first];
}

function withoutUnused(arch: NasBench201): Cell {
  const kept =
    KEPT[arch.reduce((mask, operation, edge) => mask | (Number(operation !== 'none') << edge), 0)]!;
  return cellOf(
    arch,
    EDGES.flatMap((_, edge) => ((kept >> edge) & 1 ? [edge] : [])),
  );
}

/**
 * Of every set of edges that have operations, those that lie between the input and the output. A set is a number, its first
 * edge being the least bit.
 */
const KEPT = Uint8Array.from({ length: 1 << EDGES.length }, (_, mask) => {
  let [fed, used, kept] = [1, 1 << (NODES - 1), 0];
  // Edges are in the order of the nodes they go to.
  EDGES.forEach(([from, to], edge) => {
    if ((mask >> edge) & (fed >> from) & 1) fed |= 1 << to;
  });
  for (let edge = EDGES.length - 1; edge >= 0; edge--) {
    const [from, to] = EDGES[edge]!;
    if (((mask >> edge) & (used >> to) & 1) === 0) continue;
    used |= 1 << from;
    kept |= ((fed >> from) & 1) << edge;
  }
  return kept;
});

const CELLS = OPERATIONS.length ** EDGES.length;

/** Every cell once, in the order of their numbers. */
export function* allCells(): Generator<NasBench201> {
  for (let number = 0; number < CELLS; number++) yield cellNumbered(number);
}

/** A cell's operations are digits of its number, that of the first edge being the least. */
function numberOf(arch: NasBench201): number {
  let number = 0;
  for (let edge = EDGES.length - 1; edge >= 0; edge--) {
    number = number * OPERATIONS.length + OPERATIONS.indexOf(arch[edge]!);
  }
  return number;
}

function cellNumbered(number: number): NasBench201 {
  let rest = number;
  return EDGES.map(() => {
    const place = rest % OPERATIONS.length;
    rest = (rest - place) / OPERATIONS.length;
    return OPERATIONS[place]!;
  });
}

/** The first cell of each signature, of those that were counted. */
const firsts = new Map<number, number>();
/** By the number of a cell, that of the first like it: as far as cells were counted. */
const firstOf = new Uint16Array(CELLS);
let counted = 0;

/** The first of all cells that are the same network; none of them has fewer operations left when it is pruned. */
export function firstLike(arch: NasBench201): number {
  const number = numberOf(arch);
  // Counted only as far as someone has asked.
  for (; counted <= number; counted++) firstOf[counted] = firstOfNext();
  return firstOf[number]!;
}

/** The first cell like the one that is counted next. */
function firstOfNext(): number {
  const pruned = withoutUnusedDigits(counted);
  if (pruned !== counted) return firstOf[pruned]!;
  countTerms(counted);
  const key = signature();
  const first = firsts.get(key);
  if (first !== undefined) return first;
  firsts.set(key, counted);
  return counted;
}

/** The number of the cell that has `none` where an operation has no part in the result. */
function withoutUnusedDigits(number: number): number {
  let mask = 0;
  for (let edge = 0, rest = number; rest > 0; edge++) {
    if (rest % OPERATIONS.length !== NONE) mask |= 1 << edge;
    rest = Math.trunc(rest / OPERATIONS.length);
  }
  const kept = KEPT[mask]!;
  if (kept === mask) return number;
  let found = 0;
  for (let edge = 0, rest = number, digit = 1; rest > 0; edge++, digit *= OPERATIONS.length) {
    if ((kept >> edge) & 1) found += digit * (rest % OPERATIONS.length);
    rest = Math.trunc(rest / OPERATIONS.length);
  }
  return found;
}
