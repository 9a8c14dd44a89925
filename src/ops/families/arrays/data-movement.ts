// What the operators that reshape, select and rearrange share: moving known elements to new places, reading
// sizes from inputs, and the cost of touching only a part of a tensor.
import { add, type Dim, multiply } from '../../../graph/dim.js';
import { type DataType, dataTypeOfCode } from '../../../graph/dtype.js';
import { isTensor, MAX_RANK, type Shape, type TensorType } from '../../../graph/types.js';
import type { Call, CostRule } from '../../operator.js';
import { smallShape } from '../arithmetic/broadcast.js';

export function checkRank(call: Call, rank: number): number {
  return rank <= MAX_RANK ? rank : call.fail(`rank ${rank} exceeds the limit of ${MAX_RANK}`);
}

/** A tensor whose sizes are numbers and whose elements are known. */
export interface KnownTensor {
  readonly shape: readonly number[];
  readonly elements: readonly Dim[];
  /** Elements from one index to the next, per dimension. */
  readonly strides: readonly number[];
}

/** What is known of several tensors, or undefined if anything is missing. Reads nothing unless all may be known. */
export function knownTensors(...types: readonly (TensorType | undefined)[]): KnownTensor[] | undefined {
  if (!types.every((t) => t?.mayBeKnown)) return undefined;
  const known: KnownTensor[] = [];
  for (const type of types) {
    const shape = smallShape(type?.shape);
    const elements = shape && type?.elements;
    if (shape === undefined || elements === undefined) return undefined;
    if (elements.length !== sizeOf(shape)) return undefined;
    known.push({ shape, elements, strides: stridesOf(shape) });
  }
  return known;
}

/** The elements of a known tensor as numbers with an order; undefined if one is symbolic or NaN. */
export function orderedNumbers(tensor: KnownTensor | undefined): readonly number[] | undefined {
  return tensor?.elements.every((e) => typeof e === 'number' && !Number.isNaN(e))
    ? (tensor.elements as readonly number[])
    : undefined;
}

export function sizeOf(shape: readonly number[]): number {
  let size = 1;
  for (const d of shape) size *= d;
  return size;
}

/** Row-major strides. */
export function stridesOf(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let step = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = step;
    step *= shape[axis]!;
  }
  return strides;
}

/** The element of a known tensor at an index. */
export function elementAt(tensor: KnownTensor, index: readonly number[]): Dim | undefined {
  let at = 0;
  for (let axis = 0; axis < index.length; axis++) at += index[axis]! * tensor.strides[axis]!;
  return tensor.elements[at];
}

/**
 * The elements of a small tensor, each from its index (which is reused: copy it to keep it).
 * Undefined when the shape is not known, too large, or when an element is undefined.
 */
export function tabulate(
  outputShape: Shape | undefined,
  element: (index: readonly number[], position: number) => Dim | undefined,
): readonly Dim[] | undefined {
  const shape = smallShape(outputShape);
  if (shape === undefined) return undefined;
  const size = sizeOf(shape);
  const index = new Array<number>(shape.length).fill(0);
  const elements: Dim[] = [];
  for (let position = 0; position < size; position++) {
    const value = element(index, position);
    if (value === undefined) return undefined;
    elements.push(value);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      if (++index[axis]! < shape[axis]!) break;
      index[axis] = 0;
    }
  }
  return elements;
}

/** Where the elements of each line along an axis stand, line by line in row-major order. */
export function* linesAlong(shape: readonly number[], axis: number): Generator<readonly number[]> {
  const length = shape[axis]!;
  const step = stridesOf(shape)[axis]!;
  const size = sizeOf(shape);
  for (let block = 0; block < size; block += length * step) {
    for (let first = block; first < block + step; first++) {
      yield Array.from({ length }, (_, i) => first + i * step);
    }
  }
}

/** Fails when a shape cannot be the one it must be; symbols may stand for anything. */
export function expectShape(call: Call, actual: Shape | undefined, expected: Shape, what: string): void {
  if (actual === undefined) return;
  const fits =
    actual.length === expected.length &&
    actual.every((d, i) => typeof d !== 'number' || typeof expected[i] !== 'number' || d === expected[i]);
  if (!fits) call.fail(`${what} must have shape [${expected}], not [${actual}]`);
}

/** How many elements an input of one dimension holds, if that is a number a rank can be. */
export function vectorLength(type: TensorType): number | undefined {
  const [length] = type.shape?.length === 1 ? type.shape : [];
  return typeof length === 'number' && length <= MAX_RANK ? length : undefined;
}

/** A shape of which only the rank is known. */
export function unknownSizes(call: Call, rank: number, output = 0): Dim[] {
  return Array.from({ length: checkRank(call, rank) }, (_, axis) => call.unknownSize(output, axis));
}

/** Fails unless a number can be the size of a dimension. */
export function checkSize(call: Call, size: Dim, what = 'size'): Dim {
  if (typeof size === 'number' && (!Number.isSafeInteger(size) || size < 0)) {
    call.fail(`${what} cannot be ${size}`, 'OP_INPUT');
  }
  return size;
}

/**
 * The sizes that an input lists. Where their values are unknown but their number is not, sizes that only
 * running the network can tell; undefined where not even that.
 */
export function sizesFrom(call: Call, index: number): Dim[] | undefined {
  const type = call.tensor(index);
  if (type.shape !== undefined && type.shape.length > 1) {
    call.fail(`input ${index} must list sizes in one dimension, not ${type}`, 'OP_INPUT');
  }
  const elements = type.elements;
  if (elements !== undefined) {
    checkRank(call, elements.length);
    return elements.map((size) => checkSize(call, size));
  }
  const length = vectorLength(type);
  return length === undefined ? undefined : unknownSizes(call, length);
}

/** A data type given by ONNX's code in an attribute, or undefined when there is none. */
export function dtypeAttribute(call: Call, name: string): DataType | undefined {
  const code = call.int(name);
  if (code === undefined) return undefined;
  return dataTypeOfCode(code) ?? call.fail(`attribute '${name}' is not a data type: ${code}`, 'OP_ATTRIBUTE');
}

/** Reads from its first input only what it writes, and all of the others: moves 2 × output + the others. */
export const PARTIAL_READ: CostRule = {
  describe: '0',
  of: (call) => {
    const [output] = call.outputs;
    let bytes = isTensor(output) ? output.bytes : undefined;
    if (bytes !== undefined) bytes = multiply(bytes, 2);
    for (const input of call.inputs.slice(1)) {
      if (input === undefined || bytes === undefined) continue;
      const read = isTensor(input) ? input.bytes : undefined;
      bytes = read === undefined ? undefined : add(bytes, read);
    }
    return bytes === undefined ? {} : { memoryBytes: bytes };
  },
};
