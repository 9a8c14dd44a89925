import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  between,
  expectGradient,
  type GradientCase,
  gradientsAt,
  random,
} from '../../autodiff/check.testing.js';
import type { ShortAttribute } from '../ort.testing.js';

fc.configureGlobal({ seed: 1 });

const domain = 'com.microsoft';
const float = (value: number): ShortAttribute => ({ type: 'float', value });

describe('FusedMatMul', () => {
  it.each<[string, number[], number[], Record<string, ShortAttribute>]>([
    ['scaled, with B transposed', [2, 3, 4], [2, 5, 4], { alpha: float(0.5), transB: 1 }],
    ['with A transposed and B broadcast', [2, 4, 3], [4, 2], { transA: 1 }],
    ['with the batch of A in the middle', [3, 2, 4], [2, 4, 2], { transBatchA: 1 }],
    ['with the batch of B in the middle, transposed', [2, 3, 4], [2, 2, 4], { transBatchB: 1, transB: 1 }],
    ['of a vector', [4], [2, 4, 3], { transA: 1, alpha: float(2) }],
  ])('%s', async (_, a, b, attributes) => {
    await expectGradient({ op: 'FusedMatMul', domain, inputs: [random(...a), random(...b)], attributes });
  });

  it('of any sizes and attributes', async () => {
    const size = fc.integer({ min: 1, max: 3 });
    const flags = fc.record({
      transA: fc.nat(1),
      transB: fc.nat(1),
      transBatchA: fc.nat(1),
      transBatchB: fc.nat(1),
    });
    const property = fc.asyncProperty(size, size, size, size, flags, async (batch, m, n, k, attributes) => {
      const stored = (rows: number, columns: number, isTransposed: number, isMoved: number): number[] => {
        const [first, last] = isTransposed ? [columns, rows] : [rows, columns];
        return isMoved ? [first, batch, last] : [batch, first, last];
      };
      const a = stored(m, k, attributes.transA, attributes.transBatchA);
      const b = stored(k, n, attributes.transB, attributes.transBatchB);
      await expectGradient({ op: 'FusedMatMul', domain, inputs: [random(...a), random(...b)], attributes });
    });
    await fc.assert(property, { numRuns: 12 });
  });

  it('is TransposeMatMul and, with an activation, FusedMatMulActivation', async () => {
    const test = { domain, inputs: [random(3, 4), random(5, 4)], attributes: { transB: 1 } };
    const plain = await gradientsAt({ ...test, op: 'FusedMatMul' });
    expect(await gradientsAt({ ...test, op: 'TransposeMatMul' })).toEqual(plain);
    const attributes = { transB: 1, activation: 'Sigmoid' };
    const active = await gradientsAt({ ...test, op: 'FusedMatMulActivation', attributes });
    active.y0!.forEach((y, i) => {
      expect(y).toBeCloseTo(1 / (1 + Math.exp(-plain.y0![i]!)), 12);
    });
    expect(active.x0).not.toEqual(plain.x0);
  });
});

describe('FusedGemm', () => {
  const inputs = [between(0.2, 1, [2, 3]), between(0.2, 1, [4, 3], 8), between(-0.2, 0.2, [4])];
  it.each<[string, Record<string, ShortAttribute>]>([
    ['Relu', { activation: 'Relu', beta: float(-1) }],
    ['LeakyRelu', { activation: 'LeakyRelu', activation_alpha: float(0.3), alpha: float(-1) }],
    ['Tanh', { activation: 'Tanh' }],
    ['HardSigmoid', { activation: 'HardSigmoid', activation_alpha: float(0.1), activation_beta: float(0.2) }],
    ['Elu', { activation: 'Elu', activation_alpha: float(0.7), alpha: float(-1) }],
  ])('with %s', async (_, attributes) => {
    const all = { transB: 1, ...attributes };
    await expectGradient({ op: 'FusedGemm', domain, dtype: 'float32', inputs, attributes: all });
  });

  it('refuses an activation it does not know', async () => {
    const attributes = { activation: 'Mystery' };
    const test: GradientCase = { op: 'FusedGemm', domain, inputs: [random(2, 3), random(3, 2)], attributes };
    await expect(gradientsAt(test)).rejects.toThrowError(
      expect.objectContaining({
        code: 'GRADIENT_UNSUPPORTED',
        where: expect.objectContaining({ node: 'node' }),
      }),
    );
  });
});
