// A network as proxies need it: all sizes known, without functions and fused operators, constants as initializers, and
// outputs of floats only.
import { type Constant, findConstants } from '../../analysis/constants.js';
import { type Inference, type InferOptions, inferShapes } from '../../analysis/infer.js';
import { flatten } from '../../autodiff/flatten.js';
import { isKnown } from '../../graph/dim.js';
import { isDefaultDomain, type Model, type Node, nodeLabel, operatorName } from '../../graph/graph.js';
import type { Tensor } from '../../graph/tensor.js';
import { isTensor, type TensorType, type ValueType } from '../../graph/types.js';
import { constantTensor, operatorFor } from '../../ops/index.js';
import { rewriteNodes } from '../../transform/rewrite.js';
import { widened } from '../../transform/wider-floats.js';
import { AuspexError } from '../../util/errors.js';
import type { InputBatch } from './batch.js';

export interface PrepareOptions {
  /** Samples at once: what a symbolic first dimension becomes, or a fixed one is changed to. */
  readonly batch?: number;
  /** The network is made for its samples: no other batch is tried. */
  readonly isBatchFixed?: boolean;
  /** Values of other symbolic dimensions, by name. */
  readonly dims?: Readonly<Record<string, number>>;
  /** Shapes of inputs, by name. */
  readonly shapes?: InferOptions['shapes'];
  /** Inputs to score on instead of synthetic ones, batch by batch. */
  readonly batches?: readonly InputBatch[];
  /** The output that is taken for logits; all outputs of floats count unless told. */
  readonly output?: string;
  /** Infers shapes of a model, for those who have done so before. */
  readonly infer?: (model: Model, options: InferOptions) => Inference;
}

/** Samples where nobody says how many. */
const BATCH = 16;

export interface Prepared {
  readonly model: Model;
  /** What analysis says of constants, by their data, as names change. */
  readonly constants: ReadonlyMap<Tensor['data'], Constant>;
}

/** What analysis says of the constants of a file as it was found. */
export function constantsOf(model: Model, options: PrepareOptions): Prepared['constants'] {
  const { infer = inferShapes } = options;
  return new Map(findConstants(infer(model, {})).map((c) => [c.tensor.data, c]));
}

/**
 * Binds sizes, inlines functions, takes fused operators apart, makes initializers of constants and widens float16.
 *
 * @param told what is known of constants before the network was changed, which may tell less of them
 */
export function prepare(
  model: Model,
  options: PrepareOptions,
  told: Prepared['constants'] = new Map(),
): Prepared {
  const inference = boundSizes(model, options);
  const constants = new Map([...findConstants(inference).map((c) => [c.tensor.data, c] as const), ...told]);
  const flat = flatten(inference.graph);
  const initializers = new Map([...model.graph.initializers, ...flat.initializers]);
  const nodes: Node[] = [];
  for (const node of flat.nodes) {
    const tensor = constantTensor(node);
    if (tensor === undefined) nodes.push(node);
    else initializers.set(node.outputs[0]!, { ...tensor, name: node.outputs[0]! });
  }
  const typed = (name: string): ValueType => flat.types.get(name)!;
  const inputs = model.graph.inputs
    .filter(({ name }) => !initializers.has(name))
    .map(({ name }) => ({ name, type: typed(name) }));
  for (const { name, type } of inputs) checkSizes(name, type);
  if (!model.graph.outputs.some(({ name }) => isTensor(typed(name)))) checkOperators(inference);
  const outputs = outputsOf(model, typed, options.output).map((name) => ({ name, type: typed(name) }));
  // Opset 14 only adds to 13 what BatchNormalization needs to be told to train.
  const opset = Math.max(model.opsetImports.get('') ?? 1, (model.opsetImports.get('') ?? 1) === 13 ? 14 : 0);
  const opsetImports = new Map([...model.opsetImports, ['', opset]]);
  const graph = { ...model.graph, nodes, inputs, outputs, initializers, valueInfo: new Map() };
  const wide = widened({ ...model, graph, opsetImports }, 'float32');
  for (const [name, { data }] of wide.graph.initializers) {
    const known = constants.get(initializers.get(name)!.data);
    if (known) constants.set(data, known);
  }
  return { model: withoutFusion(wide), constants };
}

/** Types of all values; a batch that the network's own nodes do not allow is told as such. */
export function boundSizes(model: Model, options: PrepareOptions): Inference {
  const { dims = {}, infer = inferShapes } = options;
  const shapes = shapesOf(model, options);
  const changed = model.graph.inputs.find(({ name, type }) => {
    const before = isTensor(type) ? type.shape?.[0] : undefined;
    return options.batch !== undefined && typeof before === 'number' && shapes[name]?.[0] !== before;
  });
  if (changed === undefined) return infer(model, { shapes, dims });
  const refuse = (cause?: unknown): never => {
    throw new AuspexError('PROXY_BATCH', `the network accepts only input '${changed.name}' ${changed.type}`, {
      hint: 'leave out --batch, or export the network with a dynamic batch',
      cause,
    });
  };
  try {
    const found = infer(model, { shapes, dims });
    const [own, now] = [infer(model, {}).graph, found.graph].map(({ types, outputNames }) =>
      outputNames
        .map((name) => types.get(name))
        .map((type) => (isTensor(type) ? type.shape?.[0] : undefined)),
    );
    // Nodes that fix the batch may hide a larger one in another dimension.
    const isHidden = own!.some(
      (size, i) => size === now![i] && size === (changed.type as TensorType).shape![0],
    );
    return isHidden ? refuse() : found;
  } catch (error) {
    if (error instanceof AuspexError && error.code !== 'PROXY_BATCH') return refuse(error);
    throw error;
  }
}

/** Fused operators hide weights, biases, normalisations and activations. */
function withoutFusion(model: Model): Model {
  const isFused = (node: Node): boolean =>
    !isDefaultDomain(node.domain) && operatorFor(node)?.decompose !== undefined;
  if (!model.graph.nodes.some(isFused)) return model;
  return rewriteNodes(model, (e) =>
    isFused(e.call.node) ? operatorFor(e.call.node)!.decompose!(e) : undefined,
  );
}

/** Shapes of inputs with a batch in place of a symbolic first dimension. */
function shapesOf(model: Model, options: PrepareOptions): NonNullable<InferOptions['shapes']> {
  const { batch, dims = {}, shapes = {}, batches } = options;
  const found: Record<string, readonly (number | string)[]> = { ...shapes };
  const real = model.graph.inputs.filter(({ name }) => !model.graph.initializers.has(name));
  const firstOf = (type: ValueType) => (isTensor(type) ? type.shape?.[0] : undefined);
  const first = real.length > 0 ? firstOf(real[0]!.type) : undefined;
  for (const { name, type } of real) {
    const given = batches?.[0]?.[name];
    if (given) found[name] ??= given.dims;
    if (found[name] || !isTensor(type) || type.shape === undefined || type.shape.length === 0) continue;
    const [size, ...rest] = type.shape;
    const isBound = !isKnown(size!) && Object.hasOwn(dims, String(size));
    const isSame = String(size) === String(first);
    const chosen = isKnown(size!)
      ? isSame
        ? (batch ?? size)
        : size
      : isBound
        ? String(size)
        : (batch ?? BATCH);
    found[name] = [chosen, ...rest.map((d) => (isKnown(d) ? d : String(d)))];
  }
  return found;
}

function checkSizes(name: string, type: ValueType): void {
  if (isTensor(type) && type.shape?.every(isKnown)) return;
  throw new AuspexError('PROXY_SHAPES', `input '${name}' is ${type}: all its sizes must be known`, {
    hint: 'fix symbolic sizes with --dim, or the whole shape with --shape',
  });
}

/** Throws for the first operator that nothing is known of: what it gives is unknown, and all behind it. */
function checkOperators({ graph }: Inference): void {
  const at = graph.nodes.findIndex(({ operator, isFunction }) => !operator && !isFunction);
  if (at < 0) return;
  const { node } = graph.nodes[at]!;
  throw new AuspexError('OPERATOR_UNKNOWN', `unknown operator ${operatorName(node)}`, {
    where: { node: nodeLabel(node, at), operator: operatorName(node) },
    hint: 'export the network without it',
  });
}

/** The output that is wanted, or all of floats. */
function outputsOf(model: Model, typed: (name: string) => ValueType, wanted: string | undefined): string[] {
  const names = model.graph.outputs.map((o) => o.name);
  const isFloat = (name: string): boolean => {
    const type = typed(name);
    return isTensor(type) && /float/.test(type.dtype ?? '');
  };
  const found = names.filter((name) => isFloat(name) && (wanted === undefined || name === wanted));
  if (found.length > 0) return found;
  const what = wanted === undefined ? 'no output of floats' : `no output of floats called '${wanted}'`;
  throw new AuspexError('PROXY_OUTPUT', `the network has ${what}; it has ${names.join(', ')}`);
}
