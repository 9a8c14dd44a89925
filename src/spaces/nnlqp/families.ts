// The ten families of NNLQP.
import type { AnySpace } from '../space.js';
import { nnlqpAlexNet } from './alexnet.js';
import { nnlqpEfficientNet } from './efficientnet.js';
import { nnlqpGoogLeNet } from './googlenet.js';
import { nnlqpMnasNet } from './mnasnet.js';
import { nnlqpMobileNetV2 } from './mobilenetv2.js';
import { nnlqpMobileNetV3 } from './mobilenetv3.js';
import { nnlqpNasBench201 } from './nasbench201.js';
import { nnlqpResNet } from './resnet.js';
import { nnlqpSqueezeNet } from './squeezenet.js';
import { nnlqpVgg } from './vgg.js';

export const nnlqpFamilies: readonly AnySpace[] = [
  nnlqpAlexNet,
  nnlqpEfficientNet,
  nnlqpGoogLeNet,
  nnlqpMnasNet,
  nnlqpMobileNetV2,
  nnlqpMobileNetV3,
  nnlqpNasBench201,
  nnlqpResNet,
  nnlqpSqueezeNet,
  nnlqpVgg,
];
