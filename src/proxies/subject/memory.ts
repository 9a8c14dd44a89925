// How much memory running a graph takes, told before it is run: what is alive at once, the weights, and what ONNX Runtime
// itself needs.
import { inferShapes } from '../../analysis/infer.js';
import { peakActivationBytes } from '../../analysis/liveness.js';
import { isKnown } from '../../graph/dim.js';
import type { Model } from '../../graph/graph.js';
import { tensorByteLength } from '../../graph/tensor.js';
import { valueBytes } from '../../graph/types.js';
import { AuspexError } from '../../util/errors.js';

/** ONNX Runtime, compiled kernels and what it sets aside. */
const OVERHEAD = 100e6;
/** Weights are in the file that is compiled, and in what is compiled. */
const COPIES = 2;

export function predictedBytes(model: Model): number {
  const { graph } = inferShapes(model);
  // What a run gives out is copied at its end.
  const peak = peakActivationBytes(graph);
  let weights = 0;
  for (const tensor of model.graph.initializers.values()) weights += tensorByteLength(tensor);
  const outputs = graph.outputNames.map((name) => valueBytes(graph.types.get(name)!));
  const all = [peak, ...outputs].map((bytes) => (bytes !== undefined && isKnown(bytes) ? bytes : 0));
  return all.reduce((a, b) => a + b, 0) + COPIES * weights + OVERHEAD;
}

/**
 * What running a graph takes, as far as that is limited.
 *
 * @throws AuspexError PROXY_MEMORY if that is more than is allowed
 */
export function checkMemory(model: Model, most: number): number {
  if (most === Number.POSITIVE_INFINITY) return 0;
  const bytes = predictedBytes(model);
  if (bytes <= most) return bytes;
  const [needed, allowed] = [bytes, most].map((n) => `${(n / 1e9).toFixed(2)} GB`);
  throw new AuspexError('PROXY_MEMORY', `it would take ${needed} of memory; ${allowed} are allowed`, {
    hint: 'give a smaller --batch or --resolution, or allow more with --memory',
  });
}

/** An error of the runtime that says that there is no memory left, as the one that predictions give. */
export function asMemoryError(error: unknown): unknown {
  const isIt = error instanceof AuspexError && /bad_alloc|[Ff]ailed to allocate/.test(error.message);
  if (!isIt) return error;
  return new AuspexError('PROXY_MEMORY', 'ONNX Runtime ran out of memory', {
    hint: 'give a smaller --batch or --resolution, or less --memory to score it in smaller parts',
    cause: error,
  });
}

export function isOfMemory(error: unknown): error is AuspexError {
  return error instanceof AuspexError && error.code === 'PROXY_MEMORY';
}
