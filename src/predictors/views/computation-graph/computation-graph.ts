// Computation graphs of GENNAPE (Mills et al., AAAI 2023): a network of any kind as a graph of primitive
// operations with the sizes of what goes in and comes out. The authors make them of TensorFlow graphs; here they
// are made of ONNX ones, in one walk. What the passes of theirs amount to is said at `computationGraph`.
import { readsOnlySizes } from '../../../analysis/dependence.js';
import {
  type Inference,
  type InferredGraph,
  type InferredNode,
  inferShapes,
} from '../../../analysis/infer.js';
import type { Dim } from '../../../graph/dim.js';
import { type Model, type Node, nodeLabel } from '../../../graph/graph.js';
import { usedNames } from '../../../graph/order.js';
import { isTensor, type ValueType } from '../../../graph/types.js';
import { inputsOf, traitsOf } from '../../../ops/index.js';
import type { Call } from '../../../ops/operator.js';
import {
  channelAxes,
  imageSizes,
  movedAxis,
  type Resolution,
  resolution,
  type Sizes,
} from './image-sizes.js';
import { type KernelShape, kernelAndBias, type WindowDetails, windowDetails } from './primitive-details.js';
import {
  boundedLabel,
  GATES,
  isPart,
  isView,
  type Label,
  labelOf,
  labelOfOperator,
} from './primitive-ops.js';
import { VOCABULARIES, type Vocabulary } from './vocabulary.js';

interface AnyNode extends WindowDetails {
  /** The name of the ONNX node, or of the input or output. */
  readonly name: string;
  /** One of the vocabulary, or the ONNX operator where that has none. */
  readonly label: string;
  /** The label's place in the vocabulary, 0 where it is not in it. */
  readonly op: number;
  readonly resolution: Resolution;
}

export interface RegularNode extends AnyNode {
  readonly kind: 'regular';
}

/** Conv, Depthwise or MatMul. */
export interface WeightedNode extends AnyNode {
  readonly kind: 'weighted';
  readonly shape: KernelShape;
  readonly usesBias: boolean;
}

export interface ComputationGraph {
  /** Weighted nodes, then regular ones; each in an order in which they can run. */
  readonly nodes: readonly (WeightedNode | RegularNode)[];
  readonly weightedCount: number;
  /** Places of nodes in the list, in ascending order; no edge twice. */
  readonly edges: readonly (readonly [from: number, to: number])[];
  /** Nodes with a size that is not known, because it depends on data or a dimension was left open. */
  readonly unknownSizes: number;
  /** Whether an output depends on an input. */
  readonly isConnected: boolean;
}

/**
 * The computation graph of a network.
 *
 * - Constants are left out, and what is computed from constants or from sizes alone. A constant operand of a
 *   convolution or product is its kernel; a vector that is added to what one gives is its bias.
 * - What only moves, reshapes or converts elements is left out, what was before it joined to what comes after:
 *   Reshape, Transpose, Slice, Cast, … (`isView` and `isPart`), and an Identity that only names an output.
 * - Add, Mul and Concat with one remaining parent are left out; a product with 0 is `Zero`. Differences count as
 *   Add, quotients, powers and roots as Mul.
 * - x·σ(x) and the like are one Swish, decompositions of GELU one GeLU; see `GATES`. A FusedConv is its
 *   convolution, sum and activation again.
 * - Functions are seen through; loops and branches are single nodes.
 * - An operator that has no label keeps its name as one, and is operation 0. What leads to no output is left out.
 * - Every input and output of the network that depends on data is a node; a network without inputs gets one. None
 *   can lie inside the graph.
 *
 * Sizes: of (B, C, H, W) these; of (B, C) or what else has one axis beside channels and batch, as tokens
 * (B, n, C), H = n and W = 1, all axes but channels multiplied and divided by the batch, so that windows or tokens
 * laid out in the batch's axis are still counted; of more axes (B, C, D, H, W) H is D·H,
 * while kernels are those of H and W alone. Which axis holds the
 * channels follows from the operators (convolutions have them second, dense layers last) and is carried through
 * transpositions; if nothing tells, it is the last one of three and else the second. Whole numbers (B, n) are
 * tokens with one channel. B is the first size of the first input.
 *
 * @param network a model, or what inference found out of one, possibly with sizes fixed.
 * @param vocabulary what nodes are called; it changes neither nodes nor edges.
 *
 * @example
 * const { nodes, edges } = computationGraph(readModel('resnet18.onnx'));
 * nodes.filter(({ label }) => label === 'Conv').length; // 20
 */
export function computationGraph(
  network: Model | Inference,
  vocabulary: Vocabulary = VOCABULARIES.gennape,
): ComputationGraph {
  const { graph } = 'model' in network ? network : inferShapes(network);
  return new Drawing(graph, vocabulary).finish();
}

/** A node while the graph is drawn. */
interface Draft {
  readonly name: string;
  /** The vocabulary's. */
  readonly label: string;
  /** The paper's label, which says what becomes of neighbours. */
  readonly paper: string;
  readonly parents: readonly Draft[];
  /** What it was applied to, up to constants. */
  readonly input: Root | undefined;
  readonly resolution: Resolution;
  readonly details: WindowDetails;
  /** Of weighted nodes. */
  readonly shape: KernelShape | undefined;
  usesBias: boolean;
}

type DraftParts = Pick<Draft, 'name' | 'label' | 'parents' | 'resolution'> & Partial<Draft>;

const NO_DETAILS: WindowDetails = {};

/**
 * What a value is a view or a simple function of: the one result of a node, or a part or a mixture of results.
 * Values of one root differ only by shape and by arithmetic with constants.
 */
type Root = Draft | { readonly part: string };

/** Where a value comes from; constants come from nowhere. */
interface Source {
  /** The nearest nodes that are part of the graph. */
  readonly from: readonly Draft[];
  readonly root: Root;
  readonly channelAxis: number | undefined;
}

type Sources = Map<string, Source>;

class Drawing {
  readonly #graph: InferredGraph;
  readonly #vocabulary: Vocabulary;
  readonly #batch: Dim;
  readonly #drafts: Draft[] = [];
  readonly #outputs: Draft[] = [];

  constructor(graph: InferredGraph, vocabulary: Vocabulary) {
    this.#graph = graph;
    this.#vocabulary = vocabulary;
    const [first] = graph.inputNames.map((name) => graph.types.get(name)).filter(isTensor);
    this.#batch = first?.shape?.[0] ?? 1;
    const sources: Sources = new Map();
    for (const name of graph.inputNames) {
      const size = this.#sizes(graph.types.get(name), undefined);
      const input = this.#draft({ name, label: 'Input', parents: [], resolution: resolution(size, size) });
      sources.set(name, { from: [input], root: input, channelAxis: undefined });
    }
    for (const node of graph.nodes) this.#node(node, sources);
    for (const name of graph.outputNames) {
      const source = sources.get(name);
      const size = this.#sizes(graph.types.get(name), source?.channelAxis);
      const parents = source?.from ?? [];
      this.#outputs.push(this.#draft({ name, label: 'Output', parents, resolution: resolution(size, size) }));
    }
  }

  #draft({ name, label, parents, resolution, ...parts }: DraftParts): Draft {
    const { paper = label, input, details = NO_DETAILS, shape, usesBias = false } = parts;
    // One literal for all, so that all have the same layout in memory.
    const draft = { name, label, paper, parents, input, resolution, details, shape, usesBias };
    this.#drafts.push(draft);
    return draft;
  }

  #node(inferred: InferredNode, sources: Sources): void {
    const { node, call } = inferred;
    if (inferred.isFunction) {
      this.#function(inferred, sources);
      return;
    }
    // Of what only changes a shape or a type, further inputs tell the new one.
    const names = isView(node) ? node.inputs.slice(0, 1) : usedNames(node);
    const given = names.flatMap((name) => sources.get(name) ?? []);
    if (given.length === 0 || readsOnlySizes(node)) return;
    const source = this.#isLeftOut(call, sources)
      ? passedOn(call, given)
      : this.#operator(call, given, sources);
    node.outputs.forEach((name, i) => {
      // Further outputs, of splits, recurrent layers and the like, are other values of the same node.
      if (name !== '') sources.set(name, i === 0 ? source : { ...source, root: { part: name } });
    });
  }

  /** Whether elements only move, or an output only gets its name, or nothing is padded. */
  #isLeftOut(call: Call, sources: Sources): boolean {
    const { opType, inputs, outputs } = call.node;
    if (labelOfOperator(opType) === 'Identity') return this.#graph.outputNames.includes(outputs[0]!);
    if (traitsOf(call.node).moves === 'pad')
      return (call.ints('pads') ?? call.numbers(1))?.every((p) => p === 0) ?? false;
    // Rows of a constant table are an embedding, which is an operation.
    return isView(call.node) || (isPart(call.node) && sources.has(inputs[0]!));
  }

  /** A function's nodes, as if they stood where it is called. */
  #function({ node, call }: InferredNode, sources: Sources): void {
    const body = call.bodies[0]!.graph as InferredGraph;
    const inside: Sources = new Map();
    body.inputNames.forEach((name, i) => {
      const source = sources.get(node.inputs[i] ?? '');
      if (source !== undefined) inside.set(name, source);
    });
    for (const inner of body.nodes) this.#node(inner, inside);
    node.outputs.forEach((name, i) => {
      const source = inside.get(body.outputNames[i]!);
      if (source !== undefined && name !== '') sources.set(name, source);
    });
  }

  /** Draws what an operator is, if anything. */
  #operator(call: Call, given: readonly Source[], sources: Sources): Source {
    const { node } = call;
    const [lead] = given as [Source];
    const from = originsOf(given);
    const isData = (name: string): boolean => sources.has(name);
    const constants = node.inputs.flatMap((name, i) => (name === '' || isData(name) ? [] : [i]));
    const at = node.inputs.findIndex(isData);
    const label = labelOf(call);
    const [inAxis, channelAxis] = channelAxes(call, label, { axis: lead.channelAxis, at, constants });
    if (label === 'Add' || label === 'GeLU') noteBias(call, lead.root, constants);

    const isMerge = label === 'Add' || label === 'Mul' || label === 'Concat';
    const isZero =
      traitsOf(node).arithmetic === 'multiply' &&
      constants.some((i) => call.inputSize(i) === 1 && call.scalar(i) === 0);
    if (isMerge && from.length === 1 && !isZero) {
      const hasOneRoot = label !== 'Concat' && given.every(({ root }) => root === lead.root);
      return { from, root: hasOneRoot ? lead.root : { part: node.outputs[0]! }, channelAxis };
    }

    const name = nodeLabel(node);
    const output = this.#sizes(call.outputs[0], channelAxis);
    const gate = label === 'Mul' ? gateOf(given) : undefined;
    if (gate !== undefined) {
      const [hIn, , wIn, , cIn] = gate.resolution;
      return this.#drawn(channelAxis, {
        name,
        label: this.#vocabulary.gateOf(gate.label, gate.paper as Label),
        paper: GATES[gate.paper]!,
        parents: gate.parents,
        resolution: resolution([hIn, wIn, cIn], output),
      });
    }
    const sum = sources.get(node.inputs[summandOf(node)] ?? '');
    const drawn = this.#drawn(channelAxis, {
      name,
      label: isZero ? 'Zero' : this.#labelOf(call, label, constants),
      paper: isZero ? 'Zero' : label === 'OOV' ? node.opType : label,
      parents: sum === undefined ? from : originsOf(given.filter((source) => source !== sum)),
      input: lead.root,
      resolution: resolution(this.#sizes(call.inputs[at], inAxis), output),
      details: windowDetails(call, label),
      ...kernelAndBias(call, label, constants),
    });
    return this.#fused(call, drawn, sum, resolution(output, output));
  }

  #labelOf(call: Call, paper: Label, constants: readonly number[]): string {
    return this.#vocabulary.labelOf(call.node, paper, {
      groups: paper === 'Conv' ? call.int('group', 1) : 1,
      hasConstant: constants.length > 0,
    });
  }

  /** What ONNX Runtime fuses into a convolution or product: a sum with another value, then an activation. */
  #fused(call: Call, drawn: Source, sum: Source | undefined, size: Resolution): Source {
    const { channelAxis } = drawn;
    const common = { name: nodeLabel(call.node), resolution: size };
    const added =
      sum === undefined
        ? drawn
        : this.#drawn(channelAxis, { ...common, label: 'Add', parents: originsOf([drawn, sum]) });
    const activation = call.node.attributes.get('activation');
    if (activation?.type !== 'string') return added;
    const bounds = call.floats('activation_params') ?? [];
    const name = String(activation.value);
    const label = name === 'Clip' ? boundedLabel(bounds[0], bounds[1]) : labelOfOperator(name);
    return this.#drawn(channelAxis, {
      ...common,
      label: this.#vocabulary.labelOf({ opType: name, domain: '' }, label),
      paper: label === 'OOV' ? name : label,
      parents: added.from,
      input: added.root,
    });
  }

  /** The value that a new node gives. */
  #drawn(channelAxis: number | undefined, parts: DraftParts): Source {
    const draft = this.#draft(parts);
    return { from: [draft], root: draft, channelAxis };
  }

  #sizes(type: ValueType | undefined, channelAxis: number | undefined): Sizes {
    return imageSizes(type, channelAxis, this.#batch);
  }

  finish(): ComputationGraph {
    const isFed = this.#outputs.some(({ parents }) => parents.length > 0);
    const outputs = isFed ? this.#outputs.filter(({ parents }) => parents.length > 0) : this.#outputs;
    const kept = new Set(outputs);
    for (const draft of kept) for (const parent of draft.parents) kept.add(parent);
    const drafts = this.#drafts.filter((draft) => kept.has(draft));
    const [first] = drafts;
    if (!isFed && first !== undefined) return this.#withInput(drafts, first);
    return numbered(drafts, this.#vocabulary, isFed);
  }

  /** Before a graph that depends on nothing there is an input all the same. */
  #withInput(drafts: readonly Draft[], { resolution: [h, , w, , c] }: Draft): ComputationGraph {
    const size: Sizes = [h, w, c];
    const input = this.#draft({ name: '', label: 'Input', parents: [], resolution: resolution(size, size) });
    const fed = drafts.map((draft) => ({ ...draft, parents: [input] }));
    return numbered([input, ...fed], this.#vocabulary, false);
  }
}

/** What comes out where elements only move. */
function passedOn(call: Call, given: readonly Source[]): Source {
  const [lead] = given as [Source];
  const root = isPart(call.node) ? { part: call.node.outputs[0]! } : lead.root;
  return { from: originsOf(given), root, channelAxis: movedAxis(call, lead.channelAxis) };
}

function originsOf(sources: readonly Source[]): readonly Draft[] {
  return [...new Set(sources.flatMap(({ from }) => from))];
}

/** Where ONNX Runtime's convolutions have another value that they add: their second input that is data; else -1. */
function summandOf(node: Node): number {
  return traitsOf(node).convolution === 'plain' ? (inputsOf(node).slots('data')[1] ?? -1) : -1;
}

/** The node f(x) of a product x·f(x) that is one activation. */
function gateOf(given: readonly Source[]): Draft | undefined {
  const [a, b, ...more] = [...new Set(given.map(({ root }) => root))];
  if (a === undefined || b === undefined || more.length > 0) return undefined;
  for (const [x, f] of [
    [a, b],
    [b, a],
  ] as const) {
    if ('label' in f && f.input === x && Object.hasOwn(GATES, f.paper)) return f;
  }
  return undefined;
}

/** A constant that is added to what a weighted node gives is its bias, if it is one number for every channel. */
function noteBias(call: Call, root: Root, constants: readonly number[]): void {
  if (!('shape' in root) || !root.shape?.some((size) => size > 0)) return;
  const channels = root.resolution[5];
  if (constants.some((i) => call.inputSize(i) === channels)) root.usesBias = true;
}

/** The graph of drafts: those with weights first. */
function numbered(drafts: readonly Draft[], vocabulary: Vocabulary, isConnected: boolean): ComputationGraph {
  const weighted = drafts.filter(({ shape }) => shape !== undefined);
  const ordered = [...weighted, ...drafts.filter(({ shape }) => shape === undefined)];
  const place = new Map(ordered.map((draft, i) => [draft, i]));
  const edges: [number, number][] = [];
  ordered.forEach(({ parents }, to) => {
    for (const parent of parents) edges.push([place.get(parent)!, to]);
  });
  return {
    nodes: ordered.map(({ name, label, resolution, details, shape, usesBias }) => {
      const common = { name, label, op: vocabulary.placeOf(label), resolution, ...details };
      return shape === undefined
        ? { kind: 'regular', ...common }
        : { kind: 'weighted', ...common, shape, usesBias };
    }),
    weightedCount: weighted.length,
    edges: edges.sort(([a, b], [c, d]) => a - c || b - d),
    unknownSizes: ordered.filter(({ resolution }) => resolution.includes(0)).length,
    isConnected,
  };
}
