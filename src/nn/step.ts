// A training step as one model: forward, loss, backward, clipping, optimiser, average of the weights. Its inputs
// are the batch, the state and a few scalars; its outputs the next state, the loss and the gradient's norm.
import { inferShapes } from '../analysis/infer.js';
import { gradients } from '../autodiff/gradients.js';
import type { DataType } from '../graph/dtype.js';
import { isDefaultDomain, type Model, makeGraph, makeModel, type Node } from '../graph/graph.js';
import type { Shape } from '../graph/types.js';
import { Builder, type Value } from '../ops/build.js';
import { AuspexError } from '../util/errors.js';
import { addInBlocks } from './blocks.js';
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
  /** Channels in a block of the runtime's blocked kernels, which convolutions are then written with. Default: none are. */
  readonly channelBlock?: number | undefined;
  /** Decay of an exponential moving average of the weights: e ← d·e + (1 − d)·w. */
  readonly emaDecay?: number;
}

/** Something kept from step to step. */
export interface StateSpec {
  readonly name: string;
  readonly dims: readonly number[];
  /** The parameter it belongs to: itself, a slot of the optimiser or its average. */
  readonly role: 'parameter' | 'slot' | 'average';
  readonly parameter: ParameterSpec;
}

/**
 * State that goes into a step and comes out of it as one tensor: a single one as it is, several one after another. An
 * optimiser's arithmetic on few long tensors takes a third of the time that it takes on many short ones.
 */
export interface StatePack {
  /** The names of the state, in order. */
  readonly members: readonly string[];
  readonly dims: readonly number[];
  /** The input of the step that takes it and the output that gives it back. */
  readonly input: string;
  readonly output: string;
}

export interface TrainingStep {
  readonly model: Model;
  readonly state: readonly StateSpec[];
  readonly packs: readonly StatePack[];
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
  const { optimiser, clipNorm, emaDecay, gradientNorm = true, channelBlock } = options;
  const forward = trace(shapes, true, (s, batch) => objective.loss(s, batch), LOSS);
  const parameters = [...forward.trace.parameters.values()];
  const trained = parameters.filter((p) => p.isTrained);
  if (trained.length === 0) throw new AuspexError('NOTHING_TO_TRAIN', 'the loss has no parameters to train');
  const reserved = parameters.find(({ name }) => !isParameterName(name));
  if (reserved) throw new Error(`'${OF_PARAMETER}' must not be part of a name: '${reserved.name}'`);
  const { shape } = forward.trace.builder.value(LOSS);
  if (!shape.every((d) => d === 1)) {
    throw new AuspexError('LOSS_SHAPE', `the loss has shape [${shape}]; it must be one number`, {
      hint: 'take its mean',
    });
  }
  const names = trained.map((p) => p.name);
  const differentiated = gradients(forward.model, LOSS, names, { channelBlock });
  const { graph } = differentiated.model;
  const builder = new Builder({
    opsets: differentiated.model.opsetImports,
    types: inferShapes(differentiated.model).graph.types,
    channelBlock,
  });
  addInBlocks(builder, graph.nodes);
  const groups = packed(trained, optimiser).map((members, i) =>
    packOf(builder, members, `${OF_PARAMETER}${i}`),
  );
  const found = groups.map(({ flat }) =>
    flat((parameter) => builder.value(differentiated.gradients.get(parameter.name)!)),
  );

  const scalars = Object.fromEntries(
    Object.keys(optimiser.scalars(1, 1)).map((name) => [name, builder.input(`step.${name}`, 'float32', [])]),
  );
  const norm = gradientNorm || clipNorm !== undefined ? normOf(found) : undefined;
  // As PyTorch's clip_grad_norm_: min(1, limit / (norm + 1e-6)).
  const scale = clipNorm === undefined ? undefined : norm!.add(1e-6).reciprocal().mul(clipNorm).min(1);
  const state: StateSpec[] = [];
  const packs: StatePack[] = [];
  const inputNames = new Set(graph.inputs.map((i) => i.name));
  /** @param nameOf the state's name of a parameter */
  const keep = (
    pack: Pack,
    role: StateSpec['role'],
    nameOf: (name: string) => string,
    input: string,
    next: Value,
  ) => {
    // What is only passed on needs a name of its own; anything else is an output as it is, and not copied.
    const isInput = inputNames.has(next.name) || packs.some((other) => other.output === next.name);
    const output = isInput ? `next.${input}` : next.name;
    if (isInput) builder.add({ ...IDENTITY, name: output, inputs: [next.name], outputs: [output] });
    const specs = pack.members.map((parameter) => ({
      name: nameOf(parameter.name),
      dims: parameter.dims,
      role,
      parameter,
    }));
    state.push(...specs);
    packs.push({ members: specs.map(({ name }) => name), dims: pack.dims, input, output });
  };
  groups.forEach((pack, i) => {
    const { name, dims, members } = pack;
    const slots = optimiser.slots.map((slot) => ({ slot, of: `${OF_PARAMETER}${slot}` }));
    const updated = optimiser.update({
      parameter: builder.value(name),
      gradient: scale === undefined ? found[i]! : found[i]!.mul(scale),
      slots: Object.fromEntries(
        slots.map(({ slot, of }) => [slot, builder.input(name + of, 'float32', dims)]),
      ),
      scalars,
      decays: optimiser.decays(members[0]!.dims.length),
    });
    keep(pack, 'parameter', (of) => of, name, updated.parameter);
    for (const { slot, of } of slots) {
      keep(pack, 'slot', (parameter) => parameter + of, name + of, updated.slots[slot]!);
    }
    if (emaDecay === undefined) return;
    const before = builder.input(averageOf(name), 'float32', dims);
    const after = before.mul(emaDecay).add(updated.parameter.mul(1 - emaDecay));
    keep(pack, 'average', averageOf, averageOf(name), after);
  });
  for (const parameter of parameters) {
    if (parameter.isTrained) continue;
    const { name } = parameter;
    const next = forward.trace.updates.get(name);
    keep(
      packOf(builder, [parameter], name),
      'parameter',
      (of) => of,
      name,
      builder.value(next?.name ?? name),
    );
  }
  if (norm) builder.add({ ...IDENTITY, name: GRADIENT_NORM, inputs: [norm.name], outputs: [GRADIENT_NORM] });
  const outputs = [LOSS, ...(norm ? [GRADIENT_NORM] : []), ...packs.map((pack) => pack.output)];
  const apart = new Set(groups.flatMap(({ pieces }) => pieces.flatMap((node) => node.outputs)));
  const model = makeModel(
    makeGraph({
      name: 'training step',
      nodes: foldTranspositions(
        [...groups.flatMap(({ pieces }) => pieces), ...builder.nodes],
        (name) => builder.value(name),
        new Set(outputs),
      ),
      inputs: [...graph.inputs.filter(({ name }) => !apart.has(name)), ...builder.inputs],
      outputs: outputs.map((name) => ({ name, type: builder.value(name).type })),
      initializers: new Map([...graph.initializers, ...builder.initializers]),
    }),
    { opsetImports: importsOf(builder) },
  );
  return {
    model,
    state,
    packs,
    noise: forward.trace.noise,
    scalars: Object.fromEntries(Object.entries(scalars).map(([name, value]) => [name, value.name])),
  };
}

/** Elements of a pack: more do not stay in the cache from one operator to the next. */
const PACK = 2 ** 20;

/** Trained parameters that are updated together, all of which decay or none. */
function packed(trained: readonly ParameterSpec[], optimiser: Optimiser): ParameterSpec[][] {
  if (!optimiser.isElementwise) return trained.map((parameter) => [parameter]);
  return [true, false].flatMap((decays) => {
    const packs: ParameterSpec[][] = [];
    let size = 0;
    for (const parameter of trained) {
      if (optimiser.decays(parameter.dims.length) !== decays) continue;
      const own = sizeOf(parameter.dims);
      if (packs.length === 0 || size + own > PACK) {
        packs.push([]);
        size = 0;
      }
      packs.at(-1)!.push(parameter);
      size += own;
    }
    return packs;
  });
}

interface Pack {
  /** The input that takes the parameters. */
  readonly name: string;
  readonly dims: readonly number[];
  readonly members: readonly ParameterSpec[];
  /** What cuts the input into parameters, before all else. */
  readonly pieces: readonly Node[];
  /** What belongs to parameters, one value each, as one. */
  readonly flat: (of: (parameter: ParameterSpec) => Value) => Value;
}

/** @param name of several parameters together; a single one keeps its own */
function packOf(builder: Builder, members: readonly ParameterSpec[], name: string): Pack {
  const [first] = members;
  if (members.length === 1) {
    return { name: first!.name, dims: first!.dims, members, pieces: [], flat: (of) => of(first!) };
  }
  const sizes = members.map(({ dims }) => sizeOf(dims));
  const dims = [sizes.reduce((sum, size) => sum + size, 0)];
  builder.input(name, 'float32', dims);
  const node = (opType: string, inputs: string[], outputs: string[]): Node => ({
    name: outputs[0]!,
    opType,
    domain: '',
    inputs,
    outputs,
    attributes: new Map(),
  });
  const parts = members.map((parameter) => `${name}${OF_PARAMETER}${parameter.name}`);
  const pieces = [
    node('Split', [name, builder.ints(sizes).name], parts),
    ...members.map((parameter, i) =>
      node('Reshape', [parts[i]!, builder.ints(parameter.dims).name], [parameter.name]),
    ),
  ];
  const flat = (of: (parameter: ParameterSpec) => Value): Value =>
    builder.concat(
      members.map((parameter) => of(parameter).reshape([-1])),
      0,
    );
  return { name, dims, members, pieces, flat };
}

function sizeOf(dims: readonly number[]): number {
  return dims.reduce((n, d) => n * d, 1);
}

/** What is written imports the domains of all that was written. */
function importsOf({ nodes, opsets }: Builder): ReadonlyMap<string, number> {
  const imports = new Map([...opsets, [MICROSOFT, 1]]);
  for (const { domain } of nodes)
    if (!isDefaultDomain(domain) && !imports.has(domain)) imports.set(domain, 1);
  return imports;
}

const IDENTITY = { opType: 'Identity', domain: '', attributes: new Map() };

/** The Euclidean norm of several tensors taken as one. */
function normOf(values: readonly Value[]): Value {
  return values
    .map((v) => v.mul(v).sum())
    .reduce((a, b) => a.add(b))
    .sqrt();
}
