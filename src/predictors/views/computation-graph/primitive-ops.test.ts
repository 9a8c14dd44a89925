import { describe, expect, it } from 'vitest';
import { LABELS, labelOfOperator } from './primitive-ops.js';
import { VOCABULARIES } from './vocabulary.js';

const { placeOf } = VOCABULARIES.gennape;

describe('primitive operations', () => {
  // The places are those of the authors' list.
  it.each([
    ['OOV', 0],
    ['Input', 1],
    ['Conv', 3],
    ['MatMul', 8],
    ['GeLU', 17],
    ['Global', 24],
    ['Zero', 26],
    ['Reserved5', 31],
  ] as const)('have %s at place %i', (label, place) => {
    expect(LABELS.indexOf(label)).toBe(place);
    expect(placeOf(label)).toBe(place);
  });

  it('are 32', () => {
    expect(new Set(LABELS).size).toBe(32);
    expect(placeOf('Softmax')).toBe(0);
  });

  it.each([
    ['Conv', 'Conv'],
    ['ConvTranspose', 'Conv'],
    ['QLinearConv', 'Conv'],
    ['BatchNormalization', 'BatchNorm'],
    ['Relu', 'ReLU'],
    ['LeakyRelu', 'ReLU'],
    ['Gemm', 'MatMul'],
    ['MatMulNBits', 'MatMul'],
    ['Sub', 'Add'],
    ['Pow', 'Mul'],
    ['MaxPool', 'Maxpool'],
    ['GlobalMaxPool', 'Maxpool'],
    ['AveragePool', 'Avgpool'],
    ['GlobalAveragePool', 'Mean'],
    ['ReduceMean', 'Mean'],
    ['HardSwish', 'Swish'],
    ['HardSigmoid', 'Sigmoid'],
    ['FastGelu', 'GeLU'],
    ['QuickGelu', 'Swish'],
    ['Pad', 'Paddings'],
    ['SpaceToDepth', 'SpacetoDepthND'],
    ['Softmax', 'OOV'],
    ['LayerNormalization', 'OOV'],
    ['NonZero', 'OOV'],
    ['constructor', 'OOV'],
  ])('call %s %s', (operator, label) => {
    expect(labelOfOperator(operator)).toBe(label);
  });
});
