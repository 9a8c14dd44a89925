// The differentiable part of a network: without what chooses boxes, classes or words at the end, and without what decodes
// and scales images at the front.
//
// Behind: from operators that compare data to choose (`selects`), and operators that nothing is known of, everything on is
// post-processing where no weight comes behind them. What it reads becomes outputs. So does what an output without
// gradients was made of.
// In front: inputs that are no floats and no indices of a table. What becomes of them before the first weight is the input.
//
// Control flow should be resolved before (control-flow.ts).
import { findConstants } from '../analysis/constants.js';
import { neededValues, pruned, valuesRead } from '../analysis/dependence.js';
import { type Inference, type InferOptions, type InferredNode, inferShapes } from '../analysis/infer.js';
import { type Model, type Node, nodeLabel, operatorName, type ValueInfo } from '../graph/graph.js';
import { isTensor, type ValueType } from '../graph/types.js';
import { inputsOf, traitsOf } from '../ops/index.js';
import { isDifferentiable } from '../ops/value.js';
import { AuspexError } from '../util/errors.js';
import type { Change, Transformed } from './transform.js';

const TRANSFORM = 'cut';

interface CutOptions {
  readonly sizes?: InferOptions;
}

/** The part that has gradients. Throws NO_GRADIENTS where there is none. */
export function differentiablePart(model: Model, { sizes = {} }: CutOptions = {}): Transformed {
  const front = withoutPreprocessing(model, inferShapes(model, sizes));
  const isSame = front.changes.length === 0;
  const inference = isSame ? inferShapes(model, sizes) : inferShapes(front.model);
  const back = withoutPostprocessing(front.model, inference);
  return { model: back.model, changes: [...front.changes, ...back.changes] };
}

/** What is known of the nodes of a network, in the order they run. */
class Reading {
  readonly nodes: readonly InferredNode[];
  readonly types: ReadonlyMap<string, ValueType>;
  /** Values that are weights. */
  readonly weights: ReadonlySet<string>;

  constructor(inference: Inference) {
    this.nodes = inference.graph.nodes;
    this.types = inference.graph.types;
    const parameters = findConstants(inference).filter(({ kind }) => kind === 'parameter' || kind === 'tied');
    this.weights = new Set(parameters.map(({ name }) => name));
  }

  isFloat(name: string): boolean {
    return isDifferentiable(this.types.get(name));
  }

  /** Constants that are added or multiplied may be means, anchors or strides. */
  hasWeights(node: Node): boolean {
    return traitsOf(node).arithmetic === undefined && node.inputs.some((name) => this.weights.has(name));
  }

  /** Values that gradients lead from to the inputs or the weights. */
  withGradients(inputs: readonly ValueInfo[]): Set<string> {
    const found = new Set(
      [...inputs.map(({ name }) => name), ...this.weights].filter((name) => this.isFloat(name)),
    );
    for (const { node, operator } of this.nodes) {
      const isPassed = operator?.gradient !== undefined || operator?.decompose !== undefined;
      if (!isPassed || !valuesRead(node).some((name) => found.has(name))) continue;
      for (const name of node.outputs) if (name !== '' && this.isFloat(name)) found.add(name);
    }
    return found;
  }
}

function withoutPostprocessing(model: Model, inference: Inference): Transformed {
  const { graph } = model;
  const reading = new Reading(inference);
  const inputs = graph.inputs.filter(({ name }) => !graph.initializers.has(name));
  const live = reading.withGradients(inputs);
  const behind = postprocessing(reading, live);
  const outputs = new Set<string>();
  const cause = new Map<string, Node>();
  const producers = new Map(
    reading.nodes.flatMap(({ node }) => node.outputs.map((name) => [name, node] as const)),
  );
  /** What an output that has no gradients was made of. */
  const goBack = (output: string): void => {
    const seen = new Set<string>();
    const waiting: { readonly name: string; readonly reader?: Node }[] = [{ name: output }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { name, reader } = next;
      if (seen.has(name)) continue;
      seen.add(name);
      const node = producers.get(name);
      if (node === undefined) continue;
      if (live.has(name) && !behind.has(node)) {
        outputs.add(name);
        if (reader) cause.set(name, reader);
      } else for (const input of dataOf(node).toReversed()) waiting.push({ name: input, reader: node });
    }
  };
  for (const { name } of graph.outputs) goBack(name);
  if (outputs.size === 0) throw noGradients(reading);
  if (cause.size === 0 && outputs.size === graph.outputs.length) return { model, changes: [] };
  return {
    model: withOutputs(model, outputs, reading),
    changes: [...cause].map(([name, node]) => change(name, node)),
  };
}

/** What a node reads; of one that chooses, what it chooses from, and no thresholds. */
function dataOf(node: Node): readonly string[] {
  if (traitsOf(node).selects !== true) return valuesRead(node).filter((name) => name !== '');
  const formal = inputsOf(node);
  const settings = new Set(node.inputs.filter((_, slot) => formal.role(slot) === 'setting'));
  return valuesRead(node).filter((name) => name !== '' && !settings.has(name));
}

/** Nodes that choose, and all behind them, where no weights come later. */
function postprocessing(reading: Reading, live: ReadonlySet<string>): Set<Node> {
  const before = new Set<string>();
  for (const { node } of reading.nodes.toReversed()) {
    const isBefore = reading.hasWeights(node) || node.outputs.some((name) => before.has(name));
    if (isBefore) for (const name of valuesRead(node)) before.add(name);
  }
  const reached = new Set<string>();
  const behind = new Set<Node>();
  for (const { node, operator, isFunction } of reading.nodes) {
    const isUnknown = operator === undefined && !isFunction;
    const chooses =
      (traitsOf(node).selects === true || isUnknown) && valuesRead(node).some((name) => live.has(name));
    const isLast = !reading.hasWeights(node) && !node.outputs.some((name) => before.has(name));
    if (!(chooses && isLast) && !node.inputs.some((name) => reached.has(name))) continue;
    behind.add(node);
    for (const name of node.outputs) if (name !== '') reached.add(name);
  }
  return behind;
}

function change(name: string, node: Node): Change {
  return {
    transform: TRANSFORM,
    what: `its input '${name}' is an output: no gradient leads through what follows`,
    node: nodeLabel(node),
    operator: operatorName(node),
  };
}

function noGradients(reading: Reading): AuspexError {
  const first = reading.nodes.find(({ operator }) => !operator?.gradient && !operator?.decompose);
  const where = first && { node: nodeLabel(first.node), operator: operatorName(first.node) };
  return new AuspexError('NO_GRADIENTS', 'no output of the network has gradients', {
    ...(where && { where }),
    hint: 'scores that need gradients do not exist for it; its cost does',
  });
}

function withOutputs(model: Model, names: ReadonlySet<string>, reading: Reading): Model {
  const { graph } = model;
  const order = [...names].sort((a, b) => positionOf(graph, a) - positionOf(graph, b));
  const outputs = order.map((name) => ({ name, type: reading.types.get(name)! }));
  const cut = pruned({ ...model, graph: { ...graph, outputs } });
  const needed = neededValues(cut.graph.nodes, names);
  const inputs = graph.inputs.filter(({ name }) => needed.has(name));
  return { ...cut, graph: { ...cut.graph, inputs } };
}

/** Outputs of before come first, in their order; then what comes first in the network. */
function positionOf(graph: Model['graph'], name: string): number {
  const output = graph.outputs.findIndex((info) => info.name === name);
  if (output >= 0) return output;
  return graph.outputs.length + graph.nodes.findIndex(({ outputs }) => outputs.includes(name));
}

/** An input that gradients could not reach, and that is no index of a table. */
function isRaw({ type }: ValueInfo): boolean {
  return !isTensor(type) || ['uint8', 'int8', 'string', 'uint16', 'bool'].includes(type.dtype ?? 'string');
}

function withoutPreprocessing(model: Model, inference: Inference): Transformed {
  const { graph } = model;
  const raw = graph.inputs.filter((input) => !graph.initializers.has(input.name) && isRaw(input));
  if (raw.length === 0) return { model, changes: [] };
  const reading = new Reading(inference);
  // A flag or a mask is an input of a node that has others; what is made of raw inputs alone is preprocessing.
  const inside = new Set(raw.map(({ name }) => name));
  const constants = new Set(graph.initializers.keys());
  const isFixed = (name: string): boolean => name === '' || inside.has(name) || constants.has(name);
  const replaced = new Map<string, Node>();
  for (const { node } of reading.nodes) {
    if (traitsOf(node).isConstant) for (const name of node.outputs) constants.add(name);
    const isReached = node.inputs.some((name) => inside.has(name));
    if (isReached && node.inputs.every(isFixed) && !reading.hasWeights(node)) {
      for (const name of node.outputs) if (name !== '') inside.add(name);
      continue;
    }
    for (const name of valuesRead(node)) {
      const isInput = inside.has(name) && !raw.some((input) => input.name === name);
      if (isInput && reading.isFloat(name)) replaced.set(name, node);
    }
  }
  if (replaced.size === 0) return { model, changes: [] };
  const inputs = [...replaced.keys()].map((name) => ({ name, type: reading.types.get(name)! }));
  const nodes = graph.nodes.filter(({ outputs }) => !outputs.some((name) => replaced.has(name)));
  const shorter = pruned({ ...model, graph: { ...graph, nodes } });
  const needed = neededValues(
    shorter.graph.nodes,
    graph.outputs.map(({ name }) => name),
  );
  const kept = graph.inputs.filter(({ name }) => needed.has(name));
  return {
    model: { ...shorter, graph: { ...shorter.graph, inputs: [...inputs, ...kept] } },
    changes: [...replaced].map(([name, node]) => ({
      transform: TRANSFORM,
      what: `its input '${name}' is an input of the network: what comes before only prepares ${raw.map((r) => `'${r.name}'`).join(', ')}`,
      node: nodeLabel(node),
      operator: operatorName(node),
    })),
  };
}
