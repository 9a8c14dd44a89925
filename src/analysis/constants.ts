// Finds the constants of a network and where they are used, across subgraphs and functions. Which of them are
// parameters is decided in parameters.ts.
import { bitsOf, type DataType, isFloat, isInteger, kindOf } from '../graph/dtype.js';
import { type Graph, hasSubgraphs, type Node, subgraphs } from '../graph/graph.js';
import { elementCount, type Tensor, tensorByteLength } from '../graph/tensor.js';
import {
  constantTensor,
  type FormalInputs,
  type InputRole,
  inputsOf,
  isTrained,
  operatorFor,
  traitsOf,
} from '../ops/index.js';
import type { Body, Operator } from '../ops/operator.js';
import type { Arithmetic, Movement } from '../ops/traits.js';
import type { Inference, InferredGraph, InferredNode } from './infer.js';
import { type ConstantKind, isMadeUpName, kindOfConstant, parametersIn, toldKind } from './parameters.js';
import { tiedCopies } from './tied-weights.js';
import { torchSignature } from './torch.js';

export interface Constant {
  readonly name: string;
  readonly tensor: Tensor;
  readonly kind: ConstantKind;
  /** The first node that computes with it, past mere rearrangement; undefined if nothing does. */
  readonly owner: InferredNode | undefined;
  /** Weights in it, if it is a parameter. */
  readonly parameters: number;
  /** Bytes it takes in the file; 0 for a second name of the same data. */
  readonly bytes: number;
}

/** An input of a node that computes with a constant. */
export interface Destination {
  readonly role: InputRole;
  readonly node: Node;
  readonly slot: number;
  /** Undefined for a node in a branch that cannot run. */
  readonly by: InferredNode | undefined;
}

/** A graph as this file walks it: inferred, or, for branches that cannot run with the given shapes, as read. */
interface Walk {
  readonly initializers: ReadonlyMap<string, Tensor>;
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly nodes: readonly Step[];
}

type Step = InferredNode | NodeAsRead;

interface NodeAsRead {
  readonly node: Node;
  readonly operator: Operator | undefined;
  readonly isFunction: false;
  readonly call: undefined;
}

const NO_BODIES: readonly Walk[] = [];
const NO_RUNS: readonly Body[] = [];
const NOTHING: readonly Value[] = [];

/**
 * The graphs a node runs, or would run.
 *
 * @param read graphs that were walked as read; once is enough, however often a function repeats them.
 */
function bodiesOf({ node, call }: Step, read: Set<Graph>): readonly Walk[] {
  const inferred = call?.bodies ?? NO_RUNS;
  if (inferred.length === 0 && !hasSubgraphs(node)) return NO_BODIES;
  const bodies: Walk[] = inferred.map((body) => body.graph as InferredGraph);
  for (const [name, graph] of subgraphs(node)) {
    if (read.has(graph) || inferred.some((body) => body.name === name)) continue;
    read.add(graph);
    bodies.push(walkAsRead(graph));
  }
  return bodies;
}

function walkAsRead(graph: Graph): Walk {
  return {
    initializers: graph.initializers,
    inputNames: graph.inputs.map((v) => v.name),
    outputNames: graph.outputs.map((v) => v.name),
    nodes: graph.nodes.map((node) => ({
      node,
      operator: operatorFor(node),
      isFunction: false,
      call: undefined,
    })),
  };
}

/** A constant with what is known of it before it is judged. */
export interface FoundConstant {
  readonly name: string;
  readonly tensor: Tensor;
  /** From a Constant node, not an initializer. */
  readonly isNode: boolean;
  /** A second name for the data of another constant. */
  readonly isAlias: boolean;
  readonly isUsed: boolean;
  /** All its uses are arithmetic on the network's input, before any layer. */
  readonly isPreprocessing: boolean;
  /** All its uses are arithmetic behind the last layer: boxes are decoded, results are scaled. */
  readonly isPostprocessing: boolean;
  /** The scale that a quantised tensor is multiplied with. */
  readonly isQuantisationScale: boolean;
  readonly destinations: readonly Destination[];
}

interface Use extends Destination {
  /** The node passes it on to a body. */
  readonly isContainer: boolean;
  /** Values the elements may reach through this use, when the operator only rearranges. */
  readonly through: readonly Value[];
}

/** A value of the network, across subgraph and function borders. */
interface Value {
  readonly uses: Use[];
  /** Known before the network runs: a constant, or one that was rearranged. */
  readonly isFixed: boolean;
  /** May hold weights, so that all its uses matter. */
  readonly isFollowed: boolean;
  readonly constant?: { name: string; tensor: Tensor; isNode: boolean; isAlias: boolean };
}

/** A rearranged shape or index. */
const FIXED: Value = { uses: [], isFixed: true, isFollowed: false };

/** All constants of a graph and of everything it runs, each once. */
export function findConstants({ model, graph }: Inference): Constant[] {
  const values: Value[] = [];
  collect(graph, new Names(), values, new Set(), new Set());
  const signature = torchSignature(model.graph);
  const preprocessing = preprocessingNodes(graph);
  // Few networks ask for it: their constants belong to layers.
  let behind: ReadonlySet<Node> | undefined;
  const postprocessing = (): ReadonlySet<Node> => {
    behind ??= postprocessingNodes(graph);
    return behind;
  };
  let names: Set<string> | undefined;
  const constants = values.map((value): Constant => {
    const { name, tensor, isNode, isAlias } = value.constant!;
    const bytes = isAlias ? 0 : tensorByteLength(tensor);
    const isUsed = value.uses.length > 0;
    if (!value.isFollowed) {
      return {
        name,
        tensor,
        kind: isUsed ? 'setting' : 'unused',
        owner: value.uses[0]?.by,
        parameters: 0,
        bytes,
      };
    }
    const told = toldKind(tensor);
    if (told !== undefined && isUsed) {
      const parameters = told === 'parameter' ? elementCount(tensor) : 0;
      return { name, tensor, kind: told, owner: ownerOf(value), parameters, bytes };
    }
    const destinations = destinationsOf(value);
    const isPreprocessing = destinations.every((d) => preprocessing.has(d.node));
    const isPostprocessing =
      destinations.every((d) => traitsOf(d.node).arithmetic !== undefined) &&
      destinations.every((d) => postprocessing().has(d.node));
    // Quantisers write `w_scale` beside `w_zero_point`.
    let isQuantisationScale = false;
    if (name.endsWith('_scale')) {
      names ??= new Set(values.map((v) => v.constant!.name));
      isQuantisationScale = names.has(name.replace(/_scale$/, '_zero_point'));
    }
    // One plain literal: spreading its parts took a third of the time of counting.
    const facts: FoundConstant = {
      name,
      tensor,
      isNode,
      isAlias,
      isUsed,
      destinations,
      isPreprocessing,
      isPostprocessing,
      isQuantisationScale,
    };
    const kind = kindOfConstant(facts, signature);
    const parameters = kind === 'parameter' ? parametersIn(facts, signature) : 0;
    return { name, tensor, kind, owner: ownerOf(value), parameters, bytes };
  });
  const judged = constants.filter((c) => c.kind === 'parameter' && toldKind(c.tensor) === undefined);
  const copies = tiedCopies(judged.map((c) => c.tensor));
  if (copies.size === 0) return constants;
  return constants.map((c) => (copies.has(c.tensor) ? { ...c, kind: 'tied', parameters: 0 } : c));
}

/** The values that names stand for in a graph: its own, then those of the graphs around it. */
class Names {
  readonly #own = new Map<string, Value | undefined>();
  readonly #outer: Names | undefined;

  constructor(outer?: Names) {
    this.#outer = outer;
  }

  get(name: string): Value | undefined {
    const own = this.#own.get(name);
    if (own !== undefined || this.#outer === undefined || this.#own.has(name)) return own;
    return this.#outer.get(name);
  }

  /** Undefined hides what the name stands for outside. */
  set(name: string, value: Value | undefined): void {
    this.#own.set(name, value);
  }
}

function collect(graph: Walk, scope: Names, found: Value[], seen: Set<Tensor>, read: Set<Graph>): void {
  const define = (name: string, tensor: Tensor, isNode: boolean, isAlias: boolean): void => {
    const isFollowed = couldBeWeight(tensor.dtype);
    const value: Value = { uses: [], isFixed: true, isFollowed, constant: { name, tensor, isNode, isAlias } };
    scope.set(name, value);
    if (seen.has(tensor) && !isAlias) return;
    seen.add(tensor);
    found.push(value);
  };
  for (const [name, tensor] of graph.initializers) define(name, tensor, false, false);
  const outputs = new Set(graph.outputNames);
  for (let i = 0; i < graph.nodes.length; i++) {
    const step = graph.nodes[i]!;
    const { node } = step;
    const first = node.outputs[0] ?? '';
    const traits = step.operator?.traits;
    if (traits?.isConstant) {
      const tensor = constantTensor(node);
      if (tensor) define(first, tensor, true, false);
      continue;
    }
    const isIdentity = traits?.moves === 'same' && traits.draws === undefined;
    const original = isIdentity ? scope.get(node.inputs[0] ?? '')?.constant : undefined;
    if (original && first !== '' && !isMadeUpName(first) && !outputs.has(first)) {
      // PyTorch's exporter writes parameters of equal value (fresh biases, all zero) once, and gives the
      // others their names by an Identity: each of them is a parameter of its own.
      define(first, original.tensor, original.isNode, true);
      continue;
    }
    const bodies = bodiesOf(step, read);
    addUses(step, bodies.length > 0, scope);
    for (const inner of bodies) {
      const names = new Names(step.isFunction ? undefined : scope);
      inner.inputNames.forEach((name, slot) => {
        names.set(name, scope.get(node.inputs[slot] ?? ''));
      });
      collect(inner, names, found, seen, read);
    }
  }
}

/** Integers beyond eight bits are shapes and indices, whatever they go into; int32 may be a quantised bias. */
function couldBeWeight(dtype: DataType): boolean {
  return (
    isFloat(dtype) ||
    kindOf(dtype) === 'complex' ||
    dtype === 'int32' ||
    (isInteger(dtype) && bitsOf(dtype) <= 8)
  );
}

/** Whether what a constant is can be told from where its elements go: not by what single ones are looked up for. */
function isFollowing(moves: Movement | undefined): boolean {
  return moves !== undefined && moves !== 'lookup';
}

/** Notes a node with the constants it uses, and with what it only passes on. */
function addUses(step: Step, isContainer: boolean, scope: Names): void {
  const { node, operator } = step;
  const by = step.call && step;
  const moves = operator?.traits?.moves;
  let isFollowed = false;
  // Looking something up in a table is work, even when it is known what is looked up.
  let isFixed = isFollowing(moves) && moves !== 'rows';
  const { inputs, outputs } = node;
  for (let i = 0; i < inputs.length; i++) {
    const name = inputs[i]!;
    const value = name === '' ? undefined : scope.get(name);
    if (value?.isFollowed) isFollowed = true;
    if (name !== '' && !value?.isFixed) isFixed = false;
  }
  const results: Value[] = [];
  for (let i = 0; i < outputs.length; i++) {
    const name = outputs[i]!;
    if (name === '') continue;
    if (isFollowing(moves) && isFollowed) {
      const value: Value = { uses: [], isFixed, isFollowed };
      results.push(value);
      scope.set(name, value);
    } else if (isFixed) scope.set(name, FIXED);
    else if (scope.get(name)) scope.set(name, undefined);
  }
  let formal: FormalInputs | undefined;
  for (let slot = 0; slot < inputs.length; slot++) {
    const value = scope.get(inputs[slot]!);
    // Of what is not followed only the first use matters: it says whose it is.
    if (value === undefined || value === FIXED || (!value.isFollowed && value.uses.length > 0)) continue;
    const isMoved = moves === 'join' || (isFollowing(moves) && slot === 0);
    const through = isMoved ? results : NOTHING;
    formal ??= inputsOf(node, step.call?.opset);
    value.uses.push({ by, node, slot, role: formal.role(slot), through, isContainer });
  }
}

/** How inputs are scaled and shifted, and what may be done to them besides. */
const SCALING: ReadonlySet<Arithmetic | undefined> = new Set(['add', 'subtract', 'multiply', 'divide']);
const MOVING: ReadonlySet<Movement | undefined> = new Set(['same', 'type', 'shape', 'axes']);

/** The nodes right behind the inputs that only scale and shift them. */
function preprocessingNodes(graph: InferredGraph): ReadonlySet<Node> {
  const found = new Set<Node>();
  const inputs = new Set(graph.inputNames);
  let constants: Set<string> | undefined;
  for (let i = 0; i < graph.nodes.length; i++) {
    const { node, operator } = graph.nodes[i]!;
    const { inputs: names, outputs } = node;
    const { arithmetic, moves } = operator?.traits ?? {};
    if ((SCALING.has(arithmetic) || MOVING.has(moves)) && names.some((n) => inputs.has(n))) {
      constants ??= constantNames(graph);
      if (!names.every((n) => inputs.has(n) || constants?.has(n))) continue;
      found.add(node);
      outputs.forEach((name) => void inputs.add(name));
    }
  }
  return found;
}

/** Arithmetic behind the last layer: what it computes goes into no product, normalisation or body. */
function postprocessingNodes(graph: InferredGraph): ReadonlySet<Node> {
  const found = new Set<Node>();
  const before = new Set<string>();
  for (let i = graph.nodes.length - 1; i >= 0; i--) {
    const { node, operator, call } = graph.nodes[i]!;
    const { product, normalisation, arithmetic } = operator?.traits ?? {};
    const isLayer = product !== undefined || normalisation !== undefined || call.bodies.length > 0;
    if (isLayer || node.outputs.some((name) => before.has(name)))
      for (const name of node.inputs) before.add(name);
    else if (arithmetic !== undefined) found.add(node);
  }
  return found;
}

function constantNames(graph: InferredGraph): Set<string> {
  const names = new Set(graph.initializers.keys());
  for (const { node } of graph.nodes) {
    if (traitsOf(node).isConstant) for (const name of node.outputs) names.add(name);
  }
  return names;
}

/** How many uses of a constant are followed; the first ones tell what it is. */
const MAX_STEPS = 256;

/** Where the elements of a value end up: the operators that compute with them. */
function destinationsOf(value: Value): Destination[] {
  const found: Destination[] = [];
  let steps = 0;
  const visited = new Set<Value>([value]);
  const queue = [value];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const use of at.uses) {
      if (++steps > MAX_STEPS) return found;
      for (const next of use.through) {
        if (!visited.has(next)) {
          visited.add(next);
          queue.push(next);
        }
      }
      const goesOn = use.through.some((next) => next.uses.length > 0);
      if (!goesOn && !use.isContainer) found.push(use);
    }
  }
  return found;
}

/** The first node that computes with a constant: past what only rearranges it before the network runs. */
function ownerOf(value: Value): InferredNode | undefined {
  let at: Value | undefined = value;
  let owner: InferredNode | undefined;
  for (let steps = 0; at !== undefined && steps < MAX_STEPS; steps++) {
    const use: Use | undefined = at.uses.find((u) => isTrained(u.role)) ?? at.uses[0];
    owner = use?.by ?? owner;
    at = use?.through.find((next) => next.isFixed && next.uses.length > 0);
  }
  return owner;
}
