import fc from 'fast-check';
import { describe, it } from 'vitest';
import { expectGradient, random } from '../../../autodiff/check.testing.js';
import type { ShortAttribute } from '../../ort.testing.js';

fc.configureGlobal({ seed: 1 });

const float = (value: number): ShortAttribute => ({ type: 'float', value });

describe('Gemm', () => {
  it.each<[string, number[], number[], number[] | null, Record<string, ShortAttribute>]>([
    ['plain', [3, 4], [4, 5], null, {}],
    ['with a bias', [3, 4], [4, 5], [5], {}],
    ['with a weight stored as (N, K)', [3, 4], [5, 4], [5], { transB: 1 }],
    ['with both transposed, and scaled', [4, 3], [5, 4], [3, 1], { transA: 1, transB: 1, alpha: float(0.5) }],
    ['with a scalar C, scaled', [4, 3], [4, 5], [], { transA: 1, beta: float(-2) }],
    ['with a whole C', [3, 4], [4, 5], [3, 5], { alpha: float(3), beta: float(0.25) }],
  ])('%s', async (_, a, b, c, attributes) => {
    const inputs = [random(...a), random(...b), ...(c ? [random(...c)] : [])];
    await expectGradient({ op: 'Gemm', inputs, attributes, second: true });
  });

  it('of any sizes and attributes', async () => {
    const size = fc.integer({ min: 1, max: 4 });
    const factor = fc.constantFrom(-1.5, 0.5, 1, 2);
    const flags = fc.record({ transA: fc.nat(1), transB: fc.nat(1) });
    const c = fc.constantFrom('none', 'scalar', 'row', 'column', 'whole');
    const property = fc.asyncProperty(size, size, size, flags, factor, factor, c, async (...drawn) => {
      const [m, n, k, { transA, transB }, alpha, beta, form] = drawn;
      const shapes: Record<string, number[]> = { scalar: [1], row: [n], column: [m, 1], whole: [m, n] };
      await expectGradient({
        op: 'Gemm',
        opset: 13,
        inputs: [
          random(...(transA ? [k, m] : [m, k])),
          random(...(transB ? [n, k] : [k, n])),
          ...(form === 'none' ? [] : [random(...shapes[form]!)]),
        ],
        attributes: { transA, transB, alpha: float(alpha), beta: float(beta) },
      });
    });
    await fc.assert(property, { numRuns: 15 });
  });
});
