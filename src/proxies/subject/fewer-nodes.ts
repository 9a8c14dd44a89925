// The same computation in fewer nodes. A graph that runs once takes longer to be compiled than to be run: about a tenth of
// a millisecond for every node, whatever it does. Numbers do not change.
import { pruned } from '../../analysis/dependence.js';
import { hasSubgraphs, isDefaultDomain, type Model, type Node } from '../../graph/graph.js';
import { isTensor } from '../../graph/types.js';
import type { Builder } from '../../ops/build.js';
import { inputsOf, isStatistic, traitsOf } from '../../ops/index.js';

/**
 * A model without identities, without what is computed twice, with one reshaping in the place of several in a row, and
 * without expansions that the operator behind them makes as well.
 *
 * @param builder knows the types of all values, and gets the constants that are added.
 */
export function compacted(model: Model, builder: Builder): Model {
  const { nodes, outputs } = model.graph;
  // Names inside of bodies would have to change as well.
  if (nodes.some(hasSubgraphs)) return model;
  const kept = new Set(outputs.map((output) => output.name));
  const writer = new CompactWriter(builder, kept, overwritten(nodes));
  for (const node of nodes) writer.add(node);
  const initializers = new Map([...model.graph.initializers, ...builder.initializers]);
  return pruned({ ...model, graph: { ...model.graph, nodes: writer.nodes, initializers } });
}

/** Values that ONNX Runtime writes over: the running statistics that a normalisation in training is given. */
function overwritten(nodes: readonly Node[]): ReadonlySet<string> {
  const training = nodes.filter(
    (node) => traitsOf(node).normalisation === 'batch' && node.outputs.length > 1,
  );
  return new Set(
    training.flatMap((node) => {
      const inputs = inputsOf(node);
      return node.inputs.filter((_, slot) => isStatistic(inputs.role(slot)));
    }),
  );
}

class CompactWriter {
  readonly nodes: Node[] = [];
  readonly #builder: Builder;
  readonly #kept: ReadonlySet<string>;
  readonly #own: ReadonlySet<string>;
  /** What values are called that are others. */
  readonly #alias = new Map<string, string>();
  /** Nodes by all that decides what they compute. */
  readonly #seen = new Map<string, Node>();
  /** What was reshaped, or repeated, to a value. */
  readonly #reshaped = new Map<string, string>();
  readonly #repeated = new Map<string, string>();
  /** Names by number: keys of names, which are long, take longest of all. */
  readonly #numbers = new Map<string, number>();

  /** @param kept values that must keep their names; @param own those that must not be shared. */
  constructor(builder: Builder, kept: ReadonlySet<string>, own: ReadonlySet<string>) {
    this.#builder = builder;
    this.#kept = kept;
    this.#own = own;
  }

  add(given: Node): void {
    const isAliased = given.inputs.some((name) => this.#alias.has(name));
    const inputs = isAliased ? given.inputs.map((name) => this.#alias.get(name) ?? name) : given.inputs;
    const node = this.#simplified(isAliased ? { ...given, inputs } : given);
    const [output] = node.outputs as [string];
    const isFree = node.outputs.every((name) => !this.#kept.has(name) && !this.#own.has(name));
    if (isFree && isStandard(node) && this.#isSame(node)) {
      this.#alias.set(output, node.inputs[0]!);
      return;
    }
    const key = isFree && traitsOf(node).draws === undefined ? this.#keyOf(node) : undefined;
    const before = key === undefined ? undefined : this.#seen.get(key);
    if (before) {
      node.outputs.forEach((name, i) => void (name && this.#alias.set(name, before.outputs[i]!)));
      return;
    }
    if (key !== undefined) this.#seen.set(key, node);
    this.nodes.push(node);
    if (!isStandard(node)) return;
    const { moves } = traitsOf(node);
    if (moves === 'shape') this.#reshaped.set(output, node.inputs[0]!);
    if (moves === 'broadcast') this.#repeated.set(output, node.inputs[0]!);
  }

  /** Whether a node gives out its first input as it is. */
  #isSame(node: Node): boolean {
    const { inputs, outputs } = node;
    const { moves, draws } = traitsOf(node);
    if (moves === 'same') return draws === undefined;
    if (moves !== 'broadcast' && moves !== 'shape') return false;
    const shape = this.#shape(outputs[0]!);
    return shape !== undefined && isEqual(shape, this.#shape(inputs[0]!));
  }

  #simplified(node: Node): Node {
    if (!isStandard(node)) return node;
    const { moves, arithmetic } = traitsOf(node);
    if (moves === 'shape') return this.#reshapedOnce(node);
    // Arithmetic repeats its inputs itself where that is needed.
    return arithmetic === undefined ? node : this.#repeating(node);
  }

  #reshapedOnce(node: Node): Node {
    const source = this.#reshaped.get(node.inputs[0]!);
    const shape = this.#shape(node.outputs[0]!);
    if (source === undefined || shape === undefined || shape.includes(0)) return node;
    const inputs = [source, this.#builder.ints(shape).name];
    return { ...node, opType: 'Reshape', inputs, attributes: new Map() };
  }

  /** Reads inputs before they were repeated, as long as the others still say how large the output is. */
  #repeating(node: Node): Node {
    if (!node.inputs.some((name) => this.#repeated.has(name))) return node;
    const wanted = String(this.#shape(node.outputs[0]!));
    const inputs = [...node.inputs];
    inputs.forEach((name, i) => {
      const source = this.#repeated.get(name);
      if (source === undefined) return;
      inputs[i] = source;
      const shapes = inputs.map((input) => this.#shape(input));
      if (shapes.includes(undefined) || String(broadcast(shapes as number[][])) !== wanted) inputs[i] = name;
    });
    return { ...node, inputs };
  }

  #numberOf(name: string): number {
    const number = this.#numbers.get(name) ?? this.#numbers.size;
    this.#numbers.set(name, number);
    return number;
  }

  #keyOf({ domain, opType, inputs, outputs, attributes }: Node): string {
    let key = `${domain} ${opType} ${outputs.length === 1 ? 1 : outputs.map((name) => Number(name !== ''))}`;
    for (const name of inputs) key += ` ${this.#numberOf(name)}`;
    for (const [name, attribute] of attributes) {
      // Tensors among attributes are compared by none: constants are initializers here.
      if (/tensor|graph/.test(attribute.type)) return `${key} ${outputs[0]}`;
      key += ` ${name}=${'value' in attribute ? attribute.value : ''}`;
    }
    return key;
  }

  #shape(name: string): readonly number[] | undefined {
    const type = this.#builder.types.get(name);
    const shape = isTensor(type) ? type.shape : undefined;
    return shape?.every((d) => typeof d === 'number') ? (shape as readonly number[]) : undefined;
  }
}

function isEqual(a: readonly number[], b: readonly number[] | undefined): boolean {
  return a.length === b?.length && a.every((size, i) => size === b[i]);
}

function isStandard({ domain }: Node): boolean {
  return isDefaultDomain(domain);
}

/** The shape that several have together. */
function broadcast(shapes: readonly (readonly number[])[]): number[] {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, i) =>
    shapes.reduce((size, shape) => {
      const own = shape[i - rank + shape.length] ?? 1;
      return own === 1 ? size : own;
    }, 1),
  );
}
