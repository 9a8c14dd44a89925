// What a network makes of its input before it decides: the output of the last block, before normalisation, pooling and
// classifier. z in the formulas of NTKT and length distortion; f in that of Zen.
import type { Node } from '../../graph/graph.js';
import { traitsOf } from '../../ops/index.js';
import { AuspexError } from '../../util/errors.js';
import { findBlocks, linksIn } from './blocks.js';
import { normalisationsIn } from './normalisations.js';
import type { Subject } from './subject.js';
import { type Links, passedOn, product, valueSizes } from './value-links.js';

export interface Features {
  /** The value that holds them. */
  readonly name: string;
  readonly dims: readonly number[];
  /** The axis of channels; 1 of maps (N, C, H, W), otherwise the last. */
  readonly channelAxis: number;
  readonly channels: number;
  /** Tokens or pixels of one sample. */
  readonly positions: number;
}

/** Whether positions become fewer: windows, or a mean, sum or maximum over axes. */
function isPooling(node: Node): boolean {
  const { pooling, reduction } = traitsOf(node);
  return pooling !== undefined || (reduction !== undefined && reduction !== 'other');
}

/**
 * Where a network has attention, the last sum of its residual stream. Otherwise what goes into the last layer, before
 * pooling; or the output, where only one layer is there.
 */
export function featuresOf(subject: Subject): Features {
  return subject.once('features', () => {
    const { features: given, types, samples } = subject;
    const blocks = findBlocks(subject);
    const name = given ?? lastStream(subject) ?? beforeHead(subject);
    const dims = valueSizes(types, name);
    if (dims.length < 1 || product(dims) === 0) {
      throw new AuspexError('PROXY_FEATURES', `the network has no value '${name}' with known sizes`, {
        hint: 'name the output of the last block with --features',
      });
    }
    const width = blocks.at(-1)?.width;
    const isMap = dims.length >= 4 && (width === undefined || dims.at(-1) !== width);
    const channelAxis = isMap ? 1 : dims.length - 1;
    const channels = dims[channelAxis]!;
    return { name, dims, channelAxis, channels, positions: product(dims) / (samples * channels) };
  });
}

/** Behind the last attention, the last addition of two values of the stream's sizes. */
function lastStream(subject: Subject): string | undefined {
  const block = findBlocks(subject).at(-1);
  if (block === undefined) return undefined;
  const links = linksIn(subject);
  const { types } = subject;
  const sizes = String(valueSizes(types, block.stream));
  const isSum = (node: Node): boolean =>
    traitsOf(node).arithmetic === 'add' &&
    node.inputs.every((name) => !links.isFixed(name) && String(valueSizes(types, name)) === sizes);
  const later = links.nodes.slice(links.producers.get(block.stream)! + 1).filter(isSum);
  return later.at(-1)?.outputs[0] ?? block.stream;
}

function beforeHead(subject: Subject): string {
  const links = linksIn(subject);
  // Batch normalisation is part of the block before it.
  const others = normalisationsIn(subject).filter(({ kind }) => kind === 'other');
  const normalised = new Map(others.map(({ output, input }) => [output, input]));
  const products = new Map(subject.layers.flatMap(({ uses }) => uses.map((use) => [use.node, use])));
  const { name: logits } = subject.logits;
  let name = logits;
  let isBehindHead = false;
  let isPooled = false;
  for (let from = links.producers.get(name); from !== undefined; from = links.producers.get(name)) {
    const node = links.nodes[from]!;
    const isLayer = products.has(node);
    if (isLayer && (isBehindHead || isPooled)) break;
    const next = isLayer
      ? node.inputs.find((input) => !links.isFixed(input))
      : (normalised.get(name) ?? behind(node, links));
    if (next === undefined) break;
    isBehindHead ||= isLayer;
    isPooled ||= isPooling(node);
    name = next;
  }
  const before = links.ancestors(name);
  const hasLayers = [...products.values()].some((use) => before.has(use.node.outputs[0]!));
  return hasLayers ? name : logits;
}

function behind(node: Node, links: Links): string | undefined {
  return isPooling(node) ? node.inputs[0] : passedOn(node, links);
}
