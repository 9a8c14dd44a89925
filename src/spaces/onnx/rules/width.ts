// Other hidden widths: the expansion of an inverted bottleneck, the waist of a bottleneck, the hidden layer of a
// transformer's perceptron. The sequence begins with the layer that makes the hidden channels and ends with a layer that
// reads them; what lies between treats every channel alike, or, as the gate of a squeeze-and-excitation block, has layers
// of its own that make and read them.
import { isKnown } from '../../../graph/dim.js';
import { isDefaultDomain, type Node } from '../../../graph/graph.js';
import type { Tensor } from '../../../graph/tensor.js';
import { isTensor } from '../../../graph/types.js';
import { type Initialiser, kaimingNormal, ones, zeros } from '../../../nn/initialise.js';
import type { Value } from '../../../ops/build.js';
import { inputsOf, traitsOf } from '../../../ops/index.js';
import type { PartWriter } from '../part-writer.js';
import { plainConv, withAttributes } from './layers.js';
import type { Part, Rule } from './rule.js';

const FACTORS = [0.5, 0.75, 1.5, 2] as const;

export const width: Rule = {
  name: 'width',
  summary: 'changes the hidden width between two layers: the ratio of a bottleneck or of a perceptron',
  keepsPart: true,
  notation: FACTORS.map((factor) => `width${factor}`),
  options: (part) => {
    const hidden = hiddenChannels(part);
    if (hidden === undefined) return [];
    return FACTORS.filter((factor) => scaled(hidden.count, factor) !== hidden.count).map((f) => `width${f}`);
  },
  write: (part, option, writer) => {
    const hidden = hiddenChannels(part)!;
    return rewritten(part, hidden, scaled(hidden.count, Number(option.slice('width'.length))), writer);
  },
};

const scaled = (count: number, factor: number): number => Math.max(1, Math.round(count * factor));

/** Values that have the same channels, and the axis they are on: 1 for images, −1 for vectors. */
interface HiddenChannels {
  readonly values: ReadonlySet<string>;
  readonly axis: 1 | -1;
  readonly count: number;
}

/** How a layer mixes channels: a convolution without groups, or a product with a matrix. */
interface Mixing {
  readonly axis: 1 | -1;
  readonly weight: Tensor;
  /** Which axis of the weight stands for channels that go in, and which for those that come out. */
  readonly inside: number;
  readonly out: number;
}

function mixingOf(node: Node, part: Part): Mixing | undefined {
  const conv = plainConv(node, part);
  if (conv) return conv.groups === 1 ? { axis: 1, weight: conv.weight, inside: 1, out: 0 } : undefined;
  const { product } = traitsOf(node);
  const weight = part.graph.constant(node.inputs[1] ?? '');
  if (!isDefaultDomain(node.domain) || weight?.dtype !== 'float32' || weight.dims.length !== 2)
    return undefined;
  if (product === 'matmul') return { axis: -1, weight, inside: 0, out: 1 };
  if (product !== 'gemm' || Number(node.attributes.get('transA')?.value ?? 0) !== 0) return undefined;
  const isTransposed = Number(node.attributes.get('transB')?.value ?? 0) !== 0;
  return { axis: -1, weight, inside: isTransposed ? 1 : 0, out: isTransposed ? 0 : 1 };
}

/** The hidden channels of a part that begins by making and ends by reading them. */
function hiddenChannels(part: Part): HiddenChannels | undefined {
  const { nodes, input, output, from } = part;
  const [first, last] = [nodes[0]!, nodes.at(-1)!];
  const [maker, reader] = [mixingOf(first, part), mixingOf(last, part)];
  if (from.dtype !== 'float32' || nodes.length < 2) return undefined;
  if (maker === undefined || reader === undefined || maker.axis !== reader.axis) return undefined;
  const { axis } = maker;
  const count = maker.weight.dims[maker.out]!;
  const values = new Set([first.outputs[0]!]);
  for (let before = 0; before < values.size; ) {
    before = values.size;
    for (const node of nodes) {
      const found = joinedValues(node, values, part, axis, count);
      if (found === undefined) return undefined;
      for (const name of found) values.add(name);
    }
  }
  const isHidden = values.has(last.inputs[0]!) && !values.has(output) && !values.has(input);
  return isHidden ? { values, axis, count } : undefined;
}

/** The values of a node that have the same channels as some; undefined where it does not treat channels alike. */
function joinedValues(
  node: Node,
  values: ReadonlySet<string>,
  part: Part,
  axis: 1 | -1,
  count: number,
): readonly string[] | undefined {
  const { graph } = part;
  const data = node.inputs.filter((name) => graph.open.has(name));
  const [output] = node.outputs;
  const touched = [...data, output!].some((name) => values.has(name));
  if (!touched || mixingOf(node, part)?.axis === axis) return [];
  if (!isDefaultDomain(node.domain) || node.outputs.length !== 1) return undefined;
  const channels = (name: string): number | undefined => {
    const type = graph.types.get(name);
    const size = isTensor(type) ? type.shape?.at(axis) : undefined;
    return isKnown(size) ? size : undefined;
  };
  const all = [...data, output!];
  if (!treatsChannelsAlike(node, part, axis) || all.some((name) => channels(name) !== count))
    return undefined;
  return all;
}

function treatsChannelsAlike(node: Node, part: Part, axis: 1 | -1): boolean {
  const { isElementwise, normalisation, pooling, reduction, moves } = traitsOf(node);
  if (isElementwise || moves === 'same') return true;
  if (normalisation === 'batch') return axis === 1;
  if (normalisation === 'layer') return axis === -1;
  const conv = plainConv(node, part);
  const isDepthwise = conv !== undefined && conv.dims[1] === 1 && conv.groups === conv.dims[0];
  // What is left of the axes that are reduced must stay, so that channels are where they were.
  return (
    axis === 1 && (pooling !== undefined || isDepthwise || (reduction !== undefined && keepsAxes(node, part)))
  );
}

function keepsAxes(node: Node, { graph }: Part): boolean {
  const [before, after] = [graph.types.get(node.inputs[0]!), graph.types.get(node.outputs[0]!)];
  return isTensor(before) && isTensor(after) && before.shape?.length === after.shape?.length;
}

// Writing ----------------------------------------------------------------------------------------------------------

/** The part with another number of hidden channels: constants that have one number for each are new, all others stay. */
function rewritten(part: Part, hidden: HiddenChannels, count: number, writer: PartWriter): Value {
  const { nodes, graph, input, output } = part;
  const names = new Map([[input, writer.input.name]]);
  for (const node of nodes) {
    const inputs = node.inputs.map((name, slot) => {
      const written = names.get(name);
      if (written !== undefined || name === '' || graph.open.has(name)) return written ?? name;
      const dims = newDims(node, slot, part, hidden, count);
      return dims === undefined ? name : writer.weight(dims, initialiserOf(node, slot, part)).name;
    });
    const conv = plainConv(node, part);
    const isDepthwise = conv !== undefined && conv.groups > 1 && hidden.values.has(node.inputs[0]!);
    const attributes = isDepthwise
      ? withAttributes(node, { group: { type: 'int', value: count } })
      : node.attributes;
    names.set(node.outputs[0]!, writer.copy(node, inputs, attributes).name);
  }
  return writer.builder.value(names.get(output)!);
}

/** The sizes of a constant that has hidden channels; undefined for others. */
function newDims(
  node: Node,
  slot: number,
  part: Part,
  { values, axis, count: before }: HiddenChannels,
  count: number,
): number[] | undefined {
  const { graph } = part;
  const tensor = graph.constant(node.inputs[slot]!);
  const [reads, makes] = [values.has(node.inputs[0]!), values.has(node.outputs[0]!)];
  if (tensor === undefined || (!reads && !makes)) return undefined;
  const { dims } = tensor;
  const mixing = mixingOf(node, part);
  if (mixing !== undefined && slot === 1) {
    let changed = [...dims];
    if (reads) changed = changed.with(mixing.inside, count);
    if (makes) changed = changed.with(mixing.out, count);
    return changed;
  }
  if (!makes) return undefined;
  // A bias or a scale of channels; beside an image, elementwise ones are aligned at the last axis.
  const rank = (graph.types.get(node.outputs[0]!) as { shape?: readonly unknown[] }).shape!.length;
  const isElementwise = traitsOf(node).isElementwise === true;
  const place = axis === -1 ? dims.length - 1 : isElementwise ? dims.length - rank + 1 : 0;
  return place >= 0 && dims[place] === before ? dims.with(place, count) : undefined;
}

/** New weights are drawn; what only shifts begins with 0, what only scales with 1. */
function initialiserOf(node: Node, slot: number, { graph }: Part): Initialiser {
  const { arithmetic, isElementwise, normalisation } = traitsOf(node);
  if (isElementwise) return arithmetic === 'add' || arithmetic === 'subtract' ? zeros : ones;
  const role = inputsOf(node, graph.opset).role(slot);
  if (role === 'bias' || role === 'mean') return zeros;
  return role === 'weight' && normalisation === undefined ? kaimingNormal() : ones;
}
