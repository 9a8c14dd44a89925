// Sub-graphs of images (N, C, …sides) → (N, C', …sides'), as data: what stands in the place of any sequence of
// convolutions and pools with these sizes. They are written in the network's own style: with its normalisation and its
// activation, in front of the layers or behind them.
import { add, type Dim, floorDivide, isKnown, sameDim, subtract } from '../../../graph/dim.js';
import { zeros } from '../../../nn/initialise.js';
import type { Value } from '../../../ops/build.js';
import { traitsOf } from '../../../ops/index.js';
import type { PartWriter } from '../part-writer.js';
import { styleOf } from '../style.js';
import { isActivationNode, plainConv, weightLayers } from './layers.js';
import type { Part, Rule } from './rule.js';

/** A multiple of the channels that go in or come out. */
interface Width {
  readonly of: 'in' | 'out';
  readonly times: number;
}

interface Layer {
  readonly kind: 'conv' | 'maximum' | 'average';
  /** Of all axes, or of height and width. */
  readonly kernel: number | readonly [height: number, width: number];
  /** Channels that come out; those that go in by default. */
  readonly width?: Width;
  /** The axes along which this layer takes the steps of the sequence. */
  readonly steps?: 'all' | 'height' | 'width';
  readonly isDepthwise?: true;
  /** No activation follows, although another layer does. */
  readonly isLinear?: true;
}

const OUT: Width = { of: 'out', times: 1 };

const conv = (side: number): Layer => ({ kind: 'conv', kernel: side, width: OUT, steps: 'all' });
const depthwise = (side: number): Layer => ({ kind: 'conv', kernel: side, steps: 'all', isDepthwise: true });
const pointwise = (of: Width['of'], times: number): Layer => ({
  kind: 'conv',
  kernel: 1,
  width: { of, times },
});

const separable = (side: number): Layer[] => [{ ...depthwise(side), isLinear: true }, pointwise('out', 1)];
const factorised = (side: number): Layer[] => [
  { kind: 'conv', kernel: [1, side], width: OUT, steps: 'width', isLinear: true },
  { kind: 'conv', kernel: [side, 1], width: OUT, steps: 'height' },
];
const bottleneck = (side: number, ratio: number): Layer[] => [
  pointwise('out', 1 / ratio),
  { kind: 'conv', kernel: side, steps: 'all' },
  pointwise('out', 1),
];
const inverted = (side: number, ratio: number): Layer[] => [
  pointwise('in', ratio),
  depthwise(side),
  pointwise('out', 1),
];
const pooled = (kind: 'maximum' | 'average'): Layer[] => [
  { kind, kernel: 3, steps: 'all', isLinear: true },
  pointwise('out', 1),
];

/** The sub-graphs by the names of options. */
const SUBGRAPHS: Readonly<Record<string, readonly Layer[]>> = {
  conv1: [conv(1)],
  conv3: [conv(3)],
  conv5: [conv(5)],
  separable3: separable(3),
  separable5: separable(5),
  factorised3: factorised(3),
  factorised5: factorised(5),
  factorised7: factorised(7),
  bottleneck3x2: bottleneck(3, 2),
  bottleneck3x4: bottleneck(3, 4),
  inverted3x3: inverted(3, 3),
  inverted3x6: inverted(3, 6),
  inverted5x3: inverted(5, 3),
  double3: [conv(3), { kind: 'conv', kernel: 3 }],
  maxpool3: pooled('maximum'),
  avgpool3: pooled('average'),
};

/** Sub-graphs that may be put behind a node. */
const INSERTED = ['conv1', 'conv3', 'separable3', 'separable5', 'bottleneck3x4', 'inverted3x3'] as const;

/** Steps of one axis that layers can take. */
const STEPS = [1, 2, 3, 4, 6, 8, 16, 32] as const;

export const imageLayers: Rule = {
  name: 'image layers',
  summary:
    'replaces a sequence with convolutions or pools by another sub-graph for the same sizes: ' +
    'separable, factorised, bottleneck, inverted bottleneck, plain or pooling',
  notation: Object.keys(SUBGRAPHS),
  options: (part) => {
    const sizes = imageSizes(part);
    if (sizes === undefined || !part.nodes.some(isImageLayer)) return [];
    const present = presentConv(part);
    return Object.keys(SUBGRAPHS).filter(
      (name) => name !== present && (sizes.steps.length === 2 || !name.startsWith('factorised')),
    );
  },
  write: (part, option, writer) => writeLayers(part, SUBGRAPHS[option]!, writer),
};

export const insertion: Rule = {
  name: 'insertion',
  summary: 'puts new layers behind an activation of an image',
  keepsPart: true,
  notation: INSERTED.map((name) => `+${name}`),
  options: (part) => {
    const isOne = part.nodes.length === 1 && isActivationNode(part.nodes[0]!);
    return isOne && imageSizes(part) !== undefined ? INSERTED.map((name) => `+${name}`) : [];
  },
  write: (part, option, writer) => {
    const before = writer.copyPart(writer.input, false);
    return writeLayers(part, SUBGRAPHS[option.slice(1)]!, writer, before);
  },
};

const isImageLayer = (node: Part['nodes'][number]): boolean => {
  const { convolution, pooling } = traitsOf(node);
  return convolution !== undefined || pooling?.over === 'window';
};

/** The option that a part with one convolution is already. */
function presentConv(part: Part): string | undefined {
  const layers = part.nodes.filter((node) => isImageLayer(node) || traitsOf(node).product !== undefined);
  const only = layers.length === 1 ? plainConv(layers[0]!, part) : undefined;
  return only?.groups === 1 && new Set(only.kernel).size === 1 ? `conv${only.kernel[0]}` : undefined;
}

interface ImageSizes {
  readonly channels: { readonly in: number; readonly out: number };
  /** Of every axis behind the channels. */
  readonly steps: readonly number[];
}

/** Undefined where no layers lead from the one size to the other: an axis grows, or its size is not a whole step. */
function imageSizes({ from, to }: Part): ImageSizes | undefined {
  const [batch, inside, ...before] = from.shape!;
  const [batchAfter, outside, ...after] = to.shape!;
  if (from.dtype !== 'float32' || before.length === 0 || before.length !== after.length) return undefined;
  if (!isKnown(inside) || !isKnown(outside) || !sameDim(batch!, batchAfter!)) return undefined;
  const steps = before.map((size, i) => STEPS.find((step) => sameDim(stepped(size, step), after[i]!)));
  if (steps.some((step) => step === undefined)) return undefined;
  return { channels: { in: inside, out: outside }, steps: steps as number[] };
}

/** ⌈size/step⌉, as a layer with an odd kernel that pads by half of it gives it. */
const stepped = (size: Dim, step: number): Dim =>
  step === 1 ? size : add(floorDivide(subtract(size, 1), step), 1);

/** Writes layers from `x` to the output of a part, with a shortcut where the part has one and sizes agree. */
function writeLayers(
  part: Part,
  layers: readonly Layer[],
  writer: PartWriter,
  x: Value = writer.input,
): Value {
  const sizes = imageSizes(part)!;
  const { nodes, graph } = part;
  const own = styleOf(nodes);
  const activation = own.activation ?? graph.style.activation;
  const isInserted = x !== writer.input;
  const isFirst = !isInserted && isActivationNode(nodes[0]!);
  const isLast = isActivationNode(nodes.at(-1)!) && (isInserted || nodes.length > 1);
  const hasNorm = own.hasBatchNorm || weightLayers(part).length === 0;
  let y = isFirst ? writer.activation(x, activation) : x;
  layers.forEach((layer, i) => {
    const isEnd = i === layers.length - 1;
    y = writeLayer(layer, y, sizes, writer, graph.style.hasBatchNorm && (!isEnd || hasNorm));
    if (!isEnd && layer.isLinear !== true) y = writer.activation(y, activation);
  });
  const isResidual = nodes.some(
    (node) => traitsOf(node).arithmetic === 'add' && node.inputs.every((name) => graph.open.has(name)),
  );
  const isSame = sizes.channels.in === sizes.channels.out && sizes.steps.every((step) => step === 1);
  if (isResidual && isSame) y = y.add(x);
  return isLast ? writer.activation(y, activation) : y;
}

function writeLayer(
  { kind, kernel, width, steps, isDepthwise }: Layer,
  x: Value,
  sizes: ImageSizes,
  writer: PartWriter,
  hasNorm: boolean,
): Value {
  const sides = typeof kernel === 'number' ? sizes.steps.map(() => kernel) : [...kernel];
  const halves = sides.map((side) => (side - 1) / 2);
  const strides = sizes.steps.map((step, i) =>
    steps === 'all' || steps === (['height', 'width'] as const)[i] ? step : 1,
  );
  const attributes = { kernel_shape: sides, strides, pads: [...halves, ...halves] };
  const { builder } = writer;
  if (kind !== 'conv') return builder.op(kind === 'maximum' ? 'MaxPool' : 'AveragePool', [x], attributes);
  const inside = x.length(1);
  const out = width === undefined ? inside : Math.max(1, Math.round(sizes.channels[width.of] * width.times));
  const group = isDepthwise ? inside : 1;
  const weight = writer.weight([out, inside / group, ...sides]);
  if (!hasNorm)
    return builder.op('Conv', [x, weight, writer.weight([out], zeros, 'bias')], { ...attributes, group });
  return writer.batchNorm(builder.op('Conv', [x, weight], { ...attributes, group }));
}
