// Small files to build bombs from.
import { type Graph, makeModel, makeNode } from '../../../src/graph/graph.js';
import type { Tensor } from '../../../src/graph/tensor.js';
import type { TensorType } from '../../../src/graph/types.js';
import { encode } from '../../../src/onnx/codec.js';
import { type Decoded, MODEL } from '../../../src/onnx/proto.js';
import { encodeModel } from '../../../src/onnx/write.js';
import { graphOf, modelOf, tensor } from '../built-models.js';

/** The bytes of a model, sound or not. */
export type File = Uint8Array;

export const X = { x: tensor('float32', 'n', 4) };

/** A file from a graph of messages, to say what a `Model` cannot. */
export function graphFile(graph: Decoded, more: Decoded = {}): File {
  return encode(MODEL, {
    irVersion: 10,
    opsetImport: [{ domain: '', version: 21 }],
    graph,
    ...more,
  }).finish();
}

/** One operator on `x` and constants. */
export function oneNode(
  opType: string,
  constants: readonly Tensor[],
  attributes: Parameters<typeof makeNode>[3] = {},
  x: TensorType = X.x,
  opset = 21,
): File {
  const node = makeNode(opType, ['x', ...constants.map((t) => t.name)], ['y'], attributes, { name: 'node' });
  const graph = graphOf({ x }, [node], ['y'], constants);
  return encodeModel(makeModel(graph, { opsetImports: new Map([['', opset]]) }));
}

/** One operator on constants only. */
export function onConstants(opType: string, constants: readonly Tensor[], attributes = {}): File {
  const node = makeNode(
    opType,
    constants.map((t) => t.name),
    ['y'],
    attributes,
    { name: 'node' },
  );
  return encodeModel(modelOf({}, [node], ['y'], constants));
}

export function inputsOf(types: Readonly<Record<string, TensorType>>): Graph['inputs'] {
  return Object.entries(types).map(([name, type]) => ({ name, type }));
}
