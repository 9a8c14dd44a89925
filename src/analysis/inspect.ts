// Everything auspex can say of a network without running it, in one call.
import type { Model } from '../graph/graph.js';
import { type Block, blockTree } from './blocks.js';
import { type CostReport, type Counts, cost, type NodeCost, sumCounts } from './cost.js';
import { type Coverage, coverage } from './coverage.js';
import { structureHash } from './hash.js';
import { type Inference, type InferOptions, inferShapes } from './infer.js';

export interface OperatorCounts extends Counts {
  readonly operator: string;
  readonly nodes: number;
}

export interface Inspection {
  readonly inference: Inference;
  readonly cost: CostReport;
  readonly coverage: Coverage;
  /** Counts by kind of operator, the most MACs first, then the most FLOPs. */
  readonly operators: readonly OperatorCounts[];
  readonly tree: Block;
  readonly hash: string;
}

/**
 * Infers, counts and fingerprints a model.
 *
 * @example
 * const { cost, hash } = inspect(readModel('net.onnx'), { shapes: { input: [1, 3, 224, 224] } });
 */
export function inspect(model: Model, options: InferOptions = {}): Inspection {
  const inference = inferShapes(model, options);
  return inspectionOf(inference, cost(inference), structureHash(inference));
}

/** What is known of a network, put together. */
export function inspectionOf(inference: Inference, report: CostReport, hash: string): Inspection {
  return {
    inference,
    cost: report,
    coverage: coverage(inference, report),
    operators: byOperator(report.nodes),
    tree: blockTree(report.nodes, inference.model.graph.name || 'graph'),
    hash,
  };
}

function byOperator(nodes: readonly NodeCost[]): OperatorCounts[] {
  const groups = new Map<string, NodeCost[]>();
  for (const node of nodes) {
    if (!node.counted) continue;
    const group = groups.get(node.operator);
    if (group) group.push(node);
    else groups.set(node.operator, [node]);
  }
  return sortByCount(
    [...groups].map(([operator, group]) => ({ operator, nodes: group.length, ...sumCounts(group) })),
    'macs',
  );
}

export type SortKey = 'macs' | 'parameters' | 'memory';

/** Largest first. Symbolic counts are compared as if every size were the same large number. */
export function sortByCount<T extends Counts>(items: readonly T[], key: SortKey): T[] {
  const field = key === 'memory' ? 'memoryAccessBytes' : key;
  return [...items].sort(
    (a, b) => magnitude(b[field]) - magnitude(a[field]) || magnitude(b.flops) - magnitude(a.flops),
  );
}

/** A number to order counts and draw bars by: symbols stand for 64. */
export function magnitude(count: Counts['macs']): number {
  if (typeof count === 'number') return count;
  let total = 0;
  for (const { coefficient, atoms } of count.terms.values()) total += coefficient * 64 ** atoms.length;
  return total;
}
