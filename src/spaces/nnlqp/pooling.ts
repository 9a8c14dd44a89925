// Poolings that only torchvision's older networks have. Images are (B, C, H, W).
import type { Value } from '../../ops/build.js';

/** The greatest element of every window, the last window reaching beyond the image where it must: H' = ⌈(H − k)/s⌉ + 1. */
export function maxPoolCeil(x: Value, kernel: number, stride: number, padding = 0): Value {
  return x.builder.op('MaxPool', [x], {
    kernel_shape: [kernel, kernel],
    strides: [stride, stride],
    pads: [padding, padding, padding, padding],
    ceil_mode: 1,
  });
}

/**
 * Means of size×size windows that cover the image, whatever its size: (B, C, H, W) → (B, C, size, size). As PyTorch's
 * AdaptiveAvgPool2d, window i reaches from ⌊i·H/size⌋ to ⌈(i + 1)·H/size⌉.
 */
export function adaptiveAveragePool(x: Value, size: number): Value {
  const along = (y: Value, axis: number): Value => {
    const length = y.length(axis);
    if (length === size) return y;
    const means = Array.from({ length: size }, (_, i) => {
      const [start, end] = [Math.floor((i * length) / size), Math.ceil(((i + 1) * length) / size)];
      return y.slice([start], [end], [axis]).mean([axis], true);
    });
    return y.builder.concat(means, axis);
  };
  return along(along(x, 2), 3);
}

/** (B, …) → (B, n) */
export function flatten(x: Value): Value {
  return x.reshape([x.length(0), -1]);
}
