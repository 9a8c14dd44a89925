// What attention operators are made of, to differentiate them: softmax(cap(Q·Kᵀ·scale) + biases)·V over queries
// (B, Nq, S, H), keys (B, N, T, H) and values (B, N, T, Hv), where each key head serves Nq/N query heads that
// follow each other.
import { isKnown } from '../../../graph/dim.js';
import type { DataType } from '../../../graph/dtype.js';
import type { Builder, Value } from '../../build.js';
import type { Expansion } from '../../gradient.js';

export interface DotProduct {
  readonly query: Value;
  readonly keys: Value;
  readonly values: Value;
  /** Default: 1/√H. */
  readonly scale?: number | undefined;
  /** Scores become c·tanh(scores/c). */
  readonly softcap?: number | undefined;
  /** Added to the scores, broadcast to (B, Nq, S, T). */
  readonly biases?: readonly Value[];
  /** A further score (1, Nq, 1, 1) of every query that belongs to no value. */
  readonly sink?: Value | undefined;
  /** What the softmax is computed in, if not in the type of the scores. */
  readonly softmaxType?: DataType | undefined;
}

interface Attended {
  /** (B, Nq, S, Hv) */
  readonly output: Value;
  /** (B, Nq, S, T), scaled; then with the cap; then the softmax. */
  readonly scores: Value;
  readonly capped: Value;
  readonly weights: Value;
}

export function attend(parts: DotProduct): Attended {
  const { query, keys, values, biases = [] } = parts;
  const [batch, heads, length] = query.freeSizes as [number, number, number, number];
  const size = query.length(3);
  const [, keyHeads, total] = keys.freeSizes as [number, number, number, number];
  // The query heads of one key head are rows of one matrix: keys need not be repeated.
  const grouped = (value: Value, last: number): Value =>
    keyHeads === heads ? value : value.reshape([batch, keyHeads, (heads / keyHeads) * length, last]);
  const apart = (value: Value, last: number): Value =>
    keyHeads === heads ? value : value.reshape([batch, heads, length, last]);
  const scaled = grouped(query.mul(parts.scale ?? 1 / Math.sqrt(size)), size);
  const scores = apart(scaled.matmul(keys.transposeLast()), total);
  const capped = parts.softcap ? scores.div(parts.softcap).tanh().mul(parts.softcap) : scores;
  const biased = biases.reduce((sum, bias) => sum.add(bias.cast(sum.dtype)), capped);
  const precise = biased.cast(parts.softmaxType ?? biased.dtype);
  const weights = (parts.sink ? softmaxBeside(precise, parts.sink) : precise.softmax()).cast(query.dtype);
  const output = apart(grouped(weights, total).matmul(values), values.length(3));
  return { output, scores, capped, weights };
}

/** The softmax of scores and one more score in every row, without the weight of that one. */
function softmaxBeside(scores: Value, sink: Value): Value {
  const [batch, heads, length, total] = scores.sizes as [number, number, number, number];
  const column = sink.cast(scores.dtype).expand([batch, heads, length, 1]);
  return scores.builder.concat([scores, column], 3).softmax().slice([0], [total], [3]);
}

// Heads ------------------------------------------------------------------------------------------------------

/** (B, L, N·H) as (B, N, L, H). */
export function splitHeads(value: Value, heads: number): Value {
  const [batch, length] = value.freeSizes as [number, number, number];
  return value.reshape([batch, length, heads, value.length(2) / heads]).transpose([0, 2, 1, 3]);
}

/** (B, N, L, H) as (B, L, N·H). */
export function mergeHeads(value: Value): Value {
  const [batch, , length] = value.freeSizes as [number, number, number, number];
  return value.transpose([0, 2, 1, 3]).reshape([batch, length, value.length(1) * value.length(3)]);
}

// Masks ------------------------------------------------------------------------------------------------------

/** Low enough that its weight is 0, but finite: a row that has nothing else does not become NaN. */
export function excluded(dtype: DataType): number {
  return dtype === 'float16' ? -3e4 : -1e30;
}

/** 0 where a key may be attended to and a low number elsewhere. */
export function biasWhere(allowed: Value, dtype: DataType, low = excluded(dtype)): Value {
  const { builder } = allowed;
  return builder.where(allowed, builder.constant(0, dtype), builder.constant(low, dtype));
}

/** How far a query sees: key j if −left ≤ j − i − offset ≤ right, for query i. */
interface Window {
  readonly left?: number | undefined;
  readonly right?: number | undefined;
  readonly offset?: number;
}

/** Which of the keys (columns) a query (row) sees: (S, T) of booleans; undefined where it sees all. */
export function windowMask(
  { builder, call }: Expansion,
  { query, keys }: Pick<DotProduct, 'query' | 'keys'>,
  { left, right, offset = 0 }: Window,
): Value | undefined {
  if (left === undefined && right === undefined) return undefined;
  const [length, total] = [query.size(2), keys.size(2)];
  if (!isKnown(length) || !isKnown(total)) {
    return call.fail(`sequences of ${length} and ${total} elements cannot be masked`, 'GRADIENT_UNSUPPORTED');
  }
  const own = range(builder, length, offset).reshape([length, 1]);
  const columns = range(builder, total);
  const last = right === undefined ? undefined : columns.lessOrEqual(own.add(right));
  const first = left === undefined ? undefined : columns.greaterOrEqual(own.sub(left));
  return last && first ? last.and(first) : (last ?? first);
}

/** start, start + 1, … */
export function range(builder: Builder, length: number, start = 0): Value {
  return builder.ints(Array.from({ length }, (_, i) => start + i));
}
