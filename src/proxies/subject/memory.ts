// How much memory running a graph takes, told before it is run: what is alive at once, the weights, and what ONNX Runtime
// itself needs.
import { inferShapes } from '../../analysis/infer.js';
import { peakActivationBytes } from '../../analysis/liveness.js';
import { isKnown } from '../../graph/dim.js';
import type { Model } from '../../graph/graph.js';
import { tensorByteLength } from '../../graph/tensor.js';
import { AuspexError } from '../../util/errors.js';

/** ONNX Runtime, compiled kernels and what it sets aside. */
const OVERHEAD = 100e6;
/** Weights are in the file that is compiled, and in what is compiled. */
const COPIES = 2;

export function predictedBytes(model: Model): number {
  const peak = peakActivationBytes(inferShapes(model).graph);
  let weights = 0;
  for (const tensor of model.graph.initializers.values()) weights += tensorByteLength(tensor);
  return (peak !== undefined && isKnown(peak) ? peak : 0) + COPIES * weights + OVERHEAD;
}

/** @throws AuspexError PROXY_MEMORY if running a graph would take more than is allowed */
export function checkMemory(model: Model, most: number): void {
  if (most === Number.POSITIVE_INFINITY) return;
  const bytes = predictedBytes(model);
  if (bytes <= most) return;
  const [needed, allowed] = [bytes, most].map((n) => `${(n / 1e9).toFixed(2)} GB`);
  throw new AuspexError('PROXY_MEMORY', `it would take ${needed} of memory; ${allowed} are allowed`, {
    hint: 'give a smaller --batch or --resolution, or allow more with --memory',
  });
}

export function isOfMemory(error: unknown): error is AuspexError {
  return error instanceof AuspexError && error.code === 'PROXY_MEMORY';
}
