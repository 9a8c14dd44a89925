// How operators read what they are given: attributes that count something, inputs whose rank and sizes must be
// as documented, hidden sizes that hold several heads. What is unknown or symbolic passes every check.
import { type Dim, divideExactly, floorDivide, isKnown } from '../graph/dim.js';
import { type Shape, TensorType, type ValueType } from '../graph/types.js';
import type { Call, InputRef } from './operator.js';

/** A required attribute that counts something. */
export function positiveInt(call: Call, name: string): number {
  const value = call.required(call.int(name), name);
  if (!Number.isSafeInteger(value) || value < 1) {
    call.fail(`attribute '${name}' must be a positive whole number, not ${value}`, 'OP_ATTRIBUTE');
  }
  return value;
}

/** The shape of a required input, checked for its rank; undefined when it is unknown. */
export function shapeOfRank(call: Call, input: InputRef, ...ranks: number[]): Shape | undefined {
  const shape = call.shape(input);
  if (shape !== undefined && !ranks.includes(shape.length)) {
    call.fail(`input ${input} must have rank ${ranks.join(' or ')}, not shape [${shape}]`);
  }
  return shape;
}

/** The shape of an optional input, checked for its rank; undefined when it is unknown or not given. */
export function optionalShape(call: Call, input: InputRef, ...ranks: number[]): Shape | undefined {
  return call.has(input) ? shapeOfRank(call, input, ...ranks) : undefined;
}

/** The shape of an input that must have at least so many dimensions. */
export function shapeOfRankFrom(call: Call, input: InputRef, least: number): Shape | undefined {
  const shape = call.shape(input);
  if (shape !== undefined && shape.length < least) {
    call.fail(`input ${input} must have rank ${least} or more, not shape [${shape}]`);
  }
  return shape;
}

/** Fails if an input is given and cannot have the expected shape; sizes that are left undefined may be any. */
export function expectShape(
  call: Call,
  input: InputRef,
  what: string,
  expected: readonly (Dim | undefined)[],
): void {
  const shape = call.optionalTensor(input)?.shape;
  if (shape === undefined) return;
  if (shape.length === expected.length && shape.every((size, i) => mayEqual(size, expected[i]))) return;
  const sizes = expected.map((size) => size ?? '?');
  call.fail(`${what} (input ${input}) must have shape [${sizes}], not [${shape}]`);
}

/** Whether two sizes may turn out to be the same. */
export function mayEqual(a: Dim | undefined, b: Dim | undefined): boolean {
  return !isKnown(a) || !isKnown(b) || a === b;
}

/** Fails if an input is given and cannot be broadcast to a shape without growing it. */
export function expectBroadcastTo(call: Call, input: InputRef, what: string, to: Shape | undefined): void {
  const shape = call.optionalTensor(input)?.shape;
  if (shape === undefined || to === undefined) return;
  const offset = to.length - shape.length;
  if (offset >= 0 && shape.every((size, i) => size === 1 || mayEqual(size, to[offset + i]))) return;
  call.fail(`${what} (input ${input}) of shape [${shape}] cannot be broadcast to [${to}]`);
}

/** One part of a size that consists of `parts` equal ones: a head of a hidden size, a group of channels. */
export function partOf(call: Call, size: Dim, parts: number, what: string): Dim {
  const exact = divideExactly(size, parts);
  if (exact !== undefined) return exact;
  if (isKnown(size)) return call.fail(`${what} ${size} cannot be split into ${parts} equal parts`);
  return floorDivide(size, parts);
}

/** Infers one output with the type and shape of an input. */
export function likeInput(input: InputRef): (call: Call) => ValueType[] {
  return (call) => {
    const { dtype, shape } = call.tensor(input);
    return [new TensorType(dtype, shape)];
  };
}
