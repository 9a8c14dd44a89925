// ONNX Runtime has no kernel for it; the expected shapes are those of the operator's documentation. Its tests
// with data are part of `npm run conformance`.
import { describe, expect, it } from 'vitest';
import { apply, costOf, float } from '../../cases.testing.js';
import { inferSymbolic, inferTypes, shapesOf, type TestCase } from '../../ort.testing.js';

const grouped = [float(2, 4, 5, 8), float(2, 2, 6, 8), float(2, 2, 6, 10)];

function flexAttention(inputs: TestCase['inputs']): TestCase {
  return { ...apply('FlexAttention', inputs), domain: 'ai.onnx.preview' };
}

describe('FlexAttention', () => {
  it('gives the size of the values to every query', () => {
    expect(inferTypes(flexAttention(grouped)).map(String)).toEqual(['float32[2,4,5,10]']);
  });

  it('keeps symbolic sizes', () => {
    const sizes = { 0: ['b', '4', 's', '8'], 1: ['b', '2', 't', '8'], 2: ['b', '2', 't', '10'] };
    expect(shapesOf(inferSymbolic(flexAttention(grouped), sizes))).toEqual(['[b,4,s,10]']);
  });

  it('counts every query against every key', () => {
    const scores = 2 * 4 * 5 * 6;
    expect(costOf(flexAttention(grouped))).toEqual({ macs: scores * (8 + 10), otherFlops: scores * 6 });
  });

  it.each([
    ['another rank', [float(2, 5, 8), ...grouped.slice(1)], /rank 4/],
    ['keys of another size', [float(2, 4, 5, 9), ...grouped.slice(1)], /the keys/],
    ['values of another length', [...grouped.slice(0, 2), float(2, 2, 7, 10)], /the values/],
    ['unequal groups', [float(2, 3, 5, 8), ...grouped.slice(1)], /3 query heads/],
  ])('refuses %s', (_, inputs, message) => {
    expect(() => inferTypes(flexAttention(inputs))).toThrowError(message);
  });
});
