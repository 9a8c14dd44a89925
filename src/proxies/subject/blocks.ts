// The blocks of a transformer, found from its graph: products with the weights of a softmax are attention, and the next
// addition of what came before it is where its block's residual stream goes on.
import { isDefaultDomain, nodeLabel } from '../../graph/graph.js';
import { traitsOf } from '../../ops/index.js';
import type { Subject } from './subject.js';
import { type Links, linksOf, passedOn, product, valueSizes } from './value-links.js';

export interface AttentionBlock {
  /** The node that applies attention to values. */
  readonly node: string;
  /** The residual stream behind attention, or what comes out of it where nothing is added. */
  readonly stream: string;
  /** Channels of the residual stream. */
  readonly width: number;
  /** Channels of all heads together. */
  readonly qkvWidth: number;
  /** Tokens of one sample. */
  readonly tokens: number;
  /** Weights that queries, keys and values are made with, and that of the projection behind them. */
  readonly weights: readonly string[];
}

export function linksIn(subject: Subject): Links {
  return subject.once('links', () => linksOf(subject.model));
}

/** In the order they run; none for a network without attention. */
export function findBlocks(subject: Subject): readonly AttentionBlock[] {
  return subject.once('attention blocks', () => {
    const links = linksIn(subject);
    const found = links.nodes.flatMap((node, at) => {
      const isFused = isDefaultDomain(node.domain) && traitsOf(node).attention === true;
      return isFused || appliesSoftmax(at, links) ? [blockAt(at, links, subject)] : [];
    });
    return found;
  });
}

/** Whether a node is the product of a softmax with values that depend on the input. */
function appliesSoftmax(at: number, links: Links): boolean {
  const node = links.nodes[at]!;
  const { product: form } = traitsOf(node);
  if ((form !== 'matmul' && form !== 'einsum') || node.inputs.length !== 2) return false;
  if (node.inputs.some(links.isFixed)) return false;
  return node.inputs.some((input) => {
    for (let name: string | undefined = input; name !== undefined; ) {
      const from = links.producers.get(name);
      if (from === undefined) return false;
      if (traitsOf(links.nodes[from]!).softmax === 'plain') return true;
      name = passedOn(links.nodes[from]!, links);
    }
    return false;
  });
}

function blockAt(at: number, links: Links, { layers, types, samples }: Subject): AttentionBlock {
  const { nodes } = links;
  const node = nodes[at]!;
  const attended = node.outputs[0]!;
  const before = links.ancestors(attended);
  const layerOf = new Map(
    layers.flatMap(({ weight, uses }) => uses.map((use) => [use.node, { weight, use }])),
  );
  const after = new Set([attended]);
  let projection: { weight: string; output: string; width: number } | undefined;
  let stream: string | undefined;
  for (const next of nodes.slice(at + 1)) {
    if (!next.inputs.some((name) => after.has(name))) continue;
    const output = next.outputs[0]!;
    after.add(output);
    const layer = layerOf.get(next);
    if (layer && !projection) {
      const { use, weight } = layer;
      projection = { weight, output: use.output, width: valueSizes(types, use.output)[use.channelAxis]! };
    }
    const isResidual =
      traitsOf(next).arithmetic === 'add' &&
      next.inputs.some((name) => before.has(name) && !links.isFixed(name)) &&
      next.inputs.every((name) => String(valueSizes(types, name)) === String(valueSizes(types, output)));
    if (!isResidual) continue;
    stream = output;
    break;
  }
  const end = stream ?? projection?.output ?? attended;
  const width = projection?.width ?? valueSizes(types, end).at(-1)!;
  const tokens = product(valueSizes(types, end)) / (samples * width);
  return {
    node: nodeLabel(node),
    stream: end,
    width,
    qkvWidth: product(valueSizes(types, attended)) / (samples * tokens),
    tokens,
    weights: [...nearestLayers(attended), ...(projection ? [projection.weight] : [])],
  };

  /** Weights on the ways back from a value, none behind another. */
  function nearestLayers(name: string): string[] {
    const seen = new Set([name]);
    const found = new Set<string>();
    for (const value of seen) {
      const from = links.producers.get(value);
      if (from === undefined) continue;
      const layer = layerOf.get(nodes[from]!);
      if (layer) found.add(layer.weight);
      else for (const input of nodes[from]!.inputs) if (!links.isFixed(input)) seen.add(input);
    }
    return [...found];
  }
}
