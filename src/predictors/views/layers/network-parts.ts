// The parts of a network that its quality follows from: layers with their sizes, activations, gates, residual sums and
// normalisations. They are told by traits and by the flow of data, so that exporters who fold, fuse or decompose write the
// same parts. Batch normalisations and biases are no parts: whether they are still there, exporters decide.
import { valuesRead } from '../../../analysis/dependence.js';
import type { InferredGraph, InferredNode } from '../../../analysis/infer.js';
import { windowOf } from '../../../analysis/window.js';
import { type Dim, isKnown } from '../../../graph/dim.js';
import { isTensor, type ValueType } from '../../../graph/types.js';
import { inputsOf, traitsOf } from '../../../ops/index.js';
import type { Call } from '../../../ops/operator.js';

/**
 * `convolution`, `dense` and `recurrent` layers have weights; a `product` is one of two computed matrices, as attention has
 * them.
 */
type LayerKind = 'convolution' | 'dense' | 'recurrent' | 'product';

/** All counts are of one sample. */
export interface Layer {
  readonly kind: LayerKind;
  readonly macs: number;
  /** Elements of its kernel or matrix. */
  readonly weights: number;
  /** Numbers it gives out. */
  readonly outputs: number;
  /** Pixels or tokens it gives out. */
  readonly positions: number;
  /** 0 for a product. */
  readonly channelsIn: number;
  readonly channelsOut: number;
  /** The longer side; 1 for all but convolutions. */
  readonly kernel: number;
  readonly stride: number;
  readonly groups: number;
  /** Layers with weights on the longest way to this one, itself among them; those of a single position do not count. */
  readonly depth: number;
  /** No layer comes after it: what gives the classes. */
  readonly isLast: boolean;
}

export interface NetworkParts {
  readonly layers: readonly Layer[];
  /** What the first layer sees, where that is a convolution of whole colour images. */
  readonly image: { readonly height: number; readonly width: number } | undefined;
  /** ReLU and ReLU6: 0 below 0. */
  readonly plainRectifiers: number;
  /** GELU, SiLU, hard swish and others, fused or as a product with a sigmoid. */
  readonly smoothRectifiers: number;
  /** Products with a computed factor for every channel, as squeeze-and-excitation has them. */
  readonly channelGates: number;
  /** Products of two computed values of the same size. */
  readonly products: number;
  readonly residualSums: number;
  readonly joins: number;
  readonly maximumPools: number;
  readonly averagePools: number;
  /** Without batch normalisations. */
  readonly normalisations: number;
  /** Sizes of what goes through a softmax: keys of attention. */
  readonly softmaxSizes: readonly number[];
  /** What only moves data: shifts, windows, shuffles. */
  readonly moves: number;
}

/** @param graph without functions and control flow, and with all sizes known. */
export function networkParts(graph: InferredGraph): NetworkParts {
  return new PartsWalk(graph).finish();
}

type Draft = Omit<Layer, 'isLast'> & { readonly node: InferredNode };

class PartsWalk {
  readonly #graph: InferredGraph;
  readonly #batch: number;
  /** Values that depend on the input. */
  readonly #data: Set<string>;
  readonly #depths = new Map<string, number>();
  readonly #drafts: Draft[] = [];
  /** What a sigmoid, or the mean of something, was taken of. */
  readonly #sigmoidOf = new Map<string, string>();
  readonly #meanOf = new Map<string, string>();
  readonly #counts = {
    plainRectifiers: 0,
    smoothRectifiers: 0,
    channelGates: 0,
    products: 0,
    residualSums: 0,
    joins: 0,
    maximumPools: 0,
    averagePools: 0,
    normalisations: 0,
    moves: 0,
  };
  readonly #softmaxSizes: number[] = [];

  constructor(graph: InferredGraph) {
    this.#graph = graph;
    this.#data = new Set(graph.inputNames);
    const [batch = 1] = sizesOf(graph.types.get(graph.inputNames[0] ?? ''));
    this.#batch = Math.max(1, batch);
    for (const inferred of graph.nodes) this.#node(inferred);
  }

  finish(): NetworkParts {
    // Values that some layer is computed from.
    const before = new Set<string>();
    const last = new Set<InferredNode>();
    const layers = new Set(this.#drafts.map(({ node }) => node));
    for (const inferred of this.#graph.nodes.toReversed()) {
      const { node } = inferred;
      const isBefore = node.outputs.some((name) => before.has(name));
      const isLayer = layers.has(inferred);
      if (isLayer && !isBefore) last.add(inferred);
      if (isLayer || isBefore) for (const name of node.inputs) before.add(name);
    }
    return {
      layers: this.#drafts.map(({ node, ...layer }) => ({ ...layer, isLast: last.has(node) })),
      image: imageSeen(this.#drafts[0]?.node.call, this.#batch),
      ...this.#counts,
      softmaxSizes: this.#softmaxSizes,
    };
  }

  #node(inferred: InferredNode): void {
    const { node, call } = inferred;
    const isData = (name: string): boolean => this.#data.has(name);
    if (!valuesRead(node).some(isData)) return;
    const depth = Math.max(0, ...node.inputs.map((name) => this.#depths.get(name) ?? 0));
    const layer = this.#layer(inferred, depth);
    if (layer !== undefined) this.#drafts.push(layer);
    else this.#count(call);
    for (const name of node.outputs) {
      this.#data.add(name);
      this.#depths.set(name, layer?.depth ?? depth);
    }
  }

  #layer(inferred: InferredNode, before: number): Draft | undefined {
    const { node, call, operator } = inferred;
    const { convolution, product, recurrent, attention } = traitsOf(node);
    if (!(convolution || product || recurrent || attention)) return undefined;
    const macs = numberOf(operator?.cost.of(call)?.macs) / this.#batch;
    const outputs = sizeOf(call.outputs[0]) / this.#batch;
    const kind = this.#kindOf(call);
    if (kind === 'product') {
      const positions = outputs / Math.max(1, sizesOf(call.outputs[0]).at(-1) ?? 1);
      const none = { weights: 0, channelsIn: 0, channelsOut: 0, kernel: 1, stride: 1, groups: 1 };
      return { kind, macs, outputs, positions, ...none, depth: before, node: inferred };
    }
    const weights = this.#weightsOf(call);
    const { kernel, stride, groups, area } = windowOf(call, Number.NaN);
    const channelsIn = (macs / Math.max(1, outputs) / area) * groups;
    const channelsOut = Math.max(1, (weights * groups) / Math.max(1, channelsIn * area));
    const positions = outputs / channelsOut;
    const depth = before + Number(positions > 1);
    const sizes = { weights, outputs, positions, channelsIn, channelsOut, kernel, stride, groups };
    return { kind, macs, ...sizes, depth, node: inferred };
  }

  #kindOf({ node }: Call): LayerKind {
    const { convolution, recurrent, attention } = traitsOf(node);
    if (convolution) return 'convolution';
    if (recurrent) return 'recurrent';
    if (attention) return 'product';
    return valuesRead(node).every((name) => this.#data.has(name)) ? 'product' : 'dense';
  }

  /** Elements of the operands that do not depend on the input; of two or more axes, as a bias has one. */
  #weightsOf(call: Call): number {
    const { node } = call;
    const packed = (call.int('K') ?? 0) * (call.int('N') ?? 0);
    if (packed > 0) return packed;
    const own = inputsOf(node, call.opset).slots('weight');
    const slots = own.length > 0 ? own : [...node.inputs.keys()];
    return slots.reduce((sum, slot) => {
      const name = node.inputs[slot] ?? '';
      const type = call.inputs[slot];
      return name === '' || this.#data.has(name) || sizesOf(type).length < 2 ? sum : sum + sizeOf(type);
    }, 0);
  }

  #count(call: Call): void {
    const { node } = call;
    const { activation, arithmetic, normalisation, pooling, softmax, moves, reduction, range } =
      traitsOf(node);
    const counts = this.#counts;
    const [first = '', second = ''] = node.inputs;
    const [output = ''] = node.outputs;
    if (activation === 'sigmoid') this.#sigmoidOf.set(output, first);
    else if (activation === 'clip' || (activation === 'rectifier' && range)) counts.plainRectifiers++;
    else if (activation === 'rectifier' || activation === 'erf' || activation === 'tanh')
      counts.smoothRectifiers++;
    else if (arithmetic === 'multiply') this.#multiply(call, first, second);
    else if (arithmetic === 'add') counts.residualSums += Number(this.#isOfTwo(call) && isSameSize(call));
    else if (arithmetic === 'subtract') {
      if (this.#meanOf.get(second) === first) counts.normalisations++;
    } else if (normalisation !== undefined) counts.normalisations += Number(normalisation !== 'batch');
    else if (softmax) this.#softmaxSizes.push(sizesOf(call.outputs[0]).at(call.int('axis', -1)) ?? 1);
    else if (pooling?.keeps === 'maximum') counts.maximumPools++;
    else if (pooling) counts.averagePools++;
    else if (reduction === 'mean') {
      this.#meanOf.set(output, first);
      counts.averagePools++;
    } else if (moves === 'join') counts.joins++;
    else if (moves === 'axes' || moves === 'part' || moves === 'lookup') counts.moves++;
  }

  #multiply(call: Call, first: string, second: string): void {
    if (!this.#isOfTwo(call)) return;
    const isGated = this.#sigmoidOf.get(first) === second || this.#sigmoidOf.get(second) === first;
    if (isGated) this.#counts.smoothRectifiers++;
    else if (isSameSize(call)) this.#counts.products++;
    else this.#counts.channelGates++;
  }

  #isOfTwo({ node }: Call): boolean {
    return node.inputs.length === 2 && node.inputs.every((name) => this.#data.has(name));
  }
}

/** Networks that fold pixels into channels, or cut images into patches, see something else. */
function imageSeen(first: Call | undefined, count: number): NetworkParts['image'] {
  if (first === undefined || traitsOf(first.node).convolution === undefined) return undefined;
  const [images, channels, height = 0, width = 0, ...more] = sizesOf(first.inputs[0]);
  return images === count && channels === 3 && more.length === 0 ? { height, width } : undefined;
}

function isSameSize({ inputs }: Call): boolean {
  return sizeOf(inputs[0]) === sizeOf(inputs[1]);
}

function sizesOf(type: ValueType | undefined): number[] {
  return ((isTensor(type) ? type.shape : undefined) ?? []).map(numberOf);
}

function sizeOf(type: ValueType | undefined): number {
  return sizesOf(type).reduce((n, size) => n * size, 1);
}

/** NaN where it is not known. */
function numberOf(size: Dim | undefined): number {
  return size !== undefined && isKnown(size) ? size : Number.NaN;
}
