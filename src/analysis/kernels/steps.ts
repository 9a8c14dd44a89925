// A network as the runtime simplifies it before it chooses kernels: what is constant is gone, what passes its input on is gone,
// and parts of one function (a folded normalisation, x · sigmoid(x), GELU, layer normalisation) are one step.
import { usedNames } from '../../graph/order.js';
import { isTensor } from '../../graph/types.js';
import { KERNEL_NAMES } from '../../ops/microsoft/fusions.js';
import type { Arithmetic } from '../../ops/traits.js';
import type { InferredGraph, InferredNode } from '../infer.js';
import type { Sizes } from './kernel.js';
import { joinQuantised } from './quantised.js';

export interface Step {
  /** What it is called; another name than its node's where it stands for several. */
  readonly operator: string;
  /** The node that tells what it computes. */
  readonly main: InferredNode;
  /** All that it computes. */
  readonly from: InferredNode[];
  /** Names of values: what it reads, '' for an input that is left out, and what it gives. */
  readonly inputs: readonly string[];
  outputs: readonly string[];
  /** Whether it computes with integers what its node computes with floats. */
  readonly isOfIntegers?: boolean;
}

export class Steps {
  readonly graph: InferredGraph;
  readonly list: Step[] = [];
  /** Steps that read a value; outputs of the network are read by someone else. */
  readonly readers = new Map<string, (Step | 'user')[]>();
  readonly producers = new Map<string, Step>();
  readonly #constants: Set<string>;
  readonly #aliases = new Map<string, string>();
  /** Outputs of nodes, by what they compute. */
  readonly #computed = new Map<string, readonly string[]>();

  /** @param constants names of the graphs around it that are constant */
  constructor(graph: InferredGraph, constants: ReadonlySet<string> = new Set()) {
    this.graph = graph;
    this.#constants = new Set([...constants, ...graph.initializers.keys()]);
    for (const inferred of graph.nodes) this.#take(inferred);
    this.#link();
    this.#dropUnread();
    joinQuantised(this);
    this.#dropUnread();
    for (const step of [...this.list]) this.#joined(step);
  }

  isConstant(name: string): boolean {
    return name === '' || this.#constants.has(name);
  }

  get constants(): ReadonlySet<string> {
    return this.#constants;
  }

  /** Undefined where they are not known. */
  sizes(name: string): Sizes | undefined {
    const type = this.graph.types.get(name);
    const shape = type && isTensor(type) ? type.shape : undefined;
    return shape?.every((size) => typeof size === 'number') ? (shape as Sizes) : undefined;
  }

  onlyReader(name: string): Step | undefined {
    const readers = this.readers.get(name) ?? [];
    return readers.length === 1 && readers[0] !== 'user' ? readers[0] : undefined;
  }

  /** Puts a step into the one before it: its result becomes that one's. */
  merge(step: Step, into: Step): void {
    into.from.push(...step.from);
    into.outputs = step.outputs;
    for (const name of step.outputs) this.producers.set(name, into);
    this.#remove(step);
  }

  #take(inferred: InferredNode): void {
    const { node, operator } = inferred;
    const { traits } = operator ?? {};
    const used = usedNames(node).filter((name) => name !== '');
    // Weights are quantised again in the kernel that reads them, or at every run.
    const isWeight = node.opType === KERNEL_NAMES.dequantise;
    if (traits?.draws !== 'always' && !isWeight && used.every((name) => this.isConstant(name))) {
      for (const name of node.outputs) this.#constants.add(name);
      return;
    }
    const inputs = node.inputs.map((name) => this.#aliases.get(name) ?? name);
    if (traits?.moves === 'same') {
      this.#aliases.set(node.outputs[0]!, inputs[0]!);
      return;
    }
    const outputs = node.outputs.filter((name) => name !== '');
    const twin = this.#twin(inferred, inputs);
    if (twin !== undefined) {
      outputs.forEach((name, i) => void this.#aliases.set(name, twin[i]!));
      return;
    }
    this.list.push({ operator: node.opType, main: inferred, from: [inferred], inputs, outputs });
  }

  /** What an equal node before gives. */
  #twin({ node, operator, call }: InferredNode, inputs: readonly string[]): readonly string[] | undefined {
    if (operator?.traits?.draws !== undefined || call.bodies.length > 0) return undefined;
    const attributes = [...node.attributes].map(([name, { value }]) => `${name}=${value}`).sort();
    const key = `${node.domain} ${node.opType} ${inputs.join(' ')} ${attributes.join(' ')}`;
    const known = this.#computed.get(key);
    if (known === undefined) this.#computed.set(key, node.outputs);
    return known;
  }

  #link(): void {
    for (const step of this.list) {
      for (const name of step.outputs) this.producers.set(name, step);
      for (const name of new Set(step.inputs)) this.#reads(name, step);
    }
    for (const name of this.graph.outputNames) this.#reads(this.#aliases.get(name) ?? name, 'user');
  }

  /** What nobody reads is not computed. */
  #dropUnread(): void {
    for (let i = this.list.length - 1; i >= 0; i--) {
      const step = this.list[i]!;
      if (step.outputs.every((name) => (this.readers.get(name) ?? []).length === 0)) this.#remove(step);
    }
  }

  #reads(name: string, reader: Step | 'user'): void {
    const readers = this.readers.get(name);
    if (readers === undefined) this.readers.set(name, [reader]);
    else readers.push(reader);
  }

  #remove(step: Step): void {
    this.list.splice(this.list.indexOf(step), 1);
    for (const name of new Set(step.inputs)) {
      const rest = (this.readers.get(name) ?? []).filter((reader) => reader !== step);
      this.readers.set(name, rest);
    }
  }

  /** Joins a step with those that are one function with it, if it is the first of them. */
  #joined(step: Step): void {
    if (step.isOfIntegers) return;
    const { traits } = step.main.operator ?? {};
    if (traits?.convolution !== undefined) this.#foldNormalisation(step);
    else if (traits?.activation === 'sigmoid') this.#gate(step);
    else if (traits?.activation === 'erf') this.#gelu(step);
    else if (isA(step, 'root')) this.#layerNormalisation(step);
  }

  /** Scales and shifts of channels are put into the weights. */
  #foldNormalisation(conv: Step): void {
    if (!this.isConstant(conv.inputs[1] ?? '')) return;
    for (;;) {
      const next = this.onlyReader(conv.outputs[0]!);
      const { traits } = next?.main.operator ?? {};
      const isFolded =
        traits?.normalisation === 'batch' ||
        traits?.arithmetic === 'multiply' ||
        traits?.arithmetic === 'add';
      if (!isFolded || !next!.inputs.every((name) => name === conv.outputs[0] || this.isConstant(name)))
        return;
      this.merge(next!, conv);
    }
  }

  #gate(sigmoid: Step): void {
    if (sigmoid.main.node.attributes.size > 0) return;
    const [x] = sigmoid.inputs;
    const product = this.onlyReader(sigmoid.outputs[0]!);
    if (product === undefined || !isA(product, 'multiply') || !product.inputs.includes(x!)) return;
    this.replace([sigmoid, product], KERNEL_NAMES.gate, [x!], product);
  }

  /** x/2 · (1 + erf(x/√2)), however its factors are ordered. */
  #gelu(erf: Step): void {
    const scaled = this.producers.get(erf.inputs[0]!);
    const shifted = this.onlyReader(erf.outputs[0]!);
    if (scaled === undefined || shifted === undefined || !isA(shifted, 'add')) return;
    const x = scaled.inputs.find((name) => !this.isConstant(name));
    const parts = [scaled, erf, shifted];
    let last = shifted;
    for (let hasX = false, hasHalf = false; !hasX || !hasHalf; ) {
      const product = this.onlyReader(last.outputs[0]!);
      if (product === undefined || !(isA(product, 'multiply') || isA(product, 'divide'))) return;
      const other = product.inputs.find((name) => name !== last.outputs[0]);
      if (other === undefined) return;
      if (this.isConstant(other)) hasHalf = true;
      else if (other === x) hasX = true;
      else {
        // x/2 before it is multiplied.
        const half = this.producers.get(other);
        if (half === undefined || !half.inputs.includes(x!)) return;
        parts.push(half);
        hasX = true;
        hasHalf = true;
      }
      parts.push(product);
      last = product;
    }
    this.replace(parts, KERNEL_NAMES.gelu, [x!], last);
  }

  /** (x − mean) / √(mean of squares + ε), then a scale and a shift. */
  #layerNormalisation(root: Step): void {
    const sum = this.producers.get(root.inputs[0]!);
    const variance = sum && this.#producerOf(sum);
    const square = variance && this.#producerOf(variance);
    const centred = square && this.#producerOf(square);
    if (!isA(sum, 'add') || variance?.main.operator?.traits?.reduction !== 'mean') return;
    if (!isA(centred, 'subtract')) return;
    const [x, mean] = centred!.inputs;
    const average = this.producers.get(mean!);
    const quotient = this.onlyReader(root.outputs[0]!);
    if (average?.main.operator?.traits?.reduction !== 'mean' || !isA(quotient, 'divide')) return;
    const parts = [average, centred!, square!, variance, sum!, root, quotient!];
    let last = quotient!;
    for (const kind of ['multiply', 'add'] as const) {
      const next = this.onlyReader(last.outputs[0]!);
      if (next === undefined || !isA(next, kind) || !next.inputs.some((name) => this.isConstant(name))) break;
      parts.push(next);
      last = next;
    }
    this.replace(parts, KERNEL_NAMES.layerNormalisation, [x!], last);
  }

  #producerOf(step: Step): Step | undefined {
    const data = step.inputs.find((name) => !this.isConstant(name));
    return data === undefined ? undefined : this.producers.get(data);
  }

  /** One step in the place of the last of several. */
  replace(
    parts: readonly Step[],
    operator: string,
    inputs: readonly string[],
    last: Step,
    integers?: { readonly main: Step; readonly outputs: readonly string[] },
  ): void {
    const step: Step = {
      operator,
      main: (integers?.main ?? last).main,
      from: parts.flatMap(({ from }) => from),
      inputs,
      outputs: integers?.outputs ?? last.outputs,
      isOfIntegers: integers !== undefined,
    };
    this.list.splice(this.list.indexOf(last), 0, step);
    for (const part of new Set(parts)) this.#remove(part);
    for (const name of step.outputs) this.producers.set(name, step);
    for (const name of new Set(inputs)) this.#reads(name, step);
  }
}

function isA(step: Step | undefined, arithmetic: Arithmetic): boolean {
  return step?.main.operator?.traits?.arithmetic === arithmetic;
}
