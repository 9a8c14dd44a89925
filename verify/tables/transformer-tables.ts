// Transformers of tables that are no spaces here, as far as their configuration alone tells a score: widths of blocks and
// tokens for SEPT, and parameters. Nothing that needs a graph can be scored of them.
import { separationRank } from '../../src/proxies/index.js';

export interface Closed {
  readonly sept: number;
  readonly parameters: number;
}

interface TransformerXl {
  readonly n_layer: number;
  readonly d_model: number;
  readonly d_inner: number | readonly number[];
  readonly tgt_len: number;
}

/**
 * Transformer-XL of archai. Parameters without embedding and softmax; with d = d_model and f = d_inner of a layer:
 *
 *     Σ_layers (5·d² + 2·d) + (2·d·f + f + d) + 4·d
 *
 * that is queries, keys, values, positions and projection without biases, two biases of attention's scores, the
 * perceptron and two normalisations.
 */
export function transformerXl(text: string): Closed {
  const { n_layer, d_model: d, d_inner, tgt_len } = JSON.parse(text) as TransformerXl;
  const inner = typeof d_inner === 'number' ? new Array<number>(n_layer).fill(d_inner) : d_inner;
  const parameters = inner.reduce((sum, f) => sum + 5 * d * d + 2 * d + (2 * d * f + f + d) + 4 * d, 0);
  return { sept: separationRank(new Array<number>(n_layer).fill(d), tgt_len), parameters };
}

interface Pit {
  readonly base_dim: number;
  readonly mlp_ratio: number;
  readonly depth: readonly number[];
  readonly num_heads: readonly number[];
}

/** Images of 224×224 in patches of 16×16 every 8 pixels: 27×27 tokens. */
const PIT = { side: 27, patch: 16, classes: 100 } as const;

/**
 * Pooling-based vision transformer: three stages of width base_dim·heads with a class token, between them a depthwise
 * convolution of 3×3 that widens by whole factors and a linear layer for the class token.
 *
 * @param tokens T of SEPT: that of the first stage, as elsewhere.
 */
export function pit(text: string, tokens = PIT.side ** 2 + 1): Closed {
  const { base_dim, mlp_ratio, depth, num_heads } = JSON.parse(text) as Pit;
  const widths = num_heads.map((heads) => base_dim * heads);
  const block = (d: number): number =>
    4 * d * d + 4 * d + 2 * mlp_ratio * d * d + (mlp_ratio + 1) * d + 4 * d;
  const first = widths[0]!;
  const last = widths.at(-1)!;
  let parameters = (3 * PIT.patch ** 2 + 1) * first + first * PIT.side ** 2 + first;
  widths.forEach((d, stage) => {
    parameters += depth[stage]! * block(d);
    const next = widths[stage + 1];
    if (next !== undefined) parameters += 9 * next + next + d * next + next;
  });
  parameters += 2 * last + (last + 1) * PIT.classes;
  return {
    sept: separationRank(
      widths.flatMap((d, stage) => new Array<number>(depth[stage]!).fill(d)),
      tokens,
    ),
    parameters,
  };
}
