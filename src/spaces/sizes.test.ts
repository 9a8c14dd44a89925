import { describe, expect, it } from 'vitest';
import { sizedSpaces, sizesOf } from './sizes.js';

describe('sizes', () => {
  it.each([
    ['nasbench101', '4:110101:conv3x3-bn-relu,maxpool3x3', 4],
    ['nasbench201', '|none~0|+|none~0|nor_conv_3x3~1|+|skip_connect~0|none~1|none~2|', 2],
    ['nats-size', '8:16:24:32:40', 120],
    ['fbnet', '0 8 1 8 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0', 20],
    [
      'ofa-mobilenetv3',
      JSON.stringify({ ks: Array(20).fill(3), e: Array(20).fill(4), d: [2, 3, 4, 2, 2], r: 160 }),
      13,
    ],
    ['ofa-mobilenetv3', 'r160-k3e4k5e6-k7e3k3e3k5e6-k3e3k3e4k3e6k7e3-k5e6k5e4-k7e6k3e3k5e4', 14],
    ['proxylessnas', 'k3e3k3e3-k5e6k5e3-k7e3k3e3k7e4-k7e4k5e4k3e3k7e4-k3e6k5e6k5e4k3e6-k3e4', 16],
    ['accel-mnasnet', 'e1k3l1s-e6k3l2s-e6k5l2s-e6k3l3s-e6k5l3s-e6k5l4s-e6k3l1s', 16],
    ['hwgpt-s', '384:10:h4,8,12,8,4,4,12,8,8,4:m2,3,4,4,2,3,2,4,3,2:b1', 10],
    ['lts-gpt2', '512:4:e256:k4:i1536,2048,1088,4096:h4,8,2,8', 4],
    ['autoformer-tiny', '192:12:r3.5,4,3.5,4,3.5,3.5,4,3.5,4,4,3.5,3.5:h3,3,4,3,3,4,4,3,3,3,4,3', 12],
    ['pit', '{"depth":[2,8,4]}', 14],
    ['lts-transformer-xl', '{"n_layer":5,"d_model":512}', 5],
  ])('of %s', (space, text, size) => {
    expect([...sizesOf(space, [text])]).toEqual([size]);
  });

  it('are refused where there are none', () => {
    expect(() => sizesOf('darts', ['x'])).toThrow(/have no known size/);
    expect(() => sizesOf('constructor', ['x'])).toThrow(/have no known size/);
    for (const space of sizedSpaces()) {
      expect(() => sizesOf(space, ['what?'])).toThrow(/is not an architecture of|does not contain/);
      expect(() => sizesOf(space, ['what?'])).toThrow(
        expect.objectContaining({ code: 'ARCH_TEXT', where: { path: 'row 1' } }),
      );
    }
    expect(() => sizesOf('pit', ['{"depth":"deep"}'])).toThrow(/does not contain its number of layers/);
  });
});
