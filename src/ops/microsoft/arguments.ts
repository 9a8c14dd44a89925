// What operators of this domain read besides the common arguments: lengths and flags that come as inputs.
import { type Dim, isKnown } from '../../graph/dim.js';
import type { Shape } from '../../graph/types.js';
import type { Call, InputRef } from '../operator.js';

/** An attribute that counts something, perhaps nothing. */
export function countAttribute(call: Call, name: string): number {
  const value = call.int(name, 0);
  if (!Number.isSafeInteger(value) || value < 0) {
    call.fail(`attribute '${name}' cannot be ${value}`, 'OP_ATTRIBUTE');
  }
  return value;
}

/** A length that is given as an input; undefined when it is not known before running. */
export function lengthInput(call: Call, input: InputRef): Dim | undefined {
  const value = call.scalar(input);
  if (isKnown(value) && !(Number.isSafeInteger(value) && value >= 0)) {
    call.fail(`input ${input} must be a length, not ${value}`, 'OP_INPUT');
  }
  return value;
}

/** Whether a boolean input is true, false, or not known before running. */
export function flag(call: Call, input: InputRef): boolean | undefined {
  const value = call.scalar(input);
  return isKnown(value) ? value !== 0 : undefined;
}

/** A shape with its last size replaced. */
export function withLast(shape: Shape, last: Dim): Shape {
  return [...shape.slice(0, -1), last];
}
