// FlexAttention of ai.onnx.preview: softmax(score_mod(Q Kᵀ · scale)) V over Q (B, Nq, S, H), K (B, N, T, H) and
// V (B, N, T, Hv) gives (B, Nq, S, Hv). Its subgraphs change scores and probabilities one by one and keep
// their shape, so they decide nothing here, and their own arithmetic is not counted.
import { type Dim, isKnown } from '../../../graph/dim.js';
import { TensorType } from '../../../graph/types.js';
import { expectShape, shapeOfRank } from '../../arguments.js';
import { counted } from '../../cost.js';
import type { Call, Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { type AttentionSizes, DOT_PRODUCT_RULE, dotProductCost } from './dot-product.js';

type Four = readonly [Dim, Dim, Dim, Dim];

function attentionSizes(call: Call): AttentionSizes | undefined {
  const [q, k, v] = [0, 1, 2].map((i) => shapeOfRank(call, i, 4) as Four | undefined);
  if (q === undefined || k === undefined || v === undefined) return undefined;
  const [batch, heads, queries, headSize] = q;
  const [, keyHeads, keys] = k;
  expectShape(call, 1, 'the keys', [batch, undefined, undefined, headSize]);
  expectShape(call, 2, 'the values', [batch, keyHeads, keys, undefined]);
  if (isKnown(heads) && isKnown(keyHeads) && (keyHeads === 0 || heads % keyHeads !== 0)) {
    call.fail(`${heads} query heads cannot share ${keyHeads} key heads equally`);
  }
  return { batch, heads, queries, keys, headSize, valueHeadSize: v[3] };
}

const FlexAttention: Operator = {
  infer: (call) => {
    const sizes = attentionSizes(call);
    const shape = sizes && [sizes.batch, sizes.heads, sizes.queries, sizes.valueHeadSize];
    return [new TensorType(call.dtype(0), shape)];
  },
  cost: counted(DOT_PRODUCT_RULE, (call) => {
    const sizes = attentionSizes(call);
    return sizes && dotProductCost(sizes);
  }),
  traits: { attention: true },
};

export const flexAttentionOperators: OperatorTable = { 'ai.onnx.preview.FlexAttention': FlexAttention };
