// The judge of the conformance run: what it lets pass must be right, what it calls unknown must be open.
import { describe, expect, it } from 'vitest';
import { symbol } from '../src/graph/dim.js';
import {
  optionalType,
  type Shape,
  sequenceType,
  TensorType,
  tensorType,
  UNKNOWN,
  type ValueType,
} from '../src/graph/types.js';
import { compareTypes } from '../verify/onnx/compare.js';
import { compareUnknowns } from '../verify/onnx/unknowns.js';

const float = (shape: Shape | undefined): TensorType => new TensorType('float32', shape);
const n = symbol('n');

describe('compareTypes', () => {
  const expected = float([2, 3]);
  it.each<[string, ValueType, string]>([
    ['the same type', float([2, 3]), 'pass'],
    ['nothing', UNKNOWN, 'unknown'],
    ['no rank', float(undefined), 'unknown'],
    ['no element type', new TensorType(undefined, [2, 3]), 'unknown'],
    ['a symbolic size', float([2, n]), 'unknown'],
    ['a symbolic size beside a wrong one', float([n, 4]), 'wrong'],
    ['another size', float([2, 4]), 'wrong'],
    ['another rank', float([2, n, 3]), 'wrong'],
    ['another element type', new TensorType('float16', undefined), 'wrong'],
    ['another kind', sequenceType(expected), 'wrong'],
  ])('a tensor, given %s', (_, inferred, verdict) => {
    expect(compareTypes(inferred, expected)).toBe(verdict);
  });

  it('checks the elements that inference knows', () => {
    const value = tensorType('int64', [2], [3, 4]);
    expect(compareTypes(tensorType('int64', [2]), value)).toBe('pass');
    expect(compareTypes(tensorType('int64', [2], [3, n]), value)).toBe('pass');
    expect(compareTypes(tensorType('int64', [2], [3, 5]), value)).toBe('wrong');
    expect(compareTypes(tensorType('int64', [2], [3]), value)).toBe('wrong');
    const nan = tensorType('float32', [1], [Number.NaN]);
    expect(compareTypes(nan, nan)).toBe('pass');
    expect(compareTypes(tensorType('float32', [1], [1]), nan)).toBe('wrong');
  });

  it('lets a sequence leave length and shapes open, not its element type', () => {
    const two = sequenceType(float(undefined), [float([1]), float([2])]);
    expect(compareTypes(sequenceType(float(undefined)), two)).toBe('pass');
    expect(compareTypes(sequenceType(UNKNOWN), two)).toBe('unknown');
    expect(compareTypes(sequenceType(float([1])), two)).toBe('wrong');
    expect(compareTypes(sequenceType(float(undefined), [float([1])]), two)).toBe('wrong');
    expect(compareTypes(sequenceType(float(undefined), [float([1]), float([n])]), two)).toBe('pass');
  });

  it('checks whether an optional holds something', () => {
    const some = optionalType(float([1]), true);
    expect(compareTypes(optionalType(float([1])), some)).toBe('pass');
    expect(compareTypes(optionalType(float([1]), false), some)).toBe('wrong');
    expect(compareTypes(optionalType(float([2])), some)).toBe('wrong');
  });
});

describe('compareUnknowns', () => {
  it('finds what is not on the list, and what need not be on it any more', () => {
    const listed = [{ reason: 'why', models: ['a', 'b', 'not run'] }];
    const verdicts = new Map([
      ['a', 'unknown' as const],
      ['b', 'pass' as const],
      ['c', 'unknown' as const],
    ]);
    expect(compareUnknowns(verdicts, listed)).toEqual({ unlisted: ['c'], outdated: ['b'] });
  });
});
