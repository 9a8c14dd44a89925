import { describe, expect, it } from 'vitest';
import { isTensor } from '../../graph/types.js';
import { apply } from '../cases.testing.js';
import { expectSameAsOrt, inferTypes, known, shapesOf } from '../ort.testing.js';
import { costOf, float } from './cases.testing.js';

const old = { opset: 7 };
const one = { type: 'float', value: 1 } as const;
const image = float(1, 2, 10, 12);

describe("ONNX Runtime's operators in ai.onnx", () => {
  it.each([
    apply('Affine', [float(2, 3)], {}, old),
    apply('Crop', [image], { border: [1, 2, 3, 4] }, old),
    apply('Crop', [image], { border: [1, 2, 0, 0], scale: [3, 4] }, old),
    apply('DynamicSlice', [float(4, 6), known([1, 2]), known([3, 5])], {}, old),
    apply('ImageScaler', [image], { bias: { type: 'floats', value: [1, 2] } }, old),
    apply('ParametricSoftplus', [float(2, 3)], { alpha: one, beta: one }, old),
    apply('ScaledTanh', [float(2, 3)], { alpha: one, beta: one }, old),
  ])('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('carries the values of GivenTensorFill', () => {
    const values = { type: 'floats', value: [1, 2, 3, 4] } as const;
    const [type] = inferTypes(apply('GivenTensorFill', [], { shape: [2, 2], values }, old));
    expect(isTensor(type) && type.elements).toEqual([1, 2, 3, 4]);
    const shaped = apply('GivenTensorFill', [known([2, 3])], { input_as_shape: 1, extra_shape: [4] }, old);
    expect(shapesOf(inferTypes(shaped))).toEqual(['[2,3,4]']);
  });

  it('infers the end of a detector', () => {
    const attributes = { max_output_boxes: 100, background_class: -1, score_activation: 0, box_coding: 1 };
    const test = apply('EfficientNMS_TRT', [float(2, 8400, 4), float(2, 8400, 80)], attributes, {
      outputs: 4,
    });
    const types = ['int32[2,1]', 'float32[2,100,4]', 'float32[2,100]', 'int32[2,100]'];
    expect(inferTypes(test).map(String)).toEqual(types);
    expect(inferTypes({ ...test, domain: 'TRT' }).map(String)).toEqual(types);
    expect(costOf(test)).toEqual({ otherFlops: 2 * 8400 * 80 });
  });

  it.each([
    apply('Crop', [image], { border: [1, 2] }, old),
    apply('Crop', [image], { border: [9, 9, 9, 9] }, old),
    apply('GivenTensorFill', [], { shape: [-2, 2] }, old),
  ])('refuses what cannot be', (test) => {
    expect(() => inferTypes(test)).toThrowError(
      expect.objectContaining({ where: { node: 'node', operator: test.op } }),
    );
  });
});
