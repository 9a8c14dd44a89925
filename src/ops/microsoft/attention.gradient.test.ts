import { describe, expect, it } from 'vitest';
import {
  expectGradient,
  type GradientCase,
  type GradientInput,
  gradientsAt,
  random,
} from '../../autodiff/check.testing.js';
import type { ShortAttribute } from '../ort.testing.js';

const float = (value: number): ShortAttribute => ({ type: 'float', value });

function int32(values: readonly number[], dims: readonly number[] = [values.length]): GradientInput {
  return { dtype: 'int32', dims, values, constant: true };
}

function int64(values: readonly number[], dims: readonly number[]): GradientInput {
  return { dtype: 'int64', dims, values, constant: true };
}

type Given = Omit<GradientCase, 'op'>;

async function check(op: string, test: Given): Promise<void> {
  const outputs = test.outputs ?? 1;
  await expectGradient({ op, domain: 'com.microsoft', dtype: 'float32', opset: 17, ...test, outputs });
}

describe('Attention', () => {
  const [x, weights, bias] = [random(2, 3, 3), random(3, 12), random(12)];
  const attributes = { num_heads: 2 };
  it.each<[string, Given]>([
    ['with a bias', { inputs: [x, weights, bias], attributes }],
    [
      'that is unidirectional',
      { inputs: [x, weights, bias], attributes: { ...attributes, unidirectional: 1 } },
    ],
    ['with a scale', { inputs: [x, weights, bias], attributes: { ...attributes, scale: float(0.3) } }],
    ['with a mask of keys', { inputs: [x, weights, bias, int32([1, 1, 0, 0, 1, 1], [2, 3])], attributes }],
    [
      'with a mask of pairs',
      {
        inputs: [x, weights, bias, int32([1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1], [2, 3, 3])],
        attributes,
      },
    ],
    ['with lengths', { inputs: [x, weights, bias, int32([2, 3])], attributes }],
    ['with ends and starts', { inputs: [x, weights, bias, int32([3, 2, 1, 0])], attributes }],
    [
      'with a mild mask and an added bias',
      {
        inputs: [x, weights, bias, int32([2, 3]), null, random(1, 2, 3, 3)],
        attributes: { ...attributes, mask_filter_value: float(-1) },
      },
    ],
    [
      'with values of another size',
      { inputs: [x, random(3, 10), random(10)], attributes: { ...attributes, qkv_hidden_sizes: [4, 4, 2] } },
    ],
    ['and its present', { inputs: [x, weights, bias], attributes, outputs: 2 }],
  ])('%s', async (_, test) => {
    await check('Attention', test);
  });
});

describe('MultiHeadAttention', () => {
  const [q, k, v] = [random(2, 2, 4), random(2, 3, 4), random(2, 3, 6)];
  const attributes = { num_heads: 2 };
  it.each<[string, Given]>([
    ['plain', { inputs: [q, k, v], attributes }],
    ['with a bias', { inputs: [q, k, v, random(14)], attributes: { ...attributes, scale: float(0.7) } }],
    ['with a mask of keys', { inputs: [q, k, v, null, int32([1, 1, 0, 0, 1, 1], [2, 3])], attributes }],
    [
      'with lengths and an added bias',
      { inputs: [q, k, v, null, int32([2, 3]), random(1, 2, 2, 3)], attributes },
    ],
    [
      'of keys with heads apart',
      { inputs: [q, random(2, 2, 3, 2), random(2, 2, 3, 2), random(12)], attributes },
    ],
    ['that is unidirectional', { inputs: [k, k, v], attributes: { ...attributes, unidirectional: 1 } }],
    [
      'with a past and its present',
      {
        inputs: [q, k, random(2, 3, 4), null, null, null, random(2, 2, 1, 2), random(2, 2, 1, 2)],
        attributes,
        outputs: 3,
      },
    ],
  ])('%s', async (_, test) => {
    await check('MultiHeadAttention', test);
  });

  it('of packed queries, keys and values, which ONNX Runtime has no kernel for on a CPU', async () => {
    const [batch, length, heads, size] = [2, 3, 2, 2];
    const packed = Array.from({ length: batch * length * heads * 3 * size }, (_, i) => Math.sin(i));
    const part = (which: number): GradientInput => ({
      dims: [batch, length, heads * size],
      values: packed.filter((_, i) => Math.floor(i / size) % 3 === which),
    });
    const op = { op: 'MultiHeadAttention', domain: 'com.microsoft', attributes } as const;
    const whole = await gradientsAt({
      ...op,
      inputs: [{ dims: [batch, length, heads, 3, size], values: packed }],
    });
    const apart = await gradientsAt({ ...op, inputs: [part(0), part(1), part(2)] });
    expect(whole.y0).toEqual(apart.y0);
    [apart.x0, apart.x1, apart.x2].forEach((gradient, which) => {
      expect(whole.x0!.filter((_, i) => Math.floor(i / size) % 3 === which)).toEqual(gradient);
    });
  });
});

describe('GroupQueryAttention', () => {
  const [q, k, v] = [random(2, 3, 32), random(2, 3, 16), random(2, 3, 16)];
  const attributes = { num_heads: 2, kv_num_heads: 1 };
  const lengths = [null, null, int32([2, 2]), int32([3], [1])];
  const angles = [0, 1].map((which) => ({
    dims: [5, 8],
    values: Array.from({ length: 40 }, (_, i) => Math.sin(i + which)),
    constant: true as const,
  }));
  it.each<[string, Given]>([
    ['plain', { inputs: [q, k, v, ...lengths], attributes }],
    ['with its present', { inputs: [q, k, v, ...lengths], attributes, outputs: 3 }],
    ['of packed inputs', { inputs: [random(2, 3, 64), null, null, ...lengths], attributes }],
    ['with padding', { inputs: [q, k, v, null, null, int32([1, 2]), int32([3], [1])], attributes }],
    ['with a window', { inputs: [q, k, v, ...lengths], attributes: { ...attributes, local_window_size: 2 } }],
    [
      'with a scale and a soft cap',
      {
        inputs: [q, k, v, ...lengths],
        attributes: { ...attributes, scale: float(1.3), softcap: float(0.8) },
      },
    ],
    [
      'with rotary positions',
      { inputs: [q, k, v, ...lengths, ...angles], attributes: { ...attributes, do_rotary: 1 } },
    ],
    [
      'with given, interleaved positions',
      {
        inputs: [q, k, v, ...lengths, ...angles, int64([0, 1, 2, 0, 1, 2], [2, 3])],
        attributes: { ...attributes, do_rotary: 1, rotary_interleaved: 1 },
      },
    ],
    [
      'with a smooth softmax',
      { inputs: [q, k, v, ...lengths], attributes: { ...attributes, smooth_softmax: 1 } },
    ],
    [
      'with a bias and a sink',
      { inputs: [q, k, v, ...lengths, null, null, null, random(1, 2, 3, 3), random(2)], attributes },
    ],
  ])('%s', async (_, test) => {
    const outputs = Math.max(3, test.outputs ?? 1);
    await check('GroupQueryAttention', { ...test, outputs, weigh: test.outputs ? [0, 1, 2] : [0] });
  });
});

describe('RotaryEmbedding', () => {
  const [cos, sin] = [random(5, 2), random(5, 2)];
  const positions = int64([2, 0, 4, 1, 3, 3], [2, 3]);
  it.each<[string, Given]>([
    ['of tokens', { inputs: [random(2, 3, 8), positions, cos, sin] }],
    ['of heads', { inputs: [random(2, 2, 3, 4), positions, cos, sin] }],
    ['from one position on', { inputs: [random(2, 3, 8), int64([1], [1]), cos, sin] }],
    ['of heads from one position on', { inputs: [random(2, 2, 3, 4), int64([2], [1]), cos, sin] }],
    ['of neighbours', { inputs: [random(2, 3, 8), positions, cos, sin], attributes: { interleaved: 1 } }],
    [
      'of a part of every head',
      {
        inputs: [random(2, 3, 12), positions, cos, sin],
        attributes: { rotary_embedding_dim: 4, num_heads: 2 },
      },
    ],
  ])('%s', async (_, test) => {
    await check('RotaryEmbedding', test);
  });
});

it.each<[string, string, Given]>([
  [
    'a past of GroupQueryAttention',
    'GroupQueryAttention',
    {
      inputs: [
        random(1, 1, 4),
        random(1, 1, 2),
        random(1, 1, 2),
        random(1, 1, 3, 2),
        random(1, 1, 3, 2),
        int32([3]),
        int32([4], [1]),
      ],
      attributes: { num_heads: 2, kv_num_heads: 1 },
    },
  ],
  [
    'a mask of cumulated lengths',
    'Attention',
    {
      inputs: [random(1, 3, 3), random(3, 12), random(12), int32([0, 0, 3, 0, 3])],
      attributes: { num_heads: 2 },
    },
  ],
])('%s is refused', async (_, op, test) => {
  const given = { op, domain: 'com.microsoft', dtype: 'float32', ...test } as const;
  await expect(gradientsAt(given)).rejects.toThrowError(
    expect.objectContaining({
      code: 'GRADIENT_UNSUPPORTED',
      where: expect.objectContaining({ node: 'node' }),
    }),
  );
});
