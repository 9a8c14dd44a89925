import { expect, it } from 'vitest';
import { nnlqpFamilies } from './families.js';

it('has the ten families of the paper', () => {
  expect(nnlqpFamilies.map((space) => space.name)).toEqual([
    'nnlqp-alexnet',
    'nnlqp-efficientnet',
    'nnlqp-googlenet',
    'nnlqp-mnasnet',
    'nnlqp-mobilenetv2',
    'nnlqp-mobilenetv3',
    'nnlqp-nasbench201',
    'nnlqp-resnet',
    'nnlqp-squeezenet',
    'nnlqp-vgg',
  ]);
});
