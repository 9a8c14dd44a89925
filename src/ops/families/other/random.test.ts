import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { UNKNOWN } from '../../../graph/types.js';
import { apply, costOf, float } from '../../cases.testing.js';
import {
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  modelOf,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const opset15 = { opset: 15 };

const CASES: readonly TestCase[] = [
  apply('RandomNormal', [], { shape: [2, 3] }, opset15),
  apply('RandomUniform', [], { shape: [0], dtype: 11 }, opset15),
  apply('RandomNormalLike', [float(2, 3)], {}, opset15),
  apply('RandomUniformLike', [float(4)], { dtype: 11 }, opset15),
  apply('Bernoulli', [float(2, 3)], {}, opset15),
  apply('Bernoulli', [float(2, 3)], { dtype: 9 }, opset15),
  apply('Multinomial', [float(4, 3)], { sample_size: 5 }, opset15),
  apply('Multinomial', [float(4, 3)], { dtype: 7 }, opset15),
];

const WRONG: readonly [why: string, test: TestCase, code: string][] = [
  ['a size is negative', apply('RandomNormal', [], { shape: [-1] }), 'OP_INPUT'],
  ['there is no shape', apply('RandomNormal', []), 'OP_ATTRIBUTE'],
  ['there is no such type', apply('RandomUniformLike', [float(2)], { dtype: 99 }), 'OP_ATTRIBUTE'],
  ['there is no matrix', apply('Multinomial', [float(2)]), 'SHAPE_MISMATCH'],
  ['samples are negative', apply('Multinomial', [float(2, 2)], { sample_size: -1 }), 'OP_INPUT'],
];

describe('operators that draw random numbers', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives (%#)', (test) => expectSameAsOrt(test));

  it.each(WRONG)('fails when %s', (_, test, code) => {
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code }));
  });

  it('keeps symbols', () => {
    const sizes = { 0: ['n', 'classes'] };
    expect(shapesOf(inferSymbolic(apply('RandomNormalLike', [float(1, 1)]), sizes))).toEqual(['[n,classes]']);
    expect(shapesOf(inferSymbolic(apply('Multinomial', [float(1, 1)]), sizes))).toEqual(['[n,1]']);
  });

  it('degrades when its input is unknown', () => {
    const model = modelOf(apply('Multinomial', [float(1, 1)]));
    expect(shapesOf(inferShapes(model, { types: { x0: UNKNOWN } }).graph.outputTypes)).toEqual(['[y0[0],1]']);
  });

  it('counts one FLOP per number', () => {
    expect(costOf(apply('RandomNormal', [], { shape: [2, 3] }))).toEqual({ otherFlops: 6 });
  });
});
