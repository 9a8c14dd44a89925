// What the steps of a conversion know of the values around a node: types, uses, names, and the constants they add.
import { type Graph, type Model, makeNode, type Node, subgraphs } from '../graph/graph.js';
import { usedNames } from '../graph/order.js';
import type { Tensor } from '../graph/tensor.js';
import type { ValueType } from '../graph/types.js';
import type { Surroundings } from './opset-step.js';
import { type Place, ValueTypes } from './value-types.js';

/** The constants that were added to a graph, by what they hold. */
interface Added {
  readonly names: Map<string, string>;
  readonly initializers: Map<string, Tensor>;
}

export class OpsetScope implements Surroundings {
  readonly #model: Model;
  /** From the outermost; the last is where the nodes are. Each as it was in the model. */
  readonly #places: Place[] = [];
  readonly #names = new Set<string>();
  readonly #used = new Set<string>();
  readonly #added = new Map<Place, Added>();
  readonly #original = new Map<Place, Place>();
  readonly #fresh = new Set<string>();
  #types: ValueTypes | undefined;

  constructor(model: Model) {
    this.#model = model;
    this.#note(model.graph);
    for (const { inputs, outputs, nodes } of model.functions) {
      for (const name of [...inputs, ...outputs]) this.#names.add(name);
      for (const name of outputs) this.#used.add(name);
      this.#noteNodes(nodes);
    }
  }

  #note(graph: Graph): void {
    for (const { name } of graph.inputs) this.#names.add(name);
    for (const { name } of graph.outputs) this.#used.add(name);
    for (const name of graph.initializers.keys()) this.#names.add(name);
    for (const name of graph.sparseInitializers.keys()) this.#names.add(name);
    this.#noteNodes(graph.nodes);
  }

  #noteNodes(nodes: readonly Node[]): void {
    for (const node of nodes) {
      if (node.name !== '') this.#names.add(node.name);
      for (const name of node.outputs) this.#names.add(name);
      for (const name of usedNames(node)) this.#used.add(name);
      for (const [, graph] of subgraphs(node)) this.#note(graph);
    }
  }

  enter(place: Place): void {
    this.#places.push(this.#original.get(place) ?? place);
  }

  /** Gives the constants that the place left has got in all. */
  leave(): ReadonlyMap<string, Tensor> {
    return this.#added.get(this.#places.pop()!)?.initializers ?? new Map();
  }

  /** Says that a graph stands for another. */
  same(before: Graph, after: Graph): void {
    this.#original.set(after, this.#original.get(before) ?? before);
  }

  typeOf(name: string): ValueType | undefined {
    this.#types ??= new ValueTypes(this.#model);
    for (const place of this.#places.toReversed()) {
      const type = this.#types.of(place)?.get(name);
      if (type !== undefined) return type;
    }
    return undefined;
  }

  isUsed(name: string): boolean {
    return this.#used.has(name);
  }

  freshName(base: string): string {
    let name = base;
    for (let i = 1; this.#names.has(name); i++) name = `${base}_${i}`;
    this.#names.add(name);
    return name;
  }

  constant(tensor: (name: string) => Tensor, key: string, nodes: Node[]): string {
    const place = this.#places.at(-1)!;
    if ('opsetImports' in place) {
      const name = this.freshName('constant');
      nodes.push(makeNode('Constant', [], [name], { value: { type: 'tensor', value: tensor(name) } }));
      return name;
    }
    let added = this.#added.get(place);
    if (added === undefined) {
      added = { names: new Map(), initializers: new Map() };
      this.#added.set(place, added);
    }
    const known = added.names.get(key);
    if (known !== undefined) return known;
    const name = this.freshName('constant');
    this.#fresh.add(name);
    added.names.set(key, name);
    added.initializers.set(name, tensor(name));
    return name;
  }

  /** The graph without constants that one step added and a later one made superfluous. */
  cleaned(graph: Graph): Graph {
    if (this.#fresh.size === 0) return graph;
    const used = new Set(graph.nodes.flatMap(usedNames));
    const kept = [...graph.initializers].filter(([name]) => !this.#fresh.has(name) || used.has(name));
    return kept.length === graph.initializers.size ? graph : { ...graph, initializers: new Map(kept) };
  }
}
