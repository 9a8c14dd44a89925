import { describe, expect, it } from 'vitest';
import { symbol } from '../../../graph/dim.js';
import { makeNode } from '../../../graph/graph.js';
import {
  formatType,
  optionalType,
  sequenceType,
  tensorType,
  UNKNOWN,
  type ValueType,
} from '../../../graph/types.js';
import { Call } from '../../operator.js';
import { mergeTypes, sameKnowledge } from './merge.js';

const call = new Call(makeNode('If', [], ['y']), 21, [], {
  inferBody: () => ({ outputTypes: [] }),
  sameWork: () => false,
});
const merge = (a: ValueType, b: ValueType): ValueType => mergeTypes(call, a, b, (axis) => symbol(`?${axis}`));

const row = tensorType('float32', [2, 3]);
const longer = tensorType('float32', [2, 4]);
const vector = tensorType('float32', [2]);
const map = (value: ValueType): ValueType => ({ kind: 'map', key: 'int64', value });
const sparse = (...shape: number[]): ValueType => ({ kind: 'sparse', dtype: 'float32', shape });

describe('merging types', () => {
  it.each<[string, ValueType, ValueType, string]>([
    ['equal tensors', row, tensorType('float32', [2, 3]), 'float32[2,3]'],
    ['different sizes', row, longer, 'float32[2,?1]'],
    ['different ranks', row, vector, 'float32[?]'],
    ['an unknown element type', row, tensorType(undefined, [2, 3]), 'float32[2,3]'],
    ['an unknown value', row, UNKNOWN, 'float32[?]'],
    ['an unknown value and a sequence', UNKNOWN, sequenceType(row), 'seq(float32[?])'],
    ['sequences', sequenceType(row), sequenceType(longer), 'seq(float32[2,?1])'],
    [
      'an empty sequence',
      sequenceType(tensorType('float32', undefined), []),
      sequenceType(row),
      'seq(float32[2,3])',
    ],
    ['optionals', optionalType(row, true), optionalType(longer, true), 'optional(float32[2,?1])'],
    ['maps', map(row), map(longer), 'map(int64, float32[2,?1])'],
    ['sparse tensors', sparse(2, 3), sparse(2, 4), 'sparse(float32[2,?1])'],
  ])('%s', (_, a, b, expected) => {
    expect(formatType(merge(a, b))).toBe(expected);
    expect(formatType(merge(b, a))).toBe(expected);
  });

  it('keeps what both know', () => {
    const two = tensorType('int64', [1], [2]);
    expect(merge(two, tensorType('int64', [1], [2]))).toMatchObject({ elements: [2] });
    expect(merge(two, tensorType('int64', [1], [3]))).toMatchObject({ elements: undefined });
    expect(merge(sequenceType(row, [row, row]), sequenceType(row, [row, longer]))).toMatchObject({
      items: [row, { shape: [2, symbol('?1')] }],
    });
    expect(merge(sequenceType(row, [row]), sequenceType(row, 1))).toEqual(sequenceType(row, 1));
    expect(merge(sequenceType(row, [row]), sequenceType(row, 2))).toEqual(sequenceType(row));
    expect(merge(optionalType(row, true), optionalType(row, false))).toEqual(optionalType(row));
  });

  it.each<[string, ValueType, ValueType]>([
    ['element types', row, tensorType('int64', [2, 3])],
    ['kinds', row, sequenceType(row)],
    ['element types of sequences', sequenceType(tensorType('int64', undefined), []), sequenceType(row)],
    ['keys', map(row), { kind: 'map', key: 'string', value: row }],
  ])('rejects different %s', (_, a, b) => {
    expect(() => merge(a, b)).toThrow(/cannot be both/);
  });

  it('tells whether two types say the same', () => {
    expect(sameKnowledge(row, tensorType('float32', [2, 3]))).toBe(true);
    expect(sameKnowledge(row, longer)).toBe(false);
    expect(sameKnowledge(vector, tensorType('float32', [2], [1, 2]))).toBe(false);
    expect(sameKnowledge(sequenceType(row, 3), sequenceType(row, 3))).toBe(true);
    expect(sameKnowledge(sequenceType(row, 3), sequenceType(row))).toBe(false);
    expect(sameKnowledge(sequenceType(row, 1), sequenceType(row, [row]))).toBe(false);
    expect(sameKnowledge(optionalType(row, true), optionalType(row))).toBe(false);
  });
});
