// Embeddings of many architectures of a search, batch by batch.
import type { Matrix } from '../../predictors/predictor.js';
import type { Embedding } from '../contract.js';
import type { Subjects } from '../subjects.js';

/** Networks of one batch: all of them are in memory. */
const BATCH = 256;

export async function embedded(
  embedding: Embedding,
  architectures: readonly string[],
  subjects: Subjects,
  signal: AbortSignal,
): Promise<Matrix> {
  const parts: Matrix[] = [];
  for (let at = 0; at < architectures.length; at += BATCH) {
    const networks = subjects.networks(architectures.slice(at, at + BATCH));
    const part = await embedding.embed(networks, signal);
    signal.throwIfAborted();
    if (part.rows !== networks.length || part.width !== (parts[0] ?? part).width) {
      throw new Error(`${embedding.name} gave ${part.rows} rows of ${part.width} numbers`);
    }
    parts.push(part);
  }
  const width = parts[0]?.width ?? 0;
  const data = new Float64Array(architectures.length * width);
  parts.forEach((part, i) => {
    data.set(part.data, i * BATCH * width);
  });
  return { rows: architectures.length, width, data };
}
