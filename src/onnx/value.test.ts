import { describe, expect, it } from 'vitest';
import { type Tensor, tensorNumbers } from '../graph/tensor.js';
import { ByteRange } from '../util/bytes.js';
import { encode } from './codec.js';
import { OPTIONAL, SEQUENCE } from './proto.js';
import { decodeValue, type Value } from './value.js';

/** TensorProto messages of int32 elements, as the table of proto.ts names their fields. */
function int32(values: readonly number[]): Record<string, unknown> {
  const raw = new Uint8Array(Int32Array.from(values).buffer);
  return { dims: [values.length], dataType: 6, rawData: ByteRange.of(raw) };
}

function numbers(value: Value | undefined): unknown {
  if (value?.kind === 'sequence') return value.items.map(numbers);
  if (value?.kind === 'optional') return { some: numbers(value.value) };
  return value && tensorNumbers((value as { tensor: Tensor }).tensor);
}

function sequence(message: Record<string, unknown>): Value {
  return decodeValue(encode(SEQUENCE, message).finish(), 'sequence');
}

function optional(message: Record<string, unknown>): Value {
  return decodeValue(encode(OPTIONAL, message).finish(), 'optional');
}

describe('decodeValue', () => {
  it('reads sequences of tensors, of sequences, and empty ones', () => {
    expect(numbers(sequence({ elemType: 1, tensorValues: [int32([1, 2]), int32([])] }))).toEqual([
      [1, 2],
      [],
    ]);
    const inner = { elemType: 1, tensorValues: [int32([7])] };
    expect(numbers(sequence({ elemType: 3, sequenceValues: [inner] }))).toEqual([[[7]]]);
    expect(sequence({ elemType: 1 })).toEqual({ kind: 'sequence', items: [] });
    expect(sequence({})).toEqual({ kind: 'sequence', items: [] });
  });

  it('reads optionals with and without a value', () => {
    expect(numbers(optional({ elemType: 1, tensorValue: int32([3]) }))).toEqual({ some: [3] });
    expect(optional({})).toEqual({ kind: 'optional', value: undefined });
    expect(optional({ elemType: 1 })).toEqual({ kind: 'optional', value: undefined });
  });

  it('refuses kinds it cannot read', () => {
    expect(() => sequence({ elemType: 4 })).toThrow("values of kind 'map' cannot be read");
    expect(() => sequence({ elemType: 99 })).toThrow("values of kind 'kind 99' cannot be read");
    expect(() => decodeValue(new Uint8Array(), 'map')).toThrow(/kind 'map'/);
  });
});
