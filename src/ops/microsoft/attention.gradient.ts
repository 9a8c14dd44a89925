// What the attention operators of this domain are made of, to differentiate them.
import { positiveInt } from '../arguments.js';
import type { Value } from '../build.js';
import {
  attend,
  biasWhere,
  type DotProduct,
  mergeHeads,
  range,
  splitHeads,
  windowMask,
} from '../families/layers/dot-product.gradient.js';
import { rotateTokens } from '../families/layers/rotary.gradient.js';
import type { Decomposition, Expansion } from '../gradient.js';

/** Queries, keys and values as (B, heads, length, size). */
type Heads = Pick<DotProduct, 'query' | 'keys' | 'values'>;

/** Fails if one of the inputs is given, which are of no use in training. */
function refuse({ call }: Expansion, what: Readonly<Record<number, string>>): void {
  for (const [index, name] of Object.entries(what)) {
    if (call.has(Number(index)))
      call.fail(`the gradient with ${name} is not supported`, 'GRADIENT_UNSUPPORTED');
  }
}

/** A mask of integers as a bias: lengths (B), ends and starts (2·B), or 0 for what is left out of (B, T) or (B, S, T). */
function maskBias(node: Expansion, index: number, { query, keys }: Heads): Value | undefined {
  const mask = node.optionalInput(index);
  if (mask === undefined) return undefined;
  const low = node.call.float('mask_filter_value', -10000);
  const bias = (allowed: Value): Value => biasWhere(allowed, query.dtype, low);
  if (mask.rank === 2) return bias(mask.greater(0)).unsqueeze([1, 2]);
  if (mask.rank === 3) return bias(mask.greater(0)).unsqueeze([1]);
  const [batch, total] = [keys.length(0), keys.length(2)];
  const limits = mask.length(0) / batch;
  if (mask.rank !== 1 || (limits !== 1 && limits !== 2)) {
    return node.call.fail(
      `the gradient with a mask of shape [${mask.shape}] is not supported`,
      'GRADIENT_UNSUPPORTED',
    );
  }
  const columns = range(node.builder, total).cast(mask.dtype);
  const [ends, starts] = limits === 1 ? [mask] : mask.split([batch, batch], 0);
  const before = columns.less(ends!.reshape([batch, 1, 1, 1]));
  return bias(starts ? before.and(columns.greaterOrEqual(starts.reshape([batch, 1, 1, 1]))) : before);
}

/** All that is added to the scores: what hides keys that are not visible, a mask, and a bias. */
function biasesOf(
  node: Expansion,
  heads: Heads,
  inputs: { readonly mask?: number; readonly bias: number },
  visible: Value | undefined,
): Value[] {
  const mask = inputs.mask === undefined ? undefined : maskBias(node, inputs.mask, heads);
  const hidden = visible && biasWhere(visible, heads.query.dtype);
  return [hidden, mask, node.optionalInput(inputs.bias)].filter((bias) => bias !== undefined);
}

/** The keys up to the query itself, if the operator says so; there are `offset` keys before the first query. */
function directed(node: Expansion, heads: Heads, offset = 0): Value | undefined {
  if (node.call.int('unidirectional', 0) === 0) return undefined;
  return windowMask(node, heads, { right: 0, offset });
}

/** Input (B, S, D) times weights (D, all hidden sizes); the present (2, B, N, S, H) holds keys and values. */
const Attention: Decomposition = (node) => {
  const { builder, call } = node;
  refuse(node, { 4: 'a past', 6: 'a buffer for the past' });
  if (call.int('do_rotary', 0) !== 0)
    call.fail('the gradient with do_rotary is not supported', 'GRADIENT_UNSUPPORTED');
  const heads = positiveInt(call, 'num_heads');
  const projected = node.input(0).matmul(node.input(1));
  const bias = node.optionalInput(2);
  const sum = bias ? projected.add(bias) : projected;
  const equal = Array<number>(3).fill(sum.length(2) / 3);
  const given = call.ints('qkv_hidden_sizes') ?? [];
  const parts = sum.split(given.length === 3 ? given : equal, 2);
  const [query, keys, values] = parts.map((part) => splitHeads(part, heads)) as [Value, Value, Value];
  const parted = { query, keys, values };
  const biases = biasesOf(node, parted, { mask: 3, bias: 5 }, directed(node, parted));
  const { output } = attend({ ...parted, scale: call.float('scale') || undefined, biases });
  const present = () => builder.concat([keys.unsqueeze([0]), values.unsqueeze([0])], 0);
  return [mergeHeads(output), call.wants(1) ? present() : undefined];
};

/** (B, L, N, parts, H) as parts (B, N, L, H). */
function unpack(value: Value, parts: number): Value[] {
  return value
    .split(Array<number>(parts).fill(1), 3)
    .map((part) => part.squeeze([3]).transpose([0, 2, 1, 3]));
}

/** Queries, keys and values of MultiHeadAttention, which may be packed, and have heads side by side or apart. */
function multiHead(node: Expansion, heads: number): Heads {
  const input = node.input(0);
  const key = node.optionalInput(1);
  const apart = (value: Value): Value => (value.rank === 4 ? value : splitHeads(value, heads));
  const unpacked =
    key === undefined
      ? unpack(input, 3)
      : [apart(input), ...(key.rank === 5 ? unpack(key, 2) : [apart(key), apart(node.input(2))])];
  const bias = node.optionalInput(3);
  // Keys that come with their heads apart were projected, and had their bias, before.
  const biased = key?.rank === 4 ? 1 : 3;
  const widths = unpacked.map((value) => heads * value.length(3));
  const biases = bias?.split(widths, 0).slice(0, biased) ?? [];
  const [query, keys, values] = unpacked.map((value, i) =>
    biases[i] ? value.add(biases[i].reshape([heads, 1, value.length(3)])) : value,
  ) as [Value, Value, Value];
  return { query, keys, values };
}

const MultiHeadAttention: Decomposition = (node) => {
  const { builder, call } = node;
  refuse(node, { 8: 'a buffer for the past', 9: 'cache_indirection' });
  const fresh = multiHead(node, positiveInt(call, 'num_heads'));
  const past = [node.optionalInput(6), node.optionalInput(7)];
  const [keys, values] = [fresh.keys, fresh.values].map((value, i) =>
    past[i] ? builder.concat([past[i], value], 2) : value,
  ) as [Value, Value];
  const heads = { query: fresh.query, keys, values };
  const biases = biasesOf(node, heads, { mask: 4, bias: 5 }, directed(node, heads, past[0]?.length(2)));
  const { output } = attend({ ...heads, scale: call.float('scale') || undefined, biases });
  return [mergeHeads(output), keys, values];
};

/** Of whole sequences, without a past: what training meets. */
const GroupQueryAttention: Decomposition = (node) => {
  const { call } = node;
  refuse(node, {
    12: 'a quantised cache',
    13: 'a quantised cache',
    14: 'q_norm_weight',
    15: 'k_norm_weight',
  });
  for (const index of [3, 4]) {
    const isEmpty = !call.has(index) || call.shape(index)?.[2] === 0;
    if (!isEmpty) call.fail('the gradient with a past is not supported', 'GRADIENT_UNSUPPORTED');
  }
  const [heads, keyHeads] = [positiveInt(call, 'num_heads'), positiveInt(call, 'kv_num_heads')];
  const [q, k, v] = groupedTokens(node, heads, keyHeads);
  const turn = (value: Value, count: number): Value =>
    call.int('do_rotary', 0) === 0 ? value : rotated(node, value, count);
  const query = splitHeads(turn(q, heads), heads);
  const keys = splitHeads(turn(k, keyHeads), keyHeads);
  const values = splitHeads(v, keyHeads);
  const parted = { query, keys, values };
  const { output } = attend({
    ...parted,
    scale: call.float('scale') || undefined,
    softcap: call.float('softcap'),
    biases: biasesOf(node, parted, { bias: 10 }, groupedVisible(node, parted)),
    sink: sinkOf(node, heads, query),
  });
  return [mergeHeads(output), keys, values];
};

/** Queries (B, S, N·H), keys and values (B, S, Nkv·H); all three may come side by side in the first input. */
function groupedTokens(node: Expansion, heads: number, keyHeads: number): [Value, Value, Value] {
  const input = node.input(0);
  if (node.call.has('key')) return [input, node.input(1), node.input(2)];
  const size = input.length(2) / (heads + 2 * keyHeads);
  return input.split(
    [heads, keyHeads, keyHeads].map((count) => count * size),
    2,
  ) as [Value, Value, Value];
}

/** The keys that a query sees: of the last `local_window_size` up to itself, those that are no padding. */
function groupedVisible(node: Expansion, heads: Heads): Value | undefined {
  const { builder, call } = node;
  const size = call.int('local_window_size', -1);
  const window = { right: 0, left: size < 0 ? undefined : size - 1 };
  const causal = call.int('causal', 1) === 0 ? undefined : windowMask(node, heads, window);
  const total = heads.keys.length(2);
  // Lengths come less 1.
  if (call.numbers(5)?.every((last) => last === total - 1)) return causal;
  const lengths = node.input(5);
  const present = range(builder, total)
    .cast(lengths.dtype)
    .lessOrEqual(lengths.reshape([-1, 1, 1, 1]));
  return causal ? causal.and(present) : present;
}

/** Rotary positions: those given, else from 0 on. */
function rotated(node: Expansion, tokens: Value, heads: number): Value {
  const positions = node.optionalInput(9);
  const look = (cache: Value): Value =>
    positions ? cache.gather(positions) : cache.slice([0], [tokens.length(1)], [0]);
  const angles = { cos: look(node.input(7)), sin: look(node.input(8)) };
  return rotateTokens(tokens, heads, angles, node.call.int('rotary_interleaved', 0) !== 0);
}

/** What every head may attend to besides the keys: a learned score, or 0 in a smooth softmax. */
function sinkOf(node: Expansion, heads: number, { dtype }: Value): Value | undefined {
  const learned = node.optionalInput(11)?.reshape([1, heads, 1, 1]);
  if (learned || node.call.int('smooth_softmax', -1) !== 1) return learned;
  return node.builder.constant(0, dtype, [1, 1, 1, 1]);
}

export const attentionDecompositions = {
  Attention,
  GroupQueryAttention,
  MultiHeadAttention,
} satisfies Record<string, Decomposition>;
