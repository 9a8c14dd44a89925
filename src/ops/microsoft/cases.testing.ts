// Test cases of operators of com.microsoft, written short.
import { apply, type ShortAttribute } from '../cases.testing.js';
import type { TestCase, TestInput } from '../ort.testing.js';

export { costOf, float, half } from '../cases.testing.js';

/** An application of an operator of com.microsoft. */
export function ms(
  op: string,
  inputs: readonly (TestInput | null)[],
  attributes: Readonly<Record<string, ShortAttribute>> = {},
  outputs = 1,
): TestCase {
  return { ...apply(op, inputs, attributes, { outputs }), domain: 'com.microsoft' };
}
