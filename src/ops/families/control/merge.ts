// The type that covers several: what is known of a value that may be one or the other, such as the result of
// an If, a value that a loop carries, or an element of a sequence.
import { type Dim, sameDim } from '../../../graph/dim.js';
import type { DataType } from '../../../graph/dtype.js';
import {
  formatType,
  isTensor,
  type KnownElements,
  type SequenceType,
  type Shape,
  sameShape,
  sameType,
  sequenceLength,
  sequenceType,
  TensorType,
  UNKNOWN,
  type ValueType,
} from '../../../graph/types.js';
import type { Call } from '../../operator.js';

/** A size for a dimension in which the merged types differ. */
type UnknownSize = (axis: number) => Dim;

/**
 * What holds for both types. Sizes that differ become `unknownSize`, shapes of different rank become unknown;
 * element types and kinds that differ are an error.
 */
export function mergeTypes(call: Call, a: ValueType, b: ValueType, unknownSize: UnknownSize): ValueType {
  const merge = (x: ValueType, y: ValueType): ValueType => mergeTypes(call, x, y, unknownSize);
  const conflict = (): never =>
    call.fail(`a value cannot be both ${formatType(a)} and ${formatType(b)}`, 'TYPE_MISMATCH');
  const sameDtype = (x: DataType | undefined, y: DataType | undefined): DataType | undefined =>
    x !== undefined && y !== undefined && x !== y ? conflict() : (x ?? y);

  if (a === b) return a;
  if (a.kind === 'unknown') return withoutShape(b);
  if (b.kind === 'unknown') return withoutShape(a);
  if (a.kind === 'tensor' && b.kind === 'tensor') {
    const shape = mergeShapes(a.shape, b.shape, unknownSize);
    return new TensorType(sameDtype(a.dtype, b.dtype), shape, commonElements(a, b));
  }
  if (a.kind === 'sequence' && b.kind === 'sequence') {
    const element = mergeElements(a, b, merge);
    const [length, other] = [sequenceLength(a), sequenceLength(b)];
    if (length === undefined || other === undefined || !sameDim(length, other)) return sequenceType(element);
    if (a.items === undefined || b.items === undefined) return sequenceType(element, length);
    const items = a.items.map((item, i) => merge(item, b.items![i]!));
    return sequenceType(element, items);
  }
  if (a.kind === 'optional' && b.kind === 'optional') {
    const element = merge(a.element, b.element);
    return a.present !== undefined && a.present === b.present
      ? { kind: 'optional', element, present: a.present }
      : { kind: 'optional', element };
  }
  if (a.kind === 'map' && b.kind === 'map') {
    return { kind: 'map', key: sameDtype(a.key, b.key), value: merge(a.value, b.value) };
  }
  if (a.kind === 'sparse' && b.kind === 'sparse') {
    const shape = mergeShapes(a.shape, b.shape, unknownSize);
    return { kind: 'sparse', dtype: sameDtype(a.dtype, b.dtype), shape };
  }
  return conflict();
}

/** An empty sequence tells the element type, but no shape; that of the other one holds then. */
function mergeElements(
  a: SequenceType,
  b: SequenceType,
  merge: (x: ValueType, y: ValueType) => ValueType,
): ValueType {
  const element = merge(a.element, b.element);
  if (a.items?.length === 0) return b.element;
  if (b.items?.length === 0) return a.element;
  return element;
}

function mergeShapes(
  a: Shape | undefined,
  b: Shape | undefined,
  unknownSize: UnknownSize,
): Shape | undefined {
  if (a === undefined || b === undefined || a.length !== b.length) return undefined;
  return a.map((d, axis) => (sameDim(d, b[axis]!) ? d : unknownSize(axis)));
}

function commonElements(a: TensorType, b: TensorType): KnownElements | undefined {
  if (!a.mayBeKnown || !b.mayBeKnown || !sameShape(a.shape, b.shape)) return undefined;
  return sameElements(a, b) ? a.elements : undefined;
}

/** Whether both have known elements, and the same ones. */
export function sameElements(a: TensorType, b: TensorType): boolean {
  if (!a.mayBeKnown || !b.mayBeKnown) return false;
  const [x, y] = [a.elements, b.elements];
  return x !== undefined && y?.length === x.length && x.every((e, i) => sameDim(e, y[i]!));
}

/** Whether two types say exactly the same, down to known elements and the items of sequences. */
export function sameKnowledge(a: ValueType, b: ValueType): boolean {
  if (a === b) return true;
  if (!sameType(a, b)) return false;
  if (isTensor(a) && isTensor(b)) return (!a.mayBeKnown && !b.mayBeKnown) || sameElements(a, b);
  if (a.kind === 'sequence' && b.kind === 'sequence') {
    const [length, other] = [sequenceLength(a), sequenceLength(b)];
    if (length === undefined || other === undefined) return length === other;
    if (!sameDim(length, other) || !a.items !== !b.items) return false;
    return (a.items ?? []).every((type, i) => sameKnowledge(type, b.items![i]!));
  }
  if (a.kind === 'optional' && b.kind === 'optional') {
    return a.present === b.present && sameKnowledge(a.element, b.element);
  }
  return true;
}

/** The kind and element type alone: what two values that can be merged must have in common. */
export function withoutShape(type: ValueType): ValueType {
  switch (type.kind) {
    case 'tensor':
      return new TensorType(type.dtype, undefined);
    case 'sparse':
      return { kind: 'sparse', dtype: type.dtype, shape: undefined };
    case 'sequence':
    case 'optional':
      return { kind: type.kind, element: withoutShape(type.element) };
    case 'map':
      return { kind: 'map', key: type.key, value: withoutShape(type.value) };
    case 'unknown':
      return UNKNOWN;
  }
}
