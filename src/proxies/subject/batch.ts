// The data a network is scored on where none is given: inputs by what they mean, drawn from a seed.
import type { Model } from '../../graph/graph.js';
import type { TensorType } from '../../graph/types.js';
import { givenInputs, type InputBatch, typedArray } from '../../inputs/drawn.js';
import type { Lookup } from '../../inputs/lookups.js';

export { drawInputs as drawBatch, type InputBatch, type InputTensor } from '../../inputs/drawn.js';
export { findLookups, type Lookup } from '../../inputs/lookups.js';

/** An index that is not taken for padding, which masks are computed from: that is 0 or 1 in most vocabularies. */
const ANY_TOKEN = 2;

/** Inputs of ones, also masks; which indices of tables does not matter, as what they read is replaced. */
export function onesBatch(model: Model, { lookups }: { readonly lookups: readonly Lookup[] }): InputBatch {
  const indices = new Map<string, number>();
  for (const { input, rows } of lookups) {
    indices.set(input, Math.min(rows - 1, indices.get(input) ?? ANY_TOKEN));
  }
  return Object.fromEntries(
    givenInputs(model).map(({ name, type }) => {
      const { dtype, shape } = type as TensorType;
      const dims = shape as readonly number[];
      const numbers = new Float64Array(dims.reduce((n, d) => n * d, 1)).fill(indices.get(name) ?? 1);
      return [name, { type: dtype!, dims, data: typedArray(name, dtype!, dims, numbers) }];
    }),
  );
}
