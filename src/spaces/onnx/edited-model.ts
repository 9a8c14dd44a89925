// The networks in the neighbourhood of an ONNX file: its graph with edits, with open sizes fixed, with other weights.
import { findConstants } from '../../analysis/constants.js';
import { neededValues } from '../../analysis/dependence.js';
import { type Inference, inferShapes } from '../../analysis/infer.js';
import { type Dim, isKnown, symbolsIn } from '../../graph/dim.js';
import { bitsOf } from '../../graph/dtype.js';
import { type Graph, hasSubgraphs, makeNode, type Node, subgraphs } from '../../graph/graph.js';
import { capturedNames } from '../../graph/order.js';
import { type Tensor, tensorByteLength, tensorBytes } from '../../graph/tensor.js';
import { isTensor } from '../../graph/types.js';
import { ByteRange, type ByteSource } from '../../util/bytes.js';
import { digest } from '../../util/digest.js';
import { AuspexError } from '../../util/errors.js';
import { Random } from '../../util/random.js';
import type { NetworkOptions } from '../space.js';

/** What stands in a node's place. */
export interface Replacement {
  /** An operator; undefined where the node is left out. */
  readonly operator: string | undefined;
  /** The node's input that goes into it, or takes the place of the node's output. */
  readonly source: string;
}

/** A graph with other nodes in the place of some, all of them with one output. */
export function withEdits(graph: Graph, inference: Inference, edits: ReadonlyMap<Node, Replacement>): Graph {
  const before = inference.graph.nodes.map(({ node }) => node);
  const kept = new Set(graph.outputs.map(({ name }) => name));
  for (const node of graph.nodes) {
    if (!hasSubgraphs(node)) continue;
    for (const [, body] of subgraphs(node)) for (const name of capturedNames(body)) kept.add(name);
  }
  const aliases = new Map<string, string>();
  const resolve = (name: string): string => aliases.get(name) ?? name;
  // In the order in which they run, so that a source is resolved before what it replaces.
  const nodes = before.flatMap((node): Node[] => {
    const inputs = node.inputs.map(resolve);
    const edit = edits.get(node);
    if (edit === undefined) return [{ ...node, inputs }];
    const source = resolve(edit.source);
    const output = node.outputs[0]!;
    if (edit.operator === undefined && !kept.has(output)) {
      aliases.set(output, source);
      return [];
    }
    return [makeNode(edit.operator ?? 'Identity', [source], [output], {}, { name: node.name })];
  });
  return withoutUnused({ ...graph, nodes }, neededIn({ ...graph, nodes: before }));
}

function neededIn({ nodes, outputs }: Graph): ReadonlySet<string> {
  return neededValues(
    nodes,
    outputs.map(({ name }) => name),
  );
}

/** Without weights, and the nodes that prepare them, that led to an output before, but no longer do. */
function withoutUnused(graph: Graph, before: ReadonlySet<string>): Graph {
  const now = neededIn(graph);
  const isGone = (name: string): boolean => before.has(name) && !now.has(name);
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
    const source = new ShuffledWeights(tensor, seed);
    const bytes = new ByteRange(source, 0, source.size);
    initializers.set(name, { ...tensor, data: { kind: 'raw', bytes } });
  }
  return { ...graph, initializers };
}
