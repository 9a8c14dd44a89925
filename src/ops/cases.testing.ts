// Test cases of ai.onnx operators, written short, and what their cost rules say.
import { inferShapes } from '../analysis/infer.js';
import type { DataType } from '../graph/dtype.js';
import type { Attribute } from '../graph/graph.js';
import type { OperatorCost } from './operator.js';
import { input, modelOf, type TestCase, type TestInput } from './ort.testing.js';

/** An attribute as tests write it: whole numbers are ints; anything else is told by its type. */
export type ShortAttribute = number | string | readonly number[] | Attribute;

export function attribute(value: ShortAttribute): Attribute {
  if (typeof value === 'number') return { type: 'int', value };
  if (typeof value === 'string') return { type: 'string', value };
  return 'type' in value ? value : { type: 'ints', value };
}

/** An application of an operator, by default of opset 21 with one output. */
export function apply(
  op: string,
  inputs: readonly (TestInput | null)[],
  attributes: Readonly<Record<string, ShortAttribute>> = {},
  more: { opset?: number; outputs?: number } = {},
): TestCase {
  const entries = Object.entries(attributes).map(([name, value]) => [name, attribute(value)] as const);
  return { op, inputs, attributes: Object.fromEntries(entries), ...more };
}

export function float(...dims: number[]): TestInput {
  return input('float32', dims);
}

export function half(...dims: number[]): TestInput {
  return input('float16', dims);
}

/** Zeros: indices and labels that are always in range. */
export function zeros(dtype: DataType, ...dims: number[]): TestInput {
  return input(dtype, dims, new Array<number>(dims.reduce((n, d) => n * d, 1)).fill(0));
}

/** What the operator's cost rule says of a case. */
export function costOf(test: TestCase): OperatorCost | undefined {
  const { call, operator } = inferShapes(modelOf(test)).graph.nodes[0]!;
  return operator?.cost.of(call);
}
