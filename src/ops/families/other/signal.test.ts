import { describe, expect, it } from 'vitest';
import { apply, costOf, float } from '../../cases.testing.js';
import {
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  knownScalar,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const dft = (opset: number, inputs: TestCase['inputs'], attributes = {}): TestCase =>
  apply('DFT', inputs, attributes, { opset });
const stft = (inputs: TestCase['inputs'], attributes = {}): TestCase =>
  apply('STFT', inputs, attributes, { opset: 17 });

const CASES: readonly TestCase[] = [
  dft(17, [float(1, 10, 6, 1)]),
  dft(17, [float(1, 10, 6, 2)], { axis: 2, inverse: 1 }),
  dft(17, [float(1, 10, 6, 1)], { onesided: 1 }),
  dft(17, [float(1, 10, 6, 1), knownScalar(7)], { onesided: 1, axis: 2 }),
  dft(20, [float(10, 1)]),
  dft(20, [float(1, 10, 6, 1), null, knownScalar(1)], { onesided: 1 }),
  dft(20, [float(1, 10, 6, 1), knownScalar(12), knownScalar(-3)]),
  dft(20, [float(1, 6, 2)], { onesided: 1, inverse: 1 }),
  stft([float(1, 128, 1), knownScalar(8), null, knownScalar(16)]),
  stft([float(1, 128, 1), knownScalar(8), float(16)]),
  stft([float(2, 128, 2), knownScalar(5), float(15), knownScalar(15)], { onesided: 0 }),
];

describe('Fourier transforms', () => {
  it.each(CASES)('$op of opset $opset gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('keep symbolic and unknown lengths', () => {
    const half = dft(20, [float(1, 10, 1)], { onesided: 1 });
    expect(shapesOf(inferSymbolic(half, { 0: ['b', 'n', '1'] }))).toEqual(['[b,floor(n/2)+1,2]']);
    expect(shapesOf(inferTypes(dft(20, [float(1, 10, 1), input('int64', [])])))).toEqual(['[1,y0[1],2]']);
    const frames = stft([float(1, 128, 1), knownScalar(8), float(16)]);
    expect(shapesOf(inferSymbolic(frames, { 0: ['b', 'n', '1'] }))).toEqual(['[b,floor(n/8)-1,9,2]']);
    const unknown = stft([float(1, 128, 1), input('int64', []), float(16)]);
    expect(shapesOf(inferTypes(unknown))).toEqual(['[1,y0[1],9,2]']);
  });

  it('count as fast ones', () => {
    expect(costOf(dft(20, [float(3, 8, 2)]))).toEqual({ otherFlops: 3 * 5 * 8 * 3 });
    expect(costOf(dft(20, [float(3, 8, 1)], { onesided: 1 }))).toEqual({ otherFlops: 3 * 60 });
    expect(costOf(stft([float(1, 128, 1), knownScalar(8), float(16)]))).toEqual({
      otherFlops: 15 * (160 + 16),
    });
  });

  it.each([
    ['the axis of the parts', dft(17, [float(1, 6, 1)], { axis: -1 }), /holds real and imaginary parts/],
    ['an axis that is not there', dft(17, [float(1, 6, 1)], { axis: 4 }), /axis 4/],
    ['three parts', dft(20, [float(1, 6, 3)]), /1 \(real\) or 2/],
    ['length 0', dft(20, [float(1, 6, 1), knownScalar(0)]), /dft_length cannot be 0/],
    ['step 0', stft([float(1, 128, 1), knownScalar(0), float(16)]), /frame_step cannot be 0/],
    ['frames longer than the signal', stft([float(1, 10, 1), knownScalar(8), float(16)]), /does not fit/],
    [
      'a window of another length',
      stft([float(1, 128, 1), knownScalar(8), float(8), knownScalar(16)]),
      /frame_length 16/,
    ],
  ])('refuse %s', (_, test, message) => {
    expect(() => inferTypes(test)).toThrowError(message);
  });
});
