// SEPT, the expressivity term of ETAS: a bound of the separation rank of a transformer, from the widths of its blocks and
// the number of tokens alone.
import type { AnySpace } from '../../spaces/space.js';
import { AuspexError } from '../../util/errors.js';
import { defineProxy } from '../proxy.js';
import { type AttentionBlock, findBlocks } from '../subject/blocks.js';
import type { Subject } from '../subject/subject.js';

/**
 * ln(Σ_l d_l) + ln(Σ_l (1 − d_l^(T+1))/(1 − d_l)), without ever writing d^(T+1) down: with
 *
 *     g_l = (T + 1)·ln d + ln(1 − d^−(T+1)) − ln(d − 1),   g_l = ln(T + 1) for d = 1
 *
 * the second term is ln Σ exp g_l.
 *
 * @param widths d_l of every block. @param tokens T.
 */
export function separationRank(widths: readonly number[], tokens: number): number {
  const terms = widths.map((d) => {
    if (d === 1) return Math.log(tokens + 1);
    const power = (tokens + 1) * Math.log(d);
    return power + Math.log1p(-Math.exp(-power)) - Math.log(d - 1);
  });
  const most = Math.max(...terms);
  const sum = terms.reduce((total, term) => total + Math.exp(term - most), 0);
  return Math.log(widths.reduce((total, d) => total + d, 0)) + most + Math.log(sum);
}

/** Whose width d_l is: the paper says that of the entire block, and searches that of queries, keys and values. */
type SeptVariant = 'qkv' | undefined;

export const sept = defineProxy({
  name: 'sept',
  title: 'SEPT',
  paper: 'ETAS: zero-shot transformer architecture search via network trainability and expressivity, Eq. 25',
  formula: 'ln(Σ_l d_l) + ln(Σ_l (1 − d_l^(T+1))/(1 − d_l)), d_l the width of block l, T tokens',
  better: 'higher',
  scale: 'raw',
  needs: { weights: false, samples: 0, batches: 0, labels: false, gradients: false },
  variants: { qkv: 'd_l is the total width of all heads, not the width of the residual stream' },
  elsewhere:
    'blocks are found by their attention; a network without attention is an error; T is the number of tokens of the first block',
  score: async (subject, variant) => {
    const { blocks, tokens } = explainBlocks(subject);
    const widths = blocks.map((block) => (variant === 'qkv' ? block.qkvWidth : block.width));
    return { value: separationRank(widths, tokens), details: { tokens, widths, blocks } };
  },
});

/** The blocks that were found, and the tokens of the first: what SEPT is made of. */
export function explainBlocks(subject: Subject): {
  readonly tokens: number;
  readonly blocks: readonly AttentionBlock[];
} {
  const blocks = findBlocks(subject);
  const [first] = blocks;
  if (first) return { tokens: first.tokens, blocks };
  throw new AuspexError('PROXY_NO_BLOCKS', 'the network has no attention, so it has no transformer blocks', {
    hint: 'sept is for transformers only',
  });
}

/**
 * SEPT of an architecture without its graph; undefined for spaces that are no transformers.
 *
 * @param options.resolution tokens of a text or the side of an image; the space's own unless told.
 *
 * @example
 * septOf(ltsGpt2, ltsGpt2.parse('512:4:e256:k4:i1536,2048,1088,4096:h4,8,2,8'));
 */
export function septOf(
  space: AnySpace,
  arch: unknown,
  { variant, resolution }: { readonly variant?: SeptVariant; readonly resolution?: number } = {},
): number | undefined {
  const sizes = space.transformerSizes?.(arch, resolution ?? space.defaults.resolution);
  if (sizes === undefined) return undefined;
  return separationRank(variant === 'qkv' ? sizes.qkvWidths : sizes.widths, sizes.tokens);
}
