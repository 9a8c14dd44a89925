// Attention whose memory is a matrix per head instead of a growing cache: the state S (dk, dv) takes up k ⊗ v
// of each token and answers queries by q·S. The delta rules first subtract what S already holds for k; the
// gated ones let it decay. With it come the causal depthwise convolutions that stand before it.
import { type Dim, maximum, multiply, product, sum } from '../../graph/dim.js';
import { type Shape, TensorType, type ValueType } from '../../graph/types.js';
import { optionalShape, partOf, positiveInt, shapeOfRank } from '../arguments.js';
import { counted, perOutput, times, total } from '../cost.js';
import type { Call, Operator, OperatorCost } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { countAttribute } from './arguments.js';

interface Recurrence {
  /** Tokens of the whole batch. */
  readonly tokens: Dim;
  /** Heads that have a state each. */
  readonly stateHeads: Dim;
  /** Heads that are read out. */
  readonly outputHeads: Dim;
  readonly keySize: Dim;
  readonly valueSize: Dim;
}

const RECURRENCE_RULE =
  'MACs per token and state element: 1 to write, 1 per output head to read, 1 more for a delta rule; 1 FLOP per token and state element for a gated rule';

function recurrenceCost(call: Call, recurrence: Recurrence | undefined): OperatorCost | undefined {
  if (recurrence === undefined) return undefined;
  const rule = call.string('update_rule', 'gated_delta');
  const { tokens, stateHeads, outputHeads, keySize, valueSize } = recurrence;
  const state = product([tokens, keySize, valueSize]);
  const writes = multiply(stateHeads, rule.endsWith('delta') ? 2 : 1);
  return {
    macs: times(state, total(writes, outputHeads)),
    otherFlops: rule.startsWith('gated') ? multiply(state, stateHeads) : 0,
  };
}

/** A state with its window of the last few tokens in front, when there is one. */
function windowed(call: Call, state: Shape): Shape {
  const window = countAttribute(call, 'state_window');
  return window === 0 ? state : [window, ...state];
}

/** Queries (B, T, Hq·dk), keys (B, T, Hkv·dk), values (B, T, Hkv·dv); the state is (B, Hkv, dk, dv). */
function packedHeads(call: Call): (Recurrence & { batch: Dim; length: Dim }) | undefined {
  const [queryHeads, stateHeads] = [positiveInt(call, 'q_num_heads'), positiveInt(call, 'kv_num_heads')];
  const query = shapeOfRank(call, 0, 3);
  const value = shapeOfRank(call, 2, 3);
  if (query === undefined || value === undefined) return undefined;
  const [batch, length] = query as [Dim, Dim, Dim];
  return {
    batch,
    length,
    tokens: multiply(batch, length),
    stateHeads,
    outputHeads: Math.max(queryHeads, stateHeads),
    keySize: partOf(call, query[2]!, queryHeads, 'the size of the queries'),
    valueSize: partOf(call, value[2]!, stateHeads, 'the size of the values'),
  };
}

const LinearAttention: Operator = {
  infer: (call): ValueType[] => {
    const parts = packedHeads(call);
    const dtype = call.dtype(0);
    const stateDtype = call.has(3) ? call.dtype(3) : dtype;
    if (parts === undefined) return [new TensorType(dtype, undefined), new TensorType(stateDtype, undefined)];
    const { batch, length, stateHeads, outputHeads, keySize, valueSize } = parts;
    return [
      new TensorType(dtype, [batch, length, multiply(outputHeads, valueSize)]),
      new TensorType(stateDtype, windowed(call, [batch, stateHeads, keySize, valueSize])),
    ];
  },
  cost: counted(RECURRENCE_RULE, (call) => recurrenceCost(call, packedHeads(call))),
};

interface HeadsApart extends Recurrence {
  /** The sizes that count tokens. */
  readonly lead: Shape;
  readonly keyHeads: Dim;
}

/** Queries, keys (…, Hk, dk) and values (…, Hv, dv) token by token; the state is (B, Hv, dv, dk). */
function headsApart(call: Call): HeadsApart | undefined {
  const query = shapeOfRank(call, 0, 3, 4);
  const key = shapeOfRank(call, 1, 3, 4);
  const value = shapeOfRank(call, 2, 3, 4);
  if (query === undefined || key === undefined || value === undefined) return undefined;
  const lead = query.slice(0, -2);
  const stateHeads = value.at(-2)!;
  return {
    lead,
    tokens: product(lead),
    keyHeads: key.at(-2)!,
    stateHeads,
    outputHeads: maximum(query.at(-2)!, stateHeads),
    keySize: query.at(-1)!,
    valueSize: value.at(-1)!,
  };
}

const GatedDeltaNet: Operator = {
  infer: (call): ValueType[] => {
    const parts = headsApart(call);
    const output = parts && [...parts.lead, parts.outputHeads, parts.valueSize];
    // Prefix sums of the lengths have one entry more than there are sequences.
    const batch = optionalShape(call, 6, 4)?.[0] ?? total(optionalShape(call, 3, 1)?.[0], -1);
    const known = parts !== undefined && batch !== undefined;
    const capacity = countAttribute(call, 'state_update_capacity');
    const state = known ? [batch, parts.stateHeads, parts.valueSize, parts.keySize] : undefined;
    const update = known ? [batch, multiply(factorsOf(parts), capacity)] : undefined;
    return [
      new TensorType(call.dtype(0), output),
      new TensorType('float32', state),
      new TensorType('float32', update),
    ];
  },
  cost: counted(RECURRENCE_RULE, (call) => recurrenceCost(call, headsApart(call))),
  roles: {
    weight: ['a_log'],
    bias: ['dt_bias'],
    setting: ['cu_seqlens', 'capture_count', 'state_update_active'],
  },
};

/** What a token changes in the states: the decay of each, its key, and the change along it. */
function factorsOf({ stateHeads, keyHeads, keySize, valueSize }: HeadsApart): Dim {
  return sum([stateHeads, multiply(keyHeads, keySize), multiply(stateHeads, valueSize)]);
}

const LinearAttentionGate: Operator = {
  infer: (call) => {
    const { dtype, shape } = call.tensor(0);
    return [new TensorType(dtype, shape), new TensorType(dtype, shape)];
  },
  cost: counted('5 per element for the decay, 4 per element for the update rate', (call) => ({
    otherFlops: times(call.inputSize(0), call.has(3) ? 9 : 5),
  })),
  roles: { bias: ['dt_bias'], scale: ['decay_scale'] },
};

/** Per output element one MAC for each tap; 1 FLOP for the bias, 5 for a fused SiLU. */
function convolutionCost(call: Call, bias: number): OperatorCost | undefined {
  const kernel = shapeOfRank(call, 1, 3, 4, 5);
  const size = call.outputSize();
  const activation = call.string('activation', 'none') === 'none' ? 0 : 5;
  return {
    macs: kernel && times(size, ...kernel.slice(2)),
    otherFlops: times(size, (call.has(bias) ? 1 : 0) + activation),
  };
}

const CONVOLUTION_RULE =
  'MACs output elements·taps; 1 FLOP per output element for a bias and 5 for an activation';

/** How many samples a causal convolution carries over: (taps − 1)·dilation. */
function carried(call: Call, taps: Dim): Dim {
  return multiply(total(taps, -1)!, positiveInt(call, 'dilation'));
}

const CausalConvWithState: Operator = {
  infer: (call): ValueType[] => {
    const { dtype, shape } = call.tensor(0);
    const kernel = shapeOfRank(call, 1, 3, 4, 5);
    return [new TensorType(dtype, shape), new TensorType(dtype, carriedState(call, shape, kernel))];
  },
  cost: counted(CONVOLUTION_RULE, (call) => convolutionCost(call, 2)),
  roles: { weight: ['weight'], bias: ['bias'] },
};

function carriedState(call: Call, input: Shape | undefined, kernel: Shape | undefined): Shape | undefined {
  if (call.has(3)) return call.shape(3);
  if (input === undefined || kernel === undefined || input.length < 3) return undefined;
  const length = carried(call, kernel.at(-1)!);
  if (call.int('channels_last', 0) === 1) return windowed(call, [input[0]!, length, ...input.slice(2)]);
  return windowed(call, [...input.slice(0, -1), length]);
}

/** Tokens of several sequences one after the other (tokens, C), with a state (B, C, length) for each. */
const VarlenCausalConvWithState: Operator = {
  infer: (call): ValueType[] => {
    const { dtype } = call.tensor(0);
    const input = shapeOfRank(call, 0, 2);
    const state = shapeOfRank(call, 4, 3);
    const capacity = countAttribute(call, 'state_update_capacity');
    return [
      new TensorType(dtype, input),
      new TensorType(dtype, state),
      new TensorType(dtype, state && [state[0]!, capacity, state[1]!]),
    ];
  },
  cost: counted(CONVOLUTION_RULE, (call) => convolutionCost(call, 3)),
  roles: { weight: ['weight'], bias: ['bias'], setting: ['cumulative_sequence_length', 'capture_count'] },
};

/** gate = σ(±√|Σ norm(key)·norm(query)|) per connection, times a value that all connections share. */
const EngramGate: Operator = {
  infer: (call) => [new TensorType(call.dtype(0), shapeOfRank(call, 0, 4))],
  cost: perOutput(12),
  roles: { scale: ['key_norm_scale', 'query_norm_scale'] },
};

/** Hashes of the n-grams that end at each token: one id per order and head. */
const NGramHashMapping: Operator = {
  infer: (call): ValueType[] => {
    const ids = shapeOfRank(call, 0, 2);
    const orders = positiveInt(call, 'max_ngram_size') - 1;
    const dtype = call.dtype(0);
    return [
      new TensorType(dtype, ids && [...ids, orders * positiveInt(call, 'n_head_per_ngram')]),
      new TensorType(dtype, ids && [ids[0]!, orders]),
    ];
  },
  cost: counted('2 per token and n-gram position, 1 per output element', (call) => ({
    otherFlops: total(times(call.inputSize(0), 2 * positiveInt(call, 'max_ngram_size')), call.outputSize()),
  })),
  roles: { setting: ['multipliers', 'vocab_sizes'] },
};

export const linearAttentionOperators: OperatorTable = {
  CausalConvWithState,
  EngramGate,
  GatedDeltaNet,
  LinearAttention,
  LinearAttentionGate,
  NGramHashMapping,
  VarlenCausalConvWithState,
};
