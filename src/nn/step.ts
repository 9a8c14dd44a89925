// A training step as one model: forward, loss, backward, clipping, optimiser, average of the weights. Its inputs
// are the batch, the state and a few scalars; its outputs the next state, the loss and the gradient's norm.
import { inferShapes } from '../analysis/infer.js';
import { gradients } from '../autodiff/gradients.js';
import type { DataType } from '../graph/dtype.js';
import { type Model, makeGraph, makeModel } from '../graph/graph.js';
import type { Shape } from '../graph/types.js';
import { Builder, type Value } from '../ops/build.js';
import { AuspexError } from '../util/errors.js';
import { foldTranspositions, MICROSOFT } from './fold.js';
import type { Optimiser } from './optimiser.js';
import { type NoiseSite, type ParameterSpec, type Scope, Trace } from './scope.js';

/** Element type and shape of the tensors of a batch, by name. */
export type BatchShapes = Readonly<
  Record<string, { readonly type: DataType; readonly dims: readonly number[] }>
>;

/** The values of a batch in a trace. */
export type Inputs = Readonly<Record<string, Value>>;

/** Something to train. Both functions ask their scope for the same parameters. */
export interface Objective {
  /** What is minimised: a scalar. */
  loss(s: Scope, batch: Inputs): Value;
  /** What the trained model gives. */
  predict(s: Scope, batch: Inputs): Value;
}

export interface StepOptions {
  readonly optimiser: Optimiser;
  /** The gradient of all parameters together is scaled down to this norm. */
  readonly clipNorm?: number;
  /** Whether the norm of the gradient is given out; it takes a pass over all gradients. Default true. */
  readonly gradientNorm?: boolean;
  /** Decay of an exponential moving average of the weights: e ← d·e + (1 − d)·w. */
  readonly emaDecay?: number;
}

/** Something kept from step to step. */
export interface StateSpec {
  readonly name: string;
  readonly dims: readonly number[];
  /** The input of the step that takes it and the output that gives it back. */
  readonly input: string;
  readonly output: string;
  /** The parameter it belongs to: itself, a slot of the optimiser or its average. */
  readonly role: 'parameter' | 'slot' | 'average';
  readonly parameter: ParameterSpec;
}

export interface TrainingStep {
  readonly model: Model;
  readonly state: readonly StateSpec[];
  readonly noise: readonly NoiseSite[];
  /** Names of the inputs that hold the optimiser's scalars, by its names for them. */
  readonly scalars: Readonly<Record<string, string>>;
}

/** Names of slots and averages are those of their parameter, this, and which it is. */
const OF_PARAMETER = '#';

/** Whether the state of this name is a parameter itself. */
export function isParameterName(name: string): boolean {
  return !name.includes(OF_PARAMETER);
}

/** The name of a parameter's average. */
export function averageOf(parameter: string): string {
  return `${parameter}${OF_PARAMETER}average`;
}

export const LOSS = 'loss';
export const GRADIENT_NORM = 'gradientNorm';

/** Traces an objective for batches of one shape, some sizes of which may be symbols. */
export function trace(
  shapes: Readonly<Record<string, { readonly type: DataType; readonly dims: Shape }>>,
  isTraining: boolean,
  write: (s: Scope, batch: Inputs) => Value,
  output: string,
): { trace: Trace; model: Model } {
  const traced = new Trace(isTraining);
  const { builder } = traced;
  const batch = Object.fromEntries(
    Object.entries(shapes).map(([name, { type, dims }]) => [name, builder.input(name, type, dims)]),
  );
  const result = write(traced.scope, batch);
  builder.add({
    name: output,
    opType: 'Identity',
    domain: '',
    inputs: [result.name],
    outputs: [output],
    attributes: new Map(),
  });
  const updates = [...traced.updates.values()].map(({ name, type }) => ({ name, type }));
  const graph = makeGraph({
    name: output,
    nodes: builder.nodes,
    inputs: builder.inputs,
    outputs: [{ name: output, type: builder.value(output).type }, ...updates],
    initializers: builder.initializers,
  });
  return { trace: traced, model: makeModel(graph, { opsetImports: builder.opsets }) };
}

/** Writes the training step of an objective for batches of one shape. */
export function trainingStep(objective: Objective, shapes: BatchShapes, options: StepOptions): TrainingStep {
  const { optimiser, clipNorm, emaDecay, gradientNorm = true } = options;
  const forward = trace(shapes, true, (s, batch) => objective.loss(s, batch), LOSS);
  const parameters = [...forward.trace.parameters.values()];
  const trained = parameters.filter((p) => p.isTrained);
  if (trained.length === 0) throw new AuspexError('NOTHING_TO_TRAIN', 'the loss asks for no parameters');
  const reserved = parameters.find(({ name }) => !isParameterName(name));
  if (reserved) throw new Error(`'${OF_PARAMETER}' must not be part of a name: '${reserved.name}'`);
  const { shape } = forward.trace.builder.value(LOSS);
  if (!shape.every((d) => d === 1)) {
    throw new AuspexError('LOSS_SHAPE', `the loss has shape [${shape}]; it must be one number`, {
      hint: 'take its mean',
    });
  }
  const names = trained.map((p) => p.name);
  const differentiated = gradients(forward.model, LOSS, names);
  const { graph } = differentiated.model;
  const builder = new Builder({
    opsets: differentiated.model.opsetImports,
    types: inferShapes(differentiated.model).graph.types,
  });
  builder.nodes.push(...graph.nodes);
  const found = names.map((name) => builder.value(differentiated.gradients.get(name)!));

  const scalars = Object.fromEntries(
    Object.keys(optimiser.scalars(1, 1)).map((name) => [name, builder.input(`step.${name}`, 'float32', [])]),
  );
  const norm = gradientNorm || clipNorm !== undefined ? normOf(found) : undefined;
  // As PyTorch's clip_grad_norm_: min(1, limit / (norm + 1e-6)).
  const scale = clipNorm === undefined ? undefined : norm!.add(1e-6).reciprocal().mul(clipNorm).min(1);
  const state: StateSpec[] = [];
  const inputNames = new Set(graph.inputs.map((i) => i.name));
  const keep = (spec: Omit<StateSpec, 'output'>, next: Value): void => {
    // What is only passed on needs a name of its own; anything else is an output as it is, and not copied.
    const isInput = inputNames.has(next.name) || state.some((s) => s.output === next.name);
    const output = isInput ? `next.${spec.name}` : next.name;
    if (isInput) builder.add({ ...IDENTITY, name: output, inputs: [next.name], outputs: [output] });
    state.push({ ...spec, output });
  };
  trained.forEach((parameter, i) => {
    const { name, dims } = parameter;
    const slots = optimiser.slots.map((slot) => ({ slot, name: `${name}${OF_PARAMETER}${slot}` }));
    const updated = optimiser.update({
      parameter: builder.value(name),
      gradient: scale === undefined ? found[i]! : found[i]!.mul(scale),
      slots: Object.fromEntries(slots.map((s) => [s.slot, builder.input(s.name, 'float32', dims)])),
      scalars,
      decays: optimiser.decays(dims.length),
    });
    keep({ name, dims, input: name, role: 'parameter', parameter }, updated.parameter);
    for (const s of slots) {
      keep({ name: s.name, dims, input: s.name, role: 'slot', parameter }, updated.slots[s.slot]!);
    }
    if (emaDecay === undefined) return;
    const average = averageOf(name);
    const before = builder.input(average, 'float32', dims);
    const after = before.mul(emaDecay).add(updated.parameter.mul(1 - emaDecay));
    keep({ name: average, dims, input: average, role: 'average', parameter }, after);
  });
  for (const parameter of parameters) {
    if (parameter.isTrained) continue;
    const { name, dims } = parameter;
    const next = forward.trace.updates.get(name);
    const value = builder.value(next?.name ?? name);
    keep({ name, dims, input: name, role: 'parameter', parameter }, value);
  }
  if (norm) builder.add({ ...IDENTITY, name: GRADIENT_NORM, inputs: [norm.name], outputs: [GRADIENT_NORM] });
  const outputs = [LOSS, ...(norm ? [GRADIENT_NORM] : []), ...state.map((s) => s.output)];
  const model = makeModel(
    makeGraph({
      name: 'training step',
      nodes: foldTranspositions(builder.nodes, (name) => builder.value(name), new Set(outputs)),
      inputs: [...graph.inputs, ...builder.inputs],
      outputs: outputs.map((name) => ({ name, type: builder.value(name).type })),
      initializers: new Map([...graph.initializers, ...builder.initializers]),
    }),
    { opsetImports: new Map([...differentiated.model.opsetImports, [MICROSOFT, 1]]) },
  );
  return {
    model,
    state,
    noise: forward.trace.noise,
    scalars: Object.fromEntries(Object.entries(scalars).map(([name, value]) => [name, value.name])),
  };
}

const IDENTITY = { opType: 'Identity', domain: '', attributes: new Map() };

/** The Euclidean norm of several tensors taken as one. */
function normOf(values: readonly Value[]): Value {
  return values
    .map((v) => v.mul(v).sum())
    .reduce((a, b) => a.add(b))
    .sqrt();
}
