// MobileNetV2 (Sandler et al. 2018) at width 1: inverted residuals with depthwise convolutions.
import { conv2d } from '../../src/nn/convolution.js';
import { kaimingNormal } from '../../src/nn/initialise.js';
import { linear } from '../../src/nn/linear.js';
import { batchNorm } from '../../src/nn/normalise.js';
import type { Scope } from '../../src/nn/scope.js';
import type { Value } from '../../src/ops/build.js';
import { CLASSES, classifier } from './resnet.js';

/** Expansion, channels, blocks, stride of the first. */
const STAGES = [
  [1, 16, 1, 1],
  [6, 24, 2, 2],
  [6, 32, 3, 2],
  [6, 64, 4, 2],
  [6, 96, 3, 1],
  [6, 160, 3, 2],
  [6, 320, 1, 1],
] as const;

interface Conv {
  readonly kernel: number;
  readonly stride?: number;
  readonly groups?: number;
}

function convNorm(s: Scope, x: Value, channels: number, { kernel, stride = 1, groups = 1 }: Conv): Value {
  const options = { kernel, stride, groups, padding: (kernel - 1) / 2, bias: false, weight: kaimingNormal() };
  return batchNorm(s.at('norm'), conv2d(s.at('conv'), x, channels, options));
}

const relu6 = (x: Value): Value => x.builder.op('Clip', [x, x.operand(0), x.operand(6)]);

function inverted(s: Scope, x: Value, expansion: number, channels: number, stride: number): Value {
  const hidden = expansion * x.length(1);
  const wide = expansion === 1 ? x : relu6(convNorm(s.at('expand'), x, hidden, { kernel: 1 }));
  const deep = relu6(convNorm(s.at('depth'), wide, hidden, { kernel: 3, stride, groups: hidden }));
  const y = convNorm(s.at('project'), deep, channels, { kernel: 1 });
  return stride === 1 && x.length(1) === channels ? x.add(y) : y;
}

export const mobileNetV2 = classifier((s, image) => {
  let x = relu6(convNorm(s.at('stem'), image, 32, { kernel: 3, stride: 2 }));
  STAGES.forEach(([expansion, channels, blocks, stride], stage) => {
    for (let i = 0; i < blocks; i++) {
      x = inverted(s.at('stage', stage, i), x, expansion, channels, i === 0 ? stride : 1);
    }
  });
  x = relu6(convNorm(s.at('last'), x, 1280, { kernel: 1 }));
  return linear(s.at('head'), x.mean([2, 3]), CLASSES);
});
