// Fourier transforms of signals whose last dimension holds the real and, if there are two, the imaginary part.
// A transform of n points is counted as a fast one, 5·n·log₂ n FLOPs, and half of that for real signals.
import { add, type Dim, floorDivide, isKnown, multiply, product, subtract } from '../../../graph/dim.js';
import { isTensor, type Shape, TensorType } from '../../../graph/types.js';
import { optionalShape, shapeOfRank, shapeOfRankFrom } from '../../arguments.js';
import { counted, times, total } from '../../cost.js';
import { type Call, expectInteger, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { withVersions } from '../../versions.js';
import { dftGradient, stftGradient } from './signal.gradient.js';
import { signalVersions } from './signal.versions.js';

const FFT_RULE = '5·n·log₂ n per transform of n points, half of it for real signals';

/** Undefined for a symbolic number of points. */
function fftFlops(points: Dim, parts: Dim | undefined): number | undefined {
  if (!isKnown(points)) return undefined;
  const flops = points < 2 ? 0 : 5 * points * Math.log2(points);
  return Math.ceil(parts === 1 ? flops / 2 : flops);
}

/** Frequencies of a real signal that are not mirrored. */
function halfSpectrum(points: Dim): Dim {
  return add(floorDivide(points, 2), 1);
}

/** A length given as a scalar input; undefined where it is not known. */
function lengthInput(call: Call, index: number, what: string): Dim | undefined {
  expectInteger(call, index);
  const length = call.scalar(index);
  if (isKnown(length) && !(Number.isSafeInteger(length) && length >= 1)) {
    call.fail(`${what} cannot be ${length}`, 'OP_INPUT');
  }
  return length;
}

export interface Transform {
  readonly input: Shape;
  readonly axis: number;
  /** Number of points; undefined where it is an input that is not known. */
  readonly points: Dim | undefined;
  readonly onesided: boolean;
  readonly inverse: boolean;
}

/** The axis was an attribute, by default 1, and is an input since opset 20, by default the last but one. */
function readTransform(call: Call): Transform | undefined {
  const input = shapeOfRankFrom(call, 0, 2);
  const given = call.opset < 20 ? call.int('axis', 1) : call.has('axis') ? call.scalar('axis') : -2;
  if (input === undefined || !isKnown(given)) return undefined;
  const axis = call.axis(given, input.length);
  if (axis === input.length - 1)
    call.fail(`axis ${given} of shape [${input}] holds real and imaginary parts`);
  const parts = input.at(-1);
  if (isKnown(parts) && parts !== 1 && parts !== 2) {
    call.fail(`the last dimension of [${input}] must be 1 (real) or 2 (complex)`);
  }
  const onesided = call.int('onesided', 0) !== 0;
  const inverse = call.int('inverse', 0) !== 0;
  const size = input[axis]!;
  const whole = onesided && inverse ? multiply(subtract(size, 1), 2) : size;
  const points = call.has('dft_length') ? lengthInput(call, 1, 'dft_length') : whole;
  return { input, axis, points, onesided, inverse };
}

const DFT: Operator = {
  infer: (call) => {
    const transform = readTransform(call);
    const dtype = call.dtype(0);
    if (transform === undefined) return [new TensorType(dtype, undefined)];
    const { input, axis, points, onesided, inverse } = transform;
    const shape: Dim[] = [...input.slice(0, -1), onesided && inverse ? 1 : 2];
    if (points === undefined) shape[axis] = call.unknownSize(0, axis);
    else shape[axis] = onesided && !inverse ? halfSpectrum(points) : points;
    return [new TensorType(dtype, shape)];
  },
  cost: counted(FFT_RULE, (call) => {
    const transform = readTransform(call);
    if (transform?.points === undefined) return undefined;
    const { input, axis, points, onesided } = transform;
    const transforms = product(input.filter((_, i) => i !== axis && i !== input.length - 1));
    return { otherFlops: times(transforms, fftFlops(points, onesided ? 1 : input.at(-1))) };
  }),
  roles: { setting: ['dft_length', 'axis'] },
  gradient: (g) => dftGradient(g, readTransform(g.call)),
};

/** Length of a frame: given, else that of the window, else the whole signal. */
function frameLength(call: Call, signal: Shape | undefined): Dim | undefined {
  const window = optionalShape(call, 2, 1)?.[0];
  if (!call.has('frame_length')) return call.has('window') ? window : signal?.[1];
  const given = lengthInput(call, 3, 'frame_length');
  if (isKnown(given) && isKnown(window) && given !== window) {
    call.fail(`frame_length ${given} differs from the length of the window, ${window}`);
  }
  return given ?? window;
}

/** Spectra (B, frames, frequencies, 2) of overlapping frames of a signal (B, L, 1 or 2). */
const STFT: Operator = {
  infer: (call) => {
    const signal = shapeOfRank(call, 0, 2, 3);
    const length = frameLength(call, signal);
    const step = lengthInput(call, 1, 'frame_step');
    let frames: Dim | undefined;
    if (signal && length !== undefined && step !== undefined) {
      frames = add(floorDivide(subtract(signal[1]!, length), step), 1);
      if (isKnown(frames) && frames < 1) call.fail(`a frame of ${length} does not fit a signal [${signal}]`);
    }
    const frequencies = length && (call.int('onesided', 1) !== 0 ? halfSpectrum(length) : length);
    const batch = signal?.[0] ?? call.unknownSize(0, 0);
    const sizes = [frames ?? call.unknownSize(0, 1), frequencies ?? call.unknownSize(0, 2)];
    return [new TensorType(call.dtype(0), [batch, ...sizes, 2])];
  },
  cost: counted(`${FFT_RULE}; 1 per element of a frame for the window`, (call) => {
    const [output] = call.outputs;
    const signal = call.shape(0);
    const points = frameLength(call, signal);
    if (!isTensor(output) || output.shape === undefined || points === undefined) return undefined;
    const frames = multiply(output.shape[0]!, output.shape[1]!);
    const parts = signal?.[2] ?? 1;
    return { otherFlops: times(frames, total(fftFlops(points, parts), call.has('window') ? points : 0)) };
  }),
  roles: { setting: ['frame_step', 'window', 'frame_length'] },
  gradient: (g) =>
    stftGradient(g, frameLength(g.call, g.call.shape(0)), lengthInput(g.call, 1, 'frame_step')),
};

export const signalOperators: OperatorTable = withVersions({ DFT, STFT }, signalVersions);
