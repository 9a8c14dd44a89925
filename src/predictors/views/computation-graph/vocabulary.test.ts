import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../../analysis/models.testing.js';
import { allOperators } from '../../../ops/index.js';
import { computationGraph } from './computation-graph.js';
import { LABELS, labelOfOperator } from './primitive-ops.js';
import { VOCABULARIES } from './vocabulary.js';

const finer = VOCABULARIES['auspex-1'];

describe('the vocabulary auspex-1', () => {
  it('begins with the labels of the paper, has each once, and fits into a byte', () => {
    expect(finer.labels.slice(0, 27)).toEqual(LABELS.slice(0, 27));
    expect(new Set(finer.labels).size).toBe(finer.labels.length);
    expect(finer.labels.length).toBe(64);
  });

  it.each([
    ['', 'LayerNormalization', 'LayerNorm'],
    ['com.microsoft', 'SkipSimplifiedLayerNormalization', 'RMSNorm'],
    ['', 'GroupNormalization', 'GroupNorm'],
    ['', 'InstanceNormalization', 'InstanceNorm'],
    ['', 'Softmax', 'Softmax'],
    ['com.microsoft', 'GroupQueryAttention', 'Attention'],
    ['', 'Elu', 'ELU'],
    ['', 'PRelu', 'LeakyReLU'],
    ['', 'Gelu', 'GeLU'],
    ['', 'Resize', 'Resize'],
    ['', 'GRU', 'GRU'],
    ['', 'RNN', 'RNN'],
    ['', 'ConvTranspose', 'ConvTranspose'],
    ['', 'MatMul', 'Product'],
    ['', 'ReduceMax', 'ReduceMax'],
    ['', 'TopK', 'Ranking'],
    ['', 'Sin', 'Elementwise'],
    ['', 'Loop', 'Body'],
    ['', 'NoSuchOperator', 'NoSuchOperator'],
  ])('calls %s %s %s', (domain, opType, label) => {
    expect(finer.labelOf({ domain, opType }, labelOfOperator(opType))).toBe(label);
  });

  it('has a label for every operator that is a layer of some sort', () => {
    const without = [...allOperators()].flatMap(([key, { traits = {} }]) => {
      const parts = key.split('.');
      const operator = { opType: parts.at(-1)!, domain: parts.slice(0, -1).join('.') };
      const { activation, normalisation, pooling, reduction, convolution, product } = traits;
      const { softmax, recurrent, attention } = traits;
      const sorts = [activation, normalisation, pooling, reduction, convolution, product];
      const isLayer = [...sorts, softmax, recurrent, attention].some((sort) => sort !== undefined);
      const label = finer.labelOf(operator, labelOfOperator(operator.opType));
      return isLayer && finer.placeOf(label) === 0 ? [key] : [];
    });
    expect(without).toEqual([]);
  });

  it('changes neither nodes nor edges', () => {
    const model = modelOf({
      inputs: ['x: 1,4,8,8'],
      nodes: [
        'c = Conv(x, w) group=2',
        'n = InstanceNormalization(c, s, s)',
        'g = HardSigmoid(n)',
        'h = Mul(n, g)',
        'a = Add(h, x)',
        'y = LeakyRelu(a)',
      ],
      outputs: ['y'],
      initializers: [tensor('w', [4, 2, 1, 1]), tensor('s', [4])],
    });
    const [paper, own] = [computationGraph(model), computationGraph(model, finer)];
    expect(own.edges).toEqual(paper.edges);
    expect(paper.nodes.map(({ label }) => label)).toEqual([
      ...['Conv', 'Input', 'InstanceNormalization', 'Swish', 'Add', 'ReLU', 'Output'],
    ]);
    expect(own.nodes.map(({ label }) => label)).toEqual([
      ...['GroupConv', 'Input', 'InstanceNorm', 'HardSwish', 'Add', 'LeakyReLU', 'Output'],
    ]);
  });
});
