// What is in a constant, for the few whose use does not tell whether they were trained. Only small ones are
// read; where the data is missing the answer is no.
import { bitsOf } from '../graph/dtype.js';
import { elementCount, rawRange, type Tensor, tensorNumbers } from '../graph/tensor.js';
import { attempt } from '../util/attempt.js';
import { ByteRange } from '../util/bytes.js';

const MAX_ELEMENTS = 1_000_000;

function numbersOf(tensor: Tensor): readonly number[] | undefined {
  return elementCount(tensor) > MAX_ELEMENTS ? undefined : attempt(() => tensorNumbers(tensor));
}

/** The first elements only: enough to rule most constants out without reading them. */
function headOf(tensor: Tensor, count: number): readonly number[] | undefined {
  const few = Math.min(count, elementCount(tensor));
  const width = bitsOf(tensor.dtype) / 8;
  const raw = Number.isInteger(width) ? attempt(() => rawRange(tensor)) : undefined;
  if (raw === undefined || raw.length < few * width) return undefined;
  const bytes = new ByteRange(raw.source, raw.offset, few * width);
  return attempt(() => tensorNumbers({ ...tensor, dims: [few], data: { kind: 'raw', bytes } }));
}

/** All elements are equal. */
export function isUniform(tensor: Tensor): boolean {
  const x = numbersOf(tensor);
  return x !== undefined && x.length > 0 && x.every((e) => e === x[0]);
}

/** Many elements, all of them whole numbers: what was trained has none. */
export function isIntegral(tensor: Tensor): boolean {
  if (elementCount(tensor) < 64) return false;
  if (headOf(tensor, 16)?.every(Number.isInteger) === false) return false;
  const x = numbersOf(tensor);
  return x?.every(Number.isInteger) === true && !isUniform(tensor);
}

/** An additive mask of zeros and very negative numbers, or a mask of zeros and ones. */
export function isMask(tensor: Tensor): boolean {
  if (new Set(headOf(tensor, 16)).size > 2) return false;
  const x = numbersOf(tensor);
  if (x === undefined) return false;
  const values = new Set<number>();
  for (const e of x) if (values.add(e).size > 2) return false;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return values.size === 2 && high >= 0 && (low <= -100 || (low === 0 && high === 1));
}

/** The inverse frequencies of rotary embeddings: 1, r, r², … falling geometrically. */
export function isFrequencies(tensor: Tensor): boolean {
  const count = elementCount(tensor);
  if (count < 4 || count > 512 || Math.max(...tensor.dims) !== count) return false;
  const x = numbersOf(tensor);
  if (x === undefined || Math.abs(x[0]! - 1) > 1e-6) return false;
  const ratio = x[1]! / x[0]!;
  return ratio > 0 && ratio < 1 && x.every((e, i) => i === 0 || Math.abs(e / x[i - 1]! / ratio - 1) < 1e-3);
}

/** A table of sines and cosines of positions: its first row is zeros and ones, all lies within ±1. */
export function isSinusoidTable(tensor: Tensor): boolean {
  const width = tensor.dims.at(-1) ?? 0;
  if (tensor.dims.length < 2 || width < 2 || elementCount(tensor) < 2 * width) return false;
  const isZeroOrOne = (e: number): boolean => Math.abs(e) < 1e-6 || Math.abs(e - 1) < 1e-6;
  if (headOf(tensor, width)?.every(isZeroOrOne) !== true) return false;
  const x = numbersOf(tensor);
  return x?.every((e) => Math.abs(e) <= 1.0001) === true && !isUniform(tensor);
}

/** The elements of one sample of a token or table that was repeated for all samples of a batch; undefined for others. */
export function repeatedElements(tensor: Tensor): number | undefined {
  const [samples = 1] = tensor.dims;
  if (samples < 2 || tensor.dims.length < 3) return undefined;
  const size = elementCount(tensor) / samples;
  const x = numbersOf(tensor);
  // One number everywhere, as before training, says nothing.
  return size > 1 && !isUniform(tensor) && x?.every((e, i) => e === x[i % size]) ? size : undefined;
}

/**
 * The elements of the table behind a relative position bias that was gathered while exporting. For windows of
 * w×w positions the bias is heads × w² × w² (or w⁴ × heads), gathered from (2w−1)² offsets per head; with a
 * class token there are 3 more. Undefined for other tensors.
 */
export function relativePositionElements(tensor: Tensor): number | undefined {
  const dims = tensor.dims.filter((d) => d !== 1);
  const square = dims.length >= 2 && dims.at(-1) === dims.at(-2) ? dims.at(-1)! : undefined;
  if (square !== undefined && square > 1) {
    const heads = elementCount(tensor) / square ** 2;
    const rows = tableRows(square);
    // One head is enough to see whether the elements repeat.
    return rows === undefined || !repeats(headOf(tensor, square ** 2), rows) ? undefined : rows * heads;
  }
  if (dims.length !== 2) return undefined;
  const [positions, heads] = dims as [number, number];
  const side = Math.sqrt(positions);
  const rows = Number.isInteger(side) ? tableRows(side) : undefined;
  return rows === undefined || !repeats(numbersOf(tensor), rows * heads) ? undefined : rows * heads;
}

function tableRows(tokens: number): number | undefined {
  const window = Math.sqrt(tokens);
  if (Number.isInteger(window)) return (2 * window - 1) ** 2;
  const withClass = Math.sqrt(tokens - 1);
  return Number.isInteger(withClass) && withClass > 1 ? (2 * withClass - 1) ** 2 + 3 : undefined;
}

/** Whether there are no more distinct elements than the table has; taken for true where the data is missing. */
function repeats(x: readonly number[] | undefined, tableElements: number): boolean {
  return x === undefined || (tableElements < x.length && new Set(x).size <= tableElements);
}
