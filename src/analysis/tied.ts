// Tied weights that an exporter wrote twice: an embedding table, and its transpose for the output layer. They
// are one parameter. Only pairs of mirrored shapes are looked at, and only a sample of their bytes is read.
import { bitsOf } from '../graph/dtype.js';
import { elementCount, rawRange, type Tensor } from '../graph/tensor.js';
import { AuspexError } from '../util/errors.js';

const SAMPLES = 64;
/** Smaller matrices are not shared on purpose; equal ones among them (zeros, ones) are chance. */
const MIN_ELEMENTS = 1024;

/** The tensors that are copies, plain or transposed, of another one of the list. */
export function tiedCopies(tensors: readonly Tensor[]): ReadonlySet<Tensor> {
  const copies = new Set<Tensor>();
  const byShape = new Map<string, Tensor[]>();
  for (const tensor of tensors) {
    if (tensor.dims.length !== 2 || elementCount(tensor) < MIN_ELEMENTS || bitsOf(tensor.dtype) % 8 !== 0)
      continue;
    const [rows, columns] = tensor.dims as [number, number];
    const mirrored = byShape.get(`${tensor.dtype} ${columns} ${rows}`) ?? [];
    if (mirrored.some((other) => isTranspose(other, tensor))) {
      copies.add(tensor);
      continue;
    }
    const key = `${tensor.dtype} ${rows} ${columns}`;
    byShape.set(key, [...(byShape.get(key) ?? []), tensor]);
  }
  return copies;
}

/** Whether b is a transposed, judged by elements spread over the whole matrix. */
function isTranspose(a: Tensor, b: Tensor): boolean {
  try {
    const [left, right] = [rawRange(a), rawRange(b)];
    if (left === undefined || right === undefined) return false;
    const width = bitsOf(a.dtype) / 8;
    const [rows, columns] = a.dims as [number, number];
    const distinct = new Set<string>();
    for (let k = 0; k < SAMPLES; k++) {
      // A walk that visits rows and columns evenly without repeating.
      const i = Math.floor(((k + 0.5) / SAMPLES) * rows);
      const j = Math.floor(((k * 0.618033988749895) % 1) * columns);
      const x = String(left.read((i * columns + j) * width, width));
      if (x !== String(right.read((j * rows + i) * width, width))) return false;
      distinct.add(x);
    }
    return distinct.size > 1;
  } catch (error) {
    if (error instanceof AuspexError) return false;
    throw error;
  }
}
