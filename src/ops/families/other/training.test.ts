import { describe, expect, it } from 'vitest';
import type { Attribute } from '../../../graph/graph.js';
import { costOf, inferTypes, input, type TestCase, type TestInput } from '../../ort.testing.js';

const DOMAIN = 'ai.onnx.preview.training';
const a = input('float32', [2, 3]);
const b = input('float64', [4]);
const RATE_AND_STEP = [input('float32', []), input('int64', [])];

function optimiser(op: string, tensors: readonly TestInput[], outputs: number): TestCase {
  return { op, domain: DOMAIN, inputs: [...RATE_AND_STEP, ...tensors], outputs };
}

describe('training operators', () => {
  it.each([
    ['Adagrad', 3, 2],
    ['Momentum', 3, 2],
    ['Adam', 4, 3],
  ])('%s updates tensors and their states', (op, lists, results) => {
    const tensors = Array.from({ length: lists }, () => [a, b]).flat();
    const expected = Array.from({ length: results }, () => ['float32[2,3]', 'float64[4]']).flat();
    expect(inferTypes(optimiser(op, tensors, 2 * results)).map(String)).toEqual(expected);
  });

  it('rejects a list that is not complete', () => {
    expect(() => inferTypes(optimiser('Adam', [a, a, a], 3))).toThrow(/3 inputs cannot be divided/);
    expect(() => inferTypes(optimiser('Adam', [], 3))).toThrow(/0 inputs cannot be divided/);
  });

  it('counts the steps of the update', () => {
    expect(costOf(optimiser('Adam', [a, a, a, a], 3))).toEqual({ otherFlops: 90 });
    expect(costOf(optimiser('Adagrad', [a, b, a, b, a, b], 4))).toEqual({ otherFlops: 90 });
  });

  it('gives gradients the types of what they derive by', () => {
    const xs: Attribute = { type: 'strings', value: ['a', 'b'] };
    const test: TestCase = {
      op: 'Gradient',
      domain: DOMAIN,
      inputs: [a, b, a],
      attributes: { xs },
      outputs: 2,
    };
    expect(inferTypes(test).map(String)).toEqual(['float32[2,3]', 'float64[4]']);
    expect(costOf(test)).toBeUndefined();
  });
});
