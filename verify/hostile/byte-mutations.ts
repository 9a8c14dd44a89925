// Mutations of a file's bytes. Each takes a valid file and gives a damaged one; most aim at places found by
// wire-map.ts, since bytes in the middle of a weight would teach nothing.
import { BYTES, VARINT, WireWriter } from '../../src/onnx/wire.js';
import type { Random } from '../../src/util/random.js';
import { type FieldPlace, mapFields } from './wire-map.js';

export type ByteMutation = (bytes: Uint8Array, random: Random) => Uint8Array;

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** The file with what lies between two offsets replaced. */
function replaced(bytes: Uint8Array, from: number, to: number, by: Uint8Array): Uint8Array {
  return joined(bytes.subarray(0, from), by, bytes.subarray(to));
}

function varint(value: bigint): Uint8Array {
  const writer = new WireWriter();
  writer.int64(value);
  return writer.finish();
}

/** Lengths and numbers that break careless readers: limits of types, and one beside them. */
const EXTREMES: readonly bigint[] = [
  0n,
  1n,
  127n,
  128n,
  2n ** 16n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 62n,
  2n ** 63n - 1n,
  -1n,
  -2n,
  -(2n ** 31n),
  -(2n ** 63n),
];

const FILES_PER_MAP = 64;
const maps = new Map<Uint8Array, FieldPlace[]>();

/** The fields of a file, remembered for the files used last. */
function fieldsOf(bytes: Uint8Array): FieldPlace[] {
  let fields = maps.get(bytes);
  if (fields === undefined) {
    fields = mapFields(bytes);
    if (maps.size >= FILES_PER_MAP) maps.delete(maps.keys().next().value!);
    maps.set(bytes, fields);
  }
  return fields;
}

/** A place where something begins or ends: a field, its length, its content. */
function boundary(bytes: Uint8Array, random: Random): number {
  const field = random.pick(fieldsOf(bytes));
  return random.pick([field.start, field.value, field.content, field.end]);
}

/** An offset: at a boundary, beside one, or anywhere. */
function somewhere(bytes: Uint8Array, random: Random): number {
  if (random.chance(0.3)) return random.below(bytes.length + 1);
  const offset = boundary(bytes, random) + random.pick([-1, 0, 0, 0, 1]);
  return Math.min(bytes.length, Math.max(0, offset));
}

const flip: ByteMutation = (bytes, random) => {
  const out = Uint8Array.from(bytes);
  for (let n = random.between(1, 16); n > 0; n--) {
    const at = Math.min(somewhere(bytes, random), bytes.length - 1);
    out[at] = random.chance(0.5) ? out[at]! ^ (1 << random.below(8)) : random.below(256);
  }
  return out;
};

const truncate: ByteMutation = (bytes, random) => bytes.slice(0, somewhere(bytes, random));

const insert: ByteMutation = (bytes, random) => {
  const at = somewhere(bytes, random);
  const extra = Uint8Array.from({ length: random.between(1, 64) }, () => random.below(256));
  return replaced(bytes, at, at, extra);
};

const remove: ByteMutation = (bytes, random) => {
  const from = somewhere(bytes, random);
  return replaced(bytes, from, Math.min(bytes.length, from + random.between(1, 256)), new Uint8Array());
};

/** A whole field again, elsewhere; lengths around it are left wrong or, at the top level, right. */
const duplicate: ByteMutation = (bytes, random) => {
  const field = random.pick(fieldsOf(bytes));
  const copy = bytes.subarray(field.start, field.end);
  const at = random.chance(0.5) ? field.end : somewhere(bytes, random);
  return replaced(bytes, at, at, copy);
};

/** Part of a file in the place of another part of it. */
const splice: ByteMutation = (bytes, random) => {
  const [a, b] = [random.pick(fieldsOf(bytes)), random.pick(fieldsOf(bytes))];
  return replaced(bytes, a.start, a.end, bytes.slice(b.start, b.end));
};

/** A length that claims far more or less than there is. */
const length: ByteMutation = (bytes, random) => {
  const fields = fieldsOf(bytes).filter((f) => f.wireType === BYTES);
  if (fields.length === 0) return flip(bytes, random);
  const field = random.pick(fields);
  return replaced(bytes, field.value, field.content, varint(random.pick(EXTREMES)));
};

/** A number that is at a limit, with all lengths around it made right. */
const number: ByteMutation = (bytes, random) => {
  const fields = fieldsOf(bytes).filter((f) => f.wireType === VARINT);
  if (fields.length === 0) return flip(bytes, random);
  const field = random.pick(fields);
  return withLengths(bytes, field.value, field.end, varint(random.pick(EXTREMES)));
};

/** A field taken out or repeated many times, with all lengths around it made right. */
const repeat: ByteMutation = (bytes, random) => {
  const field = random.pick(fieldsOf(bytes));
  const content = bytes.subarray(field.start, field.end);
  const times = random.pick([0, 2, 3, 20, Math.min(2000, Math.ceil(200_000 / content.length))]);
  return withLengths(bytes, field.start, field.end, joined(...new Array<Uint8Array>(times).fill(content)));
};

/** Replaces a stretch and corrects the lengths of all messages that contain it. */
function withLengths(bytes: Uint8Array, from: number, to: number, by: Uint8Array): Uint8Array {
  const around = fieldsOf(bytes).filter((f) => f.isMessage && f.content <= from && to <= f.end);
  let out = replaced(bytes, from, to, by);
  let growth = by.length - (to - from);
  // From the innermost outward; those lengths lie before the change, so that their offsets still hold.
  for (const field of around.sort((a, b) => b.depth - a.depth)) {
    const size = varint(BigInt(field.end - field.content + growth));
    out = replaced(out, field.value, field.content, size);
    growth += size.length - (field.content - field.value);
  }
  return out;
}

export const BYTE_MUTATIONS: Readonly<Record<string, ByteMutation>> = {
  flip,
  truncate,
  insert,
  remove,
  duplicate,
  splice,
  length,
  number,
  repeat,
};
