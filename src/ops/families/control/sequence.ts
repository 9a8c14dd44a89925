// Sequences of tensors. Where the number of elements is known a sequence carries the type of each of them, so
// that what an exporter puts in and takes out again keeps its shape.
import { add, ceilDivide, type Dim, isKnown, multiply, sum } from '../../../graph/dim.js';
import {
  formatType,
  isTensor,
  MAX_KNOWN_ELEMENTS,
  type SequenceType,
  sequenceLength,
  sequenceType,
  TensorType,
  totalBytes,
  UNKNOWN,
  type ValueType,
} from '../../../graph/types.js';
import { mayEqual } from '../../arguments.js';
import { counted, FREE, times } from '../../cost.js';
import { type Call, expectInteger, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { concatSplitOperators } from '../arrays/concat-split.js';
import { dtypeAttribute, PARTIAL_READ } from '../arrays/data-movement.js';
import { mergeTypes } from './merge.js';

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
  return sequenceType(type, items.length <= MAX_KNOWN_ITEMS ? items : items.length);
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

function changedLength(sequence: SequenceType, by: 1 | -1): Dim | undefined {
  const length = sequenceLength(sequence);
  return length === undefined ? undefined : add(length, by);
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
  traits: { sequence: 'construct' },
};

const SequenceInsert: Operator = {
  infer: (call) => {
    const sequence = sequenceInput(call, 0);
    const { element, items } = sequence;
    const tensor = call.tensor(1);
    const both = common(call, [element, tensor])!;
    const merged = items?.length === 0 ? tensor : both;
    if (items === undefined || items.length >= MAX_KNOWN_ITEMS) {
      return [sequenceType(merged, changedLength(sequence, 1))];
    }
    const at = position(call, 2, items.length, 1);
    if (at === undefined) return [sequenceType(merged, new Array(items.length + 1).fill(merged))];
    return [sequenceType(merged, items.toSpliced(at === 'end' ? items.length : at, 0, tensor))];
  },
  cost: counted('0', (call) => ({ memoryBytes: times(totalBytes([call.input(1)]), 2) })),
  roles: { setting: ['position'] },
};

const SequenceErase: Operator = {
  infer: (call) => {
    const sequence = sequenceInput(call, 0);
    const { element, items } = sequence;
    if (items === undefined) return [sequenceType(element, changedLength(sequence, -1))];
    if (items.length === 0) call.fail('nothing can be erased from an empty sequence');
    const at = position(call, 1, items.length, 0);
    if (at === undefined) return [sequenceType(element, new Array(items.length - 1).fill(element))];
    return [sequenceOf(call, items.toSpliced(at === 'end' ? -1 : at, 1), element)];
  },
  cost: counted('0', () => ({ memoryBytes: 0 })),
  roles: { setting: ['position'] },
};

const SequenceAt: Operator = {
  infer: (call) => {
    const { element, items } = sequenceInput(call, 0);
    if (!call.has('position')) call.fail('the position is missing', 'OP_INPUT');
    if (items === undefined) return [element];
    const at = position(call, 1, items.length, 0);
    return [typeof at === 'number' ? items[at]! : (common(call, items) ?? element)];
  },
  cost: PARTIAL_READ,
  roles: { setting: ['position'] },
  traits: { moves: 'part', sequence: 'at' },
};

const SequenceLength: Operator = {
  infer: (call) => {
    const length = sequenceLength(sequenceInput(call, 0));
    return [new TensorType('int64', [], length === undefined ? undefined : [length])];
  },
  cost: counted('0', () => ({ memoryBytes: 0 })),
};

/** The size of equal parts, of which the last may be smaller; undefined when it is not known or they differ. */
function equalPart(call: Call): number | undefined {
  if (!call.has('split')) return 1;
  expectInteger(call, 1);
  const part = call.tensor(1).rank === 0 ? call.scalar(1) : undefined;
  if (!isKnown(part)) return undefined;
  if (!Number.isInteger(part) || part < 1) call.fail(`the input cannot be split into parts of size ${part}`);
  return part;
}

/** The sizes of all parts of a dimension, where they are listed or few enough to be. */
function partSizes(call: Call, size: Dim, equal: number | undefined): readonly Dim[] | undefined {
  if (equal !== undefined) {
    const count = isKnown(size) ? Math.ceil(size / equal) : Infinity;
    if (!isKnown(size) || count > MAX_KNOWN_ITEMS) return undefined;
    return Array.from({ length: count }, (_, i) => Math.min(equal, size - i * equal));
  }
  const sizes = call.tensor(1).rank === 1 ? call.elements(1) : undefined;
  if (sizes === undefined) return undefined;
  for (const part of sizes) {
    const isPossible = !isKnown(part) || (Number.isInteger(part) && part >= 0);
    if (!isPossible) call.fail(`a part cannot have size ${part}`);
  }
  if (!mayEqual(sum(sizes), size)) call.fail(`parts of [${sizes}] do not add up to ${size}`);
  return sizes;
}

/** Splits along an axis, into parts of size 1 unless told. Only then `keepdims` may drop the axis. */
const SplitToSequence: Operator = {
  infer: (call) => {
    const { dtype, shape } = call.tensor(0);
    if (shape === undefined) return [sequenceType(new TensorType(dtype, undefined))];
    const axis = call.axis(call.int('axis', 0), shape.length);
    const drops = !call.has('split') && call.int('keepdims', 1) === 0;
    const part = (size: Dim, elements?: readonly Dim[]): TensorType =>
      new TensorType(dtype, drops ? shape.toSpliced(axis, 1) : shape.with(axis, size), elements);
    const equal = equalPart(call);
    const sizes = partSizes(call, shape[axis]!, equal);
    if (sizes === undefined) {
      const count = equal === undefined ? call.shape(1)?.[0] : ceilDivide(shape[axis]!, equal);
      return [sequenceType(part(equal === 1 ? 1 : call.unknownSize(0, axis)), count)];
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
  roles: { setting: ['split'] },
  traits: { moves: 'part', sequence: 'split' },
};

/** Concat of all elements; with `new_axis` each gets a dimension of size 1 first, and they are stacked. */
const ConcatFromSequence: Operator = {
  infer: (call) => {
    const sequence = sequenceInput(call, 0);
    const { element, items } = sequence;
    const axis = call.required(call.int('axis'), 'axis');
    const stacks = call.int('new_axis', 0) !== 0;
    const stacked = (type: ValueType): ValueType => {
      if (!isTensor(type) || type.shape === undefined || !stacks) return type;
      const shape = type.shape.toSpliced(call.axis(axis, type.shape.length + 1), 0, 1);
      return new TensorType(type.dtype, shape, type.mayBeKnown ? () => type.elements : undefined);
    };
    if (items === undefined) return [repeated(call, stacked(element), axis, sequenceLength(sequence))];
    if (items.length === 0) call.fail('an empty sequence cannot be concatenated');
    return concatSplitOperators.Concat!.infer(call.as('Concat', 13, items.map(stacked)));
  },
  cost: PARTIAL_READ,
  traits: { sequence: 'concat' },
};

/** Many tensors of a type along an axis. A size that is no number need not be the same in all of them. */
function repeated(call: Call, type: ValueType, axis: number, times: Dim | undefined): ValueType {
  if (!isTensor(type)) return new TensorType(undefined, undefined);
  if (type.shape === undefined) return new TensorType(type.dtype, undefined);
  const at = call.axis(axis, type.shape.length);
  const each = type.shape[at];
  const size = isKnown(each) && times !== undefined ? multiply(each, times) : call.unknownSize(0, at);
  return new TensorType(type.dtype, type.shape.with(at, size));
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
