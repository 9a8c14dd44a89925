// ViT-Tiny (Dosovitskiy et al. 2021; the size of DeiT): patches of 16×16, width 192, 12 layers, 3 heads.
import { multiHeadAttention } from '../../src/nn/attention.js';
import { conv2d } from '../../src/nn/convolution.js';
import { truncatedNormal } from '../../src/nn/initialise.js';
import { linear } from '../../src/nn/linear.js';
import { layerNorm } from '../../src/nn/normalise.js';
import type { Scope } from '../../src/nn/scope.js';
import type { Value } from '../../src/ops/build.js';
import { CLASSES, classifier } from './resnet.js';

const [WIDTH, LAYERS, HEADS, PATCH] = [192, 12, 3, 16];
const small = truncatedNormal(0.02);

/** A layer of a transformer that normalises first; also GPT-2's, with a mask. */
export function layer(s: Scope, x: Value, heads: number, mask?: Value): Value {
  const width = x.length(-1);
  const options = { heads, bias: true, ...(mask === undefined ? {} : { mask }) };
  const y = x.add(multiHeadAttention(s.at('attention'), layerNorm(s.at('norm1'), x), options));
  const hidden = linear(s.at('up'), layerNorm(s.at('norm2'), y), 4 * width);
  return y.add(linear(s.at('down'), gelu(hidden), width));
}

const gelu = (x: Value): Value => x.mul(x.mul(Math.SQRT1_2).erf().add(1)).mul(0.5);

export const vitTiny = classifier((s, image) => {
  const [batch, , size] = image.sizes as number[];
  const patches = (size! / PATCH) ** 2;
  const grid = conv2d(s.at('patches'), image, WIDTH, { kernel: PATCH, stride: PATCH });
  const rows = grid.reshape([batch!, WIDTH, patches]).transpose([0, 2, 1]);
  const token = s.parameter('token', [1, 1, WIDTH], small);
  const first = token.expand([batch!, 1, WIDTH]);
  let x = s.builder.concat([first, rows], 1).add(s.parameter('places', [1, patches + 1, WIDTH], small));
  for (let i = 0; i < LAYERS; i++) x = layer(s.at('layer', i), x, HEADS);
  const [read] = layerNorm(s.at('norm'), x).split([1, patches], 1);
  return linear(s.at('head'), read!.reshape([batch!, WIDTH]), CLASSES);
});
