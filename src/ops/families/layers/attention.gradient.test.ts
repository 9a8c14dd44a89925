import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  expectGradient,
  type GradientCase,
  type GradientInput,
  gradientsAt,
  ints,
  random,
} from '../../../autodiff/check.testing.js';
import { gradients } from '../../../autodiff/gradients.js';
import { modelOf, type ShortAttribute } from '../../ort.testing.js';

fc.configureGlobal({ seed: 1 });

const float = (value: number): ShortAttribute => ({ type: 'float', value });

function booleans(values: readonly number[], dims: readonly number[]): GradientInput {
  return { dtype: 'bool', dims, values, constant: true };
}

describe('Attention', () => {
  const heads = { q_num_heads: 2, kv_num_heads: 2 };
  const small = [random(1, 3, 4), random(1, 3, 4), random(1, 3, 4)];
  const pair = [random(2, 2, 4), random(2, 3, 4), random(2, 3, 4)];
  it.each<[string, Omit<GradientCase, 'op'>]>([
    ['of merged heads', { inputs: small, attributes: heads }],
    ['of separate heads', { inputs: [random(1, 2, 3, 4), random(1, 2, 5, 4), random(1, 2, 5, 3)] }],
    ['that is causal', { inputs: small, attributes: { ...heads, is_causal: 1 } }],
    ['with a scale', { inputs: small, attributes: { ...heads, scale: float(1.5) } }],
    ['with a soft cap', { inputs: small, attributes: { ...heads, softcap: float(0.5), is_causal: 1 } }],
    [
      'of fewer key heads',
      {
        inputs: [random(1, 3, 8), random(1, 4, 4), random(1, 4, 6)],
        attributes: { q_num_heads: 4, kv_num_heads: 2 },
      },
    ],
    [
      'of fewer key heads, separate and causal',
      { inputs: [random(1, 4, 3, 2), random(1, 2, 3, 2), random(1, 2, 3, 2)], attributes: { is_causal: 1 } },
    ],
    ['with a learned bias', { inputs: [...pair, random(2, 1, 2, 3)], attributes: heads }],
    [
      'with a bias of all heads, causal',
      { dtype: 'float32', inputs: [...small, random(3, 3)], attributes: { ...heads, is_causal: 1 } },
    ],
    [
      'with a boolean mask',
      { inputs: [...small, booleans([1, 0, 1, 1, 1, 0, 0, 1, 1], [3, 3])], attributes: heads },
    ],
    [
      'with a mask of padding, causal',
      {
        inputs: [...pair, booleans([1, 1, 0, 1, 1, 1], [2, 1, 1, 3])],
        attributes: { ...heads, is_causal: 1 },
      },
    ],
    [
      'with a query that sees nothing',
      {
        dtype: 'float32',
        inputs: [...small, booleans([1, 0, 1, 0, 0, 0, 0, 1, 1], [3, 3])],
        attributes: heads,
      },
    ],
    [
      'with a past, and the present in the loss',
      {
        inputs: [...small, null, random(1, 2, 2, 2), random(1, 2, 2, 2)],
        attributes: { ...heads, is_causal: 1 },
        outputs: 3,
      },
    ],
    ['of opset 24', { opset: 24, inputs: small, attributes: { ...heads, is_causal: 1 } }],
    [
      'with its weights in the loss',
      { inputs: small, attributes: { ...heads, qk_matmul_output_mode: 3 }, outputs: 4 },
    ],
    ['with its scores in the loss', { inputs: small, attributes: { ...heads, is_causal: 1 }, outputs: 4 }],
  ])('%s', async (_, test) => {
    await expectGradient({ op: 'Attention', opset: 23, ...test });
  });

  it('with a mask that ends early, as if it went on with what is left out', async () => {
    const test = { op: 'Attention', opset: 24, attributes: { ...heads, is_causal: 1 } };
    const short = await gradientsAt({ ...test, inputs: [...small, booleans([1, 1, 0, 1, 1, 0], [3, 2])] });
    const whole = booleans([1, 1, 0, 0, 1, 0, 1, 0, 0], [3, 3]);
    expect(short).toEqual(await gradientsAt({ ...test, inputs: [...small, whole] }));
  });

  it('of a batch of any size', async () => {
    const others = [random(2, 3, 2), random(2, 3, 2)];
    const test = {
      op: 'Attention',
      opset: 23,
      attributes: { q_num_heads: 2, kv_num_heads: 1, is_causal: 1 },
    };
    const fixed = await gradientsAt({ ...test, inputs: [random(2, 3, 4), ...others] });
    const free = { ...random(2, 3, 4), shape: ['batch', '3', '4'] };
    const rest = others.map((value) => ({ ...value, shape: ['batch', '3', '2'] }));
    expect(await gradientsAt({ ...test, inputs: [free, ...rest] })).toEqual(fixed);
  });

  it('twice', async () => {
    await expectGradient({
      op: 'Attention',
      opset: 23,
      inputs: [random(1, 2, 4), random(1, 3, 2), random(1, 3, 2)],
      attributes: { q_num_heads: 2, kv_num_heads: 1 },
      second: true,
    });
  });

  it('of any sizes', async () => {
    const size = fc.integer({ min: 1, max: 3 });
    const property = fc.asyncProperty(
      fc.tuple(size, size, size, size, size, size, size),
      fc.nat(1),
      async ([batch, keyHeads, group, queries, keys, width, valueWidth], causal) => {
        await expectGradient({
          op: 'Attention',
          opset: 23,
          inputs: [
            random(batch, queries, keyHeads * group * width),
            random(batch, keys, keyHeads * width),
            random(batch, keys, keyHeads * valueWidth),
          ],
          attributes: { q_num_heads: keyHeads * group, kv_num_heads: keyHeads, is_causal: causal },
        });
      },
    );
    await fc.assert(property, { numRuns: 8 });
  });

  it('refuses what it cannot take apart', () => {
    const x = { dtype: 'float32', dims: [1, 2, 4] } as const;
    const lengths = { dtype: 'int64', dims: [1], values: [2] } as const;
    const model = modelOf({
      op: 'Attention',
      opset: 24,
      inputs: [x, x, x, null, null, null, lengths],
      attributes: { q_num_heads: { type: 'int', value: 2 }, kv_num_heads: { type: 'int', value: 2 } },
    });
    expect(() => gradients(model, 'y0', ['x0'])).toThrowError(
      expect.objectContaining({ code: 'GRADIENT_UNSUPPORTED' }),
    );
  });
});

describe('RotaryEmbedding', () => {
  const positions = ints([2, 0, 4, 1, 3, 3], [2, 3]);
  it.each<[string, Omit<GradientCase, 'op'>]>([
    [
      'of merged heads',
      { inputs: [random(2, 3, 8), random(2, 3, 2), random(2, 3, 2)], attributes: { num_heads: 2 } },
    ],
    [
      'by position',
      { inputs: [random(2, 3, 8), random(5, 2), random(5, 2), positions], attributes: { num_heads: 2 } },
    ],
    ['of separate heads', { inputs: [random(2, 2, 3, 4), random(5, 2), random(5, 2), positions] }],
    [
      'of neighbours',
      {
        inputs: [random(2, 2, 3, 4), random(5, 2), random(5, 2), positions],
        attributes: { interleaved: 1 },
      },
    ],
    [
      'of a part of every head',
      {
        inputs: [random(2, 3, 12), random(5, 2), random(5, 2), positions],
        attributes: { num_heads: 2, rotary_embedding_dim: 4 },
      },
    ],
    [
      'of neighbours in a part of every head',
      {
        inputs: [random(2, 3, 12), random(5, 2), random(5, 2), positions],
        attributes: { num_heads: 2, rotary_embedding_dim: 4, interleaved: 1 },
      },
    ],
  ])('%s', async (_, test) => {
    await expectGradient({ op: 'RotaryEmbedding', opset: 23, dtype: 'float32', ...test });
  });
});
