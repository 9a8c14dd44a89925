// Weights that an exporter wrote twice: an embedding table, and its transpose for the output layer. They are
// one parameter. Candidates agree in type, sizes and first element; then a sample of their elements is read.
import { bitsOf } from '../graph/dtype.js';
import { elementCount, rawRange, type Tensor } from '../graph/tensor.js';
import { attempt } from '../util/attempt.js';
import type { ByteRange } from '../util/bytes.js';

const SAMPLES = 64;
/** Smaller matrices are not shared on purpose; equal ones among them (zeros, ones) are chance. */
const MIN_ELEMENTS = 256;
/** Matrices that begin alike; more of them are compared with the first ones only. */
const MAX_CANDIDATES = 8;

interface Matrix {
  readonly tensor: Tensor;
  readonly rows: number;
  readonly columns: number;
  readonly data: ByteRange;
  readonly width: number;
}

/** The tensors that are transposed copies of an earlier one of the list. */
export function tiedCopies(tensors: readonly Tensor[]): ReadonlySet<Tensor> {
  const copies = new Set<Tensor>();
  const groups = new Map<string, Matrix[]>();
  for (const tensor of tensors) {
    const matrix = asMatrix(tensor);
    const first = matrix && elementAt(matrix, 0);
    if (matrix === undefined || first === undefined) continue;
    const { rows, columns } = matrix;
    const key = `${tensor.dtype} ${Math.min(rows, columns)} ${Math.max(rows, columns)} ${first}`;
    const group = groups.get(key) ?? [];
    if (group.length > 0 && !isVaried(matrix)) continue;
    if (group.some((other) => other.tensor !== tensor && isTranspose(other, matrix))) copies.add(tensor);
    else if (group.length < MAX_CANDIDATES) groups.set(key, [...group, matrix]);
  }
  return copies;
}

/** A tensor with two dimensions besides those of size 1. */
function asMatrix(tensor: Tensor): Matrix | undefined {
  const dims = tensor.dims.filter((d) => d !== 1);
  if (dims.length !== 2 || elementCount(tensor) < MIN_ELEMENTS || bitsOf(tensor.dtype) % 8 !== 0)
    return undefined;
  const data = attempt(() => rawRange(tensor));
  const [rows, columns] = dims as [number, number];
  return data && { tensor, rows, columns, data, width: bitsOf(tensor.dtype) / 8 };
}

/** The bytes of an element as text; undefined where they are missing. */
function elementAt({ data, width }: Matrix, index: number): string | undefined {
  return attempt(() => data.read(index * width, width).join(' '));
}

/** Places spread over a matrix: rows evenly and columns by the golden ratio, so that no pattern repeats. */
function samplePlace({ rows, columns }: Matrix, k: number): [row: number, column: number] {
  return [Math.floor(((k + 0.5) / SAMPLES) * rows), Math.floor(((k * 0.618033988749895) % 1) * columns)];
}

/** Whether a matrix has different elements; equal ones (zeros, ones) would be another's transpose by chance. */
function isVaried(matrix: Matrix): boolean {
  const distinct = new Set<string | undefined>();
  for (let k = 0; k < SAMPLES; k++) {
    const [i, j] = samplePlace(matrix, k);
    distinct.add(elementAt(matrix, i * matrix.columns + j));
  }
  return distinct.size > SAMPLES / 2;
}

/** Whether b is a transposed, judged by elements spread over the whole matrix. */
function isTranspose(a: Matrix, b: Matrix): boolean {
  if (b.rows !== a.columns || b.columns !== a.rows) return false;
  for (let k = 0; k < SAMPLES; k++) {
    const [i, j] = samplePlace(a, k);
    const x = elementAt(a, i * a.columns + j);
    if (x === undefined || x !== elementAt(b, j * a.rows + i)) return false;
  }
  return true;
}
