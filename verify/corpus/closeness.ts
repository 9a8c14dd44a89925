// How near the outputs of two models are on the same inputs.
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Model } from '../../src/graph/graph.js';
import { encodeModel } from '../../src/onnx/write.js';

const OPTIONS: InferenceSession.SessionOptions = {
  graphOptimizationLevel: 'basic',
  intraOpNumThreads: 1,
  logSeverityLevel: 4,
};

/** Outputs by name, as numbers and as they came. */
export type Numbers = Readonly<Record<string, { readonly data: Float64Array; readonly tensor: Tensor }>>;

/** The outputs of a model, as numbers. */
export async function outputsOf(
  file: Uint8Array | string | Model,
  feeds: Record<string, Tensor>,
): Promise<Numbers> {
  const isModel = typeof file !== 'string' && !(file instanceof Uint8Array);
  const session = await InferenceSession.create((isModel ? encodeModel(file) : file) as string, OPTIONS);
  try {
    const given = Object.fromEntries(
      session.inputNames.flatMap((name) => (feeds[name] ? [[name, feeds[name]]] : [])),
    );
    const results = await session.run(given);
    return Object.fromEntries(
      Object.entries(results).flatMap(([name, value]) => {
        if (!(value instanceof Tensor) || value.type === 'string') return [];
        const data = Float64Array.from(value.data as ArrayLike<number | bigint>, Number);
        return [[name, { data, tensor: value }]];
      }),
    );
  } finally {
    await session.release();
  }
}

/** The cosine of the angle between two lists; NaN where they are not of one length. */
export function cosine(a: Float64Array, b: Float64Array): number {
  if (a.length !== b.length) return Number.NaN;
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    ab += a[i]! * b[i]!;
    aa += a[i]! * a[i]!;
    bb += b[i]! * b[i]!;
  }
  return aa === 0 && bb === 0 ? 1 : ab / Math.sqrt(aa * bb);
}
