import { describe, expect, it } from 'vitest';
import { isTensor } from '../../../graph/types.js';
import { apply, costOf, float } from '../../cases.testing.js';
import { expectSameAsOrt, inferTypes, known, knownScalar, type TestCase } from '../../ort.testing.js';

const ratio = knownScalar(0.5, 'float32');

const CASES: readonly TestCase[] = [
  apply('Dropout', [float(2, 3)], {}, { opset: 7, outputs: 2 }),
  apply('Dropout', [float(2, 3)], {}, { opset: 10, outputs: 2 }),
  apply('Dropout', [float(2, 3)], {}, { opset: 12, outputs: 2 }),
  apply('Dropout', [float(2, 3), ratio, knownScalar(1, 'bool')], {}, { opset: 13, outputs: 2 }),
  apply('Dropout', [float(2, 3), ratio], {}, { opset: 22 }),
];

describe('Dropout', () => {
  it.each(CASES)('of opset $opset gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('passes known elements on, except in training', () => {
    const elements = (test: TestCase) => {
      const [type] = inferTypes(test);
      return isTensor(type) ? type.elements : undefined;
    };
    const shape = known([2, 3], 'float32');
    expect(elements(apply('Dropout', [shape]))).toEqual([2, 3]);
    expect(elements(apply('Dropout', [shape, ratio, knownScalar(1, 'bool')]))).toBeUndefined();
  });

  it('costs nothing except in training', () => {
    expect(costOf(apply('Dropout', [float(2, 3)]))).toEqual({});
    expect(costOf(apply('Dropout', [float(2, 3), ratio, knownScalar(0, 'bool')]))).toEqual({});
    expect(costOf(apply('Dropout', [float(2, 3), ratio, knownScalar(1, 'bool')]))).toEqual({
      otherFlops: 12,
    });
    expect(costOf(apply('Dropout', [float(2, 3)], {}, { opset: 6 }))).toEqual({ otherFlops: 12 });
    expect(costOf(apply('Dropout', [float(2, 3)], { is_test: 1 }, { opset: 6 }))).toEqual({});
  });
});
