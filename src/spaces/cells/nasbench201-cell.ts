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
  const ends = [[0, 0] as const, ...EDGES, [NODES - 1, NODES] as const];
  return {
    ops: ['input', ...arch, 'output'],
    adjacency: ends.map(([, to], i) => ends.map(([from], j) => Number(j > i && from === to))),
  };
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
  const sums = sumsOf(arch);
  const uses = usesOf(arch, sums);
  const terms = ['x'];
  for (let edge = 0; edge < EDGES.length; edge++) {
    const operation = arch[edge]!;
    const used = uses[edge + 1]!;
    const times = operation !== 'avg_pool_3x3' && used > 1 ? `*${used}` : '';
    terms.push(used === 0 ? '' : `${operation}${times}(${sumText(sums[EDGES[edge]![0]]!, terms)})`);
  }
  return sumText(sums[NODES - 1]!, terms);
}

function sumText(sum: readonly number[], terms: readonly string[]): string {
  const parts: string[] = [];
  for (let term = 0; term < sum.length; term++) {
    for (let n = sum[term]!; n > 0; n--) parts.push(terms[term]!);
  }
  return parts.length === 1 ? parts[0]! : parts.sort().join('+');
}

/** What every node is the sum of: how often the input, and how often the result of every edge with an operation. */
function sumsOf(arch: NasBench201): number[][] {
  const sums = Array.from({ length: NODES }, () => new Array<number>(1 + EDGES.length).fill(0));
  sums[0]![0] = 1;
  // Edges are in the order of the nodes they go to.
  for (let edge = 0; edge < EDGES.length; edge++) {
    const operation = arch[edge]!;
    const [source, sum] = [sums[EDGES[edge]![0]]!, sums[EDGES[edge]![1]]!];
    if (operation === 'none') continue;
    if (operation === 'skip_connect') for (let k = 0; k < sum.length; k++) sum[k]! += source[k]!;
    else if (source.some((count) => count > 0)) sum[edge + 1]!++;
  }
  return sums;
}

/** How often the input and the result of every edge is a term of a sum that matters. */
function usesOf(arch: NasBench201, sums: readonly (readonly number[])[]): readonly number[] {
  const uses = [...sums[NODES - 1]!];
  for (let edge = arch.length - 1; edge >= 0; edge--) {
    if (uses[edge + 1] === 0) continue;
    const source = sums[EDGES[edge]![0]]!;
    for (let term = 0; term < source.length; term++) uses[term]! += source[term]!;
  }
  return uses;
}

/**
 * The cell without operations that do nothing: `none` is left out, then what no longer lies between the input and the
 * output, which always stay. Cells that are the same network have one form, that of the first of them (`firstLike`).
 */
export function prunedCell(arch: NasBench201): Cell {
  const { ops, adjacency } = cell(firstLike(arch));
  const isThere = ops.map((op) => op !== 'none');
  const reach = (start: number, step: (i: number, j: number) => boolean): Set<number> => {
    const found = new Set([start]);
    for (const i of found) ops.forEach((_, j) => void (isThere[j] && step(i, j) && found.add(j)));
    return found;
  };
  const fromInput = reach(0, (i, j) => adjacency[i]![j] === 1);
  const toOutput = reach(ops.length - 1, (i, j) => adjacency[j]![i] === 1);
  const kept = ops
    .map((_, i) => i)
    .filter((i) => i === 0 || i === ops.length - 1 || (fromInput.has(i) && toOutput.has(i)));
  return {
    ops: kept.map((i) => ops[i]!),
    adjacency: kept.map((i) => kept.map((j) => adjacency[i]![j]!)),
  };
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

/** The first of all cells that are the same network; none of them has fewer operations left when it is pruned. */
function firstLike(arch: NasBench201): NasBench201 {
  const expression = expressionOf(arch);
  for (;;) {
    const known = firsts.get(expression);
    if (known !== undefined) return known;
    // Counted only as far as someone has asked: all of them take some hundredths of a second.
    const { value } = counted.next() as IteratorYieldResult<NasBench201>;
    const next = expressionOf(value);
    if (!firsts.has(next)) firsts.set(next, value);
  }
}
