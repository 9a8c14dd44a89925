// What a pass of simplification sees of a graph, and what it answers: nodes that go, nodes that take the place of others,
// constants. One driver applies it.
import type { Graph, Model, Node } from '../../graph/graph.js';
import { usedNames } from '../../graph/order.js';
import type { Tensor } from '../../graph/tensor.js';
import { isTensor, type TensorType, type ValueType } from '../../graph/types.js';
import { constantTensor } from '../../ops/index.js';
import type { Change } from '../transform.js';
import { withoutNodes } from './aliases.js';
import type { Knowledge } from './knowledge.js';

/** What a pass wants changed. */
export interface Edit {
  /** Nodes that go, each with the value that is read in place of its first output. */
  readonly aliases?: ReadonlyMap<Node, string>;
  /** Nodes that others take the place of; none where the outputs have become constants. */
  readonly replacements?: ReadonlyMap<Node, readonly Node[]>;
  /** Constants that are new, by name. */
  readonly constants?: ReadonlyMap<string, Tensor>;
  readonly changes: readonly Change[];
}

/** Nothing to do. */
export const NOTHING: Edit = { changes: [] };

export interface PassOptions {
  /** Whether the body may run several times, so that types hold for one of the runs only. */
  readonly isRepeated: boolean;
}

/** A graph with what is known of it. What several passes ask for is found once, as long as nothing changes. */
export class GraphView {
  readonly graph: Graph;
  readonly model: Model;
  readonly options: PassOptions;
  /** Of the graph around this one. */
  readonly outer: GraphView | undefined;
  readonly #knowledge: Knowledge;
  readonly #constants = new Map<string, Tensor>();
  #uses: Map<string, number> | undefined;
  #makers: Map<string, Node> | undefined;
  #outputs: Set<string> | undefined;

  constructor(
    model: Model,
    graph: Graph,
    knowledge: Knowledge,
    outer: GraphView | undefined,
    options: PassOptions,
  ) {
    this.model = model;
    this.graph = graph;
    this.options = options;
    this.outer = outer;
    this.#knowledge = knowledge;
    for (const node of graph.nodes) {
      const tensor = constantTensor(node);
      if (tensor && node.outputs[0]) this.#constants.set(node.outputs[0], tensor);
    }
  }

  get opset(): number {
    return this.model.opsetImports.get('') ?? 1;
  }

  /** A constant of this graph or of one around it. */
  constant(name: string | undefined): Tensor | undefined {
    if (name === undefined) return undefined;
    return this.#constants.get(name) ?? this.graph.initializers.get(name) ?? this.outer?.constant(name);
  }

  type(name: string | undefined): ValueType | undefined {
    return name === undefined ? undefined : (this.#knowledge.type(name) ?? this.outer?.type(name));
  }

  tensor(name: string | undefined): TensorType | undefined {
    const type = this.type(name);
    return isTensor(type) ? type : undefined;
  }

  /** The node of this graph that computes a value. */
  maker(name: string | undefined): Node | undefined {
    if (name === undefined) return undefined;
    if (this.#makers === undefined) {
      this.#makers = new Map();
      for (const node of this.graph.nodes) for (const output of node.outputs) this.#makers.set(output, node);
    }
    return this.#makers.get(name);
  }

  /** How many inputs of nodes read a value; outputs of the graph count, too. */
  uses(name: string): number {
    if (this.#uses === undefined) {
      this.#uses = new Map();
      const count = (used: string): void => void this.#uses!.set(used, (this.#uses!.get(used) ?? 0) + 1);
      for (const node of this.graph.nodes) usedNames(node).forEach(count);
      for (const output of this.graph.outputs) count(output.name);
    }
    return this.#uses.get(name) ?? 0;
  }

  isOutput(name: string): boolean {
    this.#outputs ??= new Set(this.graph.outputs.map((output) => output.name));
    return this.#outputs.has(name);
  }
}

/** The graph with an edit. */
export function applied(graph: Graph, { aliases, replacements, constants }: Edit): Graph {
  let edited = graph;
  if (constants && constants.size > 0) {
    edited = { ...edited, initializers: new Map([...edited.initializers, ...constants]) };
  }
  if (replacements && replacements.size > 0) {
    edited = { ...edited, nodes: edited.nodes.flatMap((node) => replacements.get(node) ?? [node]) };
  }
  if (aliases && aliases.size > 0) {
    const names = new Map([...aliases].map(([node, source]) => [node.outputs[0]!, source]));
    edited = withoutNodes(edited, new Set(aliases.keys()), names);
  }
  return edited;
}
