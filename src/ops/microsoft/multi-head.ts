// Attention of queries, keys and values that were projected before: MultiHeadAttention with as many key heads
// as query heads, and the grouped kinds with fewer. Three layouts occur: tokens with all heads in one size
// (B, S, N·H), heads apart (B, N, S, H), and queries, keys, values packed into one tensor.
import { add, compare, type Dim, isKnown, maximum, multiply } from '../../graph/dim.js';
import { type Shape, TensorType, type ValueType } from '../../graph/types.js';
import { optionalShape, partOf, positiveInt, shapeOfRank } from '../arguments.js';
import { counted } from '../cost.js';
import { type AttentionSizes, DOT_PRODUCT_RULE, dotProductCost } from '../families/layers/dot-product.js';
import type { Call, InputRoles, Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { lengthInput, withLast } from './arguments.js';
import { attentionDecompositions as parts } from './attention.gradient.js';

/** What an operator makes of its inputs. */
interface MultiHead {
  readonly output: Shape;
  readonly sizes: AttentionSizes | undefined;
  readonly presentKey?: Shape | undefined;
  readonly presentValue?: Shape | undefined;
}

function costOf(read: (call: Call) => MultiHead | undefined, remark = ''): Operator['cost'] {
  return counted(DOT_PRODUCT_RULE + remark, (call) => {
    const sizes = read(call)?.sizes;
    return sizes && dotProductCost(sizes);
  });
}

// As many key heads as query heads --------------------------------------------------------------------------

/** Batch, length and size of the heads of keys or values, in any of the layouts. */
function keyOrValue(call: Call, shape: Shape, heads: number): { length: Dim; headSize: Dim } {
  if (shape.length === 3) {
    return { length: shape[1]!, headSize: partOf(call, shape[2]!, heads, 'the hidden size') };
  }
  // Heads apart (B, N, L, H), or packed with the other one (B, L, N, 2, H).
  return shape.length === 4
    ? { length: shape[2]!, headSize: shape[3]! }
    : { length: shape[1]!, headSize: shape[4]! };
}

function multiHead(call: Call): MultiHead | undefined {
  const heads = positiveInt(call, 'num_heads');
  const query = shapeOfRank(call, 0, 3, 5);
  if (query === undefined) return undefined;
  const [batch, queries] = query as [Dim, Dim];
  let headSize: Dim;
  let fresh: Dim;
  let valueHeadSize: Dim;
  if (!call.has('key')) {
    // All three packed: (B, S, N, 3, H), or (B, S, 3·N·H) in a decoder.
    headSize = query.length === 5 ? query[4]! : partOf(call, query[2]!, 3 * heads, 'the packed size');
    [fresh, valueHeadSize] = [queries, headSize];
  } else {
    const key = shapeOfRank(call, 'key', 3, 4, 5);
    const value = call.has('value') ? shapeOfRank(call, 'value', 3, 4) : key;
    if (query.length !== 3) call.fail(`a query of shape [${query}] holds keys already, but keys are given`);
    if (key === undefined || value === undefined) return undefined;
    headSize = partOf(call, query[2]!, heads, 'the hidden size');
    const keys = keyOrValue(call, key, heads);
    if (isKnown(keys.headSize) && isKnown(headSize) && keys.headSize !== headSize) {
      call.fail(`keys of shape [${key}] do not fit queries of shape [${query}] with ${heads} heads`);
    }
    fresh = keys.length;
    valueHeadSize = keyOrValue(call, value, heads).headSize;
  }
  const lengths = cachedLengths(call, fresh);
  const present = (size: Dim): Shape | undefined => lengths && [batch, heads, lengths.buffer, size];
  return {
    output: [batch, queries, multiply(heads, valueHeadSize)],
    sizes: lengths && { batch, heads, queries, keys: lengths.keys, headSize, valueHeadSize },
    presentKey: present(headSize),
    presentValue: present(valueHeadSize),
  };
}

/** A past whose filled length is an input lies in a buffer that is large enough for what follows. */
function cachedLengths(call: Call, fresh: Dim): { keys: Dim; buffer: Dim } | undefined {
  if (!call.has('past_key')) return { keys: fresh, buffer: fresh };
  const past = shapeOfRank(call, 'past_key', 4);
  if (past === undefined) return undefined;
  const buffer = past[2]!;
  const shared = call.has('past_sequence_length') || call.int('past_present_share_buffer', 0) === 1;
  if (!shared) {
    const both = add(buffer, fresh);
    return { keys: both, buffer: both };
  }
  const filled = lengthInput(call, 'past_sequence_length');
  return { keys: filled === undefined ? buffer : add(filled, fresh), buffer };
}

function multiHeadOperator(inputRoles: InputRoles): Operator {
  return {
    infer: (call): ValueType[] => {
      const parts = multiHead(call);
      const dtype = call.dtype(0);
      const sizes = parts?.sizes;
      return [
        new TensorType(dtype, parts?.output),
        new TensorType(dtype, parts?.presentKey),
        new TensorType(dtype, parts?.presentValue),
        new TensorType(dtype, sizes && [sizes.batch, sizes.heads, sizes.queries, sizes.keys]),
      ];
    },
    cost: costOf(multiHead),
    roles: inputRoles,
    traits: { attention: true },
  };
}

const MultiHeadAttention = multiHeadOperator({
  bias: ['bias'],
  setting: ['key_padding_mask', 'past_sequence_length', 'cache_indirection'],
});
const DecoderMaskedMultiHeadAttention = multiHeadOperator({
  bias: ['bias'],
  setting: ['mask_index', 'past_sequence_length', 'beam_width', 'cache_indirection'],
});

/** Without padding: (tokens, N·H), or all three as (tokens, N, 3, H); `token_offset` is (B, S). */
function packedMultiHead(call: Call): MultiHead | undefined {
  const heads = positiveInt(call, 'num_heads');
  const query = shapeOfRank(call, 0, 2, 4);
  if (query === undefined) return undefined;
  const headSize = query.length === 4 ? query[3]! : partOf(call, query[1]!, heads, 'the hidden size');
  const value = call.has('value') ? shapeOfRank(call, 'value', 2)?.[1] : multiply(heads, headSize);
  if (value === undefined) return undefined;
  const offsets = shapeOfRank(call, 'token_offset', 2);
  return {
    output: [query[0]!, value],
    sizes: offsets && {
      batch: offsets[0]!,
      heads,
      queries: offsets[1]!,
      keys: offsets[1]!,
      headSize,
      valueHeadSize: partOf(call, value, heads, 'the hidden size of the values'),
    },
  };
}

const PackedMultiHeadAttention: Operator = {
  infer: (call) => [new TensorType(call.dtype(0), packedMultiHead(call)?.output)],
  cost: costOf(packedMultiHead, '; counted as if the sequences were padded'),
  roles: { bias: ['bias'], setting: ['token_offset', 'cumulative_sequence_length'] },
  traits: { attention: true },
};

// Several query heads share a key head -------------------------------------------------------------------------

/** The size of a head: from the queries alone, or from (…, (N + 2·Nkv)·H) when keys and values are packed in. */
function groupedHeadSize(call: Call, query: Shape, heads: number, keyHeads: number): Dim {
  if (heads % keyHeads !== 0) {
    call.fail(`num_heads ${heads} must be a multiple of kv_num_heads ${keyHeads}`, 'OP_ATTRIBUTE');
  }
  return call.has('key')
    ? partOf(call, query.at(-1)!, heads, 'the hidden size')
    : partOf(call, query.at(-1)!, heads + 2 * keyHeads, 'the packed size');
}

/**
 * The length of the cache that goes out. It grows by the new tokens, unless its buffer already has room for
 * `total`, the longest sequence of the batch.
 */
function grownCache(past: Dim, fresh: Dim, all: Dim | undefined): Dim {
  return all !== undefined && compare(past, all) !== undefined ? maximum(past, all) : add(past, fresh);
}

interface GroupedInputs {
  /** The buffers of past keys and values are also those of the present. */
  readonly inPlace: boolean;
}

function groupedQuery(call: Call, inputs: GroupedInputs): MultiHead | undefined {
  const heads = positiveInt(call, 'num_heads');
  const keyHeads = positiveInt(call, 'kv_num_heads');
  const query = shapeOfRank(call, 0, 3);
  if (query === undefined) return undefined;
  const [batch, queries] = query as [Dim, Dim, Dim];
  const headSize = groupedHeadSize(call, query, heads, keyHeads);
  const fresh = call.has('key') ? shapeOfRank(call, 'key', 3, 4)?.at(-2) : queries;
  const all = lengthInput(call, 'total_sequence_length');
  const present = (input: string): Shape | undefined => {
    const past = optionalShape(call, input, 4);
    if (call.has(input) && past === undefined) return undefined;
    if (past !== undefined && (inputs.inPlace || call.int('sliding_window_cache', 0) === 1)) return past;
    // A 4-bit cache packs two elements into a byte, so its last size is not that of a head.
    const last = past?.[3] ?? headSize;
    const length = past === undefined ? (all ?? fresh) : fresh && grownCache(past[2]!, fresh, all);
    return length === undefined ? undefined : [batch, keyHeads, length, last];
  };
  const presentKey = present('past_key');
  const keys = all ?? presentKey?.[2];
  return {
    output: withLast(query, multiply(heads, headSize)),
    sizes:
      keys === undefined ? undefined : { batch, heads, queries, keys, headSize, valueHeadSize: headSize },
    presentKey,
    presentValue: present('past_value'),
  };
}

function groupedOperator(inputs: GroupedInputs, inputRoles: InputRoles, remark?: string): Operator {
  const read = (call: Call) => groupedQuery(call, inputs);
  return {
    infer: (call): ValueType[] => {
      const parts = read(call);
      const dtype = call.dtype(0);
      const cache = (input: string) => (call.has(input) ? call.dtype(input) : dtype);
      const sizes = parts?.sizes;
      return [
        new TensorType(dtype, parts?.output),
        new TensorType(cache('past_key'), parts?.presentKey),
        new TensorType(cache('past_value'), parts?.presentValue),
        new TensorType(dtype, sizes && [sizes.batch, sizes.heads, sizes.queries, sizes.keys]),
      ];
    },
    cost: costOf(read, remark),
    roles: inputRoles,
    traits: { attention: true },
  };
}

const GroupQueryAttention = groupedOperator(
  { inPlace: false },
  {
    data: ['query', 'key', 'value', 'past_key', 'past_value', 'attention_bias'],
    weight: ['head_sink'],
    scale: ['q_norm_weight', 'k_norm_weight'],
    others: 'setting',
  },
);
const SparseAttention = groupedOperator(
  { inPlace: true },
  { data: ['query', 'key', 'value', 'past_key', 'past_value'], others: 'setting' },
  '; masked blocks are counted too',
);

/** Keys and values lie in blocks of a shared cache; how many of them a token meets is data. */
const PagedAttention: Operator = {
  infer: (call) => {
    const heads = positiveInt(call, 'num_heads');
    const keyHeads = positiveInt(call, 'kv_num_heads');
    const query = shapeOfRank(call, 0, 2);
    const latent = call.string('kv_cache_layout') === 'LATENT' && call.hasAttribute('v_head_size');
    const headSize = () =>
      latent ? positiveInt(call, 'v_head_size') : groupedHeadSize(call, query!, heads, keyHeads);
    const cache = (input: string) => call.optionalTensor(input) ?? new TensorType(undefined, undefined);
    return [
      new TensorType(call.dtype(0), query && withLast(query, multiply(heads, headSize()))),
      new TensorType(cache('key_cache').dtype, cache('key_cache').shape),
      new TensorType(cache('value_cache').dtype, cache('value_cache').shape),
    ];
  },
  cost: counted('not known: the lengths of the cached sequences are data', () => undefined),
  roles: {
    data: ['query', 'key', 'value', 'key_cache', 'value_cache'],
    weight: ['head_sink'],
    scale: ['q_norm_weight', 'k_norm_weight'],
    others: 'setting',
  },
  traits: { attention: true },
};

export const multiHeadOperators: OperatorTable = {
  DecoderMaskedMultiHeadAttention,
  GroupQueryAttention: { ...GroupQueryAttention, decompose: parts.GroupQueryAttention },
  MultiHeadAttention: { ...MultiHeadAttention, decompose: parts.MultiHeadAttention },
  PackedMultiHeadAttention,
  PagedAttention,
  SparseAttention,
};
