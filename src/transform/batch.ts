// A network for another batch, or for any. Files are often written for one sample: their inputs say so, and so do sizes and
// places inside. The network is gone through with an open batch; where the samples are is followed from value to value, and
// what is written for the network's own batch is corrected. Every sample gives what it gave alone; a network for which that
// cannot be told is refused with the node that prevents it.
import { inferShapes } from '../analysis/infer.js';
import { symbolsIn } from '../graph/dim.js';
import type { Graph, Model, Node, ValueInfo } from '../graph/graph.js';
import { parseDim } from '../graph/parse-dim.js';
import { isTensor, TensorType } from '../graph/types.js';
import { AuspexError } from '../util/errors.js';
import { Decisions } from './batch/decisions.js';
import { type BatchedInputs, batchedInputs } from './batch/inputs.js';
import { EXTRA } from './batch/position.js';
import { BATCH_SIZE, isOfBatch, Rebatching } from './batch/rebatching.js';
import { intoSamples } from './batch/reshaping.js';
import { visit } from './batch/rules.js';
import type { Transformed } from './transform.js';

interface BatchOptions {
  /** The axis of the batch of inputs, by name; undefined for inputs that are the same for all samples. Found by default. */
  readonly axes?: Readonly<Record<string, number | undefined>>;
}

/** Which of more inputs have the batch is not tried out. */
const MANY_INPUTS = 512;

/** A network with another batch, and where it is. */
export interface Rebatched extends Transformed {
  /** The axis of the batch of every input and output that has one. */
  readonly axes: ReadonlyMap<string, number>;
  /** Outputs that had no axis for the batch, and have one in front. */
  readonly added: ReadonlySet<string>;
  /** The batch that the network had; 1 where it was open. */
  readonly was: number;
}

/**
 * The network for another batch.
 *
 * @param batch how many samples; `dynamic` leaves the first axis open
 * @throws AuspexError BATCH_FIXED with the node that prevents it, BATCH_NONE if no input could have a batch
 *
 * @example
 * const { model } = withBatch(readModel('net.onnx'), 'dynamic');
 */
export function withBatch(
  model: Model,
  batch: number | 'dynamic',
  { axes = {} }: BatchOptions = {},
): Rebatched {
  const { graph } = model;
  const real = graph.inputs.filter(({ name }) => !graph.initializers.has(name));
  const found = batchedInputs(real);
  const becomes = batch === 'dynamic' ? undefined : batch;
  const open = found.name === undefined ? undefined : alreadyOpen(model, found, becomes);
  if (open !== undefined) return open;
  return Decisions.search(
    (decisions) => {
      const chosen = new Map<string, number>();
      for (const [name, options] of found.axes) {
        const axis = Object.hasOwn(axes, name) ? axes[name] : decisions.choose(options);
        if (axis !== undefined) chosen.set(name, axis);
      }
      return rebatched(model, found, chosen, becomes, decisions);
    },
    (error) => error instanceof AuspexError,
    real.length > MANY_INPUTS ? 1 : undefined,
  );
}

function rebatched(
  model: Model,
  { was, name: ownName }: BatchedInputs,
  axes: ReadonlyMap<string, number>,
  becomes: number | undefined,
  decisions: Decisions,
): Rebatched {
  const bound = (infos: readonly ValueInfo[], size: number): ValueInfo[] =>
    infos.map((info) => {
      const axis = axes.get(info.name);
      const { type } = info;
      if (axis === undefined || !isTensor(type)) return info;
      return { ...info, type: new TensorType(type.dtype, type.shape!.with(axis, size)) };
    });
  const dims = ownName !== undefined && was === 1 ? { [ownName]: 1 } : {};
  const single = { ...model, graph: { ...model.graph, inputs: bound(model.graph.inputs, was) } };
  const old = inferShapes(single, isUsed(single, ownName) ? { dims } : {}).graph;
  const walk = new Rebatching(model, old, { was, becomes }, decisions);
  for (const [name, axis] of axes) {
    const type = old.types.get(name) as TensorType;
    walk.types.set(name, new TensorType(type.dtype, type.shape!.with(axis, BATCH_SIZE)));
    walk.positions.set(name, { axis, outer: 1, isExtra: false });
  }
  for (const node of old.nodes) visit(walk, node);
  const outputs = finishedOutputs(walk, model.graph);
  const isChanged = walk.changes.length > 0 || was !== becomes;
  if (!isChanged) return { model, changes: [], axes: new Map([...axes, ...outputs]), added: NONE, was };
  const text = freeName(model, ownName);
  const typed = (info: ValueInfo): ValueInfo => {
    const type = walk.typeOf(info.name);
    if (!isTensor(type)) return info;
    const shape = type.shape?.map((d) =>
      isOfBatch(d) ? parseDim(String(d).replaceAll(String(BATCH_SIZE), String(becomes ?? text))) : d,
    );
    return { ...info, type: new TensorType(type.dtype, shape) };
  };
  const graph: Graph = {
    ...model.graph,
    nodes: walk.nodes,
    inputs: model.graph.inputs.map((info) => (model.graph.initializers.has(info.name) ? info : typed(info))),
    outputs: model.graph.outputs.map(typed),
    initializers: new Map([...model.graph.initializers, ...walk.initializers]),
    valueInfo: new Map(),
  };
  const what = `the batch of ${[...axes.keys()].map((n) => `'${n}'`).join(', ')} is ${becomes ?? 'open'} instead of ${was}`;
  return {
    model: { ...model, graph },
    changes: [{ transform: 'batch', what }, ...walk.changes],
    axes: new Map([...axes, ...outputs]),
    added: new Set([...outputs.keys()].filter((name) => walk.positions.get(name)?.isExtra)),
    was,
  };
}

const NONE: ReadonlySet<string> = new Set();

/** The network itself, where its batch is open already and every output has it as an axis of its own. */
function alreadyOpen(
  model: Model,
  { name, axes }: BatchedInputs,
  becomes: number | undefined,
): Rebatched | undefined {
  const found = new Map(
    [...axes].flatMap(([input, [axis]]) => (axis === undefined ? [] : [[input, axis] as const])),
  );
  try {
    const { types, outputNames } = inferShapes(model).graph;
    for (const output of outputNames) {
      const type = types.get(output);
      const shape = (isTensor(type) && type.shape) || [];
      const at = shape.flatMap((d, i) => (String(d) === name ? [i] : []));
      if (at.length !== 1 || shape.some((d) => String(d) !== name && symbolsIn(d).includes(name!)))
        return undefined;
      found.set(output, at[0]!);
    }
    if (becomes === undefined) return { model, changes: [], axes: found, added: NONE, was: 1 };
    const bound = inferShapes(model, { dims: { [name!]: becomes } }).graph;
    const typed = (info: ValueInfo): ValueInfo => ({
      ...info,
      type: bound.types.get(info.name) ?? info.type,
    });
    const { graph } = model;
    const inputs = graph.inputs.map((info) => (graph.initializers.has(info.name) ? info : typed(info)));
    return {
      model: {
        ...model,
        graph: { ...graph, inputs, outputs: graph.outputs.map(typed), valueInfo: new Map() },
      },
      changes: [{ transform: 'batch', what: `the batch is ${becomes} instead of open` }],
      axes: found,
      added: NONE,
      was: 1,
    };
  } catch (error) {
    if (error instanceof AuspexError) return undefined;
    throw error;
  }
}

/** Whether a name occurs in the inputs still. */
function isUsed({ graph }: Model, name: string | undefined): boolean {
  const sizes = [...graph.inputs, ...graph.outputs, ...graph.valueInfo.values()];
  return sizes.some(({ type }) => isTensor(type) && type.shape?.some((d) => String(d) === name));
}

function freeName({ graph }: Model, own: string | undefined): string {
  const taken = new Set(
    graph.inputs.flatMap(({ type }) => (isTensor(type) ? (type.shape ?? []).map(String) : [])),
  );
  if (own !== undefined && /^[A-Za-z_]\w*$/.test(own)) return own;
  for (let i = 0; ; i++) {
    const name = i === 0 ? 'batch' : `batch_${i}`;
    if (!taken.has(name)) return name;
  }
}

/** Brings the batch of every output to its first axis, unless it is an axis of its own elsewhere: that of a state. */
function finishedOutputs(walk: Rebatching, { outputs }: Graph): Map<string, number> {
  const axes = new Map<string, number>();
  for (const { name } of outputs) {
    const position = walk.positions.get(name);
    const shape = walk.oldShape(name);
    const end: Node = {
      name,
      opType: 'Identity',
      domain: '',
      inputs: [name],
      outputs: [name],
      attributes: new Map(),
    };
    if (walk.tellsBatch(name)) walk.refuse(end, `the output '${name}' is the size of the batch`);
    if (position === undefined) {
      if (shape?.[0] !== walk.sizes.was || walk.sizes.was !== 1) continue;
      replaced(walk, name, (value) => walk.repeated(end, value, 0));
      axes.set(name, 0);
      continue;
    }
    const isOwn = position.isExtra || shape![position.axis] === walk.sizes.was;
    if (isOwn) {
      axes.set(name, position.axis);
      continue;
    }
    const isLeading = position.axis === 0 && position.outer === 1 && walk.sizes.was === 1;
    if (!isLeading) {
      const last = walk.nodes.findLast((node) => node.outputs.includes(name)) ?? end;
      walk.refuse(last, `the output '${name}' has the samples in other axes`);
    }
    replaced(walk, name, (value) => intoSamples(walk, end, value, shape!));
    walk.note(end, `output '${name}' gets an axis for the batch`);
    walk.positions.set(name, EXTRA);
    axes.set(name, 0);
  }
  if (axes.size === 0) {
    const last = walk.nodes.at(-1) ?? {
      name: '',
      opType: 'Identity',
      domain: '',
      inputs: [],
      outputs: [],
      attributes: new Map(),
    };
    walk.refuse(last, 'no output depends on the batch');
  }
  return axes;
}

/** Gives the value of an output another name and makes the output from it. */
function replaced(walk: Rebatching, name: string, make: (value: string) => string): void {
  const before = walk.fresh(name);
  walk.types.set(before, walk.typeOf(name)!);
  const rename = (names: readonly string[]): string[] => names.map((n) => (n === name ? before : n));
  walk.nodes.forEach((node, i) => {
    if (!node.inputs.includes(name) && !node.outputs.includes(name)) return;
    walk.nodes[i] = { ...node, inputs: rename(node.inputs), outputs: rename(node.outputs) };
  });
  const value = make(before);
  walk.nodes.push({
    name,
    opType: 'Identity',
    domain: '',
    inputs: [value],
    outputs: [name],
    attributes: new Map(),
  });
  walk.types.set(name, walk.typeOf(value)!);
}
