// The data a network is scored on where none is given: inputs by what they mean, drawn from a seed.
import type { Model } from '../../graph/graph.js';
import type { TensorType } from '../../graph/types.js';
import { givenInputs, type InputBatch, typedArray } from '../../inputs/drawn.js';
import type { Lookup } from '../../inputs/lookups.js';

export { drawInputs as drawBatch, type InputBatch, type InputTensor } from '../../inputs/drawn.js';
export { findLookups, type Lookup } from '../../inputs/lookups.js';

/** Inputs of ones, also masks; indices of tables are 0, as what they read is replaced. */
export function onesBatch(model: Model, { lookups }: { readonly lookups: readonly Lookup[] }): InputBatch {
  const indices = new Set(lookups.map((lookup) => lookup.input));
  return Object.fromEntries(
    givenInputs(model).map(({ name, type }) => {
      const { dtype, shape } = type as TensorType;
      const dims = shape as readonly number[];
      const numbers = new Float64Array(dims.reduce((n, d) => n * d, 1)).fill(indices.has(name) ? 0 : 1);
      return [name, { type: dtype!, dims, data: typedArray(name, dtype!, dims, numbers) }];
    }),
  );
}
