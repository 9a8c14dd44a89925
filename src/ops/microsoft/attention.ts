// Attention that holds the projections of queries, keys and values in itself: X (B, S, D) times
// W (D, 3·hidden), split into heads, then dot-product attention. Keys and values of earlier tokens come in as
// `past` (2, B, N, P, H) and go out, with the new ones behind them, as `present`.
import { add, type Dim, isKnown, multiply, sum } from '../../graph/dim.js';
import type { DataType } from '../../graph/dtype.js';
import { type Shape, TensorType, type ValueType } from '../../graph/types.js';
import { optionalShape, partOf, positiveInt, shapeOfRank } from '../arguments.js';
import { counted, times, total } from '../cost.js';
import {
  type AttentionSizes,
  DOT_PRODUCT_RULE,
  dotProductCost,
  projectedCost,
} from '../families/layers/dot-product.js';
import type { Call, InputRoles, Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { flag, lengthInput, withLast } from './arguments.js';
import { qAttentionFloat } from './attention.float.js';
import { attentionDecompositions } from './attention.gradient.js';

/** Hidden sizes of the three projections. */
interface HiddenSizes {
  readonly query: Dim;
  readonly value: Dim;
  /** Columns of the merged weights. */
  readonly all: Dim;
}

/** Taken from `qkv_hidden_sizes`, else three equal parts of the merged weights' columns. */
function hiddenSizes(call: Call, input: Shape | undefined): HiddenSizes | undefined {
  const weights = shapeOfRank(call, 1, 2);
  const columns = weights?.[1] ?? optionalShape(call, 2, 1)?.[0];
  const inner = input?.at(-1);
  if (weights !== undefined && isKnown(inner) && isKnown(weights[0]) && inner !== weights[0]) {
    call.fail(`weights of shape [${weights}] do not fit an input of shape [${input}]`);
  }
  const given = call.ints('qkv_hidden_sizes');
  if (given === undefined || given.length === 0) {
    if (columns === undefined) return undefined;
    const query = partOf(call, columns, 3, 'the size of the merged weights');
    return { query, value: query, all: columns };
  }
  const [query, key, value] = given;
  const all = sum(given);
  const whole = given.every((size) => Number.isSafeInteger(size) && size > 0);
  if (given.length !== 3 || !whole || query !== key || (isKnown(columns) && columns !== all)) {
    const which = columns === undefined ? 'the weights' : `weights with ${columns} columns`;
    call.fail(`qkv_hidden_sizes [${given}] do not fit ${which}`, 'OP_ATTRIBUTE');
  }
  return { query: query!, value: value!, all };
}

/** The input with the length of a past state whose buffer is larger; some operators have none. */
type PastLength = 'past_sequence_length' | undefined;

/** Length of the keys before this call, and of the buffer that goes out. */
function cacheLengths(call: Call, length: PastLength, sequence: Dim): { keys: Dim; buffer: Dim } | undefined {
  if (!call.has('past')) return { keys: sequence, buffer: sequence };
  const past = shapeOfRank(call, 'past', 5);
  if (past === undefined) return undefined;
  const buffer = past[3]!;
  if (call.int('past_present_share_buffer', 0) !== 1) {
    const both = add(buffer, sequence);
    return { keys: both, buffer: both };
  }
  const filled = length && lengthInput(call, length);
  return { keys: filled === undefined ? buffer : add(filled, sequence), buffer };
}

interface SelfAttention {
  readonly input: Shape;
  readonly hidden: HiddenSizes;
  readonly sizes: AttentionSizes | undefined;
  readonly present: Shape | undefined;
}

function selfAttention(call: Call, length: PastLength): SelfAttention | undefined {
  const heads = positiveInt(call, 'num_heads');
  const input = shapeOfRank(call, 0, 3);
  const hidden = hiddenSizes(call, input);
  if (input === undefined || hidden === undefined) return undefined;
  const [batch, sequence] = input as [Dim, Dim, Dim];
  const headSize = partOf(call, hidden.query, heads, 'the hidden size');
  const valueHeadSize = partOf(call, hidden.value, heads, 'the hidden size of the values');
  const lengths = cacheLengths(call, length, sequence);
  return {
    input,
    hidden,
    sizes: lengths && { batch, heads, queries: sequence, keys: lengths.keys, headSize, valueHeadSize },
    present: lengths && [2, batch, heads, lengths.buffer, headSize],
  };
}

/** Attention and its relatives of equal layout: input 0, merged weights 1, bias 2. */
function mergedWeights(length: PastLength, dtypeOf: string, inputRoles: InputRoles): Operator {
  return {
    infer: (call) => {
      const attention = selfAttention(call, length);
      const dtype = call.dtype(dtypeOf);
      const output = attention && withLast(attention.input, attention.hidden.value);
      return [new TensorType(dtype, output), new TensorType(dtype, attention?.present)];
    },
    cost: counted(
      `MACs tokens·inputSize·(columns of the weights) and 1 FLOP per projected element for the bias; ${DOT_PRODUCT_RULE}`,
      (call) => {
        const attention = selfAttention(call, length);
        if (attention === undefined) return undefined;
        const { input, hidden, sizes } = attention;
        return projectedCost(sizes, multiply(input[0]!, input[1]!), input[2], hidden.all);
      },
    ),
    roles: inputRoles,
    traits: { attention: true },
  };
}

const Attention = mergedWeights('past_sequence_length', 'input', {
  weight: ['weights'],
  bias: ['bias'],
  setting: ['mask_index', 'past_sequence_length'],
});
const DecoderMaskedSelfAttention = mergedWeights('past_sequence_length', 'input', {
  weight: ['weights'],
  bias: ['bias'],
  setting: ['mask_index', 'past_sequence_length', 'beam_width', 'cache_indirection'],
});

/** The input is quantised; scales, biases and what comes out are not. */
const QAttention = mergedWeights(undefined, 'input_scale', {
  data: ['input', 'past'],
  weight: ['weight'],
  bias: ['bias'],
  others: 'setting',
});

/** Padding is left out: tokens (count, D); `token_offset` (B, S) tells where each of them belongs. */
const PackedAttention: Operator = {
  infer: (call) => {
    positiveInt(call, 'num_heads');
    const input = shapeOfRank(call, 0, 2);
    const hidden = hiddenSizes(call, input);
    return [new TensorType(call.dtype(0), input && hidden && withLast(input, hidden.value))];
  },
  cost: counted(
    `MACs tokens·inputSize·(columns of the weights) and 1 FLOP per projected element for the bias; attention as if the sequences were padded: ${DOT_PRODUCT_RULE}`,
    (call) => {
      const heads = positiveInt(call, 'num_heads');
      const input = shapeOfRank(call, 0, 2);
      const hidden = hiddenSizes(call, input);
      const offsets = shapeOfRank(call, 3, 2);
      if (hidden === undefined || offsets === undefined) return undefined;
      const [batch, length] = offsets as [Dim, Dim];
      const sizes: AttentionSizes = {
        batch,
        heads,
        queries: length,
        keys: length,
        headSize: partOf(call, hidden.query, heads, 'the hidden size'),
        valueHeadSize: partOf(call, hidden.value, heads, 'the hidden size of the values'),
      };
      return projectedCost(sizes, input?.[0], input?.[1], hidden.all);
    },
  ),
  roles: { weight: ['weights'], bias: ['bias'], setting: ['token_offset', 'cumulative_sequence_length'] },
  traits: { attention: true },
};

/** int8 with one weight matrix (D, hidden) each for queries, keys and values at inputs 5, 6, 7. */
const QOrderedAttention: Operator = {
  infer: (call) => {
    const input = shapeOfRank(call, 0, 3);
    const value = shapeOfRank(call, 7, 2);
    return [new TensorType(call.dtype(0), input && value && withLast(input, value[1]!))];
  },
  cost: counted(
    `MACs tokens·inputSize·(columns of the three weights) and 1 FLOP per projected element for the bias; ${DOT_PRODUCT_RULE}`,
    (call) => {
      const heads = positiveInt(call, 'num_heads');
      const input = shapeOfRank(call, 0, 3);
      const columns = [5, 6, 7].map((i) => shapeOfRank(call, i, 2)?.[1]);
      const [query, , value] = columns;
      if (input === undefined || query === undefined || value === undefined) return undefined;
      const [batch, length] = input as [Dim, Dim, Dim];
      const sizes: AttentionSizes = {
        batch,
        heads,
        queries: length,
        keys: length,
        headSize: partOf(call, query, heads, 'the hidden size'),
        valueHeadSize: partOf(call, value, heads, 'the hidden size of the values'),
      };
      return projectedCost(sizes, multiply(batch, length), input[2], total(...columns));
    },
  ),
  roles: {
    data: ['input'],
    weight: ['Q_weight', 'K_weight', 'V_weight'],
    bias: ['Q_bias', 'K_bias', 'V_bias'],
    others: 'setting',
  },
  traits: { attention: true },
};

/** Tokens see `window` neighbours on either side; the few global ones, whose number is data, are not counted. */
function longformer(): Operator {
  return {
    infer: (call) => [new TensorType(call.dtype(0), shapeOfRank(call, 0, 3))],
    cost: counted(
      `MACs tokens·inputSize·(columns of the weights), 1 FLOP per projected element for the bias, and every query against 2·window + 1 keys; global tokens are not counted; ${DOT_PRODUCT_RULE}`,
      (call) => {
        const heads = positiveInt(call, 'num_heads');
        const input = shapeOfRank(call, 0, 3);
        if (input === undefined) return undefined;
        const [batch, queries, hidden] = input as [Dim, Dim, Dim];
        const headSize = partOf(call, hidden, heads, 'the hidden size');
        const keys = 2 * positiveInt(call, 'window') + 1;
        const sizes = { batch, heads, queries, keys, headSize, valueHeadSize: headSize };
        return projectedCost(sizes, multiply(batch, queries), hidden, shapeOfRank(call, 'weight', 2)?.[1]);
      },
    ),
    roles: {
      data: ['input'],
      weight: ['weight', 'global_weight'],
      bias: ['bias', 'global_bias'],
      others: 'setting',
    },
    traits: { attention: true },
  };
}

const LongformerAttention = longformer();

const QOrderedLongformerAttention = longformer();

/**
 * Attention of an encoder-decoder, with boolean inputs that choose what it does: `static_kv` for keys of
 * the encoder instead of the query's own, `use_past` to take them, or the earlier ones, from the cache.
 */
interface DecoderAttentionParts {
  readonly sizes: AttentionSizes;
  /** Positions that are projected to new keys and values. */
  readonly projected: Dim;
}

function decoderAttention(call: Call): DecoderAttentionParts | undefined {
  const heads = positiveInt(call, 'num_heads');
  const query = shapeOfRank(call, 0, 3);
  const source = shapeOfRank(call, 1, 3);
  const cached = optionalShape(call, 'key_cache', 4);
  const [staticKeys, usePast] = [flag(call, 'static_kv'), flag(call, 'use_past')];
  if (query === undefined || staticKeys === undefined || usePast === undefined) return undefined;
  const [queries, batch, hidden] = query as [Dim, Dim, Dim];
  const fresh = staticKeys ? source?.[0] : queries;
  const projected = staticKeys && usePast ? 0 : fresh;
  const keys = usePast ? total(cached?.[2], staticKeys ? 0 : queries) : fresh;
  if (projected === undefined || keys === undefined) return undefined;
  const headSize = partOf(call, hidden, heads, 'the hidden size');
  return { sizes: { batch, heads, queries, keys, headSize, valueHeadSize: headSize }, projected };
}

const DecoderAttention: Operator = {
  infer: (call): ValueType[] => {
    const heads = positiveInt(call, 'num_heads');
    const dtype: DataType | undefined = call.dtype(0);
    const query = shapeOfRank(call, 0, 3);
    if (query === undefined) return [0, 1, 2].map(() => new TensorType(dtype, undefined));
    const headSize = partOf(call, query[2]!, heads, 'the hidden size');
    const keys = decoderAttention(call)?.sizes.keys;
    const cache = (output: number) =>
      new TensorType(dtype, [query[1]!, heads, keys ?? call.unknownSize(output, 2), headSize]);
    return [new TensorType(dtype, query), cache(1), cache(2)];
  },
  cost: counted(
    `MACs to project the queries, and keys and values that are not cached; 1 FLOP per projected element for the bias; ${DOT_PRODUCT_RULE}`,
    (call) => {
      const parts = decoderAttention(call);
      if (parts === undefined) return undefined;
      const { sizes, projected } = parts;
      const hidden = times(sizes.heads, sizes.headSize);
      const elements = times(sizes.batch, hidden, total(sizes.queries, times(2, projected)));
      const attention = dotProductCost(sizes);
      return {
        macs: total(times(elements, hidden), attention.macs),
        otherFlops: total(elements, attention.otherFlops),
      };
    },
  ),
  roles: {
    data: ['query', 'key', 'key_cache', 'value_cache'],
    weight: ['q_weight', 'kv_weight'],
    bias: ['bias'],
    others: 'setting',
  },
  traits: { attention: true },
};

export const attentionOperators: OperatorTable = {
  Attention: { ...Attention, decompose: attentionDecompositions.Attention },
  DecoderAttention,
  DecoderMaskedSelfAttention,
  LongformerAttention,
  PackedAttention,
  QAttention: { ...QAttention, float: qAttentionFloat },
  QOrderedAttention,
  QOrderedLongformerAttention,
};
