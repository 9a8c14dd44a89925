// Batches of data, and their shapes: steps and models are compiled for one shape each.
import type { DataType } from '../graph/dtype.js';
import { type HostTensor, hostTensor, type TypedArray } from '../runtime/session.js';
import { AuspexError } from '../util/errors.js';
import type { BatchShapes } from './step.js';

/** Tensors by name; the first dimension counts the examples. */
export type Batch = Readonly<
  Record<string, { readonly type: DataType; readonly dims: readonly number[]; readonly data: TypedArray }>
>;

/** How many elements a shape has. */
export function sizeOf(dims: readonly number[]): number {
  return dims.reduce((n, d) => n * d, 1);
}

/** In the order of their names, so that batches that hold the same are the same. */
export function shapesOf(batch: Batch): BatchShapes {
  const names = Object.keys(batch).sort();
  return Object.fromEntries(
    names.map((name) => [name, { type: batch[name]!.type, dims: batch[name]!.dims }]),
  );
}

/** Text that stands for the shapes of a batch. */
export function signatureOf(shapes: BatchShapes): string {
  return JSON.stringify(shapes);
}

export function parseSignature(signature: string): BatchShapes {
  return JSON.parse(signature) as BatchShapes;
}

/** The tensors as sessions take them. */
export async function tensorsOf(batch: Batch): Promise<Record<string, HostTensor>> {
  const tensors: Record<string, HostTensor> = {};
  for (const [name, { type, dims, data }] of Object.entries(batch)) {
    if (data.length !== sizeOf(dims)) {
      throw new AuspexError(
        'BATCH_SHAPE',
        `'${name}' of a batch has ${data.length} elements; its shape [${dims}] needs ${sizeOf(dims)}`,
      );
    }
    tensors[name] = await hostTensor(type, data, dims);
  }
  return tensors;
}
