// What can be said of a network without running it.

import type { CostReport } from '../analysis/cost.js';
import type { Inspection } from '../analysis/inspect.js';
import { inspectNetwork } from '../app/inspect.js';
import type { Sizes } from '../networks/index.js';
import { type NetworkLike, network } from './networks.js';

/**
 * Inspects a network: shapes, cost by node, operator and block, the structure hash, and what was not understood.
 *
 * @throws AuspexError what is wrong with the network
 * @example
 * const { operators, cost, hash } = inspect('resnet8.onnx');
 * operators[0]; // { operator: 'Conv', nodes: 9, … }
 * cost.totals.parameters; // 77946
 * hash; // 'b9cf1737bda704ac3e36a2f77e110236'
 */
export function inspect(ref: NetworkLike, sizes?: Sizes): Inspection {
  return inspectNetwork(network(ref, sizes));
}

/**
 * Counts parameters, MACs, FLOPs and bytes, in total and by node. Counts of a network with open sizes are polynomials in
 * them.
 *
 * @example
 * const { totals, nodes } = cost('resnet8.onnx');
 * totals.macs; // 12501632
 * totals.flops; // 25269578
 * nodes.length; // 28
 */
export function cost(ref: NetworkLike, sizes?: Sizes): CostReport {
  return network(ref, sizes).cost();
}

/**
 * The structure hash: equal for renamed and reordered copies with any weights, different when an operator, an attribute,
 * a shape or an edge differs.
 *
 * @example
 * structureHash('resnet8.onnx'); // 'b9cf1737bda704ac3e36a2f77e110236'
 */
export function structureHash(ref: NetworkLike, sizes?: Sizes): string {
  return network(ref, sizes).hash();
}
