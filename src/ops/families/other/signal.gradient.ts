// Gradients of Fourier transforms. They are linear, so the gradient is the adjoint: with N points, that of the
// transform is N times the inverse transform, that of the inverse is the transform divided by N. Of a signal that is
// real only the real part counts; frequencies that were not given out bring nothing.
import { type Dim, isKnown } from '../../../graph/dim.js';
import type { Value } from '../../build.js';
import type { Differentiation } from '../../gradient.js';
import { scatterNdAdd } from '../arrays/scatter-add.js';
import type { Transform } from './signal.js';

/** dx, given dy of the last dimension 2 (real and imaginary part). */
export function dftGradient(g: Differentiation, transform: Transform | undefined): (Value | undefined)[] {
  const { axis, points, onesided, inverse } =
    transform ?? g.call.fail('its axis is not known', 'SHAPE_UNKNOWN');
  if (!isKnown(points)) return g.call.fail('its number of points is not known', 'SHAPE_UNKNOWN');
  const x = g.input(0);
  return [
    g.when(0, () => {
      if (onesided && inverse) return hermitianAdjoint(fitted(g.dy, axis, points), axis, x, points);
      const spectrum = fourier(fitted(g.dy, axis, points), axis, { inverse: Number(!inverse) });
      const adjoint = spectrum.mul(inverse ? 1 / points : points);
      const parts = x.length(-1) === 1 ? adjoint.slice([0], [1], [x.rank - 1]) : adjoint;
      return fitted(parts, axis, x.length(axis));
    }),
  ];
}

/**
 * From half of a spectrum to a real signal: every frequency stands for its mirror image as well, except the first
 * and, of an even number of points, the last.
 */
function hermitianAdjoint(dy: Value, axis: number, x: Value, points: number): Value {
  const spectrum = fourier(dy, axis, { onesided: 1 });
  const frequencies = spectrum.length(axis);
  const counts = Array.from(
    { length: frequencies },
    (_, k) => (k === 0 || 2 * k === points ? 1 : 2) / points,
  );
  const dims = Array.from({ length: x.rank }, (_, i) => (i === axis ? frequencies : 1));
  return fitted(spectrum.mul(dy.builder.constant(counts, dy.dtype, dims)), axis, x.length(axis));
}

/**
 * d signal and d window, given dy (B, frames, frequencies, 2): frame by frame the adjoint of the transform, times the window,
 * added up where frames overlap. Of real signals only: ONNX Runtime reads beyond the end of complex ones.
 */
export function stftGradient(
  g: Differentiation,
  length: Dim | undefined,
  step: Dim | undefined,
): (Value | undefined)[] {
  if (length === undefined || step === undefined || !isKnown(length) || !isKnown(step))
    return g.call.fail('its frames are not known', 'SHAPE_UNKNOWN');
  const signal = g.input(0);
  if (signal.rank === 3 && signal.length(2) !== 1)
    return g.call.fail('the signal is complex', 'GRADIENT_MISSING');
  const { builder } = signal;
  const [batch, samples, frames] = [signal.length(0), signal.length(1), g.dy.length(1)];
  const places = Array.from(
    { length: frames * length },
    (_, i) => Math.floor(i / length) * step + (i % length),
  );
  /** (B, frames, length) */
  const adjoint = (): Value => {
    const spectrum = fourier(fitted(g.dy, 2, length), 2, { inverse: 1 }).mul(length);
    return spectrum.slice([0], [1], [3]).reshape([batch, frames, length]);
  };
  return [
    g.when(0, () => {
      const own = g.call.has('window') ? adjoint().mul(g.input(2)) : adjoint();
      const updates = own.reshape([batch, -1]).transpose();
      const at = builder.constant(places, 'int64', [places.length, 1]);
      return scatterNdAdd([samples, batch], at, updates).transpose().reshape(signal.sizes);
    }),
    undefined,
    g.when(2, () => {
      const at = builder.constant(places, 'int64', [frames, length]);
      const given = builder.op('Gather', [signal.reshape([batch, samples]), at], { axis: 1 });
      return given.mul(adjoint()).sum([0, 1]);
    }),
  ];
}

/** Cut, or followed by zeros, to a size along an axis. */
function fitted(x: Value, axis: number, size: number): Value {
  const missing = size - x.length(axis);
  if (missing < 0) return x.slice([0], [size], [axis]);
  return x.pad(Array.from({ length: 2 * x.rank }, (_, i) => (i === x.rank + axis ? missing : 0)));
}

function fourier(x: Value, axis: number, flags: { inverse?: number; onesided?: number }): Value {
  const { builder } = x;
  return builder.opset < 20
    ? builder.op('DFT', [x], { ...flags, axis })
    : builder.op('DFT', [x, undefined, builder.constant(axis, 'int64')], flags);
}
