import { describe, expect, it } from 'vitest';
import { isTensor } from '../../graph/types.js';
import {
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  known,
  knownScalar,
  shapesOf,
} from '../ort.testing.js';
import { costOf, float, half, ms } from './cases.testing.js';

const box = input('float32', [2, 4], [0, 0, 1, 1, 0, 0, 1, 1]);
const indices = input('int32', [2], [0, 0]);

describe('other operators', () => {
  it.each([
    ms('Trilu', [float(2, 3, 4), knownScalar(1)], { upper: 0 }),
    ms('GridSample', [float(1, 2, 5, 5), float(1, 3, 4, 2)]),
    ms('Pad', [float(2, 3), known([0, 1, 2, 0])]),
    ms('Range', [knownScalar(0), knownScalar(10), knownScalar(3)]),
    ms('Range', [knownScalar(2), knownScalar(7)]),
    ms('ExpandDims', [float(2, 3), knownScalar(-1, 'int32')]),
    ms('ExpandDims', [float(2, 3), knownScalar(0, 'int32')]),
    ms('MurmurHash3', [input('int64', [2, 3])]),
    ms('MurmurHash3', [input('int64', [2, 3])], { positive: 0 }),
    ms('CropAndResize', [float(1, 3, 8, 8), box, indices, known([4, 5], 'int32')]),
    ms('GatherND', [float(2, 3, 4), input('int64', [5, 2])]),
    ms('SampleOp', [float(2, 3)]),
    ms('UnfoldTensor', [float(2, 10, 3)], { dim: 1, size: 4, step: 3 }),
  ])('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('knows what it counts up', () => {
    const [range] = inferTypes(ms('Range', [knownScalar(2), knownScalar(7), knownScalar(2)]));
    expect(isTensor(range) && range.elements).toEqual([2, 4, 6]);
    const [expanded] = inferTypes(ms('ExpandDims', [known([2, 3]), knownScalar(0, 'int32')]));
    expect(isTensor(expanded) && expanded.elements).toEqual([2, 3]);
  });

  it.each([
    [ms('Unique', [float(6)], {}, 3), ['float32[y0[0]]', 'int64[6]', 'int64[y0[0]]']],
    [ms('Tokenizer', [input('string', [2])], { mark: 0, mincharnum: 1, pad_value: '' }), ['string[2,y0[1]]']],
    [ms('TorchEmbedding', [half(10, 4), input('int64', [2, 3])]), ['float16[2,3,4]']],
    [ms('RestorePadding', [half(7, 8), input('int32', [2, 5])]), ['float16[2,5,8]']],
    [
      ms('RemovePadding', [half(2, 5, 8), input('int32', [2])], {}, 4),
      ['float16[y0[0],8]', 'int32[2,5]', 'int32[3]', 'int32[1]'],
    ],
    [ms('Pad', [float(2, 3), input('int64', [4])]), ['float32[y0[0],y0[1]]']],
    [
      ms('Pad', [float(2, 3), { dtype: 'int64', dims: [1, 4], values: [0, 1, 2, 0], constant: true }]),
      ['float32[4,4]'],
    ],
    [ms('ExpandDims', [float(2, 3), input('int32', [])]), ['float32[y0[0],y0[1],y0[2]]']],
    [
      ms('CropAndResize', [float(1, 3, 8, 8), box, indices, input('int32', [2])]),
      ['float32[2,3,y0[2],y0[3]]'],
    ],
  ])('infers what only running can tell', (test, types) => {
    expect(inferTypes(test).map(String)).toEqual(types);
  });

  it('keeps symbols', () => {
    const unfold = ms('UnfoldTensor', [float(2, 10, 3)], { dim: 1, size: 4, step: 2 });
    expect(shapesOf(inferSymbolic(unfold, { 0: ['n', 'l', '3'] }))).toEqual(['[n,floor(l/2)-1,3,4]']);
  });

  it('counts', () => {
    const crop = ms('CropAndResize', [float(1, 3, 8, 8), box, indices, known([4, 5], 'int32')]);
    expect(costOf(crop)).toEqual({ otherFlops: 7 * 2 * 3 * 4 * 5 });
    const rows = ms('TorchEmbedding', [float(10, 4), input('int64', [2, 3])]);
    expect(costOf(rows)).toEqual({ memoryBytes: 2 * 6 * 16 + 6 * 8 });
  });

  it.each([
    ms('ExpandDims', [float(2, 3), knownScalar(5, 'int32')]),
    ms('UnfoldTensor', [float(2, 3)], { size: 4 }),
    ms('UnfoldTensor', [float(2, 3)], { size: 2, step: 0 }),
    ms('Range', [knownScalar(0), knownScalar(10), knownScalar(0)]),
    ms('CropAndResize', [float(1, 3, 8, 8), box, indices, known([4, -5], 'int32')]),
    ms('Pad', [float(2, 3), known([0, -9, 0, 0])]),
  ])('refuses what cannot be', (test) => {
    expect(() => inferTypes(test)).toThrowError(
      expect.objectContaining({ where: { node: 'node', operator: `com.microsoft.${test.op}` } }),
    );
  });
});
