// What weights say of open sizes: a matrix behind a Flatten has as many rows as the image has numbers there, an embedding of
// positions has as many as there are patches.
import type { Inference } from '../../analysis/infer.js';
import { type Dim, isKnown, namesIn } from '../../graph/dim.js';
import { parseDim } from '../../graph/parse-dim.js';
import { isTensor, type Shape } from '../../graph/types.js';
import { traitsOf } from '../../ops/index.js';
import type { Call } from '../../ops/operator.js';

/** A size that must have a value. */
export interface Constraint {
  readonly size: Dim;
  readonly value: number;
  /** Whether 1 will do as well: numbers are repeated. */
  readonly isOneAllowed: boolean;
}

/** More are not looked at; what they would say, inference will. */
const MOST = 24;

/** Whether a name occurs in a size, also inside of a floor. */
export function mentions(size: Dim, name: string): boolean {
  return namesIn(size).includes(name);
}

export function constraintsOf({ graph }: Inference): Constraint[] {
  const found = new Map<string, Constraint>();
  for (const { call } of graph.nodes) {
    if (found.size >= MOST) break;
    const isOneAllowed = traitsOf(call.node).isElementwise === true;
    for (const [size, value] of pairsOf(call)) {
      const key = `${size}=${value}`;
      if (!isKnown(size) && isKnown(value) && !found.has(key)) found.set(key, { size, value, isOneAllowed });
    }
  }
  return [...found.values()];
}

/** Sizes that must be equal, the one from the data first. */
function pairsOf(call: Call): (readonly [Dim, Dim])[] {
  const { product, convolution, isElementwise, recurrent, normalisation } = traitsOf(call.node);
  const shape = (slot: number): Shape => {
    const type = call.inputs[slot];
    return (isTensor(type) && type.shape) || [];
  };
  const [x, w] = [shape(0), shape(1)];
  if (product === 'matmul' && x.length > 0 && w.length >= 2) return [[x.at(-1)!, w.at(-2)!]];
  if (product === 'gemm' && x.length === 2 && w.length === 2) {
    const rows = call.int('transB', 0) === 0 ? w[0]! : w[1]!;
    return [[call.int('transA', 0) === 0 ? x[1]! : x[0]!, rows]];
  }
  if (convolution === 'plain' && x.length > 2 && isKnown(w[1])) return [[x[1]!, w[1] * call.int('group', 1)]];
  if (recurrent && x.length === 3 && w.length === 3) return [[x[2]!, w[2]!]];
  if (normalisation === 'batch' && x.length > 1 && w.length === 1) return [[x[1]!, w[0]!]];
  if (isElementwise && call.inputs.length === 2) return broadcastPairs(x, w);
  return [];
}

function broadcastPairs(a: Shape, b: Shape): (readonly [Dim, Dim])[] {
  const pairs: (readonly [Dim, Dim])[] = [];
  for (let i = 1; i <= Math.min(a.length, b.length); i++) {
    const [p, q] = [a.at(-i)!, b.at(-i)!];
    if (p === 1 || q === 1) continue;
    if (!isKnown(p) && isKnown(q)) pairs.push([p, q]);
    if (!isKnown(q) && isKnown(p)) pairs.push([q, p]);
  }
  return pairs;
}

/** Whether sizes fulfil all that they decide. */
export function allow(constraints: readonly Constraint[], dims: ReadonlyMap<string, number>): boolean {
  return constraints.every(({ size, value, isOneAllowed }) => {
    const is = parseDim(String(size), dims);
    return !isKnown(is) || is === value || (isOneAllowed && is === 1);
  });
}

/** Values of some sizes, all the same, that fulfil what they decide with the others given; round ones first. */
export function solutions(
  constraints: readonly Constraint[],
  names: readonly string[],
  others: ReadonlyMap<string, number>,
  candidates: Iterable<number>,
): number[] {
  const own = constraints.filter(({ size }) => names.some((name) => mentions(size, name)));
  if (own.length === 0) return [];
  const found: number[] = [];
  for (const candidate of candidates) {
    const dims = new Map([...others, ...names.map((name) => [name, candidate] as const)]);
    if (own.every(({ size, value }) => parseDim(String(size), dims) === value)) found.push(candidate);
    if (found.length >= 64) break;
  }
  const roundness = (n: number): number => [32, 100, 10, 8].findIndex((d) => n % d === 0) >>> 0;
  return found.toSorted((a, b) => roundness(a) - roundness(b)).slice(0, 4);
}
