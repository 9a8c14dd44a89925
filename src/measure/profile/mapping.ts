// From the kernels that the runtime runs back to the user's nodes. Three things tell what a kernel comes from: tokens in its
// name, values of the user's network that it gives, and values that its name mentions. What lies between these values and the
// kernel's inputs was fused into it. Kernels that the runtime inserted, such as changes of layout, belong to the kernel that
// needs them.
import { type Graph, type Model, type Node, operatorName } from '../../graph/graph.js';
import { type TokenisedModel, tokensIn } from './tokens.js';

export interface MappedKernel {
  /** The node of the optimised graph. */
  readonly node: Node;
  /** Tokens of the user's nodes that it computes, in the order of the file. */
  readonly from: readonly number[];
  /** `inserted`: it computes no node of the user, and is counted with that of the kernel beside it. */
  readonly kind: 'direct' | 'inserted' | 'unmapped';
}

export interface KernelMapping {
  readonly kernels: readonly MappedKernel[];
  /** Tokens of nodes that no kernel computes: constants, or removed as useless. */
  readonly removed: readonly number[];
}

/** Suffixes that the runtime adds to the name of a value to make the name of a kernel. */
const SUFFIXES = /(?:_nchwc|_token_\d+)$/;

/** @param optimised the graph that the runtime wrote for the tokenised model */
export function mapKernels(user: TokenisedModel, optimised: Model): KernelMapping {
  const producers = producersOf(user);
  const kernels = optimised.graph.nodes;
  const anchors = kernels.map((node) => anchorsOf(node, producers));
  anchorInner(user, kernels, anchors);
  const visible = new Set<string>(kernels.flatMap((node) => [...node.inputs, ...node.outputs]));
  const claimed = new Set(anchors.flat());
  // Values that only the name of a kernel mentions are computed, too.
  for (const token of claimed) {
    for (const name of user.nodes[token]!.node.outputs) visible.add(name);
  }
  const groups = anchors.map((own) => withFused(own, user, producers, claimed, visible));
  const hosts = hostsOf(optimised.graph, groups);
  const mapped = kernels.map((node, i): MappedKernel => {
    const host = hosts[i];
    if (host !== undefined) return { node, from: groups[host]!, kind: 'inserted' };
    const from = groups[i]!;
    return { node, from, kind: from.length > 0 ? 'direct' : 'unmapped' };
  });
  return { kernels: mapped, removed: user.nodes.flatMap((_, token) => (claimed.has(token) ? [] : token)) };
}

/** The token of the node that gives a value. */
function producersOf(user: TokenisedModel): Map<string, number> {
  const producers = new Map<string, number>();
  user.nodes.forEach(({ node, isOuter }, token) => {
    for (const name of node.outputs) {
      if (name !== '' && (isOuter || !producers.has(name))) producers.set(name, token);
    }
  });
  return producers;
}

function anchorsOf(node: Node, producers: ReadonlyMap<string, number>): number[] {
  const found = new Set(tokensIn(node.name));
  for (const name of [...node.outputs, ...mentioned(node.name)]) {
    const token = producers.get(name);
    if (token !== undefined) found.add(token);
  }
  return [...found].sort((a, b) => a - b);
}

/** What may be the name of a value in the name of a kernel. */
function mentioned(name: string): string[] {
  const names: string[] = [];
  for (let rest = name; SUFFIXES.test(rest); ) {
    rest = rest.replace(SUFFIXES, '');
    names.push(rest);
  }
  return names;
}

/** Nodes in front of the anchors whose results no kernel sees: they are computed inside. */
function withFused(
  anchors: readonly number[],
  user: TokenisedModel,
  producers: ReadonlyMap<string, number>,
  claimed: Set<number>,
  visible: ReadonlySet<string>,
): number[] {
  const group = new Set(anchors);
  const waiting = [...anchors];
  for (let token = waiting.pop(); token !== undefined; token = waiting.pop()) {
    for (const name of user.nodes[token]!.node.inputs) {
      const before = producers.get(name);
      if (before === undefined || visible.has(name) || claimed.has(before)) continue;
      claimed.add(before);
      group.add(before);
      waiting.push(before);
    }
  }
  return [...group].sort((a, b) => a - b);
}

/**
 * Nodes of branches lose their names where the runtime takes a branch for good. Their kernels are recognised by operator and
 * by the values that they read, in the order of the file.
 */
function anchorInner(user: TokenisedModel, kernels: readonly Node[], anchors: number[][]): void {
  const taken = new Set(anchors.flat());
  const inner = user.nodes.flatMap(({ isOuter }, token) => (isOuter || taken.has(token) ? [] : token));
  if (inner.length === 0) return;
  kernels.forEach((kernel, i) => {
    if (anchors[i]!.length > 0) return;
    const shared = (token: number): number =>
      user.nodes[token]!.node.inputs.filter((name) => name !== '' && kernel.inputs.includes(name)).length;
    const alike = inner.filter(
      (token) => !taken.has(token) && operatorName(user.nodes[token]!.node) === operatorName(kernel),
    );
    const [best] = alike.toSorted((a, b) => shared(b) - shared(a) || a - b);
    if (best === undefined) return;
    taken.add(best);
    anchors[i] = [best];
  });
}

/**
 * The kernel that an inserted one serves; undefined for kernels that compute nodes themselves. One that only passes on what
 * the kernel before it computed serves that; another the nearest that reads what it gives, or else gives what it reads.
 */
function hostsOf(graph: Graph, groups: readonly (readonly number[])[]): (number | undefined)[] {
  const givenBy = new Map<string, number>();
  const readBy = new Map<string, number[]>();
  graph.nodes.forEach((node, i) => {
    for (const name of node.outputs) if (name !== '') givenBy.set(name, i);
    for (const name of node.inputs) readBy.set(name, [...(readBy.get(name) ?? []), i]);
  });
  const after = (i: number): number[] => graph.nodes[i]!.outputs.flatMap((name) => readBy.get(name) ?? []);
  const before = (i: number): number[] => graph.nodes[i]!.inputs.flatMap((name) => givenBy.get(name) ?? []);
  const nearest = (start: number, next: (i: number) => number[]): number | undefined => {
    const seen = new Set([start]);
    for (let ring = next(start); ring.length > 0; ) {
      const host = ring.find((i) => groups[i]!.length > 0);
      if (host !== undefined) return host;
      for (const i of ring) seen.add(i);
      ring = [...new Set(ring.flatMap(next))].filter((i) => !seen.has(i));
    }
    return undefined;
  };
  return graph.nodes.map((node, i) => {
    const own = groups[i]!;
    if (own.length === 0) return nearest(i, after) ?? nearest(i, before);
    if (tokensIn(node.name).length > 0) return undefined;
    return before(i).find((j) => own.every((token) => groups[j]!.includes(token)));
  });
}
