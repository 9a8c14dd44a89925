// A convolution alone: forward, the gradients of its image, weights and bias, and the update of all three.
import { normal } from '../../src/nn/initialise.js';
import type { BatchShapes, Objective } from '../../src/nn/step.js';

/** As PyTorch's modules name it; also what `bench/peers/layers.py` is asked. */
export interface Layer {
  readonly batch: number;
  readonly channels: number;
  readonly filters: number;
  /** As many numbers as the image has axes. */
  readonly size: readonly number[];
  readonly kernel: number;
  readonly stride?: number;
  readonly padding?: number;
  readonly dilation?: number;
  readonly groups?: number;
  readonly isTransposed?: boolean;
}

export const layerShapes: BatchShapes = { share: { type: 'float32', dims: [1] } };

export function layerObjective(layer: Layer): Objective {
  const { batch, channels, filters, size, kernel } = layer;
  const { stride = 1, padding = 0, dilation = 1, groups = 1, isTransposed = false } = layer;
  const along = (value: number): number[] => size.map(() => value);
  const dims = isTransposed ? [channels, filters / groups] : [filters, channels / groups];
  const predict: Objective['predict'] = (s) =>
    s.builder.op(
      isTransposed ? 'ConvTranspose' : 'Conv',
      [
        s.parameter('image', [batch, channels, ...size], normal(0, 1)),
        s.parameter('weight', [...dims, ...along(kernel)], normal(0, 0.05)),
        s.parameter('bias', [filters], normal(0, 0.05)),
      ],
      {
        strides: along(stride),
        pads: [...along(padding), ...along(padding)],
        dilations: along(dilation),
        group: groups,
      },
    );
  return { predict, loss: (s, given) => predict(s, given).square().mean().mul(given.share!.reshape([])) };
}
