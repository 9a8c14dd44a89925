// Values outside a model: the tensors, sequences and optionals that ONNX's tests keep in `.pb` files. Such a
// file does not say which of the three it is; the declared type of the input or output does.
import type { Tensor } from '../graph/tensor.js';
import type { ValueType } from '../graph/types.js';
import { type ByteSource, MemorySource } from '../util/bytes.js';
import { AuspexError } from '../util/errors.js';
import { DEFAULT_LIMITS, decode } from './codec.js';
import { type Decoded, type Message, OPTIONAL, SEQUENCE, TENSOR } from './proto.js';
import { type ReadOptions, tensorFrom } from './read.js';

/** A value with its data. */
export type Value =
  | { readonly kind: 'tensor'; readonly tensor: Tensor }
  | { readonly kind: 'sequence'; readonly items: readonly Value[] }
  /** `value` is undefined when there is none. */
  | { readonly kind: 'optional'; readonly value: Value | undefined };

type ValueKind = Value['kind'];

const MESSAGES: Record<ValueKind, Message> = { tensor: TENSOR, sequence: SEQUENCE, optional: OPTIONAL };

/** SequenceProto's and OptionalProto's `elem_type`. */
const ELEMENT_KINDS = ['nothing', 'tensor', 'sparse tensor', 'sequence', 'map', 'optional'] as const;

/** Reads a value of a declared kind: a TensorProto, a SequenceProto or an OptionalProto. */
export function decodeValue(
  source: ByteSource | Uint8Array,
  kind: ValueType['kind'],
  options: ReadOptions = {},
): Value {
  if (!isValueKind(kind)) throw unsupported(kind, '');
  const bytes = source instanceof Uint8Array ? new MemorySource(source) : source;
  const proto = decode(bytes, MESSAGES[kind], { ...DEFAULT_LIMITS, ...options.limits });
  return valueFrom(kind, proto, kind, options);
}

function valueFrom(kind: ValueKind, proto: Decoded, path: string, options: ReadOptions): Value {
  switch (kind) {
    case 'tensor':
      return { kind, tensor: tensorFrom(proto, path, options) };
    case 'sequence': {
      const element = elementKind(proto, path);
      const items = (element && (proto[`${element}Values`] as readonly Decoded[] | undefined)) ?? [];
      return { kind, items: items.map((p, i) => valueFrom(element!, p, `${path}[${i}]`, options)) };
    }
    case 'optional': {
      const element = elementKind(proto, path);
      const value = element && (proto[`${element}Value`] as Decoded | undefined);
      return { kind, value: value && valueFrom(element, value, `${path}.value`, options) };
    }
  }
}

/** What a sequence or an optional holds; undefined when it says that it holds nothing. */
function elementKind(proto: Decoded, path: string): ValueKind | undefined {
  const code = (proto.elemType as number | undefined) ?? 0;
  const kind = ELEMENT_KINDS[code] ?? `kind ${code}`;
  if (kind === 'nothing') return undefined;
  if (!isValueKind(kind)) throw unsupported(kind, path);
  return kind;
}

function isValueKind(kind: string): kind is ValueKind {
  return kind in MESSAGES;
}

function unsupported(kind: string, path: string): AuspexError {
  return new AuspexError('VALUE_UNSUPPORTED', `values of kind '${kind}' cannot be read`, { where: { path } });
}
