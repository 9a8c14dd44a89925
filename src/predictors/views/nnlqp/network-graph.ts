// Networks as the latency predictors of the NNLQP line see them (Liu et al., ICPP 2022): one node for every value that
// an operator gives, its operator, a few attributes and its shape; edges; and four numbers for the whole.
import { readsOnlySizes } from '../../../analysis/dependence.js';
import {
  type Inference,
  type InferredGraph,
  type InferredNode,
  inferShapes,
} from '../../../analysis/infer.js';
import { isKnown } from '../../../graph/dim.js';
import { isDefaultDomain, type Model, type Node, operatorName } from '../../../graph/graph.js';
import { usedNames } from '../../../graph/order.js';
import { isTensor, type ValueType } from '../../../graph/types.js';
import { traitsOf } from '../../../ops/index.js';
import type { Call } from '../../../ops/operator.js';
import { COUNTING, denseWork, elements, sizesOrZeros, type Work } from './counting.js';
import { attributeNumbers, codeOf, type Variant } from './operators.js';

interface NetworkNode {
  /** The name of the value. */
  readonly name: string;
  /** `Input` for an input of the network. */
  readonly operator: string;
  /** 1 … 28, 0 for inputs and for operators without a code. */
  readonly code: number;
  /** The attributes that `attributesOf(code)` names. */
  readonly attributes: readonly number[];
  /** Of the value: its first four sizes, 0 where there is none or it is not known. */
  readonly shape: readonly [number, number, number, number];
  readonly nnlqpFlops: number;
  readonly parameters: number;
  /** Elements of the value and of the parameters. */
  readonly memoryAccess: number;
}

/** By the rules of `COUNTING`, which are not those of `cost`. */
export interface StaticFeatures {
  /** The first size of the first input. */
  readonly batch: number;
  readonly nnlqpFlops: number;
  readonly parameters: number;
  readonly memoryAccess: number;
}

export interface NetworkGraph {
  /** In an order in which they can run. */
  readonly nodes: readonly NetworkNode[];
  /** Places in the list of nodes, from a lower to a higher one; none twice. */
  readonly edges: readonly (readonly [from: number, to: number])[];
  readonly statics: StaticFeatures;
  /** Nodes whose shape is not known, because it depends on data or a dimension was left open. */
  readonly unknownShapes: number;
}

interface NetworkGraphOptions {
  /** Default `meant`. */
  readonly variant?: Variant;
}

/**
 * The graph of a network.
 *
 * - Constants are left out, and what is computed from constants or from sizes alone: neither depends on the input.
 * - Every input of the network that something reads is a node.
 * - Identities and dropout, which does nothing in a network that is used, are left out.
 * - A matrix product with constant weights (B, in) → (B, out) is a Gemm, together with a vector that is added to it:
 *   exporters write either. In the variant `released` it is left as it stands.
 * - Functions are seen through; loops and branches are single nodes.
 *
 * @param network a model, or what inference found out of one, possibly with sizes fixed.
 *
 * @example
 * const { nodes, statics } = networkGraph(inferShapes(readModel('resnet18.onnx'), { dims: { batch: 8 } }));
 */
export function networkGraph(network: Model | Inference, options: NetworkGraphOptions = {}): NetworkGraph {
  const { graph } = 'model' in network ? network : inferShapes(network);
  return new Reading(graph, options.variant ?? 'meant').finish();
}

interface Dense {
  readonly channelsIn: number;
  readonly channelsOut: number;
}

/** A node and where its edges come from. */
interface Draft {
  node: NetworkNode;
  readonly parents: ReadonlySet<number>;
  /** Of a product with constant weights that a bias may still be added to: its channels. */
  dense: Dense | undefined;
}

/** What names stand for: the place of a node, or how to get it; nothing for constants. */
type Places = Map<string, number | (() => number)>;

class Reading {
  readonly #graph: InferredGraph;
  readonly #variant: Variant;
  readonly #drafts: Draft[] = [];
  #unknownShapes = 0;

  constructor(graph: InferredGraph, variant: Variant) {
    this.#graph = graph;
    this.#variant = variant;
    const places: Places = new Map();
    for (const name of graph.inputNames) {
      places.set(name, () => {
        const place = this.#add(inputNode(name, graph.types.get(name)), graph.types.get(name), new Set());
        places.set(name, place);
        return place;
      });
    }
    this.#walk(graph, places);
  }

  #add(node: NetworkNode, type: ValueType | undefined, parents: ReadonlySet<number>): number {
    if (!isTensor(type) || !type.shape?.every(isKnown)) this.#unknownShapes++;
    return this.#drafts.push({ node, parents, dense: undefined }) - 1;
  }

  #walk(graph: InferredGraph, places: Places): void {
    const uses = usesIn(graph);
    for (const inferred of graph.nodes) {
      if (inferred.isFunction) this.#function(inferred, places);
      else if (!readsOnlySizes(inferred.node)) this.#node(inferred.call, places, uses);
    }
  }

  /** A function's nodes, as if they stood where it is called. */
  #function({ node, call }: InferredNode, places: Places): void {
    const body = call.bodies[0]!.graph as InferredGraph;
    const inside: Places = new Map();
    body.inputNames.forEach((name, i) => {
      const place = placeOf(places, node.inputs[i] ?? '');
      if (place !== undefined) inside.set(name, place);
    });
    this.#walk(body, inside);
    node.outputs.forEach((name, i) => {
      const place = placeOf(inside, body.outputNames[i]!);
      if (place !== undefined && name !== '') places.set(name, place);
    });
  }

  #node(call: Call, places: Places, uses: ReadonlyMap<string, number>): void {
    const { node } = call;
    const parents = new Set(usedNames(node).flatMap((name) => placeOf(places, name) ?? []));
    const [parent] = parents;
    if (parent === undefined) return;
    const isHandedOn = traitsOf(node).moves === 'same' || this.#addsBias(call, parents, uses);
    node.outputs.forEach((name, i) => {
      if (name === '') return;
      places.set(name, isHandedOn ? parent : this.#output(call, i, parents, places));
    });
  }

  /** A node for an output; the work of an operator is that of its first one. */
  #output(call: Call, index: number, parents: ReadonlySet<number>, places: Places): number {
    const { inputs, outputs } = call.node;
    const type = call.outputs[index];
    const constants = inputs.flatMap((name, i) => (name === '' || places.has(name) ? [] : [i]));
    const dense = this.#variant === 'meant' ? denseProduct(call, constants) : undefined;
    const operator = dense === undefined ? operatorName(call.node) : 'Gemm';
    const code = codeOf(operator, this.#variant);
    let work = NO_WORK;
    if (index === 0 && dense !== undefined) work = denseWork(dense.channelsIn, dense.channelsOut, 0);
    else if (index === 0 && code > 0) work = COUNTING[operator]!(call, { variant: this.#variant, constants });
    const place = this.#add(
      {
        name: outputs[index]!,
        operator,
        code,
        attributes: dense === undefined ? attributeNumbers(call, code) : [0],
        shape: shapeOf(type),
        ...work,
        memoryAccess: code === 0 ? 0 : elements(sizesOrZeros(type)) + work.parameters,
      },
      type,
      parents,
    );
    this.#drafts[place]!.dense = dense;
    return place;
  }

  /** Whether a node adds a bias to a dense layer that nothing else reads; the layer gets it. */
  #addsBias(call: Call, parents: ReadonlySet<number>, uses: ReadonlyMap<string, number>): boolean {
    const [place] = parents;
    const draft = this.#drafts[place!]!;
    if (draft.dense === undefined || traitsOf(call.node).arithmetic !== 'add' || parents.size > 1)
      return false;
    const { inputs, outputs } = call.node;
    const at = inputs.indexOf(draft.node.name);
    if (at < 0 || uses.get(draft.node.name) !== 1) return false;
    const { channelsIn, channelsOut } = draft.dense;
    if (String(sizesOrZeros(call.inputs[1 - at])) !== String([channelsOut])) return false;
    const work = denseWork(channelsIn, channelsOut, 1);
    const memoryAccess = elements(sizesOrZeros(call.outputs[0])) + work.parameters;
    draft.node = { ...draft.node, name: outputs[0]!, attributes: [1], ...work, memoryAccess };
    draft.dense = undefined;
    return true;
  }

  finish(): NetworkGraph {
    const nodes = this.#drafts.map(({ node }) => node);
    const sum = (count: 'nnlqpFlops' | 'parameters' | 'memoryAccess'): number =>
      nodes.reduce((total, node) => total + node[count], 0);
    const { inputNames, types } = this.#graph;
    return {
      nodes,
      edges: this.#drafts.flatMap(({ parents }, to) =>
        [...parents].map((from): [number, number] => [from, to]),
      ),
      statics: {
        batch: shapeOf(types.get(inputNames[0] ?? ''))[0],
        nnlqpFlops: sum('nnlqpFlops'),
        parameters: sum('parameters'),
        memoryAccess: sum('memoryAccess'),
      },
      unknownShapes: this.#unknownShapes,
    };
  }
}

const NO_WORK: Work = { nnlqpFlops: 0, parameters: 0 };

function placeOf(places: Places, name: string): number | undefined {
  const place = places.get(name);
  return typeof place === 'function' ? place() : place;
}

function inputNode(name: string, type: ValueType | undefined): NetworkNode {
  return {
    name,
    operator: 'Input',
    code: 0,
    attributes: [],
    shape: shapeOf(type),
    ...NO_WORK,
    memoryAccess: 0,
  };
}

function shapeOf(type: ValueType | undefined): NetworkNode['shape'] {
  const [a = 0, b = 0, c = 0, d = 0] = sizesOrZeros(type);
  return [a, b, c, d];
}

/** The channels of a product (B, in)·(in, out) whose second factor is constant. */
function denseProduct(call: Call, constants: readonly number[]): Dense | undefined {
  if (!isMatMul(call.node) || !constants.includes(1)) return undefined;
  if (sizesOrZeros(call.inputs[0]).length !== 2) return undefined;
  const weight = sizesOrZeros(call.inputs[1]);
  return weight.length === 2 ? { channelsIn: weight[0]!, channelsOut: weight[1]! } : undefined;
}

function isMatMul(node: Node): boolean {
  return isDefaultDomain(node.domain) && traitsOf(node).product === 'matmul';
}

/** How often every name is read in a graph; what it gives out counts as read. */
function usesIn(graph: InferredGraph): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  const count = (name: string): void => void uses.set(name, (uses.get(name) ?? 0) + 1);
  for (const { node } of graph.nodes) usedNames(node).forEach(count);
  graph.outputNames.forEach(count);
  return uses;
}
