// A graph without graphs inside: what gradients are written for. Calls of functions and Ifs of which only one branch
// can run are replaced by their nodes; parts of a sequence that was split from a tensor, or just put together, are
// taken from where they come from.
import type { InferredGraph, InferredNode } from '../analysis/infer.js';
import { makeNode, type Node, nodeLabel } from '../graph/graph.js';
import { usedNames } from '../graph/order.js';
import { fromNumbers, type Tensor } from '../graph/tensor.js';
import { isTensor, TensorType, type ValueType } from '../graph/types.js';
import { constantType, traitsOf } from '../ops/index.js';

interface FlatGraph {
  readonly nodes: readonly Node[];
  /** Types of all values, under the names they have now. */
  readonly types: ReadonlyMap<string, ValueType>;
  /** Constants besides those of the main graph. */
  readonly initializers: ReadonlyMap<string, Tensor>;
}

export function flatten(graph: InferredGraph): FlatGraph {
  const { plainNodes } = graph;
  if (plainNodes?.every((node) => traitsOf(node).sequence === undefined)) {
    return { nodes: plainNodes, types: graph.types, initializers: new Map() };
  }
  const flat = new Flattening();
  flat.graph(graph, new Map(), '');
  const { nodes, types, initializers } = flat;
  return { nodes: withoutIdleSequences(nodes, graph.outputNames), types, initializers };
}

/** Without sequences that nobody takes anything from any more. */
function withoutIdleSequences(nodes: readonly Node[], outputs: readonly string[]): readonly Node[] {
  const used = new Set([...outputs, ...nodes.flatMap(usedNames)]);
  return nodes.filter(
    (node) =>
      !['construct', 'split'].includes(traitsOf(node).sequence ?? '') ||
      node.outputs.some((name) => used.has(name)),
  );
}

/** What names inside a body are called outside. */
type Renaming = ReadonlyMap<string, string>;

class Flattening implements FlatGraph {
  readonly nodes: Node[] = [];
  readonly types = new Map<string, ValueType>();
  readonly initializers = new Map<string, Tensor>();
  /** The values that sequences are made of, where that is known. */
  readonly #items = new Map<string, readonly string[]>();

  /** @param prefix in front of all names the graph defines that are not renamed. */
  graph(graph: InferredGraph, given: Renaming, prefix: string): Renaming {
    const names = new Map(given);
    for (const [name, type] of graph.types) {
      if (!names.has(name)) names.set(name, `${prefix}${name}`);
      if (!this.types.has(names.get(name)!)) this.types.set(names.get(name)!, type);
    }
    if (prefix !== '') {
      for (const [name, tensor] of graph.initializers) {
        const outer = names.get(name)!;
        this.initializers.set(outer, { ...tensor, name: outer });
      }
    }
    for (const inferred of graph.nodes) this.#node(inferred, names, prefix);
    return names;
  }

  #node(inferred: InferredNode, names: Renaming, prefix: string): void {
    const node = renamed(inferred.node, names, prefix);
    const { bodies } = inferred.call;
    const isOnlyBranch = traitsOf(node).controlFlow === 'branch' && bodies.length === 1;
    if (inferred.isFunction || isOnlyBranch) {
      const body = bodies[0]!.graph as InferredGraph;
      const given = new Map(inferred.isFunction ? [] : names);
      if (inferred.isFunction) {
        body.inputNames.forEach((name, i) => {
          given.set(name, node.inputs[i] ?? '');
        });
      } else for (const name of body.types.keys()) given.delete(name);
      const inner = this.graph(body, given, `${prefix}${nodeLabel(inferred.node)}/`);
      body.outputNames.forEach((name, i) => {
        const output = node.outputs[i] ?? '';
        if (output !== '')
          this.#add(makeNode('Identity', [inner.get(name)!], [output], {}, { name: output }));
      });
      return;
    }
    if (this.#isSequenceWork(node, inferred)) return;
    this.#add(node);
  }

  #add(node: Node): void {
    this.nodes.push(node);
  }

  /** Follows sequences whose items are values of the graph. */
  #isSequenceWork(node: Node, { call }: InferredNode): boolean {
    const [first = ''] = node.inputs;
    const [output = ''] = node.outputs;
    switch (traitsOf(node).sequence) {
      case 'construct':
        this.#items.set(output, node.inputs);
        return false;
      case 'split': {
        const parts = this.#splitParts(node, output, call.outputs[0]!);
        if (parts) this.#items.set(output, parts);
        return false;
      }
      case 'at': {
        const items = this.#items.get(first);
        const index = call.scalar(1);
        if (items === undefined || typeof index !== 'number') return false;
        const item = items.at(index);
        if (item === undefined) return false;
        this.#add(makeNode('Identity', [item], [output], {}, { name: node.name }));
        return true;
      }
      case 'concat': {
        const items = this.#items.get(first);
        if (items === undefined || call.int('new_axis', 0) !== 0) return false;
        const axis = { type: 'int' as const, value: call.int('axis', 0) };
        this.#add(makeNode('Concat', items, [output], { axis }, { name: node.name }));
        return true;
      }
      default:
        return false;
    }
  }

  /** Writes the Split that gives the items of a sequence. */
  #splitParts(node: Node, output: string, type: ValueType): string[] | undefined {
    const items = type.kind === 'sequence' ? type.items : undefined;
    const axis = node.attributes.get('axis');
    const at = axis?.type === 'int' ? Number(axis.value) : 0;
    const input = this.types.get(node.inputs[0]!);
    const isSqueezed = node.inputs.length < 2 && node.attributes.get('keepdims')?.value === 0;
    if (items === undefined || !isTensor(input) || input.rank === undefined) return undefined;
    const dimension = at < 0 ? at + input.rank : at;
    const sizes = items.map((item) =>
      isSqueezed ? 1 : isTensor(item) ? item.shape?.[dimension] : undefined,
    );
    if (!sizes.every((size) => typeof size === 'number')) return undefined;
    const names = items.map((_, i) => this.#fresh(`${output}/item_${i}`));
    const parts = isSqueezed ? names.map((name) => this.#fresh(`${name}/kept`)) : names;
    const split = this.#ints(`${output}/sizes`, sizes as number[]);
    this.#add(makeNode('Split', [node.inputs[0]!, split], parts, { axis: { type: 'int', value: at } }));
    const axes = isSqueezed ? this.#ints(`${output}/axis`, [dimension]) : '';
    names.forEach((name, i) => {
      this.types.set(name, items[i]!);
      if (!isSqueezed) return;
      const shape = [...input.shape!];
      shape[dimension] = 1;
      this.types.set(parts[i]!, new TensorType(input.dtype, shape));
      this.#add(makeNode('Squeeze', [parts[i]!, axes], [name]));
    });
    return names;
  }

  #fresh(hint: string): string {
    let name = hint;
    for (let i = 2; this.types.has(name); i++) name = `${hint}_${i}`;
    return name;
  }

  #ints(hint: string, values: readonly number[]): string {
    const name = this.#fresh(hint);
    const tensor = fromNumbers(name, 'int64', [values.length], values);
    this.initializers.set(name, tensor);
    this.types.set(name, constantType(tensor));
    return name;
  }
}

function renamed(node: Node, names: Renaming, prefix: string): Node {
  if (prefix === '') return node;
  const rename = (name: string): string => (name === '' ? '' : (names.get(name) ?? name));
  return {
    ...node,
    name: `${prefix}${nodeLabel(node)}`,
    inputs: node.inputs.map(rename),
    outputs: node.outputs.map(rename),
  };
}
