// Batches in pieces: what a network for one batch gives for the samples of a larger one.
import type { InputBatch, InputTensor } from '../../inputs/drawn.js';
import type { HostTensor, TypedArray } from '../../runtime/session.js';

/** Where a network that was written for another batch has its samples. */
export interface BatchPlaces {
  /** The axis of every input and output that has one. */
  readonly axes: ReadonlyMap<string, number>;
  /** Samples of the original. */
  readonly was: number;
  /** Outputs that had no axis for the batch, and have one in front. */
  readonly added?: ReadonlySet<string>;
}

/** The batch in pieces of `was` samples. */
export function piecesOf(inputs: InputBatch, { axes, was }: BatchPlaces): InputBatch[] {
  const [first] = [...axes].filter(([name]) => name in inputs);
  const batch = first ? inputs[first[0]]!.dims[first[1]]! : was;
  return Array.from({ length: batch / was }, (_, at) =>
    Object.fromEntries(
      Object.entries(inputs).map(([name, tensor]) => {
        const axis = axes.get(name);
        return [name, axis === undefined ? tensor : part(tensor, axis, at * was, was)];
      }),
    ),
  );
}

/** Outputs of pieces as one; one that has no batch is that of the first. */
export function joined(
  results: readonly Readonly<Record<string, HostTensor>>[],
  { axes, added }: BatchPlaces,
): Record<string, HostTensor> {
  const names = Object.keys(results[0] ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const axis = axes.get(name);
      const given = results.map((result) => result[name]!);
      const tensors = added?.has(name)
        ? given.map((one) => ({ ...plain(one), dims: [1, ...one.dims] }))
        : given;
      return [name, axis === undefined ? tensors[0]! : together(tensors, axis)];
    }),
  );
}

function plain({ type, dims, data }: HostTensor): HostTensor {
  return { type, dims, data };
}

function part({ type, dims, data }: InputTensor, axis: number, from: number, count: number): InputTensor {
  const [outer, size, inner] = [product(dims.slice(0, axis)), dims[axis]!, product(dims.slice(axis + 1))];
  const taken = data.slice(0, outer * count * inner) as TypedArray;
  for (let o = 0; o < outer; o++) {
    const start = (o * size + from) * inner;
    for (let k = 0; k < count * inner; k++) taken[o * count * inner + k] = data[start + k]!;
  }
  return { type, dims: dims.with(axis, count), data: taken };
}

function together(tensors: readonly HostTensor[], axis: number): HostTensor {
  const [first] = tensors as [HostTensor];
  const [outer, inner] = [product(first.dims.slice(0, axis)), product(first.dims.slice(axis + 1))];
  const sizes = tensors.map(({ dims }) => dims[axis]!);
  const size = sizes.reduce((sum, n) => sum + n, 0);
  const Elements = first.data.constructor as new (length: number) => TypedArray;
  const data = new Elements(outer * size * inner);
  let at = 0;
  for (let o = 0; o < outer; o++) {
    tensors.forEach((tensor, i) => {
      // Texts come as lists.
      const length = sizes[i]! * inner;
      for (let k = o * length; k < (o + 1) * length; k++) data[at++] = tensor.data[k]!;
    });
  }
  return { type: first.type, dims: first.dims.with(axis, size), data };
}

function product(dims: readonly number[]): number {
  return dims.reduce((n, d) => n * d, 1);
}
