// From a traced model and its weights to a model that stands alone.
import type { Model } from '../graph/graph.js';
import type { Tensor } from '../graph/tensor.js';
import { ByteRange } from '../util/bytes.js';

/** The model with inputs made constants. Values are not copied. */
export function freeze(model: Model, weights: ReadonlyMap<string, Float32Array>): Model {
  const { graph } = model;
  const initializers = new Map(graph.initializers);
  const inputs = graph.inputs.filter(({ name, type }) => {
    const data = weights.get(name);
    if (data === undefined || type.kind !== 'tensor') return true;
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const dims = type.shape as readonly number[];
    const tensor: Tensor = {
      name,
      dtype: 'float32',
      dims,
      data: { kind: 'raw', bytes: ByteRange.of(bytes) },
    };
    initializers.set(name, tensor);
    return false;
  });
  return { ...model, graph: { ...graph, inputs, initializers } };
}
