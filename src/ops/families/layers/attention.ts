// Scaled dot-product attention, softmax(Q Kᵀ · scale + mask) V, over queries (B, Nq, S, H), keys (B, N, T, H)
// and values (B, N, T, Hv), or with the heads side by side in the last dimension: (B, S, Nq·H) and so on. Each
// of the N key heads serves Nq/N query heads. Rotary positions for queries and keys.
import { add, type Dim, isKnown, multiply } from '../../../graph/dim.js';
import { type Shape, TensorType, type ValueType } from '../../../graph/types.js';
import {
  expectBroadcastTo,
  expectShape,
  optionalShape,
  partOf,
  positiveInt,
  shapeOfRank,
} from '../../arguments.js';
import { counted, times } from '../../cost.js';
import type { Call, Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { attentionParts } from './attention.gradient.js';
import { DOT_PRODUCT_RULE, dotProductCost } from './dot-product.js';
import { rotaryParts } from './rotary.gradient.js';

/** One of queries, keys and values as (batch, heads, length, size). */
interface Heads {
  readonly batch: Dim;
  readonly heads: Dim;
  readonly length: Dim;
  readonly size: Dim;
}

function headsOf(call: Call, index: number, attribute: string): Heads | undefined {
  const shape = shapeOfRank(call, index, 3, 4);
  if (shape === undefined) return undefined;
  if (shape.length === 4) {
    const [batch, heads, length, size] = shape as [Dim, Dim, Dim, Dim];
    return { batch, heads, length, size };
  }
  const [batch, length, hidden] = shape as [Dim, Dim, Dim];
  const heads = positiveInt(call, attribute);
  return { batch, heads, length, size: partOf(call, hidden, heads, `the hidden size of input ${index}`) };
}

interface Attention {
  readonly queries: Heads;
  readonly keys: Heads;
  readonly values: Heads;
  /** Keys of the cache and new ones. */
  readonly totalLength: Dim;
}

function readAttention(call: Call): Attention | undefined {
  const queries = headsOf(call, 0, 'q_num_heads');
  const keys = headsOf(call, 1, 'kv_num_heads');
  const values = headsOf(call, 2, 'kv_num_heads');
  if (queries === undefined || keys === undefined || values === undefined) return undefined;
  return { queries, keys, values, totalLength: add(pastLength(call), keys.length) };
}

function pastLength(call: Call): Dim {
  if (!call.has('past_key')) return 0;
  return optionalShape(call, 4, 4)?.[2] ?? optionalShape(call, 5, 4)?.[2] ?? call.unknownSize(1, 2);
}

function checkAttention(call: Call, { queries, keys, values, totalLength }: Attention): void {
  const { heads, length } = queries;
  const ranks = [0, 1, 2].map((i) => call.shape(i)?.length);
  if (new Set(ranks).size !== 1) call.fail(`queries, keys and values have ranks ${ranks.join(', ')}`);
  const group = (what: Heads, width: Dim): Shape =>
    ranks[0] === 4
      ? [queries.batch, what.heads, keys.length, width]
      : [queries.batch, keys.length, multiply(what.heads, width)];
  expectShape(call, 1, 'the keys', group(keys, queries.size));
  expectShape(call, 2, 'the values', group(keys, values.size));
  if (isKnown(heads) && isKnown(keys.heads) && heads % keys.heads !== 0) {
    call.fail(`${heads} query heads cannot share ${keys.heads} key heads equally`);
  }
  const mask = call.optionalTensor(3)?.shape;
  // The mask may end before the keys do; what it leaves out is not attended to.
  const covered = mask?.at(-1) ?? totalLength;
  expectBroadcastTo(call, 3, 'the mask', [queries.batch, heads, length, covered]);
  expectShape(call, 4, 'the past keys', [queries.batch, keys.heads, undefined, queries.size]);
  expectShape(call, 5, 'the past values', [queries.batch, keys.heads, undefined, values.size]);
}

const Attention: Operator = {
  infer: (call): ValueType[] => {
    const dtype = call.dtype(0);
    const attention = readAttention(call);
    const [keyDtype, valueDtype] = [call.dtype(1), call.dtype(2)];
    if (attention === undefined) {
      return [dtype, keyDtype, valueDtype, dtype].map((type) => new TensorType(type, undefined));
    }
    checkAttention(call, attention);
    const { queries, keys, values, totalLength } = attention;
    const { batch, heads, length } = queries;
    const separate = call.shape(0)?.length === 4;
    return [
      new TensorType(
        dtype,
        separate ? [batch, heads, length, values.size] : [batch, length, multiply(heads, values.size)],
      ),
      new TensorType(keyDtype, [batch, keys.heads, totalLength, keys.size]),
      new TensorType(valueDtype, [batch, keys.heads, totalLength, values.size]),
      new TensorType(dtype, [batch, heads, length, totalLength]),
    ];
  },
  cost: counted(DOT_PRODUCT_RULE, (call) => {
    const attention = readAttention(call);
    if (attention === undefined) return undefined;
    const { queries, values, totalLength } = attention;
    return dotProductCost({
      batch: queries.batch,
      heads: queries.heads,
      queries: queries.length,
      keys: totalLength,
      headSize: queries.size,
      valueHeadSize: values.size,
    });
  }),
  roles: { setting: ['attn_mask', 'nonpad_kv_seqlen'] },
  decompose: attentionParts,
  traits: { attention: true },
};

/** Rotates pairs of elements by angles that grow with the position (arXiv:2104.09864). */
const RotaryEmbedding: Operator = {
  infer: (call) => {
    const shape = shapeOfRank(call, 0, 3, 4);
    if (shape) rotatedElements(call, shape);
    return [new TensorType(call.dtype(0), shape)];
  },
  cost: counted('3 per rotated element (two products, one sum)', (call) => {
    const shape = shapeOfRank(call, 0, 3, 4);
    return shape && { otherFlops: times(rotatedElements(call, shape), 3) };
  }),
  roles: { setting: ['cos_cache', 'sin_cache', 'position_ids'] },
  decompose: rotaryParts,
};

/** All elements, or the first `rotary_embedding_dim` of every head. */
function rotatedElements(call: Call, shape: Shape): Dim {
  const heads = headsOf(call, 0, 'num_heads')!;
  const partial = call.int('rotary_embedding_dim', 0);
  if (partial < 0 || partial % 2 !== 0 || (isKnown(heads.size) && partial > heads.size)) {
    call.fail(`rotary_embedding_dim ${partial} does not fit heads of size ${heads.size} in shape [${shape}]`);
  }
  const rotated = partial === 0 ? heads.size : partial;
  return [heads.batch, heads.heads, heads.length, rotated].reduce(multiply);
}

export const attentionOperators: OperatorTable = { Attention, RotaryEmbedding };
