import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import type { Attribute } from '../../../graph/graph.js';
import { parseDim } from '../../../graph/parse-dim.js';
import { TensorType, UNKNOWN } from '../../../graph/types.js';
import { apply, costOf, float } from '../../cases.testing.js';
import {
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  known,
  modelOf,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const scales = (...values: number[]) => known(values, 'float32');
const floats = (...value: number[]): Attribute => ({ type: 'floats', value });
const image = float(1, 2, 5, 4);
const empty = scales();

const CASES: readonly TestCase[] = [
  apply('Upsample', [float(1, 1, 2, 2)], { scales: floats(1, 1, 1.5, 2) }, { opset: 7 }),
  apply('Upsample', [float(1, 1, 2, 2), scales(1, 1, 2.6, 2)], { mode: 'linear' }, { opset: 9 }),
  apply('Resize', [image, scales(1, 1, 0.6, 2)], {}, { opset: 10 }),
  apply('Resize', [image, empty, scales(1, 1, 0.6, 1 / 3)], {}, { opset: 11 }),
  apply('Resize', [image, empty, empty, known([1, 2, 3, 7])], { mode: 'linear' }, { opset: 11 }),
  apply('Resize', [image, null, scales(1, 1, 2.5, 2.5)], { mode: 'cubic' }),
  apply('Resize', [image, null, null, known([1, 2, 10, 8])]),
  apply('Resize', [image, null, scales(2, 3)], { axes: [2, -1] }),
  apply('Resize', [image, null, null, known([7, 9])], {
    axes: [2, 3],
    keep_aspect_ratio_policy: 'not_larger',
  }),
  apply('Resize', [image, null, null, known([7, 9])], {
    axes: [3, 2],
    keep_aspect_ratio_policy: 'not_smaller',
  }),
  apply('Resize', [float(3, 7), null, null, known([5, 5])], { keep_aspect_ratio_policy: 'not_smaller' }),
  apply('Resize', [image, scales(0, 0, 0.25, 0.25, 1, 1, 0.75, 0.75), scales(1, 1, 2, 2)], {
    coordinate_transformation_mode: 'tf_crop_and_resize',
    mode: 'linear',
  }),
];

const WRONG: readonly [why: string, test: TestCase, code: string][] = [
  ['neither is given', apply('Resize', [image, null, empty]), 'OP_INPUT'],
  ['both are given', apply('Resize', [image, null, scales(1, 1, 2, 2), known([1, 2, 3, 4])]), 'OP_INPUT'],
  ['scales are missing', apply('Resize', [image, null, scales(2, 2)]), 'SHAPE_MISMATCH'],
  ['a scale is 0', apply('Resize', [image, null, scales(1, 1, 0, 1)]), 'OP_INPUT'],
  ['a scale is no number', apply('Resize', [image, null, scales(1, 1, Number.NaN, 1)]), 'OP_INPUT'],
  ['a size is beyond counting', apply('Resize', [image, null, scales(1, 1, 1e38, 1)]), 'OP_INPUT'],
  ['a size is negative', apply('Resize', [image, null, null, known([1, 2, -3, 4])]), 'OP_INPUT'],
  [
    'there is no such mode',
    apply('Resize', [image, null, scales(1, 1, 1, 1)], { mode: 'toString' }),
    'OP_ATTRIBUTE',
  ],
  [
    'there is no such policy',
    apply('Resize', [image, null, null, known([1, 2, 3, 4])], { keep_aspect_ratio_policy: 'fit' }),
    'OP_ATTRIBUTE',
  ],
];

describe('Resize and Upsample', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives (%#)', (test) => expectSameAsOrt(test));

  it.each(WRONG)('fails when %s', (_, test, code) => {
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code }));
  });

  it('scales symbolic sizes', () => {
    const test = apply('Resize', [image, null, scales(1, 1, 2, 0.5)]);
    expect(shapesOf(inferSymbolic(test, { 0: ['n', '3', 'h', 'w'] }))).toEqual(['[n,3,2*h,floor(w/2)]']);
    const third = apply('Resize', [image, null, scales(1, 1, 1 / 3, 1.5)]);
    expect(shapesOf(inferSymbolic(third, { 0: ['n', '3', 'h', 'w'] }))).toEqual([
      '[n,3,floor(h/3),floor(3*w/2)]',
    ]);
  });

  it('takes symbolic sizes', () => {
    const model = modelOf(apply('Resize', [image, null, null, input('int64', [4])]));
    const sizes = ['n', '3', '2*h', 'floor(w/2)'].map((text) => parseDim(text));
    const types = { x3: new TensorType('int64', [4], sizes) };
    expect(shapesOf(inferShapes(model, { types }).graph.outputTypes)).toEqual(['[n,3,2*h,floor(w/2)]']);
  });

  it('leaves open what unknown inputs decide', () => {
    expect(shapesOf(inferTypes(apply('Resize', [image, null, float(2)], { axes: [2, 3] })))).toEqual([
      '[1,2,y0[2],y0[3]]',
    ]);
    const fit = { axes: [2, 3], keep_aspect_ratio_policy: 'not_larger' };
    const test = apply('Resize', [image, null, null, known([8, 8])], fit);
    expect(shapesOf(inferSymbolic(test, { 0: ['1', '2', 'h', 'w'] }))).toEqual(['[1,2,y0[2],y0[3]]']);
  });

  it('degrades beside the unknown', () => {
    const model = modelOf(apply('Resize', [image, null, float(4), input('int64', [4])]));
    expect(() => inferShapes(model, { types: { x0: UNKNOWN, x2: UNKNOWN, x3: UNKNOWN } })).not.toThrow();
  });

  it('upsamples height and width in opset 1', () => {
    const by = (value: number): Attribute => ({ type: 'float', value });
    const test = apply('Upsample', [image], { height_scale: by(2), width_scale: by(1.5) }, { opset: 1 });
    expect(shapesOf(inferTypes(test))).toEqual(['[1,2,10,6]']);
  });

  it('counts a weighted sum over the dimensions that change', () => {
    const resized = (mode: string, ...by: number[]) =>
      costOf(apply('Resize', [image, null, scales(...by)], { mode }));
    const size = 2 * 10 * 8;
    expect(resized('nearest', 1, 1, 2, 2)).toEqual({});
    expect(resized('linear', 1, 1, 2, 2)).toEqual({ otherFlops: 7 * size });
    expect(resized('cubic', 1, 1, 2, 2)).toEqual({ otherFlops: 31 * size });
    expect(resized('linear', 1, 1, 2, 1)).toEqual({ otherFlops: (3 * size) / 2 });
  });
});
