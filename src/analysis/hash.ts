// A fingerprint of what a network is: operators, attributes, shapes and edges. Names, the order of nodes and
// the values of weights do not matter. Every node gets a label from all that leads to it, then one from all
// that it leads to; the hash is that of the sorted labels.
import type { Dim } from '../graph/dim.js';
import { isFloat } from '../graph/dtype.js';
import { type Attribute, isDefaultDomain, type Node } from '../graph/graph.js';
import { elementCount, type Tensor } from '../graph/tensor.js';
import { isTensor, type ValueType } from '../graph/types.js';
import { constantTensor, constantType, inputsOf } from '../ops/index.js';
import { schemaFor } from '../ops/schemas.js';
import { digest } from '../util/digest.js';
import type { Inference, InferredGraph, InferredNode } from './infer.js';

/**
 * The structure hash of a network: 32 hexadecimal digits. Equal for copies with other names, another order of
 * nodes or other weights; different when an operator, attribute, shape or edge differs. A parameter counts by
 * its type and shape, a shape constant or another setting by its elements.
 */
export function structureHash(inference: Inference): string {
  return new StructureHasher().graph(inference.graph, () => undefined);
}

/** A value inside the hash: what leads to it, and who uses it. */
interface Value {
  readonly label: string;
  /** Inputs of nodes, by the node's position. */
  readonly uses: Map<number, number[]>;
  readonly isOutput: number[];
}

class StructureHasher {
  /** Names of sizes do not matter, only which are equal: numbered as the inputs have them. */
  readonly #symbols = new Map<string, string>();

  /** @param outer labels of values of the graphs around this one. */
  graph(graph: InferredGraph, outer: (name: string) => string | undefined): string {
    const scope = new Map<string, Value>();
    const leaves: Value[] = [];
    const define = (name: string, label: string): Value => {
      const value: Value = { label, uses: new Map(), isOutput: [] };
      scope.set(name, value);
      return value;
    };
    graph.inputNames.forEach((name, i) => {
      leaves.push(define(name, `input ${i} ${this.#type(graph.types.get(name))}`));
    });
    const settings = settingNames(graph);
    for (const [name, tensor] of graph.initializers) {
      leaves.push(define(name, constantLabel(tensor, settings.has(name))));
    }
    const labelOf = (name: string): string | undefined => scope.get(name)?.label ?? outer(name);
    const forward = graph.nodes.map((inferred, index) => {
      const { node } = inferred;
      const constant = constantTensor(node);
      if (constant) {
        const name = node.outputs[0] ?? '';
        leaves.push(define(name, constantLabel(constant, settings.has(name))));
        return undefined;
      }
      const label = this.#node(inferred, labelOf);
      node.inputs.forEach((name, slot) => {
        const uses = scope.get(name)?.uses;
        const slots = uses?.get(index);
        if (slots) slots.push(slot);
        else uses?.set(index, [slot]);
      });
      node.outputs.forEach((name, i) => {
        if (name !== '') define(name, `${label}.${i}`);
      });
      return label;
    });
    graph.outputNames.forEach((name, i) => {
      scope.get(name)?.isOutput.push(i);
    });
    const labels = backward(graph, scope, forward);
    const ends = graph.outputNames.map((name) => labelOf(name) ?? '-');
    // Inputs and weights are told apart by who uses them.
    const starts = leaves.map((value) => digest(`leaf ${value.label} ${describeUses(value, labels)}`));
    const all = [...labels.filter((label) => label !== undefined), ...starts].sort();
    return digest(`graph ${all.join(' ')} -> ${ends.join(' ')}`);
  }

  /** What leads to a node: its operator, attributes, inputs and the graphs it runs. */
  #node({ node, call, isFunction }: InferredNode, labelOf: (name: string) => string | undefined): string {
    // Which inputs are the same value is structure that their labels alone do not show.
    const first = new Map<string, number>();
    const inputs = node.inputs.map((name, slot) => {
      if (!first.has(name)) first.set(name, slot);
      return `${first.get(name)}:${labelOf(name) ?? '-'}`;
    });
    return digest(
      [
        isFunction ? 'function' : operatorLabel(node, call.opset),
        `(${inputs.join(',')})`,
        node.outputs.map((name) => (name === '' ? '-' : '+')).join(''),
        ...[...node.attributes]
          .filter(([, a]) => a.type !== 'graph' && a.type !== 'graphs')
          .map(([name, a]) => `${name}=${this.#attribute(a)}`)
          .sort(),
        ...call.bodies.map((body) => {
          const inner = this.graph(body.graph as InferredGraph, isFunction ? () => undefined : labelOf);
          return `${isFunction ? '' : body.name}{${inner}}`;
        }),
      ].join('|'),
    );
  }

  #type(type: ValueType | undefined): string {
    if (type === undefined) return '?';
    if (isTensor(type)) return `${type.dtype}[${type.shape?.map((d) => this.#dim(d)).join(',') ?? '?'}]`;
    if (type.kind === 'sequence' || type.kind === 'optional')
      return `${type.kind}(${this.#type(type.element)})`;
    return type.kind;
  }

  #dim(dim: Dim): string {
    if (typeof dim === 'number') return String(dim);
    const text = dim.toString();
    let name = this.#symbols.get(text);
    if (name === undefined) {
      name = `s${this.#symbols.size}`;
      this.#symbols.set(text, name);
    }
    return name;
  }

  #attribute(attribute: Attribute): string {
    switch (attribute.type) {
      case 'tensor':
        return constantLabel(attribute.value, true);
      case 'tensors':
        return attribute.value.map((t) => constantLabel(t, true)).join(',');
      case 'sparse_tensor':
      case 'sparse_tensors':
        return JSON.stringify([attribute.value].flat().map((t) => [t.dims, constantLabel(t.values, true)]));
      case 'type_proto':
        return this.#type(attribute.value);
      case 'type_protos':
        return attribute.value.map((t) => this.#type(t)).join(',');
      case 'graph':
      case 'graphs':
        return attribute.type;
      case 'float':
      case 'floats':
        // In single precision, as files have them: a network has the same hash before and after it is written.
        return `${attribute.type}:${[attribute.value].flat().map(Math.fround).join(',')}`;
      default:
        return `${attribute.type}:${[attribute.value].flat().map(String).join(',')}`;
    }
  }
}

/** Labels that also know what each node leads to, from the last node to the first. */
function backward(
  graph: InferredGraph,
  scope: ReadonlyMap<string, Value>,
  forward: readonly (string | undefined)[],
): (string | undefined)[] {
  const labels = [...forward];
  for (let index = graph.nodes.length - 1; index >= 0; index--) {
    if (forward[index] === undefined) continue;
    const uses = graph.nodes[index]!.node.outputs.map((name) => {
      const value = scope.get(name);
      return value ? describeUses(value, labels) : '-';
    });
    labels[index] = digest(`${forward[index]} -> ${uses.join(';')}`);
  }
  return labels;
}

/** Who uses a value, told without names: for each user its label and which of its inputs. */
function describeUses(value: Value, labels: readonly (string | undefined)[]): string {
  const uses = [...value.uses].map(([index, slots]) => `${labels[index]}@${slots.join('+')}`);
  return `${uses.sort().join(',')}!${value.isOutput.join(',')}`;
}

/** The operator and the version of its definition that holds: Softmax 12 and Softmax 13 are not the same. */
function operatorLabel(node: Node, opset: number): string {
  const since = schemaFor(node.domain, node.opType, opset)?.since ?? opset;
  return `${isDefaultDomain(node.domain) ? '' : node.domain}:${node.opType}:${since}`;
}

/** Names of constants that only ever serve as settings, by the roles of the inputs they are given to. */
export function settingNames(graph: InferredGraph): ReadonlySet<string> {
  const setting = new Set<string>();
  const other = new Set<string>();
  for (const { node, call } of graph.nodes) {
    const inputs = inputsOf(node, call.opset);
    node.inputs.forEach((name, slot) => {
      (inputs.role(slot) === 'setting' ? setting : other).add(name);
    });
  }
  return new Set([...setting].filter((name) => !other.has(name)));
}

/** Elements count for integers and settings; of weights only type and shape do. */
export function constantLabel(tensor: Tensor, isSetting: boolean): string {
  const type = `${tensor.dtype}[${tensor.dims.join(',')}]`;
  if ((isFloat(tensor.dtype) && !isSetting) || elementCount(tensor) === 0) return `weight ${type}`;
  if (tensor.data.kind === 'strings') return `setting ${type} ${tensor.data.values.map(String).join(';')}`;
  const { elements } = constantType(tensor);
  return elements ? `setting ${type} ${digest(elements.join(','))}` : `setting ${type}`;
}
