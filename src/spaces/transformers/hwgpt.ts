// The smallest space of HW-GPT-Bench (Sukthanker et al., NeurIPS 2024 datasets and benchmarks), GPT-S, as its
// networks were measured on devices: rotary positions, attention and perceptron side by side, an output layer of
// its own, and a gated perceptron of three matrices, which the benchmark's profiler falls back to. The supernet
// that its perplexities come from has a plain perceptron and shares the embedding with the output.
import { additiveMask } from '../../nn/attention.js';
import { normal, zeros } from '../../nn/initialise.js';
import { embedding, linear } from '../../nn/linear.js';
import { layerNorm } from '../../nn/normalise.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { choiceOf, elementChoices, resized, switchOf } from '../choice.js';
import { scaledWidth, tokens, writeNetwork } from '../network-builder.js';
import type { NetworkOptions, Space } from '../space.js';
import { causalMask, type Rotation, rotated, rotation } from './language.js';
import { Fields } from './layer-lists.js';

interface HwGpt {
  readonly embedDim: number;
  /** Heads of 64 channels, per layer. */
  readonly heads: readonly number[];
  /** Width of the perceptron over `embedDim`, per layer. */
  readonly mlpRatios: readonly number[];
  /** Whether linear layers have biases; the output layer never has, normalisations always have. */
  readonly bias: boolean;
}

const NAME = 'hwgpt-s';
const TOKENS = 1024;
const VOCABULARY = 50_254;
const HEAD_WIDTH = 64;
/** One channel of four has a rotary position. */
const ROTARY_PART = 4;

const OPTIONS = {
  embedDim: [192, 384, 768],
  depth: [10, 11, 12],
  heads: [4, 8, 12],
  mlpRatio: [2, 3, 4],
} as const;

/** In the order of texts; the names are those of the benchmark. */
const LAYOUT = [
  ['sample_embed_dim', ''],
  ['sample_n_layer', ''],
  ['sample_n_head', 'h'],
  ['sample_mlp_ratio', 'm'],
  ['sample_bias', 'b'],
] as const;

export const hwGptS: Space<HwGpt> = {
  name: NAME,
  title: 'HW-GPT-Bench GPT-S',
  paper: 'Sukthanker et al., NeurIPS 2024 (datasets and benchmarks), arXiv:2405.10299',
  notation:
    'width:depth:h and the heads of every layer:m and the MLP ratio of every layer:b1 with biases or ' +
    'b0 without. Widths 192, 384, 768; depths 10, 11, 12; heads 4, 8, 12; ratios 2, 3, 4. ' +
    "Or the benchmark's JSON, in which lists may be longer than the depth.",
  example: '384:10:h4,8,12,8,4,4,12,8,8,4:m2,3,4,4,2,3,2,4,3,2:b1',
  size: OPTIONS.depth.reduce((sum, depth) => {
    const perLayer = BigInt(OPTIONS.heads.length * OPTIONS.mlpRatio.length);
    return sum + 2n * BigInt(OPTIONS.embedDim.length) * perLayer ** BigInt(depth);
  }, 0n),
  defaults: { resolution: TOKENS, classes: VOCABULARY, input: 'tokens' },
  sample: (random) => {
    const length = random.pick(OPTIONS.depth);
    return {
      embedDim: random.pick(OPTIONS.embedDim),
      heads: Array.from({ length }, () => random.pick(OPTIONS.heads)),
      mlpRatios: Array.from({ length }, () => random.pick(OPTIONS.mlpRatio)),
      bias: random.chance(0.5),
    };
  },
  choices: (arch) => [
    choiceOf<HwGpt, number>('width', OPTIONS.embedDim, arch.embedDim, (embedDim) => ({ ...arch, embedDim })),
    choiceOf<HwGpt, number>('depth', OPTIONS.depth, arch.heads.length, (depth) => ({
      ...arch,
      heads: resized(arch.heads, depth),
      mlpRatios: resized(arch.mlpRatios, depth),
    })),
    switchOf('bias', arch.bias, (bias) => ({ ...arch, bias })),
    ...elementChoices<HwGpt, number>(
      (i) => `layer ${i + 1} heads`,
      OPTIONS.heads,
      arch.heads,
      (heads) => ({ ...arch, heads }),
    ),
    ...elementChoices<HwGpt, number>(
      (i) => `layer ${i + 1} ratio`,
      OPTIONS.mlpRatio,
      arch.mlpRatios,
      (mlpRatios) => ({ ...arch, mlpRatios }),
    ),
  ],
  sizeOf: ({ heads }) => ({ unit: 'layers', value: heads.length }),
  transformerSizes: ({ embedDim, heads }, resolution) => ({
    widths: heads.map(() => embedDim),
    qkvWidths: heads.map((count) => HEAD_WIDTH * count),
    tokens: resolution,
  }),
  parse: (text) => {
    const fields = new Fields(NAME, text, LAYOUT);
    const embedDim = fields.choice('sample_embed_dim', OPTIONS.embedDim);
    const depth = fields.choice('sample_n_layer', OPTIONS.depth);
    return {
      embedDim,
      heads: fields.choices('sample_n_head', depth, OPTIONS.heads, { isPrefix: true }),
      mlpRatios: fields.choices('sample_mlp_ratio', depth, OPTIONS.mlpRatio, { isPrefix: true }),
      bias: fields.flag('sample_bias'),
    };
  },
  format: ({ embedDim, heads, mlpRatios, bias }) =>
    `${embedDim}:${heads.length}:h${heads}:m${mlpRatios}:b${Number(bias)}`,
  network: (arch, options = {}) =>
    writeNetwork(NAME, tokens(options, TOKENS), options.seed ?? 0, (s, x) => gpt(s, x, arch, options)),
};

const WEIGHT = normal(0, 0.02);

/** (B, n) tokens → (B, n, vocabulary) logits. */
function gpt(s: Scope, x: Value, arch: HwGpt, options: NetworkOptions): Value {
  const width = scaledWidth(arch.embedDim, options);
  // Half of the channels with rotary positions are turned against the other half.
  const headWidth = scaledWidth(HEAD_WIDTH, options, 2 * ROTARY_PART);
  const vocabulary = options.classes ?? VOCABULARY;
  const n = x.length(1);
  const mask = additiveMask(causalMask(s.builder, n));
  const turns = rotation(s.builder, n, headWidth / ROTARY_PART);
  const { bias } = arch;
  const lines = { weight: WEIGHT, biasInit: zeros, bias } as const;

  let y = embedding(s.at('embedding'), x, vocabulary, width, WEIGHT);
  arch.heads.forEach((heads, i) => {
    const layer = s.at('layer', i);
    const qkv = linear(layer.at('qkv'), layerNorm(layer.at('norm1'), y), 3 * heads * headWidth, lines);
    const attended = linear(layer.at('out'), attention(qkv, { heads, mask, turns }), width, lines);
    const normed = layerNorm(layer.at('norm2'), y);
    const hidden = width * arch.mlpRatios[i]!;
    const gate = linear(layer.at('gate'), normed, hidden, lines);
    const gated = gate.mul(gate.sigmoid()).mul(linear(layer.at('up'), normed, hidden, lines));
    y = y.add(attended).add(linear(layer.at('down'), gated, width, lines));
  });
  return linear(s.at('output'), layerNorm(s.at('norm'), y), vocabulary, { weight: WEIGHT, bias: false });
}

interface AttentionOptions {
  readonly heads: number;
  readonly mask: Value;
  readonly turns: Rotation;
}

/** (B, n, 3·H·h), query, key and value of one head after another, → (B, n, H·h). */
function attention(qkv: Value, { heads, mask, turns }: AttentionOptions): Value {
  const [batch, n, columns] = qkv.sizes as [number, number, number];
  const h = columns / (3 * heads);
  const [q, k, v] = qkv
    .reshape([batch, n, heads, 3 * h])
    .transpose([0, 2, 1, 3])
    .split([h, h, h], -1);
  const scores = rotated(q!, turns)
    .matmul(rotated(k!, turns).transposeLast())
    .mul(1 / Math.sqrt(h))
    .add(mask);
  const attended = scores.softmax().matmul(v!).transpose([0, 2, 1, 3]);
  return attended.reshape([batch, n, heads * h]);
}
