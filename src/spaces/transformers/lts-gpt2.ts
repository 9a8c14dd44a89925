// The GPT-2 space of LiteTransformerSearch (Javaheripi et al., NeurIPS 2022): heads and the width of the perceptron
// chosen layer by layer, with an adaptive embedding that also is the adaptive softmax. Its Transformer-XL space is
// not here.
import { additiveMask, multiHeadAttention } from '../../nn/attention.js';
import { normal, zeros } from '../../nn/initialise.js';
import { linear } from '../../nn/linear.js';
import { layerNorm } from '../../nn/normalise.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { choiceOf, elementChoices, resized } from '../choice.js';
import { scaledWidth, tokens, writeNetwork } from '../network-builder.js';
import type { Choice, NetworkOptions, Space } from '../space.js';
import { adaptiveEmbedding, adaptiveLogSoftmax, clustersOf } from './adaptive-embedding.js';
import { causalMask } from './language.js';
import { Fields } from './layer-lists.js';

interface LtsGpt2 {
  readonly dModel: number;
  /** Width of the embedding of frequent tokens. */
  readonly dEmbed: number;
  /** Every further cluster of tokens has an embedding this many times narrower. */
  readonly divVal: number;
  /** Width of the perceptron, per layer. */
  readonly dInner: readonly number[];
  /** Per layer. */
  readonly heads: readonly number[];
}

const NAME = 'lts-gpt2';
const TOKENS = 192;
const VOCABULARY = 50_264;
/** Where clusters of ever rarer tokens begin, those of archai; this vocabulary ends before the last. */
const CUTOFFS = [19_997, 39_997, 199_997] as const;

const range = (low: number, high: number, step: number): number[] =>
  Array.from({ length: (high - low) / step + 1 }, (_, i) => low + i * step);

/** What networks are drawn from; ETAS has the same ranges, but always a `div_val` of 4. */
const GRID = {
  depth: range(2, 16, 1),
  dModel: range(128, 1024, 64),
  dInner: range(256, 4096, 64),
  heads: [2, 4, 8],
  dEmbed: [128, 256, 512],
  divVal: [1, 2, 4],
} as const;

/** What is read: the authors' own random networks are narrower, and their perceptrons have any width. */
const BOUNDS = { dModel: [64, 1024], dInner: [128, 4096] } as const;

/** In the order of texts; the names are those of archai's configurations. */
const LAYOUT = [
  ['d_model', ''],
  ['n_layer', ''],
  ['d_embed', 'e'],
  ['div_val', 'k'],
  ['d_inner', 'i'],
  ['n_head', 'h'],
] as const;

/** What archai's configurations can say otherwise, but networks of this space cannot. */
const FIXED: Readonly<Record<string, string>> = {
  adaptive: 'true',
  tie_weight: 'true',
  tie_projs: '[false,true,true,true]',
  primer_conv: 'false',
  primer_square: 'false',
};

/** Perceptrons that are not even twice as wide as the model are left out, as training them collapses. */
const isWideEnough = (dInner: number, dModel: number): boolean => dInner > 2 * dModel;
const innerWidths = (dModel: number): number[] => GRID.dInner.filter((w) => isWideEnough(w, dModel));

export const ltsGpt2: Space<LtsGpt2> = {
  name: NAME,
  title: 'LTS GPT-2',
  paper: 'Javaheripi et al., NeurIPS 2022, arXiv:2203.02094',
  notation:
    'd_model:n_layer:e and d_embed:k and div_val:i and d_inner of every layer:h and heads of every layer. ' +
    'Sampled: d_model 128 … 1024 and d_inner 256 … 4096 in steps of 64, d_inner > 2·d_model, 2 … 16 layers, ' +
    'd_embed 128, 256, 512, div_val 1, 2, 4, heads 2, 4, 8; also accepted: d_model from 64 and any d_inner from 128. ' +
    'Or an archai configuration in JSON.',
  example: '512:4:e256:k4:i1536,2048,1088,4096:h4,8,2,8',
  size: GRID.dModel.reduce((sum, dModel) => {
    const perLayer = BigInt(innerWidths(dModel).length * GRID.heads.length);
    const deep = GRID.depth.reduce((all, depth) => all + perLayer ** BigInt(depth), 0n);
    return sum + deep * BigInt(GRID.dEmbed.length * GRID.divVal.length);
  }, 0n),
  defaults: { resolution: TOKENS, classes: VOCABULARY, input: 'tokens' },
  sample: (random) => {
    const length = random.pick(GRID.depth);
    const dModel = random.pick(GRID.dModel);
    return {
      dModel,
      dEmbed: random.pick(GRID.dEmbed),
      divVal: random.pick(GRID.divVal),
      dInner: Array.from({ length }, () => random.pick(innerWidths(dModel))),
      heads: Array.from({ length }, () => random.pick(GRID.heads)),
    };
  },
  choices,
  sizeOf: ({ heads }) => ({ unit: 'layers', value: heads.length }),
  transformerSizes: ({ dModel, heads }, resolution) => {
    const widths = heads.map(() => dModel);
    return { widths, qkvWidths: widths, tokens: resolution };
  },
  parse,
  format: ({ dModel, dEmbed, divVal, dInner, heads }) =>
    `${dModel}:${heads.length}:e${dEmbed}:k${divVal}:i${dInner}:h${heads}`,
  network: (arch, options = {}) =>
    writeNetwork(NAME, tokens(options, TOKENS), options.seed ?? 0, (s, x) => gpt2(s, x, arch, options)),
};

/** A width of a perceptron: the least that is wide enough if the model has become too wide for it. */
function fitting(dInner: number, before: number, dModel: number): number {
  const isBroken = isWideEnough(dInner, before) && !isWideEnough(dInner, dModel);
  return isBroken ? innerWidths(dModel)[0]! : dInner;
}

function choices(arch: LtsGpt2): readonly Choice<LtsGpt2>[] {
  const { dModel, dEmbed, divVal, dInner, heads } = arch;
  return [
    choiceOf<LtsGpt2, number>('d_model', GRID.dModel, dModel, (width) => ({
      ...arch,
      dModel: width,
      dInner: dInner.map((inner) => fitting(inner, dModel, width)),
    })),
    choiceOf<LtsGpt2, number>('n_layer', GRID.depth, heads.length, (depth) => ({
      ...arch,
      dInner: resized(dInner, depth),
      heads: resized(heads, depth),
    })),
    choiceOf<LtsGpt2, number>('d_embed', GRID.dEmbed, dEmbed, (width) => ({ ...arch, dEmbed: width })),
    choiceOf<LtsGpt2, number>('div_val', GRID.divVal, divVal, (value) => ({ ...arch, divVal: value })),
    ...elementChoices(
      (i) => `layer ${i + 1} d_inner`,
      innerWidths(dModel),
      dInner,
      (list) => ({ ...arch, dInner: list }),
    ),
    ...elementChoices<LtsGpt2, number>(
      (i) => `layer ${i + 1} heads`,
      GRID.heads,
      heads,
      (list) => ({ ...arch, heads: list }),
    ),
  ];
}

function parse(text: string): LtsGpt2 {
  const fields = new Fields(NAME, text, LAYOUT);
  for (const [name, wanted] of Object.entries(FIXED)) {
    const value = fields.raw(name);
    if (value !== undefined && JSON.stringify(value) !== wanted) {
      fields.fail(`${name} is ${JSON.stringify(value)}; all networks of this space have ${wanted}`);
    }
  }
  const depth = fields.choice('n_layer', GRID.depth);
  return {
    dModel: fields.whole('d_model', ...BOUNDS.dModel, 64),
    dEmbed: fields.choice('d_embed', GRID.dEmbed),
    divVal: fields.choice('div_val', GRID.divVal),
    dInner: fields.wholes('d_inner', depth, ...BOUNDS.dInner),
    heads: fields.choices('n_head', depth, GRID.heads),
  };
}

/**
 * Trained parameters of the layers and the last normalisation, without embedding and softmax: the paper's proxy of
 * perplexity. With d = d_model and f = d_inner of a layer:
 *
 *     2·d + Σ_layers (4·d² + 4·d) + (2·d·f + f + d) + 4·d
 */
export function decoderParameters({ dModel: d, dInner }: LtsGpt2): number {
  const attention = 4 * d * d + 4 * d;
  return dInner.reduce((sum, f) => sum + attention + 2 * d * f + f + d + 4 * d, 2 * d);
}

const WEIGHT = normal(0, 0.02);
const LINEAR = { weight: WEIGHT, biasInit: zeros } as const;

/** (B, n) tokens → (B, n, vocabulary), the logarithms of the probabilities of what comes next. */
function gpt2(s: Scope, x: Value, arch: LtsGpt2, options: NetworkOptions): Value {
  // Heads divide the width, and clusters have up to 16 times narrower embeddings.
  const width = scaledWidth(arch.dModel, options, 16);
  const clusters = clustersOf(s.at('embedding'), {
    vocabulary: options.classes ?? VOCABULARY,
    cutoffs: CUTOFFS,
    width,
    dEmbed: scaledWidth(arch.dEmbed, options, 16),
    divVal: arch.divVal,
  });
  const mask = additiveMask(causalMask(s.builder, x.length(1)));
  let y = adaptiveEmbedding(x, clusters)
    .mul(Math.sqrt(width))
    .add(s.parameter('position', [x.length(1), width], WEIGHT));
  arch.heads.forEach((heads, i) => {
    const layer = s.at('layer', i);
    const normed = layerNorm(layer.at('norm1'), y);
    y = y.add(multiHeadAttention(layer.at('attention'), normed, { heads, mask, ...LINEAR }));
    const inner = scaledWidth(arch.dInner[i]!, options);
    const up = linear(layer.at('up'), layerNorm(layer.at('norm2'), y), inner, LINEAR);
    const active = s.builder.op('Gelu', [up], { approximate: 'tanh' });
    y = y.add(linear(layer.at('down'), active, width, LINEAR));
  });
  return adaptiveLogSoftmax(s.at('softmax'), layerNorm(s.at('norm'), y), clusters);
}
