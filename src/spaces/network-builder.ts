// How spaces write networks: with the layers of `nn`, in evaluation mode. Weights are drawn from the seed when
// someone reads them, so a network that is only counted costs no more than its nodes.

import { noteTypes } from '../analysis/builder-types.js';
import { inferShapes, noteInferred } from '../analysis/infer.js';
import { KIND_KEY } from '../analysis/parameters.js';
import { type Model, makeGraph, makeModel } from '../graph/graph.js';
import type { Tensor } from '../graph/tensor.js';
import { initialValues } from '../nn/initialise.js';
import { type ParameterSpec, type Scope, Trace } from '../nn/scope.js';
import type { Value } from '../ops/build.js';
import { ByteRange, type ByteSource } from '../util/bytes.js';
import { AuspexError } from '../util/errors.js';
import type { NetworkOptions } from './space.js';

/** The first values of a parameter, as bytes; drawn when they are read. */
class DrawnWeights implements ByteSource {
  readonly size: number;
  readonly windowBytes = Number.POSITIVE_INFINITY;
  readonly #parameter: ParameterSpec;
  readonly #seed: number;
  #bytes: Uint8Array | undefined;

  constructor(parameter: ParameterSpec, seed: number) {
    this.size = 4 * parameter.dims.reduce((n, d) => n * d, 1);
    this.#parameter = parameter;
    this.#seed = seed;
  }

  read(offset: number, length: number): Uint8Array {
    if (this.#bytes === undefined) {
      const { buffer, byteOffset, byteLength } = initialValues(this.#parameter, this.#seed);
      this.#bytes = new Uint8Array(buffer, byteOffset, byteLength);
    }
    return this.#bytes.subarray(offset, offset + length);
  }
}

const PARAMETER = new Map([[KIND_KEY, 'parameter']]);
const STATISTIC = new Map([[KIND_KEY, 'statistic']]);

/** A parameter as a tensor of float32 whose elements are drawn when they are read. */
export function drawnTensor(parameter: ParameterSpec, seed: number): Tensor {
  const source = new DrawnWeights(parameter, seed);
  const bytes = new ByteRange(source, 0, source.size);
  const { name, dims, isTrained } = parameter;
  const metadata = isTrained ? PARAMETER : STATISTIC;
  return { name, dtype: 'float32', dims, data: { kind: 'raw', bytes }, metadata };
}

/** The key of a model's metadata that names the space it comes from. */
export const SPACE_KEY = 'auspex.space';

/** The key under which a network that was exported has its architecture's text. */
export const ARCH_KEY = 'auspex.arch';

interface NetworkInput {
  readonly type: 'float32' | 'int64';
  readonly dims: readonly number[];
}

/**
 * A batch of colour images, (B, 3, resolution, resolution).
 *
 * @param multipleOf what the sides must be divided by, for networks that halve them in two ways that must agree.
 */
export function images(
  { batch = 1, resolution }: NetworkOptions,
  side: number,
  multipleOf = 1,
): NetworkInput {
  const size = resolution ?? side;
  if (size % multipleOf !== 0) {
    throw new AuspexError('RESOLUTION', `images of ${size}x${size} do not fit this network`, {
      hint: `give a resolution that is a multiple of ${multipleOf}`,
    });
  }
  return { type: 'float32', dims: [batch, 3, size, size] };
}

/** A batch of texts, (B, n) of whole numbers below the vocabulary's size. */
export function tokens({ batch = 1, resolution }: NetworkOptions, length: number): NetworkInput {
  return { type: 'int64', dims: [batch, resolution ?? length] };
}

/** A hidden width of the paper, scaled as the options ask: a multiple of `multipleOf`, at least that. */
export function scaledWidth(width: number, options: NetworkOptions, multipleOf = 1): number {
  if (options.width === undefined || options.width === 1) return width;
  return Math.max(multipleOf, Math.round((width * options.width) / multipleOf) * multipleOf);
}

const FOR_BATCH = Symbol('for another batch');
const BODY = Symbol('how it was written');

/** How a network was written, so that it can be traced again, for training too. */
export interface NetworkBody {
  readonly input: NetworkInput;
  readonly write: (s: Scope, x: Value) => Value;
}

/** Undefined for a model that was not written by a space. */
export function bodyOf(model: Model): NetworkBody | undefined {
  return (model as { [BODY]?: NetworkBody })[BODY];
}

/** Where a classifier has its last dense layer. */
export const CLASSIFIER = 'classifier';

/**
 * A space's network for a batch of another size, with the same weights: its nodes fix the size, so that it must be written
 * anew. Undefined for a model that was not written by a space.
 */
export function forBatch(model: Model, batch: number): Model | undefined {
  return (model as { [FOR_BATCH]?: (batch: number) => Model })[FOR_BATCH]?.(batch);
}

/**
 * The model of a network with one input and one output.
 *
 * @param write the network: from its input to its output.
 */
export function writeNetwork(
  name: string,
  { type, dims }: NetworkInput,
  seed: number,
  write: (s: Scope, x: Value) => Value,
): Model {
  const trace = new Trace(false);
  const { builder } = trace;
  const input = builder.input('input', type, dims);
  const output = write(trace.scope, input);
  builder.add({
    name: 'output',
    opType: 'Identity',
    domain: '',
    inputs: [output.name],
    outputs: ['output'],
    attributes: new Map(),
  });
  const weights = new Map<string, Tensor>();
  for (const parameter of trace.parameters.values()) {
    weights.set(parameter.name, drawnTensor(parameter, seed));
  }
  const graph = makeGraph({
    name,
    nodes: builder.nodes,
    inputs: builder.inputs.filter((i) => !weights.has(i.name)),
    outputs: [{ name: 'output', type: output.type }],
    initializers: new Map([...builder.initializers, ...weights]),
  });
  const model = makeModel(graph, {
    opsetImports: builder.opsets,
    metadata: new Map([[SPACE_KEY, name]]),
  });
  Object.defineProperty(model, FOR_BATCH, {
    value: (batch: number): Model => {
      const other = writeNetwork(name, { type, dims: dims.with(0, batch) }, seed, write);
      // What was drawn already is not drawn again.
      const initializers = new Map([...other.graph.initializers, ...weights]);
      return noteTypes({ ...other, graph: { ...other.graph, initializers } }, inferShapes(other).graph.types);
    },
  });
  Object.defineProperty(model, BODY, { value: { input: { type, dims }, write } });
  noteInferred(model, {
    name,
    nodes: builder.applied,
    types: builder.types,
    inputNames: graph.inputs.map((i) => i.name),
    outputNames: graph.outputs.map((o) => o.name),
    outputTypes: [output.type],
    initializers: graph.initializers,
  });
  return model;
}
