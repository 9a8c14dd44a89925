// A network with batch normalisation and the same with it folded in, as exporters write both.
import { describe, expect, it } from 'vitest';
import { modelOf, tensor } from '../../analysis/models.testing.js';
import type { Model } from '../../graph/graph.js';
import { requestNamed } from '../index.js';
import { scoreNetwork } from '../proxy.js';
import { Subject } from './subject.js';
import { findFolded } from './unfold.js';

const waves = (name: string, dims: readonly number[]) =>
  tensor(
    name,
    dims,
    Array.from({ length: dims.reduce((n, d) => n * d, 1) }, (_, i) => Math.sin(i * 1.7) / 4),
  );

const HEAD = ['p = GlobalAveragePool(e)', 'f = Flatten(p)', 'y = MatMul(f, fc.weight)'];
const kept = modelOf({
  inputs: ['x: 8,3,8,8'],
  nodes: [
    'a = Conv(x, conv1.weight) pads=1,1,1,1',
    'b = BatchNormalization(a, bn1.weight, bn1.bias, bn1.mean, bn1.var)',
    'c = Relu(b)',
    'd = Conv(c, conv2.weight) pads=1,1,1,1',
    'g = BatchNormalization(d, bn2.weight, bn2.bias, bn2.mean, bn2.var)',
    'e = Relu(g)',
    ...HEAD,
  ],
  outputs: ['y'],
  initializers: [
    ...[
      waves('conv1.weight', [12, 3, 3, 3]),
      waves('conv2.weight', [12, 12, 3, 3]),
      waves('fc.weight', [12, 5]),
    ],
    ...['bn1', 'bn2'].flatMap((name) =>
      ['weight', 'bias', 'mean', 'var'].map((part) => tensor(`${name}.${part}`, [12], new Array(12).fill(1))),
    ),
  ],
});

/** As PyTorch names what it folded, or by other names. */
const foldedAs = (names: readonly [string, string, string, string]): Model =>
  modelOf({
    inputs: ['x: 8,3,8,8'],
    nodes: [
      `b = Conv(x, ${names[0]}, ${names[1]}) pads=1,1,1,1`,
      'c = Relu(b)',
      `g = Conv(c, ${names[2]}, ${names[3]}) pads=1,1,1,1`,
      'e = Relu(g)',
      ...HEAD,
    ],
    outputs: ['y'],
    initializers: [
      ...[
        waves(names[0], [12, 3, 3, 3]),
        waves(names[1], [12]),
        waves(names[2], [12, 12, 3, 3]),
        waves(names[3], [12]),
      ],
      waves('fc.weight', [12, 5]),
    ],
  });
const folded = foldedAs(['onnx::Conv_1', 'onnx::Conv_2', 'onnx::Conv_3', 'onnx::Conv_4']);
const plain = foldedAs(['conv1.weight', 'conv1.bias', 'conv2.weight', 'conv2.bias']);

const NAMES = 'snip grad_norm zico synflow naswot jacov ntkt'.split(' ');

async function scoresOf(model: Model) {
  const outcomes = await scoreNetwork(model, NAMES.map(requestNamed), () => ({
    session: { threads: 1 },
    initialise: 'default',
  }));
  return outcomes.map((outcome) => ('score' in outcome ? outcome.score.value : Number.NaN));
}

describe('batch normalisation that was folded', () => {
  it('is found by the names that exporters leave', () => {
    expect(findFolded(folded).layers.size).toBe(2);
    const fused = ['w1_fused_bn', 'b1_fused_bn_bias', 'ConvBnFusion_W_a', 'ConvBnFusion_BN_B_a'] as const;
    expect(findFolded(foldedAs(fused)).layers.size).toBe(2);
    expect(findFolded(plain)).toEqual({ layers: new Set(), uncertain: 2 });
    expect(findFolded(kept)).toEqual({ layers: new Set(), uncertain: 0 });
  });

  it('is put back where weights are drawn, so that all scores are those of the file that kept it', async () => {
    const [found, expected] = [await scoresOf(folded), await scoresOf(kept)];
    NAMES.forEach((name, i) => {
      expect(Math.abs(found[i]! / expected[i]! - 1), `${name}: ${found[i]}, ${expected[i]}`).toBeLessThan(
        1e-4,
      );
    });
  });

  it('is said', () => {
    expect(Subject.of(folded).changes.map(({ what }) => what)).toContainEqual(
      expect.stringContaining('the batch normalisation of 2 convolutions is put back'),
    );
  });
});
