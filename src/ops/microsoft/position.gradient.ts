// What rotary embeddings are made of, to differentiate them.
import type { Value } from '../build.js';
import { range } from '../families/layers/dot-product.gradient.js';
import { rotate, rotateTokens } from '../families/layers/rotary.gradient.js';
import type { Decomposition } from '../gradient.js';

/** Tokens (B, S, N·H) or heads (B, N, S, H); positions (B, S), or the one (1) that the first token has. */
export const rotaryEmbeddingParts: Decomposition = (node) => {
  const { builder, call } = node;
  const x = node.input(0);
  if (call.int('is_packed_batching', 0) !== 0)
    call.fail('the gradient of packed batches is not supported', 'GRADIENT_UNSUPPORTED');
  if (call.float('scale', 1) !== 1)
    call.fail('the gradient with a scale is not supported', 'GRADIENT_UNSUPPORTED');
  const given = node.input(1);
  const positions = given.rank === 1 ? range(builder, x.length(-2)).add(given) : given;
  const [cos, sin] = [node.input(2).gather(positions), node.input(3).gather(positions)];
  const isInterleaved = call.int('interleaved', 0) !== 0;
  if (x.rank === 4) {
    const across = (angles: Value): Value => angles.unsqueeze([angles.rank - 2]);
    return [rotate(x, { cos: across(cos), sin: across(sin) }, isInterleaved)];
  }
  const isPartial = call.int('rotary_embedding_dim', 0) > 0;
  const heads = isPartial ? call.int('num_heads', 1) : x.length(-1) / (2 * cos.length(-1));
  return [rotateTokens(x, heads, { cos, sin }, isInterleaved)];
};
