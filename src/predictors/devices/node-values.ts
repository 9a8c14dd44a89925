// A predicted latency, spread over the nodes of a network. Devices that were measured by whole networks say nothing of single
// nodes; but they say how values of known networks grow with their work, and a line through those has a time for each MAC, for
// each number that is read or written, and for each kernel:
//
//     y ≈ a·MACs + b·moved + c·kernels,   a, b, c ≥ 0, relative errors least
//
// Nodes have their share of that line, and the predicted value is spread by these shares.
import type { InferredNode } from '../../analysis/infer.js';
import type { Network } from '../../networks/network.js';
import { nonNegativeLeastSquares } from '../../util/linear-algebra/nnls.js';
import { type NodeWork, nodeWork, WORK_KINDS } from './node-work.js';
import { elements } from './work-features.js';

/** What the nodes of a network take of a predicted value; the values add up to it. */
export interface NodeValues {
  /** How they were found, in a sentence. */
  readonly how: string;
  /** Nodes that are not in it take nothing: they are fused into others, or only rename sizes. */
  readonly values: ReadonlyMap<InferredNode, number>;
}

/** Values for each MAC, each number moved, each kernel. */
export type WorkRates = readonly [perMac: number, perMoved: number, perKernel: number];

/** Known networks that rates are fitted to. */
const MOST_NETWORKS = 100;

/**
 * @param count of known networks
 * @param featuresOf work features of one of them, by name
 * @param predicted what the device is predicted to need for such features
 */
export async function workRates(
  count: number,
  featuresOf: (network: number) => Readonly<Record<string, number>>,
  predicted: (features: Readonly<Record<string, number>>) => Promise<number>,
): Promise<WorkRates> {
  const step = Math.max(1, Math.floor(count / MOST_NETWORKS));
  const rows: number[][] = [];
  for (let network = 0; network < count; network += step) {
    const features = featuresOf(network);
    if (!(features.logMacs! > 0)) continue;
    const value = await predicted(features);
    rows.push(amountsOf(features).map((amount) => amount / value));
  }
  const [perMac = 0, perMoved = 0, perKernel = 0] = nonNegativeLeastSquares(
    rows,
    new Float64Array(rows.length).fill(1),
  );
  return [perMac, perMoved, perKernel];
}

/** MACs, numbers moved by kernels, and kernels of a network, from the logarithms that its features have by kind of work. */
function amountsOf(features: Readonly<Record<string, number>>): [number, number, number] {
  const sum = (name: string): number =>
    WORK_KINDS.reduce(
      (total, kind) =>
        kind === 'view' ? total : total + Math.max(0, Math.expm1(features[`${name}.${kind}`] ?? 0)),
      0,
    );
  return [sum('logMacs'), sum('logMoved'), sum('kernels')];
}

export function spreadByWork(network: Network, value: number, rates: WorkRates): NodeValues {
  const works = nodeWork(network.inference().graph);
  const spread = spreadValue(
    value,
    works.map((work) => [work.node, partOf(work, rates)]),
  );
  return {
    how: 'latency predicted for the whole network, spread by the device’s time per MAC, per number moved and per kernel',
    values: spread,
  };
}

function partOf({ kind, isFusable, times, macs, ...work }: NodeWork, rates: WorkRates): number {
  const [perMac, perMoved, perKernel] = rates;
  if (kind === 'view') return 0;
  return times * (perMac * macs + (isFusable ? 0 : perMoved * elements(work) + perKernel));
}

/** Parts of nodes, which may have several, as parts of a value. */
export function spreadValue(
  value: number,
  parts: Iterable<readonly [InferredNode, number]>,
): Map<InferredNode, number> {
  const sums = new Map<InferredNode, number>();
  let total = 0;
  for (const [node, part] of parts) {
    if (part === 0) continue;
    sums.set(node, (sums.get(node) ?? 0) + part);
    total += part;
  }
  for (const [node, part] of sums) sums.set(node, (value * part) / total);
  return sums;
}
