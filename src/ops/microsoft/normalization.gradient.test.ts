import { describe, expect, it } from 'vitest';
import {
  between,
  expectGradient,
  type GradientCase,
  type GradientInput,
  gradientsAt,
  random,
} from '../../autodiff/check.testing.js';
import type { ShortAttribute } from '../ort.testing.js';

const domain = 'com.microsoft';
const epsilon: ShortAttribute = { type: 'float', value: 0.1 };

function int32(values: readonly number[], dims: readonly number[]): GradientInput {
  return { dtype: 'int32', dims, values, constant: true };
}

describe('normalisation of a sum', () => {
  const [x, skip, row] = [random(2, 2, 4), random(2, 2, 4), random(4)];
  it.each<[string, Omit<GradientCase, 'attributes'>]>([
    ['SkipLayerNormalization', { op: 'SkipLayerNormalization', inputs: [x, skip, row, row, row] }],
    ['without shift and bias', { op: 'SkipLayerNormalization', inputs: [x, skip, row] }],
    ['and the sum', { op: 'SkipLayerNormalization', inputs: [x, skip, row, row], outputs: 4, weigh: [0, 3] }],
    ['before opset 17', { op: 'SkipLayerNormalization', opset: 14, inputs: [x, skip, row, row, row] }],
    ['SkipSimplifiedLayerNormalization', { op: 'SkipSimplifiedLayerNormalization', inputs: [x, skip, row] }],
    ['with a bias', { op: 'SkipSimplifiedLayerNormalization', inputs: [x, skip, row, row] }],
  ])('%s', async (_, test) => {
    await expectGradient({ domain, dtype: 'float32', ...test, attributes: { epsilon } });
  });
});

describe('EmbedLayerNormalization', () => {
  const ids = int32([0, 2, 1, 1, 2, 2], [2, 3]);
  const tables = [random(4, 4), random(5, 4), random(2, 4)] as const;
  const [words, places, segments] = tables;
  const affine = [random(4), random(4)];
  it.each<[string, GradientCase['inputs'], number[]]>([
    ['of words and places', [ids, null, words, places, null, ...affine], [0]],
    ['of segments too', [ids, int32([0, 0, 1, 0, 1, 1], [2, 3]), ...tables, ...affine], [0]],
    [
      'with positions, a mask and the sum',
      [
        ids,
        int32([0, 0, 1, 0, 1, 1], [2, 3]),
        words,
        places,
        segments,
        ...affine,
        int32([1, 1, 0, 1, 1, 1], [2, 3]),
        int32([4, 0, 1, 2, 2, 3], [2, 3]),
      ],
      [0, 2],
    ],
  ])('%s', async (_, inputs, weigh) => {
    const attributes = { epsilon, mask_index_type: 1 };
    const op = 'EmbedLayerNormalization';
    await expectGradient({ op, domain, dtype: 'float32', inputs, attributes, outputs: 3, weigh });
  });
});

describe('GroupNorm, which ONNX Runtime has no kernel for on a CPU', () => {
  const sizes = [2, 4, 3, 2] as const;
  const [image, scale, shift, dy] = [
    between(-1, 1, sizes, 1),
    between(-1, 1, [4], 2),
    between(-1, 1, [4], 3),
    between(-1, 1, sizes, 4),
  ];
  const groupNorm = (inputs: GradientInput[], attributes: Record<string, ShortAttribute>) => ({
    op: 'GroupNorm',
    domain,
    inputs,
    attributes: { groups: 2, epsilon, activation: 0, ...attributes },
    dtype: 'float32' as const,
  });
  const standard = (given: GradientInput) =>
    gradientsAt(
      {
        op: 'GroupNormalization',
        inputs: [given, scale, shift],
        attributes: { num_groups: 2, epsilon },
        dtype: 'float32',
      },
      dy,
    );

  function expectClose(actual: readonly number[] | undefined, expected: readonly number[] | undefined): void {
    expect(actual).toHaveLength(expected!.length);
    expected!.forEach((x, i) => {
      expect(actual![i]).toBeCloseTo(x, 5);
    });
  }

  /** (N, C, H, W) to (N, H, W, C). */
  function channelsLast({ values, dims }: GradientInput): GradientInput {
    const [n, c, h, w] = dims as [number, number, number, number];
    const moved = values!.map((_, at) => {
      const [channel, pixel, batch] = [at % c, Math.floor(at / c) % (h * w), Math.floor(at / (c * h * w))];
      return values![(batch * c + channel) * h * w + pixel]!;
    });
    return { dims: [n, h, w, c], values: moved };
  }

  it('is GroupNormalization', async () => {
    const found = await gradientsAt(groupNorm([image, scale, shift], { channels_last: 0 }), dy);
    const expected = await standard(image);
    for (const name of Object.keys(expected)) expectClose(found[name], expected[name]);
  });

  it('with channels last', async () => {
    const found = await gradientsAt(groupNorm([channelsLast(image), scale, shift], {}), channelsLast(dy));
    const expected = await standard(image);
    for (const name of ['x1', 'x2']) expectClose(found[name], expected[name]);
    for (const name of ['y0', 'x0']) {
      expectClose(found[name], channelsLast({ dims: sizes, values: expected[name]! }).values);
    }
  });

  it('with SiLU', async () => {
    const found = await gradientsAt(
      groupNorm([image, scale, shift], { channels_last: 0, activation: 1 }),
      dy,
    );
    const { y0: plain } = await standard(image);
    const sigmoids = plain!.map((y) => 1 / (1 + Math.exp(-y)));
    const activated = plain!.map((y, i) => y * sigmoids[i]!);
    expectClose(found.y0, activated);
    const slopes = plain!.map((y, i) => sigmoids[i]! * (1 + y * (1 - sigmoids[i]!)));
    const through = { dims: sizes, values: dy.values!.map((d, i) => d * slopes[i]!) };
    const linear = await gradientsAt(groupNorm([image, scale, shift], { channels_last: 0 }), through);
    for (const name of ['x0', 'x1', 'x2']) expectClose(found[name], linear[name]);
  });

  it.each([[[2, 4]], [[2, 4, 3, 2]]])('of a sum with a skip of shape %j', async (dims) => {
    const skip = between(-1, 1, dims, 5);
    const bias = between(-1, 1, [4], 6);
    const test = groupNorm([image, scale, shift, skip, bias], { channels_last: 0 });
    const found = await gradientsAt({ ...test, op: 'SkipGroupNorm' }, dy);
    const perChannel = 6;
    const values = image.values!.map((x, i) => {
      const channel = Math.floor(i / perChannel);
      return x + skip.values![dims.length === 2 ? channel : i]! + bias.values![channel % 4]!;
    });
    const expected = await standard({ dims: sizes, values });
    for (const name of Object.keys(expected)) expectClose(found[name], expected[name]);
    const total = (list: readonly number[]) => list.reduce((a, b) => a + b, 0);
    expect(total(found.x3!)).toBeCloseTo(total(found.x0!), 4);
    expect(total(found.x4!)).toBeCloseTo(total(found.x0!), 4);
  });
});
