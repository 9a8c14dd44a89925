// Sequences of a graph: connected parts that one value enters and one value leaves, so that another part with the same
// input and output can stand in their place. Chains of nodes are sequences, and so are whole residual blocks.
import { hasSubgraphs, type Node } from '../graph/graph.js';
import { usedNames } from '../graph/order.js';
import { operatorFor, traitsOf } from '../ops/index.js';

export interface Sequence {
  /** In the order in which they run; the last one computes the output. */
  readonly nodes: readonly Node[];
  /** The one value from outside that depends on the inputs of the network. */
  readonly input: string;
  /** The one value that others use. */
  readonly output: string;
}

interface SequenceOptions {
  /** The nodes of a graph in the order in which they run. */
  readonly nodes: readonly Node[];
  /** Values that depend on the inputs of the network; weights, and what is made of them alone, do not. */
  readonly open: ReadonlySet<string>;
  /** Values that are used outside: outputs of the graph. */
  readonly kept: ReadonlySet<string>;
  /** The most nodes of a sequence. */
  readonly longest: number;
}

/**
 * All sequences of at most so many nodes, by their last nodes, short ones first. Those with the same last node contain one
 * another, so that the first and the last node together name a sequence.
 *
 * From its last node, a sequence grows by the latest node that it reads: what runs later than this one and is not in
 * it never joins, so once a value of an inner node is used outside, no longer sequence with the same end exists.
 */
export function findSequences({ nodes, open, kept, longest }: SequenceOptions): Sequence[] {
  const producers = new Map<string, number>();
  const readers = new Map<string, number[]>();
  nodes.forEach((node, i) => {
    for (const name of node.outputs) if (name !== '') producers.set(name, i);
    for (const name of new Set(usedNames(node))) {
      const known = readers.get(name);
      if (known) known.push(i);
      else readers.set(name, [i]);
    }
  });
  const isUsedWithin = (node: Node, part: ReadonlySet<number>): boolean =>
    node.outputs.every((name) => !kept.has(name) && (readers.get(name) ?? []).every((i) => part.has(i)));
  const openInputs = (node: Node): string[] => node.inputs.filter((name) => open.has(name));

  const found: Sequence[] = [];
  nodes.forEach((last, end) => {
    const [output, ...others] = last.outputs.filter(
      (name) => name !== '' && (kept.has(name) || readers.has(name)),
    );
    if (output === undefined || others.length > 0 || !open.has(output) || !isPlain(last)) return;
    const part = new Set([end]);
    const outside = new Set(openInputs(last));
    for (;;) {
      if (outside.size === 1) {
        const inOrder = [...part].sort((a, b) => a - b).map((i) => nodes[i]!);
        found.push({ nodes: inOrder, input: [...outside][0]!, output });
      }
      const latest = Math.max(...[...outside].map((name) => producers.get(name) ?? -1));
      const next = nodes[latest];
      if (next === undefined || part.size === longest) return;
      if (!isPlain(next) || !isUsedWithin(next, part)) return;
      part.add(latest);
      for (const name of next.outputs) outside.delete(name);
      for (const name of openInputs(next)) outside.add(name);
    }
  });
  return found;
}

/** Whether a node does the same wherever it stands: it has no graphs of its own and draws nothing. */
function isPlain(node: Node): boolean {
  return operatorFor(node) !== undefined && !hasSubgraphs(node) && traitsOf(node).draws !== 'always';
}
