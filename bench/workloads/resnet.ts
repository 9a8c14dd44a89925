// ResNet-18 (He et al. 2016): the form for ImageNet, and that for small images, with a 3×3 stem and no first pooling.
import { conv2d, maxPool2d } from '../../src/nn/convolution.js';
import { kaimingNormal } from '../../src/nn/initialise.js';
import { linear } from '../../src/nn/linear.js';
import { crossEntropy } from '../../src/nn/losses.js';
import { batchNorm } from '../../src/nn/normalise.js';
import type { Scope } from '../../src/nn/scope.js';
import type { BatchShapes, Objective } from '../../src/nn/step.js';
import type { Value } from '../../src/ops/build.js';

export const CLASSES = 10;

const conv = (s: Scope, x: Value, channels: number, kernel: number, stride: number): Value =>
  conv2d(s, x, channels, { kernel, stride, padding: (kernel - 1) / 2, bias: false, weight: kaimingNormal() });

function block(s: Scope, x: Value, channels: number, stride: number): Value {
  const first = batchNorm(s.at('norm1'), conv(s.at('conv1'), x, channels, 3, stride)).relu();
  const second = batchNorm(s.at('norm2'), conv(s.at('conv2'), first, channels, 3, 1));
  const isSame = stride === 1 && x.sizes[1] === channels;
  const kept = isSame ? x : batchNorm(s.at('norm3'), conv(s.at('conv3'), x, channels, 1, stride));
  return second.add(kept).relu();
}

/** Cross-entropy of a classifier of images. */
export function classifier(predict: (s: Scope, image: Value) => Value): Objective {
  return {
    predict: (s, { image }) => predict(s, image!),
    loss: (s, { image, label }) => crossEntropy(predict(s, image!), label!),
  };
}

export function resnet18(isSmall: boolean): Objective {
  return classifier((s, image) => {
    const stem = batchNorm(
      s.at('norm'),
      conv(s.at('stem'), image, 64, isSmall ? 3 : 7, isSmall ? 1 : 2),
    ).relu();
    let x = isSmall ? stem : maxPool2d(stem, { kernel: 3, stride: 2, padding: 1 });
    [64, 128, 256, 512].forEach((channels, stage) => {
      x = block(s.at('stage', stage, 0), x, channels, stage === 0 ? 1 : 2);
      x = block(s.at('stage', stage, 1), x, channels, 1);
    });
    return linear(s.at('head'), x.mean([2, 3]), CLASSES);
  });
}

export function imageShapes(batch: number, size: number): BatchShapes {
  return {
    image: { type: 'float32', dims: [batch, 3, size, size] },
    label: { type: 'int64', dims: [batch] },
  };
}
