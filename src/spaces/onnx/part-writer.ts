// Writes what stands in the place of a sequence: nodes whose names say where they come from, and weights that are drawn
// from their names when somebody reads them.
import { isFloat } from '../../graph/dtype.js';
import type { Node } from '../../graph/graph.js';
import { elementCount, type Tensor } from '../../graph/tensor.js';
import type { ValueType } from '../../graph/types.js';
import { type Initialiser, kaimingNormal, ones, zeros } from '../../nn/initialise.js';
import { Builder, type Value } from '../../ops/build.js';
import { inputsOf, isStatistic } from '../../ops/index.js';
import { drawnTensor } from '../network-builder.js';
import { shuffledTensor } from './edited-model.js';
import type { Part } from './rules/rule.js';
import type { ActivationStyle } from './style.js';

export class PartWriter {
  readonly builder: Builder;
  /** In front of the names of all that is written. */
  readonly prefix: string;
  readonly #part: Part;
  readonly #copied = new Map<string, Tensor>();

  constructor(part: Part, prefix: string) {
    const { model, types } = part.graph;
    this.builder = new Builder({ opsets: model.opsetImports, types });
    this.builder.prefix = prefix;
    this.prefix = prefix;
    this.#part = part;
  }

  /** What goes into the sequence. */
  get input(): Value {
    return this.builder.value(this.#part.input);
  }

  get types(): ReadonlyMap<string, ValueType> {
    return this.builder.types;
  }

  get initializers(): ReadonlyMap<string, Tensor> {
    return new Map([...this.#copied, ...this.builder.initializers]);
  }

  /** What was written, with the name of the sequence's output for the result. */
  nodes(result: string, output: string): Node[] {
    const renamed = (name: string): string => (name === result ? output : name);
    return this.builder.nodes.map((node) => ({
      ...node,
      inputs: node.inputs.map(renamed),
      outputs: node.outputs.map(renamed),
    }));
  }

  // Weights --------------------------------------------------------------------------------------------------

  /** A trained weight. */
  weight(dims: readonly number[], initialise: Initialiser = kaimingNormal(), hint = 'weight'): Value {
    return this.#drawn(hint, dims, initialise, true);
  }

  #drawn(hint: string, dims: readonly number[], initialise: Initialiser, isTrained: boolean): Value {
    const name = this.builder.freshName(hint);
    return this.builder.initializer(drawnTensor({ name, dims, initialise, isTrained }, 0));
  }

  // Layers ---------------------------------------------------------------------------------------------------

  /** (N, C, …) → (N, C, …), as it begins: neither scaled nor shifted. */
  batchNorm(x: Value): Value {
    const dims = [x.length(1)];
    const inputs = [
      x,
      this.weight(dims, ones, 'scale'),
      this.weight(dims, zeros, 'shift'),
      this.#drawn('mean', dims, zeros, false),
      this.#drawn('variance', dims, ones, false),
    ];
    return this.builder.op('BatchNormalization', inputs);
  }

  /** (…, d) → (…, d). */
  layerNorm(x: Value): Value {
    const dims = [x.length(-1)];
    const inputs = [x, this.weight(dims, ones, 'scale'), this.weight(dims, zeros, 'shift')];
    return this.builder.op('LayerNormalization', inputs);
  }

  /** x·W + b: (…, d) → (…, out). */
  linear(x: Value, out: number): Value {
    return x.matmul(this.weight([x.length(-1), out])).add(this.weight([out], zeros, 'bias'));
  }

  /** An activation function as the network has it; ReLU where it has none. */
  activation(x: Value, style: ActivationStyle | undefined): Value {
    if (style === undefined) return x.relu();
    if ('function' in style) return x.mul(this.builder.op('Sigmoid', [x]));
    return this.copy(style.node, [x.name, ...style.node.inputs.slice(1)]);
  }

  // Copies ---------------------------------------------------------------------------------------------------

  /** A node like another, of other inputs; it has one output that counts. */
  copy(node: Node, inputs: readonly string[], attributes: Node['attributes'] = node.attributes): Value {
    const name = this.builder.freshName(node.opType);
    const outputs = node.outputs.map((output, i) => (output === '' ? '' : i === 0 ? name : `${name}.${i}`));
    this.builder.add({ ...node, name, inputs, outputs, attributes });
    return this.builder.value(name);
  }

  /**
   * The whole sequence on another input.
   *
   * @param isNew whether its weights are new, drawn as the elements of the old ones in another order
   */
  copyPart(input: Value, isNew: boolean): Value {
    const { nodes, input: own, output, graph } = this.#part;
    const names = new Map([[own, input.name]]);
    for (const node of nodes) {
      const formal = inputsOf(node, graph.opset);
      const inputs = node.inputs.map((name, slot) => {
        const copied = names.get(name);
        if (copied !== undefined || name === '' || graph.open.has(name) || !isNew) return copied ?? name;
        const role = formal.role(slot);
        return isStatistic(role) || role === 'setting' ? name : this.#newConstant(name);
      });
      const made = this.copy(node, inputs).name;
      const [first, ...others] = node.outputs;
      names.set(first!, made);
      others.forEach((name, i) => {
        names.set(name, `${made}.${i + 1}`);
      });
    }
    return this.builder.value(names.get(output)!);
  }

  /** Another weight like one of the network, with what prepares it: a transposition, a scale of quantised weights. */
  #newConstant(name: string): string {
    const { graph } = this.#part;
    const tensor = graph.initializers.get(name);
    if (tensor !== undefined) {
      if (!isFloat(tensor.dtype) || elementCount(tensor) < 2) return name;
      const copy = shuffledTensor({ ...tensor, name: this.builder.freshName('weight') }, 1);
      this.#copied.set(copy.name, copy);
      this.builder.types.set(copy.name, graph.types.get(name)!);
      return copy.name;
    }
    const node = graph.producer(name);
    if (node === undefined || node.inputs.length === 0) return name;
    const inputs = node.inputs.map((input) => (input === '' ? '' : this.#newConstant(input)));
    if (inputs.every((input, i) => input === node.inputs[i])) return name;
    return this.copy(node, inputs).name;
  }
}
