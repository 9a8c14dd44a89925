// The spaces of AutoFormer (Chen et al., ICCV 2021): vision transformers whose width is shared by all layers, while
// heads and the width of the perceptron are chosen layer by layer. Keys and values have relative positions.
import { conv2d } from '../../nn/convolution.js';
import { truncatedNormal, zeros } from '../../nn/initialise.js';
import { linear } from '../../nn/linear.js';
import { layerNorm } from '../../nn/normalise.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { AuspexError } from '../../util/errors.js';
import { choiceOf, elementChoices, resized } from '../choice.js';
import { images, scaledWidth, writeNetwork } from '../network-builder.js';
import type { NetworkOptions, Space } from '../space.js';
import { Fields } from './layer-lists.js';

export interface AutoFormer {
  /** Of all layers. */
  readonly embedDim: number;
  /** Width of the perceptron over `embedDim`, per layer. */
  readonly mlpRatios: readonly number[];
  /** Heads of 64 channels, per layer. */
  readonly heads: readonly number[];
}

interface Options {
  readonly embedDims: readonly number[];
  readonly depths: readonly number[];
  readonly mlpRatios: readonly number[];
  readonly heads: readonly number[];
}

interface Scale extends Options {
  readonly title: string;
  /** Options that no network is drawn with, but which published results have. */
  readonly more?: Partial<Pick<Options, 'mlpRatios' | 'heads'>>;
  readonly example: string;
}

/**
 * What the supernets were trained with (experiments/supernet/*.yaml of the authors' code). The released subnet of
 * Tiny has a ratio of 3, which its supernet file does not list, and the subnet file of Base lists 8 heads.
 */
const SCALES: Readonly<Record<'tiny' | 'small' | 'base', Scale>> = {
  tiny: {
    title: 'AutoFormer-Tiny',
    embedDims: [192, 216, 240],
    depths: [12, 13, 14],
    mlpRatios: [3.5, 4],
    heads: [3, 4],
    more: { mlpRatios: [3] },
    example: '192:12:r3.5,4,3.5,4,3.5,3.5,4,3.5,4,4,3.5,3.5:h3,3,4,3,3,4,4,3,3,3,4,3',
  },
  small: {
    title: 'AutoFormer-Small',
    embedDims: [320, 384, 448],
    depths: [12, 13, 14],
    mlpRatios: [3, 3.5, 4],
    heads: [5, 6, 7],
    example: '384:13:r3,3.5,3,3.5,4,4,4,4,4,4,4,3.5,4:h6,6,5,7,5,5,5,6,6,7,7,6,7',
  },
  base: {
    title: 'AutoFormer-Base',
    embedDims: [528, 576, 624],
    depths: [14, 15, 16],
    mlpRatios: [3, 3.5, 4],
    heads: [9, 10],
    more: { heads: [8] },
    example: '576:14:r3.5,3.5,4,3.5,4,3.5,3.5,3,4,4,3,4,3,3.5:h9,9,9,9,9,10,9,9,10,9,10,9,9,10',
  },
};

const SIDE = 224;
const CLASSES = 1000;
const PATCH = 16;
const HEAD_WIDTH = 64;
/** Rows and columns between two patches count up to here. */
const MAX_DISTANCE = 14;
/** Rows of a table of relative positions. */
const DISTANCES = 2 * MAX_DISTANCE + 2;

/** In the order of texts; the names are those of the tables of Auto-Prox. */
const LAYOUT = [
  ['hidden_dim', ''],
  ['depth', ''],
  ['mlp_ratio', 'r'],
  ['num_heads', 'h'],
] as const;

export const autoFormerTiny = autoFormer('tiny');
export const autoFormerSmall = autoFormer('small');
export const autoFormerBase = autoFormer('base');

function autoFormer(scale: keyof typeof SCALES): Space<AutoFormer> {
  const name = `autoformer-${scale}`;
  const { title, example, embedDims, depths, mlpRatios, heads, more } = SCALES[scale];
  const perLayer = BigInt(mlpRatios.length * heads.length);
  const also = [
    ...(more?.mlpRatios ? [`ratios of ${more.mlpRatios}`] : []),
    ...(more?.heads ? [`${more.heads} heads`] : []),
  ];
  return {
    name,
    title,
    paper: 'Chen et al., ICCV 2021, arXiv:2107.00651',
    notation:
      `width:depth:r and the MLP ratio of every layer:h and the heads of every layer. ` +
      `Widths ${embedDims.join(', ')}; depths ${depths.join(', ')}; ratios ${mlpRatios.join(', ')}; ` +
      `heads ${heads.join(', ')}${also.length > 0 ? ` (${also.join(', ')} are accepted, but not sampled)` : ''}. ` +
      'Or JSON with hidden_dim, depth, mlp_ratio and num_heads.',
    example,
    size: depths.reduce((sum, depth) => sum + BigInt(embedDims.length) * perLayer ** BigInt(depth), 0n),
    defaults: { resolution: SIDE, classes: CLASSES, input: 'image' },
    sample: (random) => {
      const length = random.pick(depths);
      return {
        embedDim: random.pick(embedDims),
        mlpRatios: Array.from({ length }, () => random.pick(mlpRatios)),
        heads: Array.from({ length }, () => random.pick(heads)),
      };
    },
    choices: (arch) => [
      choiceOf('width', embedDims, arch.embedDim, (embedDim) => ({ ...arch, embedDim })),
      choiceOf('depth', depths, arch.heads.length, (depth) => ({
        ...arch,
        mlpRatios: resized(arch.mlpRatios, depth),
        heads: resized(arch.heads, depth),
      })),
      ...elementChoices(
        (i) => `layer ${i + 1} ratio`,
        mlpRatios,
        arch.mlpRatios,
        (list) => ({ ...arch, mlpRatios: list }),
      ),
      ...elementChoices(
        (i) => `layer ${i + 1} heads`,
        heads,
        arch.heads,
        (list) => ({ ...arch, heads: list }),
      ),
    ],
    sizeOf: (arch) => ({ unit: 'layers', value: arch.heads.length }),
    transformerSizes: ({ embedDim, heads }, resolution) => ({
      widths: heads.map(() => embedDim),
      qkvWidths: heads.map((count) => HEAD_WIDTH * count),
      // Patches, and the class token.
      tokens: Math.floor(resolution / PATCH) ** 2 + 1,
    }),
    parse: (text) => {
      const fields = new Fields(name, text, LAYOUT);
      const embedDim = fields.choice('hidden_dim', embedDims);
      const depth = fields.choice('depth', depths);
      return {
        embedDim,
        mlpRatios: fields.choices('mlp_ratio', depth, [...(more?.mlpRatios ?? []), ...mlpRatios]),
        heads: fields.choices('num_heads', depth, [...(more?.heads ?? []), ...heads]),
      };
    },
    format: ({ embedDim, mlpRatios, heads }) => `${embedDim}:${heads.length}:r${mlpRatios}:h${heads}`,
    network: (arch, options = {}) =>
      writeNetwork(name, images(options, SIDE), options.seed ?? 0, (s, x) =>
        visionTransformer(s, x, arch, options),
      ),
  };
}

/** As the authors' code begins: linear layers, positions and tables with a deviation of 0.02. */
const WEIGHT = truncatedNormal(0.02);
const LINEAR = { weight: WEIGHT, biasInit: zeros } as const;

/**
 * (B, 3, H, W) → (B, classes). A class token takes part in attention, but, as in the commands that the released
 * models were trained and evaluated with (`--gp`), the classifier sees the mean of the patches.
 */
function visionTransformer(s: Scope, x: Value, arch: AutoFormer, options: NetworkOptions): Value {
  const width = scaledWidth(arch.embedDim, options);
  const headWidth = scaledWidth(HEAD_WIDTH, options);
  const [batch, , height] = x.sizes as [number, number, number];
  if (height < PATCH) {
    throw new AuspexError(
      'RESOLUTION_TOO_SMALL',
      `images of ${height}×${height} are smaller than a patch of ${PATCH}×${PATCH}`,
    );
  }
  const grid = conv2d(s.at('patch'), x, width, { kernel: PATCH, stride: PATCH });
  const side = grid.length(2);
  const patches = grid.reshape([batch, width, side * side]).transpose([0, 2, 1]);
  const token = s.parameter('class', [1, 1, width], WEIGHT).expand([batch, 1, width]);
  const position = s.parameter('position', [1, 1 + side * side, width], WEIGHT);
  let y = s.builder.concat([token, patches], 1).add(position);

  const rows = relativeRows(s, side);
  arch.heads.forEach((heads, i) => {
    const layer = s.at('layer', i);
    const attended = attention(layer.at('attention'), layerNorm(layer.at('norm1'), y), {
      heads,
      headWidth,
      rows,
    });
    y = y.add(attended);
    const hidden = Math.floor(width * arch.mlpRatios[i]!);
    const up = linear(layer.at('up'), layerNorm(layer.at('norm2'), y), hidden, LINEAR);
    y = y.add(linear(layer.at('down'), s.builder.op('Gelu', [up]), width, LINEAR));
  });
  const mean = layerNorm(s.at('norm'), y)
    .slice([1], [1 + side * side], [1])
    .mean([1]);
  return linear(s.at('classifier'), mean, options.classes ?? CLASSES, LINEAR);
}

/**
 * Which rows of the tables of relative positions belong to a pair of tokens i, j: (n, 60, n), 1 at [i, r, j]. The first 30
 * rows are vertical distances, the others horizontal. Of each, row 0 is for pairs with the class token; distances from −14
 * to 14 follow, farther ones being cut to these.
 */
function relativeRows(s: Scope, side: number): Value {
  const tokens = 1 + side * side;
  const chosen = (coordinate: (patch: number) => number): Value => {
    const rows = new Float64Array(tokens * tokens);
    for (let i = 1; i < tokens; i++) {
      for (let j = 1; j < tokens; j++) {
        const distance = coordinate(j - 1) - coordinate(i - 1);
        const cut = Math.max(-MAX_DISTANCE, Math.min(MAX_DISTANCE, distance));
        rows[i * tokens + j] = cut + MAX_DISTANCE + 1;
      }
    }
    const each = s.builder.constant([...Array(DISTANCES).keys()], 'int64', [DISTANCES, 1]);
    return s.builder.constant(rows, 'int64', [tokens, 1, tokens]).equal(each).cast('float32');
  };
  return s.builder.concat([chosen((patch) => Math.floor(patch / side)), chosen((patch) => patch % side)], 1);
}

interface AttentionSizes {
  readonly heads: number;
  readonly headWidth: number;
  /** (n, 60, n), see `relativeRows`. */
  readonly rows: Value;
}

/**
 * Attention with relative positions (Shaw et al. 2018, in two dimensions), (B, n, d) → (B, n, d), h = `headWidth`:
 *
 *     a_ij = softmax_j(q_i·(k_j + r^K_ij)/√h),   y_i = Σ_j a_ij·(v_j + r^V_ij)
 *
 * r_ij is a row of the vertical table plus one of the horizontal one, the same for all heads. It is never written out, n²h
 * numbers that take longer to write than all else: products with the 60 rows of both tables T are summed as `rows` R says,
 * q_i·r_ij = (q_i·Tᵀ)·R_i and Σ_j a_ij·r_ij = (a_i·R_iᵀ)·T.
 */
function attention(s: Scope, x: Value, { heads, headWidth, rows }: AttentionSizes): Value {
  const [batch, n, d] = x.sizes as [number, number, number];
  const inner = heads * headWidth;
  const tables = (scope: Scope): Value => {
    // Looked up, though it is every row: tables of positions are no weights that are multiplied with.
    const every = s.builder.constant([...Array(DISTANCES).keys()], 'int64');
    const table = (name: string): Value =>
      scope.parameter(name, [DISTANCES, headWidth], WEIGHT).gather(every);
    return s.builder.concat([table('vertical'), table('horizontal')], 0);
  };
  const byHead = (value: Value): Value => value.reshape([batch, n, heads, headWidth]).transpose([0, 2, 1, 3]);
  /** (B, H, n, m) as (n, B·H, m): products with R are one for each i. */
  const byToken = (value: Value): Value =>
    value.transpose([2, 0, 1, 3]).reshape([n, batch * heads, value.length(3)]);

  const [q, k, v] = linear(s.at('qkv'), x, 3 * inner, LINEAR)
    .split([inner, inner, inner], -1)
    .map(byHead);
  const content = q!.matmul(k!.transposeLast());
  const positional = byToken(q!.matmul(tables(s.at('relative', 'key')).transposeLast()))
    .matmul(rows)
    .reshape([n, batch, heads, n])
    .transpose([1, 2, 0, 3]);
  const weights = content
    .add(positional)
    .mul(1 / Math.sqrt(headWidth))
    .softmax();
  const values = weights.matmul(v!).transpose([0, 2, 1, 3]);
  const positions = byToken(weights)
    .matmul(rows.transposeLast())
    .matmul(tables(s.at('relative', 'value')))
    .reshape([n, batch, heads, headWidth])
    .transpose([1, 0, 2, 3]);
  return linear(s.at('out'), values.add(positions).reshape([batch, n, inner]), d, LINEAR);
}
