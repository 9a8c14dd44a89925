// A predictor's graph: one model with a way in and out for every entry, weights inside. An entry alone is cut out of it to
// run, as a session must be fed all inputs.
import { type Model, makeGraph, makeModel } from '../graph/graph.js';
import { usedNames } from '../graph/order.js';
import { tensorNumbers } from '../graph/tensor.js';
import { isTensor } from '../graph/types.js';
import { freeze } from '../nn/freeze.js';
import { type Scope, Trace } from '../nn/scope.js';
import type { Inputs } from '../nn/step.js';
import type { Weights } from '../nn/trainer.js';
import type { Value } from '../ops/build.js';
import { type LabelScale, unlearned } from './labels.js';
import type { Entry } from './predictor.js';
import type { InputShapes } from './views/view.js';

/** Names of outputs: (batch, labels) in the labels' units; (batch, width); (pairs, 1), a logit; (batch, 1). */
export const OUTPUTS: Readonly<Record<Entry['gives'], string>> = {
  values: 'prediction',
  latent: 'latent',
  preference: 'preference',
  score: 'score',
};

/** What `preference` compares: two rows of what `latent` puts out, (pairs, width) each. */
export const PAIR = ['first', 'second'] as const;

/** The output of an entry: `prediction`, or `cl-t.score` of a member. */
export function outputOf({ name, gives }: Pick<Entry, 'name' | 'gives'>): string {
  return name === undefined ? OUTPUTS[gives] : `${name}.${OUTPUTS[gives]}`;
}

/** The inputs of an entry that compares pairs. */
export function pairOf({ name }: Pick<Entry, 'name'>): readonly [first: string, second: string] {
  const [first, second] = PAIR;
  return name === undefined ? [first, second] : [`${name}.${first}`, `${name}.${second}`];
}

const MEMBER = 'member';

export interface EntryGraph extends Pick<Entry, 'name' | 'gives'> {
  readonly inputs: InputShapes;
  write(s: Scope, inputs: Inputs): Value;
}

/**
 * One model of all entries. Inputs of the same name are the same.
 *
 * @param domains beside ONNX's own; see `Trace`
 */
export function entriesModel(
  entries: readonly EntryGraph[],
  weights: Weights,
  domains?: Iterable<readonly [string, number]>,
): Model {
  const trace = new Trace(false, domains);
  const { builder, scope } = trace;
  const outputs = entries.map((entry) => {
    const { inputs, write } = entry;
    const given = Object.entries(inputs).map(([name, { type, dims }]) => [
      name,
      builder.types.has(name) ? builder.value(name) : builder.input(name, type, dims),
    ]);
    const name = outputOf(entry);
    const result = write(scope, Object.fromEntries(given));
    builder.add({
      name,
      opType: 'Identity',
      domain: '',
      inputs: [result.name],
      outputs: [name],
      attributes: new Map(),
    });
    return { name, type: builder.value(name).type };
  });
  const graph = makeGraph({
    name: outputs[0]!.name,
    nodes: builder.nodes,
    inputs: builder.inputs,
    outputs,
    initializers: builder.initializers,
  });
  return freeze(makeModel(graph, { opsetImports: builder.opsets }), weights);
}

/**
 * The mean of all members as one model: (batch, labels), in the labels' units.
 *
 * @param build (B, …) → (B, labels), as they were learned
 */
export function membersModel(
  members: readonly Weights[],
  inputs: InputShapes,
  build: (s: Scope, inputs: Inputs) => Value,
  scales: readonly LabelScale[],
): Model {
  const write = (s: Scope, given: Inputs): Value => {
    const found = members.map((_, i) => build(s.at(MEMBER, i), given));
    return unlearned(s.builder.sum(found).div(members.length), scales);
  };
  const weights = members.flatMap((member, i) =>
    [...member].map(([name, data]) => [`${MEMBER}.${i}.${name}`, data] as const),
  );
  const model = entriesModel([{ gives: 'values', inputs, write }], new Map(weights));
  const { type } = model.graph.outputs[0]!;
  if (!isTensor(type) || String(type.shape) !== `batch,${scales.length}`) {
    throw new Error(`the model does not take any batch: its output is ${type}`);
  }
  return model;
}

/** The weights of every member of such a model. */
export function memberWeights(model: Model): Map<string, Float32Array>[] {
  const members: Map<string, Float32Array>[] = [];
  for (const [name, tensor] of model.graph.initializers) {
    const [prefix, member, ...rest] = name.split('.');
    if (prefix !== MEMBER) continue;
    members[Number(member)] ??= new Map();
    members[Number(member)]!.set(rest.join('.'), Float32Array.from(tensorNumbers(tensor)));
  }
  return members;
}

/** Weights whose names begin so, under what follows. */
export function weightsWithin({ graph }: Model, path: string): Map<string, Float32Array> {
  const found = new Map<string, Float32Array>();
  for (const [name, tensor] of graph.initializers) {
    if (!name.startsWith(path)) continue;
    found.set(name.slice(path.length), Float32Array.from(tensorNumbers(tensor)));
  }
  return found;
}

/** The part of a model that some outputs need; the model itself where that is all of it. */
export function entryModel(model: Model, names: readonly string[]): Model {
  const { graph } = model;
  const outputs = graph.outputs.filter(({ name }) => names.includes(name));
  if (outputs.length === 0 || outputs.length === graph.outputs.length) return model;
  const needed = new Set(outputs.map(({ name }) => name));
  const nodes = graph.nodes
    .toReversed()
    .filter((node) => {
      const isNeeded = node.outputs.some((name) => needed.has(name));
      if (isNeeded) for (const name of usedNames(node)) needed.add(name);
      return isNeeded;
    })
    .reverse();
  return {
    ...model,
    graph: {
      ...graph,
      nodes,
      inputs: graph.inputs.filter(({ name }) => needed.has(name)),
      outputs,
      initializers: new Map([...graph.initializers].filter(([name]) => needed.has(name))),
    },
  };
}
