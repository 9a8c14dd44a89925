import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../../analysis/models.testing.js';
import { computationGraph } from './computation-graph.js';
import { graphFeatures } from './features.js';

describe('features of computation graphs', () => {
  it('are sizes over 256 and 512, kernels up to 7, and biases as pairs', () => {
    const model = modelOf({
      inputs: ['x: 1,64,128,32'],
      nodes: [
        'a = Conv(x, w, b) pads=8,0,8,0',
        'r = Relu(a)',
        'm = ReduceMean(r, axes) keepdims=0',
        'y = MatMul(m, v)',
      ],
      outputs: ['y'],
      initializers: [
        tensor('w', [256, 64, 17, 1]),
        tensor('b', [256]),
        tensor('axes', [2], [2, 3], 'int64'),
        tensor('v', [256, 1024]),
      ],
    });
    // Conv, MatMul; Input, Relu, ReduceMean, Output.
    expect(graphFeatures(computationGraph(model))).toEqual({
      weighted: {
        ops: Int32Array.of(3, 8),
        sizes: Float32Array.of(
          ...[0.5, 0.5, 0.125, 0.125, 0.125, 0.5],
          ...[1 / 256, 1 / 256, 1 / 256, 1 / 256, 0.5, 2],
        ),
        kernels: Int32Array.of(7, 1, 0, 0),
        bias: Float32Array.of(0, 1, 1, 0),
      },
      regular: {
        ops: Int32Array.of(1, 6, 19, 2),
        sizes: Float32Array.of(
          ...[0.5, 0.5, 0.125, 0.125, 0.125, 0.125],
          ...[0.5, 0.5, 0.125, 0.125, 0.5, 0.5],
          ...[0.5, 1 / 256, 0.125, 1 / 256, 0.5, 0.5],
          ...[1 / 256, 1 / 256, 1 / 256, 1 / 256, 2, 2],
        ),
      },
      edges: Int32Array.of(0, 1, 2, 3, 4, /**/ 3, 5, 0, 4, 1),
    });
  });
});
