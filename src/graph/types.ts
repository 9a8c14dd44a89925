// What is known of a value before a network runs: its kind, element type, shape, and, for the small tensors
// that shapes are computed from, its elements.

import { add, ceilDivide, type Dim, Expr, multiply, product, sameDim } from './dim.js';
import { bitsOf, type DataType } from './dtype.js';

export type Shape = readonly Dim[];

/** Elements of a small known tensor, row-major. Sizes may be symbolic; booleans are 0 and 1. */
export type KnownElements = readonly Dim[];

/** Dimensions a tensor may have. NumPy stops at 64; what is far beyond is no network. */
export const MAX_RANK = 256;

/** Tensors with more elements than this are never carried as known values. */
export const MAX_KNOWN_ELEMENTS = 512;

/** A tensor of which the element type or the shape may be unknown. Immutable. */
export class TensorType {
  readonly kind = 'tensor';
  readonly dtype: DataType | undefined;
  /** Undefined when not even the rank is known. */
  readonly shape: Shape | undefined;
  #elements: KnownElements | (() => KnownElements | undefined) | undefined;
  /** Remembered, as every count asks for them again. */
  #size: Dim | undefined;
  #bytes: Dim | undefined;

  /** @param elements the known elements, or how to get them the first time someone asks. */
  constructor(
    dtype: DataType | undefined,
    shape: Shape | undefined,
    elements?: KnownElements | (() => KnownElements | undefined),
  ) {
    this.dtype = dtype;
    this.shape = shape;
    this.#elements = elements;
  }

  /** The elements, if known. Reads them from the file on first use where they are a small constant. */
  get elements(): KnownElements | undefined {
    if (typeof this.#elements === 'function') this.#elements = this.#elements();
    return this.#elements;
  }

  /** The elements as far as someone has asked for them before; nothing is read or computed. */
  get elementsAtHand(): KnownElements | undefined {
    return typeof this.#elements === 'function' ? undefined : this.#elements;
  }

  /** Whether asking for `elements` may give something; costs no reading. */
  get mayBeKnown(): boolean {
    return this.#elements !== undefined;
  }

  get rank(): number | undefined {
    return this.shape?.length;
  }

  /** The number of elements; undefined when the rank is unknown. */
  get size(): Dim | undefined {
    this.#size ??= this.shape && product(this.shape);
    return this.#size;
  }

  /** Bytes of the tensor when stored densely. */
  get bytes(): Dim | undefined {
    const size = this.size;
    if (size === undefined || this.dtype === undefined) return undefined;
    const bits = bitsOf(this.dtype);
    this.#bytes ??= bits % 8 === 0 ? multiply(size, bits / 8) : ceilDivide(multiply(size, bits), 8);
    return this.#bytes;
  }

  toString(): string {
    return `${this.dtype ?? 'unknown'}${this.shape ? `[${this.shape.join(',')}]` : '[?]'}`;
  }
}

/** A list of values of one type. */
export interface SequenceType {
  readonly kind: 'sequence';
  readonly element: ValueType;
  /** The types one by one, where the number of elements is known. */
  readonly items?: readonly ValueType[];
  /** The number of elements, where it is symbolic or there are too many to list. */
  readonly length?: Dim;
}

interface OptionalType {
  readonly kind: 'optional';
  readonly element: ValueType;
  /** Whether there is an element, where that is known. */
  readonly present?: boolean;
}

interface MapType {
  readonly kind: 'map';
  readonly key: DataType | undefined;
  readonly value: ValueType;
}

interface SparseTensorType {
  readonly kind: 'sparse';
  readonly dtype: DataType | undefined;
  readonly shape: Shape | undefined;
}

/** A value nothing is known of, or of a type private to some domain. */
interface UnknownType {
  readonly kind: 'unknown';
  readonly domain?: string;
  readonly name?: string;
}

export type ValueType = TensorType | SequenceType | OptionalType | MapType | SparseTensorType | UnknownType;

export const UNKNOWN: UnknownType = Object.freeze({ kind: 'unknown' });

export function tensorType(
  dtype: DataType | undefined,
  shape: Shape | undefined,
  elements?: KnownElements,
): TensorType {
  return new TensorType(dtype, shape, elements);
}

/** @param contents the types of the elements one by one, or how many there are. */
export function sequenceType(element: ValueType, contents?: readonly ValueType[] | Dim): SequenceType {
  if (contents === undefined) return { kind: 'sequence', element };
  if (typeof contents === 'number' || contents instanceof Expr) {
    return { kind: 'sequence', element, length: contents };
  }
  return { kind: 'sequence', element, items: contents };
}

/** How many elements a sequence has, where that is known. */
export function sequenceLength(type: SequenceType): Dim | undefined {
  return type.items?.length ?? type.length;
}

export function optionalType(element: ValueType, present?: boolean): OptionalType {
  return present === undefined ? { kind: 'optional', element } : { kind: 'optional', element, present };
}

export function isTensor(type: ValueType | undefined): type is TensorType {
  return type?.kind === 'tensor';
}

export function sameShape(a: Shape | undefined, b: Shape | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.length === b.length && a.every((d, i) => sameDim(d, b[i]!));
}

export function sameType(a: ValueType, b: ValueType): boolean {
  if (a.kind === 'tensor' && b.kind === 'tensor') return a.dtype === b.dtype && sameShape(a.shape, b.shape);
  if (a.kind === 'sequence' && b.kind === 'sequence') return sameType(a.element, b.element);
  if (a.kind === 'optional' && b.kind === 'optional') return sameType(a.element, b.element);
  if (a.kind === 'map' && b.kind === 'map') return a.key === b.key && sameType(a.value, b.value);
  if (a.kind === 'sparse' && b.kind === 'sparse') return a.dtype === b.dtype && sameShape(a.shape, b.shape);
  return a.kind === b.kind;
}

/** How a type reads in a message: `float32[1,3,224,224]`, `seq(int64[?])`. */
export function formatType(type: ValueType | undefined): string {
  if (type === undefined) return 'nothing';
  switch (type.kind) {
    case 'tensor':
      return type.toString();
    case 'sequence':
      return `seq(${formatType(type.element)})`;
    case 'optional':
      return `optional(${formatType(type.element)})`;
    case 'map':
      return `map(${type.key ?? 'unknown'}, ${formatType(type.value)})`;
    case 'sparse':
      return `sparse(${new TensorType(type.dtype, type.shape)})`;
    case 'unknown':
      return type.name ? `opaque(${type.name})` : 'unknown';
  }
}

/** Bytes of a value: of a tensor, or of the tensors of a sequence whose elements are known one by one. */
export function valueBytes(type: ValueType): Dim | undefined {
  if (isTensor(type)) return type.bytes;
  if (type.kind === 'sequence') return type.items && totalBytes(type.items);
  if (type.kind === 'optional') return type.present === false ? 0 : valueBytes(type.element);
  return undefined;
}

/** Bytes of several values, of which some may not be given; undefined when one is unknown. */
export function totalBytes(types: readonly (ValueType | undefined)[]): Dim | undefined {
  let sum: Dim = 0;
  for (let i = 0; i < types.length; i++) {
    const type = types[i];
    if (type === undefined) continue;
    const bytes = valueBytes(type);
    if (bytes === undefined) return undefined;
    sum = add(sum, bytes);
  }
  return sum;
}
