// What can be said of an architecture without training it: its size, its cost, and what makes it the same as another.
import { type CostReport, cost } from '../analysis/cost.js';
import { type Inference, inferShapes } from '../analysis/infer.js';
import { toldKind } from '../analysis/parameters.js';
import { add, type Dim, multiply } from '../graph/dim.js';
import type { Model } from '../graph/graph.js';
import { elementCount } from '../graph/tensor.js';
import { digest } from '../util/digest.js';
import { SPACE_KEY } from './network-builder.js';
import type { AnySpace, NetworkOptions } from './space.js';

/** What can be said of a network, wherever it comes from. */
export interface NetworkDescription {
  /** Trained parameters. */
  readonly parameters: number;
  /** Multiply-accumulates of one run. */
  readonly macs: number;
  /** 2 × macs, plus all other arithmetic. */
  readonly flops: number;
  /** Convolutions and products of matrices one after another, on the longest way from the input to an output. */
  readonly depth: number;
  /** Nodes of the ONNX graph. */
  readonly nodes: number;
}

export interface Description extends NetworkDescription {
  /** The architecture in its canonical text. */
  readonly arch: string;
  /** The same for architectures that are the same network. */
  readonly hash: string;
}

/**
 * Describes an architecture at the paper's sizes, or at those of the options.
 *
 * @example
 * describeArchitecture(nasBench201, nasBench201.parse(text)).parameters;
 */
export function describeArchitecture(
  space: AnySpace,
  arch: unknown,
  options: NetworkOptions = {},
): Description {
  const text = space.format(arch);
  return {
    arch: text,
    hash: describedHash(space, arch),
    ...describeNetwork(space.network(arch, options)),
  };
}

/** The same for architectures that are the same network. */
export function describedHash(space: AnySpace, arch: unknown): string {
  return space.hash ? space.hash(arch) : digest(space.format(arch));
}

/** What `cost` counts; faster for a network that states its parameters itself, as a million of them may be asked for. */
export function describeNetwork(model: Model): NetworkDescription {
  return describeInference(inferShapes(model));
}

/** @param costOf gives the cost report where it is needed; a caller may have it already. */
export function describeInference(
  inference: Inference,
  costOf: () => CostReport = () => cost(inference),
): NetworkDescription {
  const { nodes, initializers } = inference.graph;
  let [macs, flops]: [Dim, Dim] = [0, 0];
  let depth = 0;
  const depths = new Map<string, number>();
  for (const { node, call, operator } of nodes) {
    const found = operator?.cost.of(call);
    const own = found?.macs ?? 0;
    macs = add(macs, own);
    flops = add(flops, add(multiply(own, 2), found?.otherFlops ?? 0));
    let here = 0;
    for (const name of node.inputs) here = Math.max(here, depths.get(name) ?? 0);
    if (own !== 0) here++;
    for (const name of node.outputs) depths.set(name, here);
    if (here > depth) depth = here;
  }
  if (!inference.model.metadata.has(SPACE_KEY)) {
    const { totals } = costOf();
    const counts = { parameters: totals.parameters, macs: Number(totals.macs), flops: Number(totals.flops) };
    return { ...counts, depth, nodes: nodes.length };
  }
  let parameters = 0;
  for (const tensor of initializers.values()) {
    if (toldKind(tensor) === 'parameter') parameters += elementCount(tensor);
  }
  return { parameters, macs: Number(macs), flops: Number(flops), depth, nodes: nodes.length };
}
