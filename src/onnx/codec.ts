// Bytes to messages and back, driven by the table in proto.ts. Decoding is bounded: nesting, number of
// messages, number of scalars and length of texts have limits, so a hostile file ends in an error, not in a
// machine without memory.
import { ByteRange, type ByteSource } from '../util/bytes.js';
import { AuspexError } from '../util/errors.js';
import type { Decoded, Field, FieldKind, Message } from './proto.js';
import { BYTES, FIXED32, FIXED64, VARINT, WireReader, WireWriter } from './wire.js';

/** What a file may at most contain. */
export interface Limits {
  /** Messages inside messages; a subgraph in a node takes three. */
  depth: number;
  /** Nodes in all graphs and functions; the largest networks people export have some ten thousand. */
  nodes: number;
  /** Nodes, tensors, attributes, value infos … in all. */
  messages: number;
  /** Numbers and texts in lists, in all. */
  scalars: number;
  /** Bytes of one text or byte string that is read into memory. */
  textBytes: number;
  /** Bytes of one name. */
  nameBytes: number;
}

export const DEFAULT_LIMITS: Readonly<Limits> = Object.freeze({
  depth: 192,
  messages: 1_000_000,
  nodes: 200_000,
  scalars: 20_000_000,
  textBytes: 64 * 1024 * 1024,
  nameBytes: 64 * 1024,
});

/** What takes the place of messages of a kind, made as soon as one is read: the message need not be kept. */
type Conversions = ReadonlyMap<Message, (decoded: Decoded) => unknown>;

const NO_CONVERSIONS: Conversions = new Map();

/** Decodes all of a source as one message. */
export function decode(
  source: ByteSource,
  message: Message,
  limits: Readonly<Limits> = DEFAULT_LIMITS,
  conversions = NO_CONVERSIONS,
): Decoded {
  return new Decoder(source, limits, conversions).message(message, source.size, 0);
}

class Decoder {
  readonly #reader: WireReader;
  readonly #limits: Readonly<Limits>;
  readonly #conversions: Conversions;
  #messages = 0;
  #scalars = 0;

  constructor(source: ByteSource, limits: Readonly<Limits>, conversions: Conversions) {
    this.#reader = new WireReader(source);
    this.#limits = limits;
    this.#conversions = conversions;
  }

  /** @param into what an earlier field of the same name gave; protobuf merges the two. */
  message(message: Message, end: number, depth: number, into: Decoded = {}): Decoded {
    const reader = this.#reader;
    this.#count('messages', ++this.#messages);
    if (depth > this.#limits.depth) {
      throw reader.error('ONNX_LIMIT', `messages are nested more than ${this.#limits.depth} deep`);
    }
    const out = into as Record<string, unknown>;
    while (reader.offset < end) {
      const tag = reader.uint();
      const number = Math.floor(tag / 8);
      const wireType = tag % 8;
      if (number === 0) throw reader.error('ONNX_MALFORMED', `field number 0 in ${message.name}`);
      const field = message.fields.get(number);
      if (field === undefined) this.#skip(wireType, end);
      else this.#field(out, field, wireType, end, depth);
    }
    if (reader.offset !== end) {
      throw reader.error('ONNX_MALFORMED', `a value runs over the end of its ${message.name}`);
    }
    return out;
  }

  #count(what: 'messages' | 'scalars', count: number): void {
    if (count > this.#limits[what]) {
      throw this.#reader.error('ONNX_LIMIT', `the file has more than ${this.#limits[what]} ${what}`);
    }
  }

  #length(end: number): number {
    const length = this.#reader.uint();
    if (this.#reader.offset + length > end) {
      throw this.#reader.error(
        'ONNX_TRUNCATED',
        `a length of ${length} bytes exceeds the enclosing message`,
        'the file was cut off or is not an ONNX model; get it again',
      );
    }
    return length;
  }

  #skip(wireType: number, end: number): void {
    const reader = this.#reader;
    if (wireType === VARINT) reader.int64();
    else if (wireType === BYTES) {
      const length = this.#length(end);
      reader.seek(reader.offset + length);
    } else if (wireType === FIXED64 || wireType === FIXED32) {
      const width = wireType === FIXED64 ? 8 : 4;
      if (reader.offset + width > end) throw reader.error('ONNX_TRUNCATED', 'a number is cut off');
      reader.seek(reader.offset + width);
    } else throw reader.error('ONNX_MALFORMED', `wire type ${wireType} is not used by ONNX`);
  }

  #field(out: Record<string, unknown>, field: Field, wireType: number, end: number, depth: number): void {
    const reader = this.#reader;
    const { name, kind, repeated, wireType: scalarType } = field;
    if (kind === 'range' && repeated && wireType !== BYTES) {
      // A number of a packed list that was written on its own: its bytes are a list of one.
      const start = reader.offset;
      this.#skip(wireType, end);
      this.#count('scalars', ++this.#scalars);
      listOf(out, name).push(new ByteRange(reader.source, start, reader.offset - start));
      return;
    }
    if (wireType !== scalarType && !(repeated && wireType === BYTES)) {
      throw reader
        .error('ONNX_MALFORMED', `${snakeCase(name)} has wire type ${wireType}, not ${scalarType}`)
        .within({ path: snakeCase(name) });
    }
    if (scalarType !== BYTES) {
      this.#number(out, field, wireType, end);
      return;
    }
    const list = repeated ? listOf(out, name) : undefined;
    const length = this.#length(end);
    let value: unknown;
    if (kind === 'message') {
      try {
        const before = list ? undefined : (out[name] as Decoded | undefined);
        const inner = field.message!();
        const decoded = this.message(inner, reader.offset + length, depth + 1, before);
        const convert = this.#conversions.get(inner);
        value = convert ? convert(decoded) : decoded;
      } catch (error) {
        if (error instanceof AuspexError) {
          const here = list ? `${snakeCase(name)}[${list.length}]` : snakeCase(name);
          error.where.path = error.where.path ? `${here}.${error.where.path}` : here;
        }
        throw error;
      }
    } else if (kind === 'range') {
      value = reader.range(length);
    } else {
      const limit = kind === 'string' ? this.#limits.nameBytes : this.#limits.textBytes;
      if (length > limit) {
        const message = `${snakeCase(name)} has ${length} bytes; ${limit} are the limit`;
        throw reader.error('ONNX_LIMIT', message).within({ path: snakeCase(name) });
      }
      value = kind === 'bytes' ? reader.bytes(length) : reader.text(length);
      if (value === undefined) {
        const message = `${snakeCase(name)} is not UTF-8 text`;
        throw reader.error('ONNX_MALFORMED', message).within({ path: snakeCase(name) });
      }
    }
    if (list) {
      if (kind !== 'message') this.#count('scalars', ++this.#scalars);
      list.push(value);
    } else out[name] = value;
  }

  #number(
    out: Record<string, unknown>,
    { name, kind, repeated }: Field,
    wireType: number,
    end: number,
  ): void {
    const reader = this.#reader;
    if (!repeated) {
      out[name] = this.#scalar(kind, end);
      return;
    }
    const list = listOf(out, name);
    const isPacked = wireType === BYTES;
    const length = isPacked ? this.#length(end) : 0;
    const stop = isPacked ? reader.offset + length : end;
    do {
      if (isPacked && reader.offset >= stop) return;
      this.#count('scalars', ++this.#scalars);
      list.push(this.#scalar(kind, stop));
    } while (isPacked);
  }

  #scalar(kind: FieldKind, end: number): number | bigint {
    const reader = this.#reader;
    const value =
      kind === 'int64'
        ? reader.int64()
        : kind === 'int32'
          ? reader.int32()
          : kind === 'float'
            ? reader.float()
            : reader.double();
    if (reader.offset > end) throw reader.error('ONNX_TRUNCATED', 'a number is cut off');
    return value;
  }
}

/** The list under a name, made on first use. */
function listOf(out: Record<string, unknown>, name: string): unknown[] {
  out[name] ??= [];
  return out[name] as unknown[];
}

/** A field as the format's definition spells it. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Encodes a message. Fields that are undefined, and empty lists, are left out. */
export function encode(message: Message, value: Decoded, writer = new WireWriter()): WireWriter {
  for (const [number, field] of message.fields) {
    const content = value[field.name];
    if (content === undefined) continue;
    if (!field.repeated) encodeField(writer, number, field, content);
    else for (const item of content as unknown[]) encodeField(writer, number, field, item);
  }
  return writer;
}

function encodeField(writer: WireWriter, number: number, field: Field, value: unknown): void {
  writer.tag(number, field.wireType);
  switch (field.kind) {
    case 'int64':
    case 'int32':
      return writer.int64(value as number | bigint);
    case 'float':
      return writer.float(value as number);
    case 'double':
      return writer.double(value as number);
    case 'message':
      return writer.message((inner) => void encode(field.message!(), value as Decoded, inner));
    case 'range': {
      const range = value as ByteRange;
      writer.uint(range.length);
      return writer.bytes(range.read());
    }
    default: {
      if (typeof value === 'string') return writer.text(value);
      const bytes = value as Uint8Array;
      writer.uint(bytes.length);
      writer.bytes(bytes);
    }
  }
}
