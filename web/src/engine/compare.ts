// Two networks beside each other, as the page shows them.
import type { InferredNode } from '../../../src/analysis/infer.js';
import { nodeLabel } from '../../../src/graph/graph.js';
import { compareNetworks } from '../../../src/networks/comparison/compare.js';
import type { Network } from '../../../src/networks/index.js';
import { printableStart } from '../../../src/util/printable.js';
import type { ComparedHere, Mark } from './protocol.js';

/** @param a, b with all sizes known */
export async function compareHere(a: Network, b: Network): Promise<ComparedHere> {
  const { verdict, match, weights, costs, nodes } = await compareNetworks(a, b, { samples: 0 });
  const changed = match.pairs.filter(({ differences }) => differences.length > 0);
  const marksA = new Map<InferredNode, Mark>();
  const marksB = new Map<InferredNode, Mark>();
  for (const pair of changed) {
    marksA.set(pair.a, 'changed');
    marksB.set(pair.b, 'changed');
  }
  for (const node of match.removed) marksA.set(node, 'removed');
  for (const node of match.added) marksB.set(node, 'added');
  return {
    verdict,
    added: match.added.map(labelOf),
    removed: match.removed.map(labelOf),
    changed: changed.map((pair) => ({
      a: labelOf(pair.a),
      b: labelOf(pair.b),
      differences: pair.differences.map((text) => printableStart(text, 300)),
    })),
    matched: match.pairs.length,
    weights: { compared: weights.compared, equal: weights.equal, absent: weights.absent },
    costs: [
      { name: 'Nodes', a: nodes.a, b: nodes.b },
      { name: 'Parameters', a: costs.a.parameters, b: costs.b.parameters },
      { name: 'MACs', a: numberOf(costs.a.macs), b: numberOf(costs.b.macs) },
      { name: 'FLOPs', a: numberOf(costs.a.flops), b: numberOf(costs.b.flops) },
      { name: 'Weight bytes', a: costs.a.weightBytes, b: costs.b.weightBytes },
      {
        name: 'Activation bytes',
        a: numberOf(costs.a.activationBytes),
        b: numberOf(costs.b.activationBytes),
      },
    ],
    marksA: marksOf(a, marksA),
    marksB: marksOf(b, marksB),
  };
}

function marksOf(network: Network, marks: ReadonlyMap<InferredNode, Mark>): Mark[] {
  return network.cost().nodes.map(({ inferred }) => marks.get(inferred) ?? 'same');
}

function labelOf({ node }: InferredNode): string {
  return printableStart(`${node.opType} ${nodeLabel(node)}`, 120);
}

function numberOf(count: unknown): number {
  return typeof count === 'number' ? count : Number.NaN;
}
