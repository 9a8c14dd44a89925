// Convolutions of volumes as convolutions of images, for which there are blocked kernels: every position along the first axis is
// an image of its own, whose channels are those of all the planes that lie under the kernel there, zeros beyond the ends. With D'
// positions and a kernel of k1 planes
//
//   X (N, C, D, H, W) → (N·D', C·k1, H, W),   W (O, C, k1, k2, k3) as (O, C·k1, k2, k3),   Y (N·D', O, H', W')
//
// Planes are put in order by Gather, which all threads share.
import type { Value } from '../../build.js';
import { sizeOf } from '../arrays/data-movement.js';
import type { Convolution } from './placed-convolution.js';
import type { ConvAxis } from './window.gradient.js';

/** The convolution of images that does the same; undefined where there is none. */
export function ofImages(conv: Convolution, x: Value): Convolution | undefined {
  const { axes, kernel, group, channels } = conv;
  if (axes.length !== 3 || group > 1 || typeof x.size(0) !== 'number') return undefined;
  return {
    ...conv,
    axes: axes.slice(1),
    kernel: kernel.slice(1),
    kernelSize: sizeOf(kernel.slice(1)),
    channels: channels * kernel[0]!,
  };
}

/** (N, C, D, H, W) to (N·D', C·k1, H, W). */
export function planesUnder(x: Value, kernel: number, axis: ConvAxis): Value {
  const [batch, channels, depth, ...sizes] = x.sizes as [number, number, number, number, number];
  const { stride, dilation, begin, end } = axis;
  const positions = Math.floor((depth + begin + end - (kernel - 1) * dilation - 1) / stride) + 1;
  const zeros = batch * channels * depth;
  const order: number[] = [];
  for (let image = 0; image < batch; image++) {
    for (let position = 0; position < positions; position++) {
      for (let channel = 0; channel < channels; channel++) {
        for (let i = 0; i < kernel; i++) {
          const plane = position * stride + i * dilation - begin;
          const isInside = plane >= 0 && plane < depth;
          order.push(isInside ? (image * channels + channel) * depth + plane : zeros);
        }
      }
    }
  }
  const planes = x.reshape([zeros, sizeOf(sizes)]);
  const { builder } = x;
  const all = order.includes(zeros)
    ? builder.concat([planes, builder.full([1, sizeOf(sizes)], 0, x.dtype)], 0)
    : planes;
  return all
    .gather(builder.constant(order, 'int64'))
    .reshape([batch * positions, channels * kernel, ...sizes]);
}

/** (N·D', O, H', W') to (N, O, D', H', W'). */
export function toVolumes(images: Value, batch: number): Value {
  const [count, filters, ...sizes] = images.sizes as [number, number, number, number];
  const positions = count / batch;
  return swapped(images, [batch, positions, filters], sizes);
}

/** (N, O, D', H', W') to (N·D', O, H', W'). */
export function toImages(volumes: Value): Value {
  const [batch, filters, positions, ...sizes] = volumes.sizes as [number, number, number, number, number];
  const images = swapped(volumes, [batch, filters, positions], sizes);
  return images.reshape([batch * positions, filters, ...sizes]);
}

/** (n, a, b, …) to (n, b, a, …). */
function swapped(
  value: Value,
  [n, a, b]: readonly [number, number, number],
  sizes: readonly number[],
): Value {
  const order = Array.from({ length: n * a * b }, (_, i) => {
    const [outer, second, first] = [Math.floor(i / (a * b)), Math.floor(i / a) % b, i % a];
    return (outer * a + first) * b + second;
  });
  const rows = value.reshape([n * a * b, sizeOf(sizes)]);
  return rows.gather(value.builder.constant(order, 'int64')).reshape([n, b, a, ...sizes]);
}
