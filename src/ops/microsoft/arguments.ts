// What operators of this domain read besides the common arguments: lengths and flags that come as inputs, and
// the roles of their many inputs.
import { type Dim, isKnown } from '../../graph/dim.js';
import type { Shape } from '../../graph/types.js';
import type { Call, InputRole } from '../operator.js';

/** An attribute that counts something, perhaps nothing. */
export function countAttribute(call: Call, name: string): number {
  const value = call.int(name, 0);
  if (!Number.isSafeInteger(value) || value < 0) {
    call.fail(`attribute '${name}' cannot be ${value}`, 'OP_ATTRIBUTE');
  }
  return value;
}

/** A length that is given as an input; undefined when it is not known before running. */
export function lengthInput(call: Call, index: number): Dim | undefined {
  const value = call.scalar(index);
  if (isKnown(value) && !(Number.isSafeInteger(value) && value >= 0)) {
    call.fail(`input ${index} must be a length, not ${value}`, 'OP_INPUT');
  }
  return value;
}

/** Whether a boolean input is true, false, or not known before running. */
export function flag(call: Call, index: number): boolean | undefined {
  const value = call.scalar(index);
  return isKnown(value) ? value !== 0 : undefined;
}

/** A shape with its last size replaced. */
export function withLast(shape: Shape, last: Dim): Shape {
  return [...shape.slice(0, -1), last];
}

const ROLES: Readonly<Record<string, InputRole>> = { d: 'data', w: 'weight', s: 'setting' };

/** Roles of inputs by their initials; operators of this domain have up to twenty of them. */
export function roles(initials: string): InputRole[] {
  return Array.from(initials, (initial) => ROLES[initial]!);
}
