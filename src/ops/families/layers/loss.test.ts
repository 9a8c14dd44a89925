import { describe, expect, it } from 'vitest';
import { apply, costOf, float, zeros } from '../../cases.testing.js';
import { expectSameAsOrt, inferSymbolic, inferTypes, shapesOf, type TestCase } from '../../ort.testing.js';

const labels = zeros('int64', 2, 4);

const CASES: readonly TestCase[] = ['none', 'sum', 'mean'].flatMap((reduction) => [
  apply('NegativeLogLikelihoodLoss', [float(2, 3, 4), labels], { reduction }, { opset: 13 }),
  apply(
    'SoftmaxCrossEntropyLoss',
    [float(2, 3, 4), labels, float(3)],
    { reduction },
    { opset: 12, outputs: 2 },
  ),
]);

describe('losses', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('keep symbolic sizes', () => {
    const test = apply('NegativeLogLikelihoodLoss', [float(1, 3), zeros('int64', 1)], { reduction: 'none' });
    expect(shapesOf(inferSymbolic(test, { 0: ['n', '3'], 1: ['n'] }))).toEqual(['[n]']);
  });

  it('count scores and labels', () => {
    expect(costOf(apply('SoftmaxCrossEntropyLoss', [float(2, 3, 4), labels]))).toEqual({
      otherFlops: 24 * 5 + 8 * 2,
    });
    // Of the scores only those of the labels are read: 8 floats, 8 labels of 8 bytes, and one number is written.
    expect(costOf(apply('NegativeLogLikelihoodLoss', [float(2, 3, 4), labels]))).toEqual({
      otherFlops: 16,
      memoryBytes: 8 * 4 + 8 * 8 + 4,
    });
  });

  it.each([
    ['a reduction that does not exist', [float(2, 3, 4), labels], { reduction: 'max' }, /reduction 'max'/],
    ['labels of another shape', [float(2, 3, 5), labels], {}, /the labels/],
    ['class weights of another size', [float(2, 3, 4), labels, float(4)], {}, /the class weights/],
    ['float labels', [float(2, 3), float(2)], {}, /integers/],
    ['rank 1', [float(2), zeros('int64', 2)], {}, /rank 2/],
  ])('refuse %s', (_, inputs, attributes, message) => {
    expect(() => inferTypes(apply('SoftmaxCrossEntropyLoss', inputs, attributes))).toThrowError(message);
  });
});
