// A network whose sizes depend on the data, with the sizes of one run: how long a sentence is when it is spoken, what part of
// an image is masked. It runs once, and what decided the sizes there (positions, ranges, ends of slices) becomes constant.
// These are integers, which gradients do not pass, so that gradients at those inputs are those of the network.
import { pruned } from '../../analysis/dependence.js';
import { type InferredGraph, inferShapes } from '../../analysis/infer.js';
import { isFloat } from '../../graph/dtype.js';
import type { Model, Node } from '../../graph/graph.js';
import { fromBytes, type Tensor } from '../../graph/tensor.js';
import { isTensor, type ValueType } from '../../graph/types.js';
import { feedsOf } from '../../inputs/trial.js';
import { traitsOf } from '../../ops/index.js';
import { Session, type SessionOptions } from '../../runtime/session.js';
import type { Transformed } from '../../transform/transform.js';
import type { InputBatch } from './batch.js';
import { withNewSizes } from './measured-sizes.js';

/**
 * @param model whose inputs have known sizes
 * @throws AuspexError if it cannot be run
 */
export async function withMeasuredValues(
  model: Model,
  inputs: InputBatch,
  options: SessionOptions = {},
): Promise<Transformed> {
  const names = decidingSizes(model);
  if (names.length === 0) return { model, changes: [] };
  const values = await valuesOf(model, names, inputs, options);
  const { graph } = model;
  const isFixed = (node: Node): boolean =>
    node.outputs.every((name) => name === '' || values.has(name)) &&
    node.outputs.some((name) => values.has(name));
  const nodes = graph.nodes.filter((node) => !isFixed(node));
  const initializers = new Map([...graph.initializers, ...values]);
  const fixed = { ...model, graph: { ...graph, nodes, initializers, valueInfo: new Map() } };
  const what = `${names.length} values that decide sizes are those of a run on drawn inputs: the sizes depend on the data`;
  return { model: pruned(fixed), changes: [{ transform: 'data-dependent sizes', what }] };
}

/** Values whose elements decide sizes: what a node with a new size gives if it is of integers, else the integers it reads. */
function decidingSizes(model: Model): string[] {
  const inference = inferShapes(model);
  const { graph } = inference;
  const fresh = new Set(withNewSizes(inference));
  const given = new Set([...model.graph.inputs.map(({ name }) => name), ...model.graph.initializers.keys()]);
  const found = graph.nodes.flatMap(({ node }) => {
    if (!node.outputs.some((name) => fresh.has(name))) return [];
    const own = node.outputs.filter((name) => name !== '');
    const read = (from: number): string[] =>
      node.inputs.slice(from).filter((name) => !given.has(name) && isOfIntegers(graph, name));
    // What is moved, such as the bytes of an image, stays as it is.
    const isMoved = traitsOf(node).moves !== undefined;
    if (!isMoved && own.every((name) => isOfIntegers(graph, name))) return own;
    return read(isMoved ? 1 : 0);
  });
  return [...new Set(found)];
}

function isOfIntegers({ types }: InferredGraph, name: string): boolean {
  const type: ValueType | undefined = types.get(name);
  return isTensor(type) && type.dtype !== undefined && !isFloat(type.dtype) && type.dtype !== 'string';
}

async function valuesOf(
  { graph, ...model }: Model,
  names: readonly string[],
  inputs: InputBatch,
  options: SessionOptions,
): Promise<Map<string, Tensor>> {
  const { types } = inferShapes({ ...model, graph }).graph;
  const outputs = names.map((name) => ({ name, type: types.get(name)! }));
  const session = await Session.create(pruned({ ...model, graph: { ...graph, outputs } }), {
    ...options,
    ...{ optimization: 'disabled', memoryArena: false, memoryPattern: false, seed: 0 },
  });
  try {
    const feeds = await feedsOf(inputs);
    const needed = Object.entries(feeds).filter(([name]) => session.inputs.includes(name));
    const results = await session.run(Object.fromEntries(needed));
    return new Map(
      names.map((name) => {
        const { type, dims, data } = results[name]!;
        const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice();
        return [name, fromBytes(name, type, dims, bytes)];
      }),
    );
  } finally {
    await session.dispose();
  }
}
