// What happens to a network before it is scored. Files are found, not made: of old opsets, for one sample, with sizes left
// open, quantised. Each step is a transformation of the graph; what it changed is kept for `--explain`, and so is why one
// could not be made: scores that do not need it are computed all the same.
import { cost } from '../../analysis/cost.js';
import { type InferOptions, inferShapes } from '../../analysis/infer.js';
import { type Dim, isKnown } from '../../graph/dim.js';
import { isFloat } from '../../graph/dtype.js';
import { type Graph, hasSubgraphs, type Model, type Node, type ValueInfo } from '../../graph/graph.js';
import { isTensor } from '../../graph/types.js';
import { describeInputs, givenInputs } from '../../inputs/drawn.js';
import { operatorFor, traitsOf } from '../../ops/index.js';
import { withBatch } from '../../transform/batch.js';
import { withoutControlFlow } from '../../transform/control-flow.js';
import { differentiablePart } from '../../transform/cut.js';
import { inFloat } from '../../transform/dequantise.js';
import { withFixedInputs } from '../../transform/fixed-inputs.js';
import { withOpset } from '../../transform/opset.js';
import { type OpenSize, openSizesOf } from '../../transform/sizes/roles.js';
import { chosenSizes } from '../../transform/sizes.js';
import type { Change, Transformed } from '../../transform/transform.js';
import { AuspexError } from '../../util/errors.js';
import { withFloatTables } from './float-tables.js';
import type { PrepareOptions } from './prepare.js';

/** Samples where nobody says how many; fewer of large networks. */
const BATCH = 16;
const LEAST_BATCH = 4;
/** Of networks that take very long; fewer samples cannot be compared. */
const PAIR = 2;
/** Multiply-accumulates of a batch that nobody asked for. */
const MOST_MACS = 1.6e10;
/** And of four samples, before there are only two. */
const MOST_MACS_OF_FOUR = 6.4e10;

/** Gradients of older operators are not written, and sums by index are dense matrices before 16. */
const LEAST_OPSET = 16;
const OPSET = 17;

interface Step {
  readonly name: 'opset' | 'settings' | 'sizes' | 'control flow' | 'cut' | 'float' | 'batch';
  /** For documents. */
  readonly does: string;
  readonly run: (model: Model, options: PrepareOptions) => Transformed & { readonly samples?: number };
}

/** In this order. */
export const STEPS: readonly Step[] = [
  { name: 'opset', does: `opsets before ${LEAST_OPSET} are converted to ${OPSET}`, run: raised },
  { name: 'settings', does: 'single numbers among the inputs (rates, thresholds) are fixed', run: settled },
  { name: 'sizes', does: 'open sizes get values from names, places and weights', run: withKnownSizes },
  { name: 'control flow', does: 'branches and loops become the nodes that run', run: withoutBodies },
  { name: 'cut', does: 'what decodes images in front and selects boxes behind is cut off', run: cut },
  { name: 'float', does: 'quantised operators become those of floats', run: dequantised },
  { name: 'batch', does: `a batch of 1, or an open one, becomes ${BATCH}, or --batch`, run: rebatched },
];

/** Why a step was not made. */
export interface StepProblem {
  readonly step: Step['name'];
  readonly error: AuspexError;
}

export interface Normalised {
  readonly model: Model;
  readonly changes: readonly Change[];
  readonly problems: readonly StepProblem[];
  /** Its sizes are those that were given. */
  readonly isSized: boolean;
  /** Samples of a batch, where it was changed. */
  readonly samples: number | undefined;
}

/** All steps, each on what the one before left; those before the batch once for all batches. */
export function normalise(given: Model, options: PrepareOptions): Normalised {
  const before = ofAnyBatch(given, options);
  const after = made(before.model, STEPS.filter(isOfBatch), options);
  const problems = [...before.problems, ...after.problems];
  const isSized = !problems.some(({ step }) => step === 'sizes');
  return { ...after, changes: [...before.changes, ...after.changes], problems, isSized };
}

type Made = Omit<Normalised, 'isSized'>;

const isOfBatch = ({ name }: Step): boolean => name === 'batch';

const known = new WeakMap<Model, Map<string, Made>>();

function ofAnyBatch(model: Model, options: PrepareOptions): Made {
  const { dims, shapes, batches } = options;
  const sizes = Object.entries(batches?.[0] ?? {}).map(([name, tensor]) => [name, tensor.dims]);
  const key = JSON.stringify([dims, shapes, sizes]);
  const own = known.get(model) ?? new Map<string, Made>();
  known.set(model, own);
  const found =
    own.get(key) ??
    made(
      model,
      STEPS.filter((step) => !isOfBatch(step)),
      options,
    );
  own.set(key, found);
  return found;
}

function made(given: Model, steps: readonly Step[], options: PrepareOptions): Made {
  const changes: Change[] = [];
  const problems: StepProblem[] = [];
  let model = given;
  let samples: number | undefined;
  for (const { name, run } of steps) {
    try {
      const after = run(model, options);
      model = after.model;
      samples = after.samples ?? samples;
      changes.push(...after.changes);
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      problems.push({ step: name, error });
    }
  }
  return { model, changes, problems, samples };
}

function raised(model: Model): Transformed {
  const opset = model.opsetImports.get('');
  return opset === undefined || opset >= LEAST_OPSET ? { model, changes: [] } : withOpset(model, OPSET);
}

/** Inputs of one number that are the same for all samples, so that they decide branches. */
function settled(model: Model, { batches }: PrepareOptions): Transformed {
  const inputs = givenInputs(model);
  const single = inputs.filter(({ name, type }) => {
    const isGiven = batches?.[0]?.[name] !== undefined;
    return !isGiven && isTensor(type) && type.shape?.every((d) => d === 1) === true;
  });
  // The only input is the data.
  if (single.length === 0 || single.length === inputs.length) return { model, changes: [] };
  const names = new Set(single.map(({ name }) => name));
  const values = describeInputs(model).flatMap(({ name, meaning }): [string, number][] =>
    names.has(name) && meaning.kind === 'same' ? [[name, meaning.value]] : [],
  );
  return withFixedInputs(model, Object.fromEntries(values));
}

function withoutBodies(model: Model): Transformed {
  const isNeeded = model.graph.nodes.some(
    (node) => hasSubgraphs(node) || traitsOf(node).sequence !== undefined,
  );
  return isNeeded ? withoutControlFlow(model) : { model, changes: [] };
}

function cut(model: Model): Transformed {
  const { nodes, inputs, outputs, initializers } = model.graph;
  const isFloatTensor = ({ type }: ValueInfo): boolean => isTensor(type) && isFloat(type.dtype ?? 'int64');
  const isOdd = (node: Node): boolean => traitsOf(node).selects === true || operatorFor(node) === undefined;
  const isNeeded =
    nodes.some(isOdd) ||
    inputs.some((input) => !initializers.has(input.name) && !isFloatTensor(input)) ||
    outputs.some(
      (output) => isTensor(output.type) && output.type.dtype !== undefined && !isFloatTensor(output),
    );
  return isNeeded ? differentiablePart(model) : { model, changes: [] };
}

/** As the network was before it was quantised: rounding and limits of integers are none of its own. */
function dequantised(model: Model): Transformed {
  const tables = withFloatTables(model);
  const { model: floats, changes } = inFloat(tables.model, {
    rounding: 'left-out',
    saturation: 'rectifiers',
  });
  return { model: floats, changes: [...tables.changes, ...changes] };
}

/** With all sizes but that of the batch fixed: told, or chosen. */
export function withKnownSizes(model: Model, options: PrepareOptions): Transformed {
  const { dims = {}, shapes = {}, batches, infer = inferShapes } = options;
  const samples = Object.entries(batches?.[0] ?? {}).map(([name, { dims: sizes }]) => [name, sizes] as const);
  const given: InferOptions = { dims, shapes: { ...shapes, ...Object.fromEntries(samples) } };
  const isTold = Object.keys(dims).length + Object.keys(given.shapes!).length > 0;
  const { graph } = infer(model, isTold ? given : {});
  const open = openSizesOf(graph.inputNames, graph.types);
  const isBatch = (size: OpenSize | undefined): boolean => size?.role === 'batch' && size.axis === 0;
  const others = [...open.values()].filter((size) => !isBatch(size));
  if (!isTold && others.length === 0) return { model, changes: [] };
  const chosen = others.length === 0 ? undefined : chosenSizes(model, given);
  const wanted = chosen?.reasons.filter(({ name }) => !isBatch(open.get(name))) ?? [];
  const bound = Object.fromEntries(wanted.map(({ name, size }) => [name, size]));
  const { types } = inferShapes(model, { ...given, dims: { ...dims, ...bound } }).graph;
  const inputs = model.graph.inputs.map((input) => ({ ...input, type: types.get(input.name) ?? input.type }));
  return {
    model: withInputs(model, inputs),
    changes: wanted.map(({ name, size, why }) => ({
      transform: 'sizes',
      what: `'${name}' is ${size}, ${why}; change it with ${chosen!.flags}`,
    })),
  };
}

function withInputs(model: Model, inputs: Graph['inputs']): Model {
  return { ...model, graph: { ...model.graph, inputs, valueInfo: new Map() } };
}

/** A batch that was told, or 16 instead of one sample. */
function rebatched(
  model: Model,
  { batch, shapes = {}, batches, isBatchFixed = false, ...options }: PrepareOptions,
): ReturnType<Step['run']> {
  if (isBatchFixed) return { model, changes: [] };
  const own = batchOf(model);
  const isTold = batches !== undefined || Object.keys(shapes).length > 0;
  const isOpen = own !== undefined && !isKnown(own);
  if (own === undefined || (isTold && !isOpen) || (isKnown(own) && own > 1 && batch === undefined)) {
    return { model, changes: [] };
  }
  const wanted = batch ?? usualBatch(model, options);
  if (own === wanted) return { model, changes: [] };
  try {
    return { ...withBatch(model, wanted), samples: wanted };
  } catch (error) {
    if (!isOpen || !(error instanceof AuspexError)) throw error;
    // An open batch must be something: what the nodes allow.
    return { ...withBatch(model, 1), samples: 1 };
  }
}

function batchOf({ graph }: Model): Dim | undefined {
  const first = graph.inputs.find(({ name }) => !graph.initializers.has(name));
  return isTensor(first?.type) ? first.type.shape?.[0] : undefined;
}

/** Fewer samples of networks that take long, as long as they can still be compared. */
function usualBatch(model: Model, options: Omit<PrepareOptions, 'batch'>): number {
  const own = batchOf(model)!;
  const infer = options.infer ?? inferShapes;
  const { totals } = cost(infer(model, isKnown(own) ? {} : { dims: { [String(own)]: 1 } }));
  if (!isKnown(totals.macs)) return BATCH;
  let batch = BATCH;
  while (batch > LEAST_BATCH && batch * totals.macs > MOST_MACS) batch /= 2;
  return batch === LEAST_BATCH && batch * totals.macs > MOST_MACS_OF_FOUR ? PAIR : batch;
}
