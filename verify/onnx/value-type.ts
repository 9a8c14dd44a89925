// From a value of a test to what inference is told of it: its type, and its elements where they are few.
import {
  optionalType,
  sameType,
  sequenceType,
  TensorType,
  UNKNOWN,
  type ValueType,
} from '../../src/graph/types.js';
import type { Value } from '../../src/onnx/value.js';
import { constantType } from '../../src/ops/index.js';

/** @param declared says what an empty sequence or optional would hold. */
export function typeOfValue(value: Value, declared: ValueType = UNKNOWN): ValueType {
  switch (value.kind) {
    case 'tensor':
      return constantType(value.tensor);
    case 'sequence': {
      const inside = declared.kind === 'sequence' ? declared.element : UNKNOWN;
      const items = value.items.map((item) => typeOfValue(item, inside));
      return sequenceType(commonType(items) ?? inside, items);
    }
    case 'optional': {
      const inside = declared.kind === 'optional' ? declared.element : UNKNOWN;
      if (value.value === undefined) return optionalType(inside, false);
      return optionalType(typeOfValue(value.value, inside), true);
    }
  }
}

/** A type that all items have; undefined when there are none. */
function commonType(items: readonly ValueType[]): ValueType | undefined {
  const [first, ...others] = items;
  if (first?.kind !== 'tensor') return first;
  const sameShape = others.every((item) => sameType(item, first));
  return new TensorType(first.dtype, sameShape ? first.shape : undefined);
}
