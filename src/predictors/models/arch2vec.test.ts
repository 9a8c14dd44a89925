import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import '../../ops/index.js';
import { expectGoldenCase, type GoldenCase } from '../../nn/golden.testing.js';
import type { Scope } from '../../nn/scope.js';
import { type Inputs, trace } from '../../nn/step.js';
import type { Value } from '../../ops/build.js';
import { ARCH2VEC, type Arch2vecOptions, arch2vecLoss, encodeCells, RELEASED, sampled } from './arch2vec.js';
import { ACCURACY_HEAD, accuracyHead, IO_HEAD, ioHead } from './cell-heads.js';

/** Made by verify/golden/arch2vec.py. */
const { cases }: { cases: Readonly<Record<string, GoldenCase>> } = JSON.parse(
  readFileSync(new URL('./fixtures/arch2vec.json', import.meta.url), 'utf8'),
);
const SIZES = { operations: 4, layers: 2, width: 6, latent: 3, dropout: 0 };

function lossOf(options: Arch2vecOptions) {
  return (s: Scope, { operations, adjacency }: Inputs): Value => {
    const cells = { operations: operations!, adjacency: adjacency! };
    const latents = encodeCells(s, cells, options);
    return arch2vecLoss(s, cells, latents, sampled(s, latents), options);
  };
}

describe('arch2vec', () => {
  it.each([
    ['method', {}],
    ['released', RELEASED],
  ] as const)('has the loss and the gradients of PyTorch, as in the %s', async (variant, changes) => {
    const write = lossOf({ ...ARCH2VEC, ...SIZES, ...changes });
    await expectGoldenCase(cases[`${variant} training`]!, write, { isTraining: true });
    await expectGoldenCase(cases[`${variant} evaluation`]!, write, { isTraining: false });
  });

  it('has the size of the paper', () => {
    const shapes = {
      operations: { type: 'float32', dims: [2, 7, 32] },
      adjacency: { type: 'float32', dims: [2, 7, 7] },
    } as const;
    const { trace: traced } = trace(shapes, true, lossOf(ARCH2VEC), 'loss');
    const sizes = [...traced.parameters.values()]
      .filter(({ isTrained }) => isTrained)
      .map(({ dims }) => dims.reduce((n, d) => n * d, 1));
    // Four layers: ε, two dense ones, two normalisations; two heads; a decoder of operations.
    const layer = (width: number): number => 1 + (width + 1) * 128 + 129 * 128 + 4 * 128;
    expect(sizes.reduce((a, b) => a + b)).toBe(layer(5) + 3 * layer(128) + 2 * 129 * 16 + 17 * 5);
  });
});

describe('heads of cells', () => {
  it.each([1, 2])('tells accuracies as in PyTorch, with %i hidden layers', async (depth) => {
    const options = { ...ACCURACY_HEAD, flat: 4, width: 5, depth };
    await expectGoldenCase(cases[`accuracy ${depth}`]!, (s, { z }) => accuracyHead(s, z!, options), {
      isTraining: false,
    });
  });

  it('tells outputs for images as in PyTorch', async () => {
    const options = { ...IO_HEAD, flat: 4, width: 5, channels: [2, 2, 4, 4, 8], outputs: 3 };
    await expectGoldenCase(cases.io!, (s, { z, image }) => ioHead(s, z!, image!, options), {
      isTraining: false,
    });
  });
});
