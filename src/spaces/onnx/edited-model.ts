// The networks in the neighbourhood of an ONNX file: its graph with edits, with open sizes fixed, with other weights.
import { findConstants } from '../../analysis/constants.js';
import { neededValues } from '../../analysis/dependence.js';
import { type Inference, inferShapes } from '../../analysis/infer.js';
import { type Dim, isKnown, symbolsIn } from '../../graph/dim.js';
import { bitsOf } from '../../graph/dtype.js';
import type { Graph } from '../../graph/graph.js';
import { type Tensor, tensorByteLength, tensorBytes } from '../../graph/tensor.js';
import { isTensor } from '../../graph/types.js';
import { ByteRange, type ByteSource } from '../../util/bytes.js';
import { digest } from '../../util/digest.js';
import { AuspexError } from '../../util/errors.js';
import { Random } from '../../util/random.js';
import type { NetworkOptions } from '../space.js';

function neededIn({ nodes, outputs }: Graph): ReadonlySet<string> {
  return neededValues(
    nodes,
    outputs.map(({ name }) => name),
  );
}

/**
 * Without weights, and the nodes that prepare them, that led to an output before, but no longer do.
 *
 * @param before the graph of the file, its nodes in the order in which they run
 */
export function withoutUnused(graph: Graph, before: Graph): Graph {
  const [needed, now] = [neededIn(before), neededIn(graph)];
  const idle = new Set(
    [...before.initializers.keys(), ...before.nodes.flatMap(({ outputs }) => outputs)].filter(
      (name) => !needed.has(name),
    ),
  );
  // What nothing needs in the file either is left as it is.
  const isGone = (name: string): boolean => !now.has(name) && !idle.has(name);
  const nodes = graph.nodes.filter(({ outputs }) => !outputs.some(isGone) || outputs.some((o) => now.has(o)));
  const values = new Set(nodes.flatMap(({ outputs }) => outputs));
  const without = <T>(map: ReadonlyMap<string, T>): Map<string, T> =>
    new Map([...map].filter(([name]) => !isGone(name)));
  return {
    ...graph,
    nodes,
    inputs: graph.inputs.filter(({ name }) => !graph.initializers.has(name) || !isGone(name)),
    initializers: without(graph.initializers),
    sparseInitializers: without(graph.sparseInitializers),
    valueInfo: new Map([...graph.valueInfo].filter(([name]) => values.has(name))),
  };
}

// Sizes ------------------------------------------------------------------------------------------------------------

/** The shapes of the first input and the first output. */
export function outerShapes({ graph }: Inference): { input: readonly Dim[]; output: readonly Dim[] } {
  const shapeOf = (name: string | undefined): readonly Dim[] => {
    const type = graph.types.get(name ?? '');
    return (isTensor(type) && type.shape) || [];
  };
  return { input: shapeOf(graph.inputNames[0]), output: shapeOf(graph.outputNames[0]) };
}

/**
 * The values of open sizes that a batch and a resolution ask for, by name.
 *
 * @throws AuspexError SIZE_FIXED where the file fixes another size
 */
export function openSizes(
  name: string,
  inference: Inference,
  options: NetworkOptions,
): Record<string, number> {
  const { input, output } = outerShapes(inference);
  const dims: Record<string, number> = {};
  const ask = (what: string, wanted: number | undefined, d: Dim | undefined): void => {
    if (wanted === undefined || d === undefined || d === wanted) return;
    if (!isKnown(d)) for (const symbol of symbolsIn(d)) dims[symbol] = wanted;
    else {
      throw new AuspexError('SIZE_FIXED', `the ${what} of ${name} is ${d}, so it cannot be ${wanted}`, {
        hint: 'export the network with that size, or with a dynamic size',
      });
    }
  };
  ask('width factor', options.width, 1);
  ask('number of classes', options.classes, isKnown(output.at(-1)) ? output.at(-1) : undefined);
  for (const d of input.slice(input.length === 4 ? 2 : 1)) ask('resolution', options.resolution, d);
  ask('batch', options.batch, input[0]);
  return dims;
}

/** The graph for a batch (1 if it is open) and a resolution, where the file leaves them open. */
export function withSizes(name: string, inference: Inference, options: NetworkOptions): Graph {
  const { graph } = inference.model;
  const isOpen = !isKnown(outerShapes(inference).input[0]);
  const dims = openSizes(name, inference, isOpen ? { batch: 1, ...options } : options);
  if (Object.keys(dims).length === 0) return graph;
  const { types } = inferShapes(inference.model, { dims }).graph;
  const typed = (values: Graph['inputs']): Graph['inputs'] =>
    values.map((info) => ({ ...info, type: types.get(info.name) ?? info.type }));
  return { ...graph, inputs: typed(graph.inputs), outputs: typed(graph.outputs), valueInfo: new Map() };
}

// Weights ----------------------------------------------------------------------------------------------------------

/** The elements of a tensor in another order; shuffled when they are read. */
class ShuffledWeights implements ByteSource {
  readonly size: number;
  readonly windowBytes = Number.POSITIVE_INFINITY;
  readonly #tensor: Tensor;
  readonly #seed: number;
  #bytes: Uint8Array | undefined;

  constructor(tensor: Tensor, seed: number) {
    this.size = tensorByteLength(tensor);
    this.#tensor = tensor;
    this.#seed = seed;
  }

  read(offset: number, length: number): Uint8Array {
    this.#bytes ??= this.#shuffled();
    return this.#bytes.subarray(offset, offset + length);
  }

  #shuffled(): Uint8Array {
    const { name, dtype } = this.#tensor;
    const random = Random.seeded(this.#seed, Number.parseInt(digest(name).slice(0, 8), 16));
    const bytes = tensorBytes(this.#tensor).slice();
    const each = bitsOf(dtype) / 8;
    const held = new Uint8Array(each);
    for (let i = bytes.length / each - 1; i > 0; i--) {
      const j = random.below(i + 1);
      held.set(bytes.subarray(i * each, (i + 1) * each));
      bytes.copyWithin(i * each, j * each, (j + 1) * each);
      bytes.set(held, j * each);
    }
    return bytes;
  }
}

/** The elements of every trained weight in another order, which the seed decides. */
export function withShuffledWeights(graph: Graph, inference: Inference, seed: number): Graph {
  const initializers = new Map(graph.initializers);
  for (const { name, tensor, kind } of findConstants(inference)) {
    if (kind !== 'parameter' || initializers.get(name) !== tensor || bitsOf(tensor.dtype) % 8 !== 0) continue;
    initializers.set(name, shuffledTensor(tensor, seed));
  }
  return { ...graph, initializers };
}

/** The elements of a tensor in another order, which the seed and its name decide. */
export function shuffledTensor(tensor: Tensor, seed: number): Tensor {
  const source = new ShuffledWeights(tensor, seed);
  return { ...tensor, data: { kind: 'raw', bytes: new ByteRange(source, 0, source.size) } };
}
