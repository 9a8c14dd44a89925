// The rounding of an output that a sigmoid computes. ONNX Runtime computes it as a number near 0.5, shifted: its smallest
// values are multiples of 2^-25, and for logits around -17 jump between 0 and three of them.
import type { Model, Node } from '../graph/graph.js';
import { traitsOf } from '../ops/index.js';
import type { Movement } from '../ops/traits.js';

/** One step of float32 at 1: four of the multiples. */
export const SIGMOID_ROUNDING = 2 ** -23;

/** Operators that give elements of their first input, elsewhere. */
const MOVES: ReadonlySet<Movement | undefined> = new Set<Movement>(['same', 'shape', 'axes', 'part']);

/** By how much rounding alone may change an output, however small it is; 0 where it ends in no sigmoid. */
export function endRounding({ graph }: Model, output: string): number {
  const producers = new Map<string, Node>();
  for (const node of graph.nodes) for (const name of node.outputs) producers.set(name, node);
  let node = producers.get(output);
  // A graph has no cycles, but a model that was never sorted might: no path is longer than all nodes.
  for (let left = graph.nodes.length; node && left > 0 && MOVES.has(traitsOf(node).moves); left--) {
    node = producers.get(node.inputs[0] ?? '');
  }
  return node && traitsOf(node).activation === 'sigmoid' ? SIGMOID_ROUNDING : 0;
}
