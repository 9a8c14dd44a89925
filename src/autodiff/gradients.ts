// Reverse-mode differentiation as a transformation of graphs: the nodes of a model, then, walking them backwards,
// the nodes that its operators' gradient rules write. The result is an ordinary model.

import { noteTypes } from '../analysis/builder-types.js';
import { dependentValues, neededValues, valuesRead } from '../analysis/dependence.js';
import { type InferOptions, inferShapes } from '../analysis/infer.js';
import {
  type Graph,
  type Model,
  type Node,
  nodeLabel,
  operatorName,
  type ValueInfo,
} from '../graph/graph.js';
import { uniquelyNamed } from '../graph/names.js';
import { isTensor, type ValueType } from '../graph/types.js';
import { Builder, type Value } from '../ops/build.js';
import { Differentiation, Expansion } from '../ops/gradient.js';
import { operatorFor } from '../ops/index.js';
import { OWN_DOMAIN } from '../ops/operator.js';
import { isDifferentiable } from '../ops/value.js';
import { AuspexError } from '../util/errors.js';
import { flatten } from './flatten.js';

export interface GradientOptions extends InferOptions {
  /** The gradient of `of` itself, by the name of a value of its shape. Default: ones. */
  readonly seed?: string;
  /** Whether the gradients will be computed once, so that few nodes are worth more than fast ones. Default false. */
  readonly runsOnce?: boolean;
  /**
   * Whether the gradients will be differentiated themselves. They may then have operators of our own, which no runtime has,
   * and which go when what was made of them is differentiated without this. Default false.
   */
  readonly isDifferentiatedAgain?: boolean;
  /** Channels in a block of the runtime's blocked kernels: convolutions are written with them. Default: none are. */
  readonly channelBlock?: number | undefined;
}

export interface Differentiated {
  /** The model with the gradients among its outputs. */
  readonly model: Model;
  /** Where the gradients are: value name → name of its gradient. */
  readonly gradients: ReadonlyMap<string, string>;
}

/**
 * Adds to a model the gradients of one value with respect to others (weights, inputs, anything computed). A
 * value `of` that is no scalar is summed. What `of` does not depend on has a gradient of zeros.
 *
 * @example
 * const { model, gradients: of } = gradients(readModel('resnet8.onnx'), 'logits', ['stem.0.weight']);
 * const name = of.get('stem.0.weight'); // the output of `model` that holds it
 * model.graph.outputs.some((output) => output.name === name); // true
 */
export function gradients(
  model: Model,
  of: string,
  withRespectTo: readonly string[],
  options: GradientOptions = {},
): Differentiated {
  const { seed, runsOnce = false, isDifferentiatedAgain = false, channelBlock, ...sizes } = options;
  const { graph: inferred } = inferShapes(model, sizes);
  const flat = flatten(inferred);
  const builder = new Builder({
    opsets: model.opsetImports,
    types: flat.types,
    runsOnce,
    isDifferentiatedAgain,
    channelBlock,
  });
  for (const name of [of, ...withRespectTo]) checkValue(builder, name);
  const writer = new GradientWriter(builder, flat.nodes, of, withRespectTo);
  const found = writer.run(seed);
  if (!isDifferentiatedAgain) withoutOwnOperators(builder);
  const added = [...found.values()].map((value): ValueInfo => ({ name: value.name, type: value.type }));
  const outputs = new Map([...model.graph.outputs, ...added].map((info) => [info.name, info]));
  const graph: Graph = {
    ...model.graph,
    nodes: uniquelyNamed(builder.nodes),
    initializers: new Map([...model.graph.initializers, ...flat.initializers, ...builder.initializers]),
    outputs: [...outputs.values()],
  };
  const complete = { ...model, graph, opsetImports: importsFor(builder.nodes, model.opsetImports) };
  return {
    // Sizes that were given are not in the model, so that others may be given later.
    model: Object.keys(sizes).length === 0 ? noteTypes(complete, builder.types) : complete,
    gradients: new Map([...found].map(([name, value]) => [name, value.name])),
  };
}

function checkValue(builder: Builder, name: string): void {
  const type = builder.types.get(name);
  if (type === undefined) {
    throw new AuspexError('GRADIENT_VALUE', `the graph has no value called '${name}'`);
  }
  if (!isDifferentiable(type)) {
    throw new AuspexError('GRADIENT_VALUE', `'${name}' (${type}) has no gradient: it is not a float tensor`);
  }
}

/** A domain that rules have written operators of must be imported; our own, when none of it is left, must not. */
function importsFor(
  nodes: readonly Node[],
  imports: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const complete = new Map(imports);
  complete.delete(OWN_DOMAIN);
  for (const { domain } of nodes) {
    const key = domain === 'ai.onnx' ? '' : domain;
    if (!complete.has(key)) complete.set(key, 1);
  }
  return complete;
}

/** Writes what a node is made of. */
function takeApart(node: Node, builder: Builder): readonly (Value | undefined)[] {
  return builder.within(nodeLabel(node), () =>
    operatorFor(node)!.decompose!(new Expansion(builder.callOf(node), builder)),
  );
}

/** Gives values the names of a node's outputs. */
function nameOutputs(node: Node, values: readonly (Value | undefined)[], builder: Builder): void {
  node.outputs.forEach((name, i) => {
    if (name === '') return;
    const value = values[i];
    if (value === undefined) throw cannotPass(node, `its output ${i} is used but has no gradient rule`);
    builder.nodes.push({ ...IDENTITY, name, inputs: [value.name], outputs: [name] });
  });
}

/** @param of - what was to be differentiated, where that is known. */
function cannotPass(node: Node, why: string, of?: string): AuspexError {
  const operator = operatorName(node);
  const gradient = of === undefined ? 'a gradient' : `the gradient of '${of}'`;
  return new AuspexError('GRADIENT_MISSING', `${gradient} passes through ${operator}, and ${why}`, {
    where: { node: nodeLabel(node), operator },
  });
}

/** Decomposes operators that no runtime has. */
function withoutOwnOperators(builder: Builder): void {
  for (const node of builder.nodes.splice(0)) {
    if (node.domain === OWN_DOMAIN) nameOutputs(node, takeApart(node, builder), builder);
    else builder.nodes.push(node);
  }
}

class GradientWriter {
  readonly #builder: Builder;
  readonly #of: string;
  readonly #withRespectTo: readonly string[];
  /** Values whose gradient matters: on a way from `withRespectTo` to `of`. */
  readonly #active: Set<string>;
  /** What was found so far of each gradient; they are summed when the value's own node is reached. */
  readonly #parts = new Map<string, Value[]>();

  constructor(builder: Builder, nodes: readonly Node[], of: string, withRespectTo: readonly string[]) {
    this.#builder = builder;
    this.#of = of;
    this.#withRespectTo = withRespectTo;
    const onTheWay = valuesBetween(nodes, builder, of, withRespectTo);
    for (const node of nodes) this.#addForward(node, onTheWay);
    this.#active = valuesBetween(builder.nodes, builder, of, withRespectTo);
  }

  /** Copies a node; one that is only differentiable by its parts is replaced by them. */
  #addForward(node: Node, active: ReadonlySet<string>): void {
    const builder = this.#builder;
    const operator = operatorFor(node);
    const isOnTheWay =
      node.outputs.some((name) => active.has(name)) && node.inputs.some((name) => active.has(name));
    if (operator?.gradient || !operator?.decompose || !isOnTheWay) {
      builder.nodes.push(node);
      return;
    }
    const start = builder.nodes.length;
    const outputs = takeApart(node, builder);
    const written = builder.nodes.splice(start);
    // What was written may be fused itself.
    for (const inner of written) this.#addForward(inner, new Set([...active, ...outputsOf(written)]));
    nameOutputs(node, outputs, builder);
  }

  run(seed: string | undefined): Map<string, Value> {
    const builder = this.#builder;
    const forward = [...builder.nodes];
    const result = builder.value(this.#of);
    const first =
      seed === undefined ? builder.within('gradient', () => result.onesLike()) : builder.value(seed);
    this.#parts.set(this.#of, [first]);
    for (const node of forward.reverse()) this.#backward(node);
    return new Map(
      this.#withRespectTo.map((name) => {
        const value = builder.value(name);
        const gradient = this.#gradientOf(name) ?? builder.within('gradient', () => value.zerosLike());
        return [name, this.#named(gradient, name)];
      }),
    );
  }

  /** The gradient under a name of its own, so that two of them never share one. */
  #named(gradient: Value, of: string): Value {
    const builder = this.#builder;
    const name = builder.freshName(`gradient/${of}`);
    const [type] = builder.add({ ...IDENTITY, name, inputs: [gradient.name], outputs: [name] });
    return builder.value(type === undefined ? gradient.name : name);
  }

  /** The sum of all that is known of a value's gradient. */
  #gradientOf(name: string): Value | undefined {
    const parts = this.#parts.get(name);
    if (parts === undefined) return undefined;
    if (parts.length === 1) return parts[0];
    const sum = this.#builder.within('gradient', () => this.#builder.sum(parts));
    this.#parts.set(name, [sum]);
    return sum;
  }

  #backward(node: Node): void {
    const { outputs, inputs } = node;
    const outputGradients = outputs.map((name) => (name === '' ? undefined : this.#gradientOf(name)));
    if (outputGradients.every((g) => g === undefined)) return;
    const read = valuesRead(node);
    const wanted = inputs.map((name) => this.#active.has(name) && read.includes(name));
    if (!wanted.includes(true)) {
      if (!read.some((name) => this.#active.has(name))) return;
      throw cannotPass(node, 'its subgraph uses a value that needs a gradient', this.#of);
    }
    const operator = operatorFor(node);
    if (operator?.gradient === undefined) {
      throw cannotPass(node, `${operatorName(node)} has no gradient rule`, this.#of);
    }
    const builder = this.#builder;
    try {
      const differentiation = new Differentiation(builder.callOf(node), builder, outputGradients, wanted);
      const found = builder.within(`gradient/${nodeLabel(node)}`, () => operator.gradient!(differentiation));
      found.forEach((gradient, i) => {
        const name = inputs[i]!;
        if (gradient === undefined || !wanted[i]) return;
        const parts = this.#parts.get(name);
        if (parts) parts.push(gradient);
        else this.#parts.set(name, [gradient]);
      });
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      throw error.within({ node: nodeLabel(node), operator: operatorName(node) });
    }
  }
}

const IDENTITY = { opType: 'Identity', domain: '', attributes: new Map() };

function outputsOf(nodes: readonly Node[]): string[] {
  return nodes.flatMap((node) => [...node.outputs, ...node.inputs]);
}

/** Whether a gradient could flow through a value: a float tensor, a sequence of them, or what is not known. */
function mayCarry(type: ValueType | undefined): boolean {
  if (isTensor(type)) return type.dtype === undefined || isDifferentiable(type);
  const isContainer = type?.kind === 'sequence' || type?.kind === 'optional';
  return isContainer ? mayCarry(type.element) : type?.kind !== 'map';
}

/** The float values that depend on one of `from` and that `to` depends on. */
function valuesBetween(
  nodes: readonly Node[],
  builder: Builder,
  to: string,
  from: readonly string[],
): Set<string> {
  const carries = (name: string): boolean => mayCarry(builder.types.get(name));
  const reached = dependentValues(nodes, from, { carries, reads: valuesRead });
  const needed = neededValues(nodes, [to]);
  return new Set([...reached].filter((name) => needed.has(name)));
}
