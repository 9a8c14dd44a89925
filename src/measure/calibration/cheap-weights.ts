// Weights that are not worth drawing one by one: what a kernel takes does not depend on them, as long as values stay ordinary.
import type { Model } from '../../graph/graph.js';
import { elementCount, type Tensor } from '../../graph/tensor.js';
import { ByteRange } from '../../util/bytes.js';
import { Random } from '../../util/random.js';

const LENGTH = 65_521;
let block: Float32Array | undefined;

/** Random numbers of deviation 1, always the same. */
export function standardBlock(): Float32Array {
  if (block === undefined) {
    const random = Random.seeded(1);
    block = Float32Array.from({ length: LENGTH }, () => random.normal());
  }
  return block;
}

/** The model with weights of the deviation of a usual start, from a short block that is repeated. */
export function withCheapWeights(model: Model): Model {
  const initializers = new Map(
    [...model.graph.initializers].map(([name, tensor]) => [name, cheap(tensor)] as const),
  );
  return { ...model, graph: { ...model.graph, initializers } };
}

function cheap(tensor: Tensor): Tensor {
  if (tensor.dtype !== 'float32' || tensor.dims.length < 2) return tensor;
  const count = elementCount(tensor);
  const deviation = Math.sqrt(2 / Math.max(1, elementCount({ dims: tensor.dims.slice(1) })));
  const own = standardBlock().map((x) => x * deviation);
  const data = new Float32Array(count);
  for (let at = 0; at < count; at += own.length) {
    data.set(count - at < own.length ? own.subarray(0, count - at) : own, at);
  }
  return { ...tensor, data: { kind: 'raw', bytes: ByteRange.of(new Uint8Array(data.buffer)) } };
}
