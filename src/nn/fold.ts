// Transpositions that a product of matrices can read through. ONNX Runtime folds them too, but only after it has
// merged each with the transposition before it, and what it merged it can no longer fold.
import { neededNodes } from '../analysis/dependence.js';
import { type Attribute, isDefaultDomain, type Node } from '../graph/graph.js';
import { usedNames } from '../graph/order.js';
import type { Value } from '../ops/build.js';
import { traitsOf } from '../ops/index.js';

export const MICROSOFT = 'com.microsoft';

type Order = readonly number[];

/** A value, and whether its last two dimensions are to be exchanged. */
interface Operand {
  readonly name: string;
  readonly isTransposed: boolean;
}

/**
 * Nodes with products in the place of transpositions of the last two dimensions, before and after them: A·Bᵀ and
 * (A·B)ᵀ = Bᵀ·Aᵀ become one FusedMatMul each.
 *
 * @param nodes in order.
 * @param kept names of values that must stay: the graph's outputs.
 */
export function foldTranspositions(
  nodes: readonly Node[],
  lookUp: (name: string) => Value,
  kept: ReadonlySet<string>,
): readonly Node[] {
  const producers = new Map<string, Node>();
  const uses = new Map<string, number>();
  for (const node of nodes) {
    for (const output of node.outputs) producers.set(output, node);
    for (const name of usedNames(node)) uses.set(name, (uses.get(name) ?? 0) + 1);
  }
  const rankOf = (name: string): number => lookUp(name).rank;
  /** ONNX Runtime has the fused product for float32 only. */
  const isProduct = (node: Node): boolean =>
    isStandard(node) &&
    traitsOf(node).product === 'matmul' &&
    node.inputs.every((name) => rankOf(name) >= 2 && lookUp(name).dtype === 'float32');

  /** The earliest value that this one is, or is the transpose of. */
  const operand = (name: string): Operand => {
    let found: Operand = { name, isTransposed: false };
    let node = producers.get(name);
    let order: Order = Array.from({ length: rankOf(name) }, (_, i) => i);
    while (node !== undefined && isTransposition(node)) {
      const inner = orderOf(node, order.length);
      order = order.map((i) => inner[i]!);
      const source = node.inputs[0]!;
      if (isIdentity(order)) found = { name: source, isTransposed: false };
      else if (exchangesLast(order)) found = { name: source, isTransposed: true };
      node = producers.get(source);
    }
    return found;
  };

  const product = (node: Node, left: Operand, right: Operand, outputs: readonly string[]): Node => {
    const flags = [
      ['transA', left.isTransposed],
      ['transB', right.isTransposed],
    ] as const;
    const inputs = [left.name, right.name];
    if (flags.every(([, isSet]) => !isSet)) return { ...node, inputs, outputs };
    const attributes = new Map<string, Attribute>();
    for (const [name, isSet] of flags) attributes.set(name, { type: 'int', value: Number(isSet) });
    return { ...node, opType: 'FusedMatMul', domain: MICROSOFT, inputs, outputs, attributes };
  };

  const folded = nodes.map((node): Node => {
    if (isProduct(node)) {
      return product(node, operand(node.inputs[0]!), operand(node.inputs[1]!), node.outputs);
    }
    if (!isTransposition(node)) return node;
    const source = node.inputs[0]!;
    const matMul = producers.get(source);
    if (matMul === undefined || !isProduct(matMul)) return node;
    const rank = rankOf(source);
    const isOnlyUse = uses.get(source) === 1 && !kept.has(source);
    const isOfOneRank = matMul.inputs.every((name) => rankOf(name) === rank);
    if (!isOnlyUse || !isOfOneRank || rank < 2 || !exchangesLast(orderOf(node, rank))) return node;
    const [left, right] = matMul.inputs.map((name) => operand(name)) as [Operand, Operand];
    return product(matMul, flipped(right), flipped(left), node.outputs);
  });
  return neededNodes(folded, kept);
}

function flipped({ name, isTransposed }: Operand): Operand {
  return { name, isTransposed: !isTransposed };
}

function isStandard({ domain }: Node): boolean {
  return isDefaultDomain(domain);
}

function isTransposition(node: Node): boolean {
  return isStandard(node) && traitsOf(node).moves === 'axes';
}

function orderOf(node: Node, rank: number): Order {
  const perm = node.attributes.get('perm');
  if (perm?.type === 'ints') return perm.value.map(Number);
  return Array.from({ length: rank }, (_, i) => rank - 1 - i);
}

function isIdentity(order: Order): boolean {
  return order.every((from, to) => from === to);
}

function exchangesLast(order: Order): boolean {
  const n = order.length;
  const swap = (i: number): number => (i === n - 1 ? n - 2 : i === n - 2 ? n - 1 : i);
  return n >= 2 && order.every((from, to) => from === swap(to));
}
