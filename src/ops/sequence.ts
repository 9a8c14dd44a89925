// Sequences of tensors. Where the number of elements is known a sequence carries the type of each of them, so
// that what an exporter puts in and takes out again keeps its shape.
import { type Dim, isKnown, sum } from '../graph/dim.js';
import {
  formatType,
  isTensor,
  MAX_KNOWN_ELEMENTS,
  type SequenceType,
  sequenceType,
  TensorType,
  totalBytes,
  UNKNOWN,
  type ValueType,
} from '../graph/types.js';
import { mayEqual } from './arguments.js';
import { concatSplitOperators } from './concat-split.js';
import { counted, FREE, times } from './cost.js';
import { dtypeAttribute, PARTIAL_READ } from './data-movement.js';
import { mergeTypes } from './merge.js';
import { type Call, expectInteger, type Operator } from './operator.js';
import type { OperatorTable } from './registry.js';

/** Longer sequences are only known by the type that all their elements share. */
const MAX_KNOWN_ITEMS = MAX_KNOWN_ELEMENTS;

/** An input that must be a sequence. */
export function sequenceInput(call: Call, index: number): SequenceType {
  const type = call.input(index);
  if (type?.kind === 'sequence') return type;
  if (type?.kind === 'unknown') return sequenceType(UNKNOWN);
  return call.fail(`input ${index} must be a sequence, not ${formatType(type)}`, 'OP_INPUT');
}

/** What holds for every one of several types. */
function common(call: Call, types: readonly ValueType[]): ValueType | undefined {
  return types.length === 0
    ? undefined
    : types.reduce((a, b) => mergeTypes(call, a, b, (axis) => call.unknownSize(0, axis)));
}

/** A sequence of these; `element` is the type of what an empty one could hold. */
export function sequenceOf(
  call: Call,
  items: readonly ValueType[],
  element: ValueType = UNKNOWN,
): SequenceType {
  const type = common(call, items) ?? element;
  return sequenceType(type, items.length <= MAX_KNOWN_ITEMS ? items : undefined);
}

/**
 * Where in a sequence of known length an input points, negative from the back; 'end' when it is not given and
 * undefined when it is not known.
 *
 * @param past how far past the last element a position may be.
 */
function position(call: Call, input: number, length: number, past: 0 | 1): number | 'end' | undefined {
  expectInteger(call, input);
  if (!call.has(input)) return 'end';
  const value = call.scalar(input);
  if (!isKnown(value)) return undefined;
  const index = value < 0 ? value + length : value;
  if (!Number.isInteger(value) || index < 0 || index >= length + past) {
    call.fail(`position ${value} does not exist in a sequence of length ${length}`);
  }
  return index;
}

const SequenceEmpty: Operator = {
  infer: (call) => {
    const dtype = dtypeAttribute(call, 'dtype') ?? 'float32';
    return [sequenceType(new TensorType(dtype, undefined), [])];
  },
  cost: FREE,
};

const SequenceConstruct: Operator = {
  infer: (call) => {
    const items = call.inputs.map((_, i) => call.tensor(i));
    return [sequenceOf(call, items)];
  },
  cost: FREE,
};

const SequenceInsert: Operator = {
  infer: (call) => {
    const { element, items } = sequenceInput(call, 0);
    const tensor = call.tensor(1);
    const both = common(call, [element, tensor])!;
    const merged = items?.length === 0 ? tensor : both;
    if (items === undefined || items.length >= MAX_KNOWN_ITEMS) return [sequenceType(merged)];
    const at = position(call, 2, items.length, 1);
    if (at === undefined) return [sequenceType(merged, new Array(items.length + 1).fill(merged))];
    return [sequenceType(merged, items.toSpliced(at === 'end' ? items.length : at, 0, tensor))];
  },
  cost: counted('0', (call) => ({ memoryBytes: times(totalBytes([call.input(1)]), 2) })),
  roles: ['data', 'data', 'setting'],
};

const SequenceErase: Operator = {
  infer: (call) => {
    const { element, items } = sequenceInput(call, 0);
    if (items === undefined) return [sequenceType(element)];
    if (items.length === 0) call.fail('nothing can be erased from an empty sequence');
    const at = position(call, 1, items.length, 0);
    if (at === undefined) return [sequenceType(element, new Array(items.length - 1).fill(element))];
    return [sequenceOf(call, items.toSpliced(at === 'end' ? -1 : at, 1), element)];
  },
  cost: counted('0', () => ({ memoryBytes: 0 })),
  roles: ['data', 'setting'],
};

const SequenceAt: Operator = {
  infer: (call) => {
    const { element, items } = sequenceInput(call, 0);
    if (!call.has(1)) call.fail('the position is missing', 'OP_INPUT');
    if (items === undefined) return [element];
    const at = position(call, 1, items.length, 0);
    return [typeof at === 'number' ? items[at]! : (common(call, items) ?? element)];
  },
  cost: PARTIAL_READ,
  roles: ['data', 'setting'],
};

const SequenceLength: Operator = {
  infer: (call) => {
    const { items } = sequenceInput(call, 0);
    return [new TensorType('int64', [], items && [items.length])];
  },
  cost: counted('0', () => ({ memoryBytes: 0 })),
};

/** The sizes of the parts along the axis, one by one; undefined when their number is not known. */
function partSizes(call: Call, size: Dim): readonly Dim[] | undefined {
  expectInteger(call, 1);
  const split = call.has(1) ? call.tensor(1) : new TensorType('int64', [], [1]);
  const sizes = call.has(1) ? call.elements(1) : [1];
  if (split.rank === 1 && sizes) {
    for (const part of sizes) {
      if (isKnown(part) && !(Number.isInteger(part) && part >= 0))
        call.fail(`a part cannot have size ${part}`);
    }
    const whole = sum(sizes);
    if (!mayEqual(whole, size)) call.fail(`parts of [${sizes}] do not add up to ${size}`);
    return sizes;
  }
  const part = sizes?.[0];
  if (split.rank !== 0 || !isKnown(part)) return undefined;
  if (!Number.isInteger(part) || part < 1) call.fail(`the input cannot be split into parts of size ${part}`);
  if (!isKnown(size)) return undefined;
  const count = Math.ceil(size / part);
  if (count > MAX_KNOWN_ITEMS) return undefined;
  return Array.from({ length: count }, (_, i) => Math.min(part, size - i * part));
}

/** Splits along an axis, into parts of size 1 unless told. Only then `keepdims` may drop the axis. */
const SplitToSequence: Operator = {
  infer: (call) => {
    const { dtype, shape } = call.tensor(0);
    if (shape === undefined) return [sequenceType(new TensorType(dtype, undefined))];
    const axis = call.axis(call.int('axis', 0), shape.length);
    const drops = !call.has(1) && call.int('keepdims', 1) === 0;
    const part = (size: Dim, elements?: readonly Dim[]): TensorType =>
      new TensorType(dtype, drops ? shape.toSpliced(axis, 1) : shape.with(axis, size), elements);
    const sizes = partSizes(call, shape[axis]!);
    if (sizes === undefined) {
      const ofOne = !call.has(1) || call.scalar(1) === 1;
      return [sequenceType(part(ofOne ? 1 : call.unknownSize(0, axis)))];
    }
    const isVector = shape.length === 1 && sizes.every(isKnown);
    const elements = isVector ? call.elements(0) : undefined;
    let from = 0;
    const items = sizes.map((size) => {
      if (!isKnown(size)) return part(size);
      from += size;
      return part(size, elements?.slice(from - size, from));
    });
    return [sequenceOf(call, items, part(call.unknownSize(0, axis)))];
  },
  cost: counted('0', (call) => ({ memoryBytes: times(totalBytes([call.input(0)]), 2) })),
  roles: ['data', 'setting'],
};

/** Concat of all elements; with `new_axis` each gets a dimension of size 1 first, and they are stacked. */
const ConcatFromSequence: Operator = {
  infer: (call) => {
    const { element, items } = sequenceInput(call, 0);
    const axis = call.required(call.int('axis'), 'axis');
    const stacks = call.int('new_axis', 0) !== 0;
    const stacked = (type: ValueType): ValueType => {
      if (!isTensor(type) || type.shape === undefined || !stacks) return type;
      const shape = type.shape.toSpliced(call.axis(axis, type.shape.length + 1), 0, 1);
      return new TensorType(type.dtype, shape, type.mayBeKnown ? () => type.elements : undefined);
    };
    if (items === undefined) return [unknownLength(call, stacked(element), axis)];
    if (items.length === 0) call.fail('an empty sequence cannot be concatenated');
    return concatSplitOperators.Concat!.infer(call.as('Concat', 13, items.map(stacked)));
  },
  cost: PARTIAL_READ,
};

/** The type of a tensor, with a size along an axis that is not known. */
function unknownLength(call: Call, type: ValueType, axis: number): ValueType {
  if (!isTensor(type)) return new TensorType(undefined, undefined);
  if (type.shape === undefined) return new TensorType(type.dtype, undefined);
  const at = call.axis(axis, type.shape.length);
  return new TensorType(type.dtype, type.shape.with(at, call.unknownSize(0, at)));
}

export const sequenceOperators: OperatorTable = {
  ConcatFromSequence,
  SequenceAt,
  SequenceConstruct,
  SequenceEmpty,
  SequenceErase,
  SequenceInsert,
  SequenceLength,
  SplitToSequence,
};
