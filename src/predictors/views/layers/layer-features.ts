// A network as a row of numbers that its accuracy follows from, whatever its family: how large it is, where it spends its
// MACs, how wide it is at which resolution, what kinds of layers it is made of. The last layer is left out, so that
// networks for ten classes and for a thousand have the same features.
import type { Layer, NetworkParts } from './network-parts.js';

/** The image that goes in. */
export interface ImageSize {
  readonly height: number;
  readonly width: number;
}

/** Resolutions: the image's side divided by at most 2, 4 …, and what has hardly any positions left. */
const LEVELS = [2, 4, 8, 16, 32, 64] as const;

/** Kinds of layers that are told apart. */
const KINDS: Readonly<Record<string, (layer: Layer) => boolean>> = {
  depthwise3: (l) => isDepthwise(l) && l.kernel <= 3,
  depthwise5: (l) => isDepthwise(l) && l.kernel > 3 && l.kernel <= 5,
  depthwise7: (l) => isDepthwise(l) && l.kernel > 5,
  grouped: (l) => l.groups > 1 && !isDepthwise(l),
  pointwise: (l) => isPlain(l) && l.kernel === 1,
  spatial3: (l) => isPlain(l) && l.kernel > 1 && l.kernel <= 3,
  spatial5: (l) => isPlain(l) && l.kernel > 3,
  dense: (l) => l.kind === 'dense',
  recurrent: (l) => l.kind === 'recurrent',
  product: (l) => l.kind === 'product',
};

function isPlain({ kind, groups }: Layer): boolean {
  return kind === 'convolution' && groups === 1;
}

function isDepthwise({ groups, channelsIn }: Layer): boolean {
  return groups > 1 && groups >= channelsIn;
}

/** Features by name, in a fixed order. */
export function layerFeatures(parts: NetworkParts, image: ImageSize): Record<string, number> {
  const area = image.height * image.width;
  const body = parts.layers.filter(({ isLast }) => !isLast);
  const layers = body.length > 0 ? body : parts.layers;
  const macs = sum(layers, 'macs');
  const weights = sum(layers, 'weights');
  const outputs = sum(layers, 'outputs');
  const weighted = layers.filter(({ kind, positions }) => kind !== 'product' && positions > 1);
  const depth = Math.max(1, ...layers.map((layer) => layer.depth));
  const features: Record<string, number> = {
    logMacs: log(macs),
    logWeights: log(weights),
    logOutputs: log(outputs),
    logLargestOutput: log(Math.max(0, ...layers.map((layer) => layer.outputs))),
    logImage: log(Math.sqrt(area)),
    logDepth: log(depth),
    logLayers: log(weighted.length),
    // How often a weight is used, and MACs for every number given out.
    reuse: log(macs) - log(weights),
    intensity: log(macs) - log(outputs),
    parallel: log(weighted.length) - log(depth),
    macsByDepth: log(macs) - log(depth),
  };
  const level = (layer: Layer): number => {
    const reduction = Math.sqrt(area / Math.max(1, layer.positions));
    const found = LEVELS.findIndex((most) => reduction <= most * Math.SQRT2);
    return found < 0 ? LEVELS.length : found;
  };
  for (const [name, isKind] of Object.entries(KINDS)) {
    const own = layers.filter(isKind);
    features[`macs.${name}`] = share(sum(own, 'macs'), macs);
    features[`weights.${name}`] = share(sum(own, 'weights'), weights);
    features[`layers.${name}`] = share(own.length, layers.length);
  }
  for (let at = 0; at <= LEVELS.length; at++) {
    const own = layers.filter((layer) => level(layer) === at);
    const wide = own.filter(({ kind }) => kind !== 'product');
    const name = at < LEVELS.length ? `/${LEVELS[at]}` : 'single';
    features[`macs at ${name}`] = share(sum(own, 'macs'), macs);
    features[`weights at ${name}`] = share(sum(own, 'weights'), weights);
    features[`layers at ${name}`] = log1(own.length);
    features[`width at ${name}`] = log1(
      Math.max(0, ...wide.map((layer) => Math.min(layer.channelsIn, layer.channelsOut))),
    );
    features[`widest at ${name}`] = log1(Math.max(0, ...wide.map((layer) => layer.channelsOut)));
  }
  const expanding = weighted.filter((layer) => layer.channelsOut >= 2 * layer.channelsIn);
  const [first] = layers;
  const last = parts.layers.find(({ isLast }) => isLast);
  const attention = parts.softmaxSizes.filter((size) => size > 2);
  const activations = parts.plainRectifiers + parts.smoothRectifiers;
  const perLayer = (count: number): number => count / Math.max(1, weighted.length);
  return {
    ...features,
    meanWidth: weightedMean(weighted, (layer) => log(layer.channelsOut)),
    meanKernel: weightedMean(weighted, ({ kernel }) => kernel),
    meanLevel: weightedMean(weighted, (layer) => log(area / Math.max(1, layer.positions)) / 2),
    expanding: share(expanding.length, weighted.length),
    expansion: log(
      Math.max(1, ...expanding.map((layer) => layer.channelsOut / Math.max(1, layer.channelsIn))),
    ),
    groupWidth: log1(Math.max(0, ...layers.filter(KINDS.grouped!).map((l) => l.channelsIn / l.groups))),
    largestKernel: Math.max(1, ...layers.slice(1).map(({ kernel }) => kernel)),
    stemKernel: first?.kernel ?? 1,
    stemStride: first?.stride ?? 1,
    stemWidth: log1(first?.channelsOut ?? 0),
    headWidth: log1(last?.channelsIn ?? 0),
    headLayers: parts.layers.filter(({ isLast }) => isLast).length,
    softmaxes: log1(attention.length),
    attentionKeys: log1(Math.max(0, ...attention)),
    smooth: share(parts.smoothRectifiers, activations),
    activations: perLayer(activations),
    gates: perLayer(parts.channelGates),
    products: perLayer(parts.products),
    residuals: perLayer(parts.residualSums),
    logResiduals: log1(parts.residualSums),
    joins: perLayer(parts.joins),
    normalisations: perLayer(parts.normalisations),
    maximumPools: log1(parts.maximumPools),
    averagePools: log1(parts.averagePools),
    moves: log1(parts.moves),
  };
}

function sum(layers: readonly Layer[], what: 'macs' | 'weights' | 'outputs'): number {
  return layers.reduce((total, layer) => total + layer[what], 0);
}

function share(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

/** Of base 2; of nothing, as of 1. */
function log(x: number): number {
  return Math.log2(Math.max(1, x));
}

function log1(x: number): number {
  return Math.log2(1 + x);
}

/** By MACs. */
function weightedMean(layers: readonly Layer[], of: (layer: Layer) => number): number {
  const macs = sum(layers, 'macs');
  return macs > 0 ? layers.reduce((total, layer) => total + of(layer) * layer.macs, 0) / macs : 0;
}

/** Features that matter alike, by names or beginnings of names; all others are one more group. */
const GROUPS: readonly (readonly string[])[] = [
  ['logMacs', 'logWeights', 'logOutputs', 'logLargestOutput', 'macsByDepth'],
  ['logImage'],
  ['logDepth', 'logLayers', 'parallel'],
  ['reuse', 'intensity'],
  ...['macs.', 'weights.', 'layers.', 'macs at', 'weights at', 'layers at', 'width at', 'widest at'].map(
    (start) => [start],
  ),
  ['meanWidth', 'meanKernel', 'meanLevel', 'expanding', 'expansion', 'groupWidth', 'largestKernel'],
  ['stemKernel', 'stemStride', 'stemWidth', 'headWidth', 'headLayers'],
  ['softmaxes', 'attentionKeys'],
  ['smooth'],
  ['gates'],
];

/** Places of features by group: those of a group share a length scale. Each feature is in one group. */
export function featureGroups(names: readonly string[]): readonly (readonly number[])[] {
  const isOf = (name: string, keys: readonly string[]): boolean =>
    keys.some((key) => name === key || (/[. t]$/.test(key) && name.startsWith(key)));
  const placed = GROUPS.map((keys) => names.flatMap((name, i) => (isOf(name, keys) ? [i] : [])));
  const all = new Set(placed.flat());
  const rest = names.flatMap((_, i) => (all.has(i) ? [] : [i]));
  return [...placed, rest].filter((places) => places.length > 0);
}
