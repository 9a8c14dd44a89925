// What Attention is made of, to differentiate it.
import { isKnown } from '../../../graph/dim.js';
import { dataTypeOfCode } from '../../../graph/dtype.js';
import { positiveInt } from '../../arguments.js';
import type { Value } from '../../build.js';
import type { Decomposition, Expansion } from '../../gradient.js';
import { attend, biasWhere, excluded, mergeHeads, splitHeads, windowMask } from './dot-product.gradient.js';

export const attentionParts: Decomposition = (node) => {
  const { call } = node;
  if (call.has('nonpad_kv_seqlen'))
    call.fail('keys in a separate buffer have no gradient', 'GRADIENT_UNSUPPORTED');
  const isMerged = node.input(0).rank === 3;
  const heads = (index: number, attribute: string): Value => {
    const value = node.input(index);
    return isMerged ? splitHeads(value, positiveInt(call, attribute)) : value;
  };
  const query = heads(0, 'q_num_heads');
  const keys = withPast(node, 4, heads(1, 'kv_num_heads'));
  const values = withPast(node, 5, heads(2, 'kv_num_heads'));
  const mask = maskOf(node, query, keys);
  const precision = call.int('softmax_precision');
  const { output, scores, capped, weights } = attend({
    query,
    keys,
    values,
    scale: call.float('scale'),
    softcap: call.float('softcap', 0),
    biases: mask.bias ? [mask.bias] : [],
    softmaxType: precision === undefined ? undefined : dataTypeOfCode(precision),
  });
  const kept = (value: Value): Value => (mask.attends ? value.mul(mask.attends) : value);
  const result = isMerged ? mergeHeads(kept(output)) : kept(output);
  if (!call.wants(3)) return [result, keys, values];
  const mode = call.int('qk_matmul_output_mode', 0);
  if (mode === 2) call.fail('the gradient of masked scores is not supported', 'GRADIENT_UNSUPPORTED');
  return [result, keys, values, mode === 0 ? scores : mode === 1 ? capped : kept(weights)];
};

function withPast(node: Expansion, index: number, fresh: Value): Value {
  const past = node.optionalInput(index);
  return past ? node.builder.concat([past, fresh], 2) : fresh;
}

interface Mask {
  readonly bias?: Value;
  /** 1 for queries that see a key at all and 0 for others, which get zeros: (…, S, 1). */
  readonly attends?: Value;
}

function maskOf(node: Expansion, query: Value, keys: Value): Mask {
  const { call } = node;
  const given = node.optionalInput(3);
  const past = node.optionalInput(4)?.size(2) ?? 0;
  if (!isKnown(past)) return call.fail(`the past has ${past} keys`, 'GRADIENT_UNSUPPORTED');
  const bound = (name: string): number | undefined => {
    const size = call.int(name, -1);
    return size < 0 ? undefined : size;
  };
  const right = call.int('is_causal', 0) === 1 ? 0 : bound('right_window_size');
  const window = windowMask(node, { query, keys }, { left: bound('left_window_size'), right, offset: past });
  const causal = window && biasWhere(window, query.dtype);
  if (given === undefined) return causal ? { bias: causal } : {};
  const bias = causal ? padded(given, query, keys).add(causal) : padded(given, query, keys);
  const best = bias.reduceMax([-1], true);
  return { bias, attends: best.greater(excluded(query.dtype) / 2).cast(query.dtype) };
}

/** The mask as a bias, and keys behind its end left out. */
function padded(mask: Value, { dtype }: Value, keys: Value): Value {
  const low = excluded(dtype);
  const bias = mask.dtype === 'bool' ? biasWhere(mask, dtype) : mask.max(low);
  const [covered, total] = [bias.size(-1), keys.size(2)];
  if (!isKnown(covered) || !isKnown(total) || covered === 1 || covered === total) return bias;
  const { builder, rank } = bias;
  const pads = Array<number>(2 * rank)
    .fill(0)
    .with(-1, total - covered);
  return builder.op('Pad', [bias, builder.ints(pads), builder.constant(low, dtype)]);
}
