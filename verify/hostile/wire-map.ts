// Where everything is in a file: the tags, lengths and contents of all its fields, found by the same table
// that auspex reads with. It lets mutations hit what matters (a length, the end of a message) on purpose.
import { type Message, MODEL } from '../../src/onnx/proto.js';
import { BYTES, FIXED32, FIXED64, VARINT, WireReader } from '../../src/onnx/wire.js';
import { MemorySource } from '../../src/util/bytes.js';

/** One field of a message in a file, by offsets. */
export interface FieldPlace {
  /** Of its tag. */
  readonly start: number;
  /** Of its length, for wire type 2; else of its value. */
  readonly value: number;
  /** Of its first byte after tag and length. */
  readonly content: number;
  readonly end: number;
  readonly wireType: number;
  readonly isMessage: boolean;
  readonly depth: number;
}

/** All fields of a valid model, outer ones before those inside them. */
export function mapFields(bytes: Uint8Array): FieldPlace[] {
  const places: FieldPlace[] = [];
  const reader = new WireReader(new MemorySource(bytes));
  const walk = (message: Message, end: number, depth: number): void => {
    while (reader.offset < end) {
      const start = reader.offset;
      const tag = reader.uint();
      const field = message.fields.get(Math.floor(tag / 8));
      const wireType = tag % 8;
      const value = reader.offset;
      const length = lengthOf(reader, wireType);
      const content = reader.offset;
      const isMessage = wireType === BYTES && field?.kind === 'message';
      places.push({ start, value, content, end: content + length, wireType, isMessage, depth });
      if (isMessage) walk(field.message!(), content + length, depth + 1);
      reader.seek(content + length);
    }
  };
  walk(MODEL, bytes.length, 0);
  return places;
}

/** Reads the length of a field, or steps over nothing where its wire type says how long it is. */
function lengthOf(reader: WireReader, wireType: number): number {
  if (wireType === BYTES) return reader.uint();
  if (wireType === FIXED32) return 4;
  if (wireType === FIXED64) return 8;
  if (wireType !== VARINT) return 0;
  const start = reader.offset;
  reader.int64();
  const length = reader.offset - start;
  reader.seek(start);
  return length;
}
