// The door of every metric: predictions and truths are checked once and come out as float64. What a metric cannot
// answer for is an error with a code, never NaN, 0 or −1 in its place.
import { AuspexError } from '../util/errors.js';

/** Predictions and truths, row by row: (n) each. */
export interface Pairs {
  readonly predictions: Float64Array;
  readonly truths: Float64Array;
}

/** A metric with its parameters bound. */
export type MetricFunction = (predictions: ArrayLike<number>, truths: ArrayLike<number>) => number;

type Side = 'predictions' | 'truths';

/** The most rows whose pairs n·(n − 1)/2 a float64 counts exactly. */
export const MAX_ROWS = 2 ** 27;

/**
 * Pairs of finite numbers, at least two. Typed arrays of float64 are used as they are, all else is copied.
 *
 * Codes: METRIC_LENGTH, METRIC_TOO_FEW, METRIC_TOO_MANY, METRIC_NOT_FINITE (with the index).
 */
export function valuePairs(predictions: ArrayLike<number>, truths: ArrayLike<number>): Pairs {
  const rows = lengthOf(predictions, 'predictions');
  if (rows !== lengthOf(truths, 'truths')) {
    throw new AuspexError('METRIC_LENGTH', `${rows} predictions, but ${truths.length} truths`, {
      hint: 'give one truth for each prediction, in the same order',
    });
  }
  if (rows < 2) {
    throw new AuspexError('METRIC_TOO_FEW', `a metric needs at least 2 rows, not ${rows}`);
  }
  if (rows > MAX_ROWS) {
    throw new AuspexError('METRIC_TOO_MANY', `${rows} rows; pairs are counted exactly up to ${MAX_ROWS}`, {
      hint: 'compute the metric on a sample of the rows',
    });
  }
  return { predictions: finite(predictions, 'predictions'), truths: finite(truths, 'truths') };
}

/** Pairs of which neither side is constant: where one is, there is no order to compare. Code: METRIC_CONSTANT. */
export function rankPairs(predictions: ArrayLike<number>, truths: ArrayLike<number>): Pairs {
  const pairs = valuePairs(predictions, truths);
  requireVaried(pairs.predictions, 'predictions');
  requireVaried(pairs.truths, 'truths');
  return pairs;
}

/** Throws METRIC_CONSTANT if all values are the same. */
export function requireVaried(values: Float64Array, side: Side, detail = ''): void {
  const first = values[0]!;
  for (let i = 1; i < values.length; i++) if (values[i] !== first) return;
  throw new AuspexError('METRIC_CONSTANT', `all ${values.length} ${side} are ${first}${detail}`, {
    where: { path: side },
    hint:
      side === 'predictions'
        ? 'a constant prediction ranks nothing; check the training'
        : 'rows with equal truths cannot be ranked; choose other or more rows',
  });
}

/** `k` if it is a whole number from 1 to the number of rows. Code: METRIC_K. */
export function checkedK(k: number, rows: number): number {
  if (Number.isInteger(k) && k >= 1 && k <= rows) return k;
  throw new AuspexError(
    'METRIC_K',
    `k is ${k}, but must be a whole number from 1 to ${rows}, the number of rows`,
  );
}

/** A result that float64 can hold. Code: METRIC_OVERFLOW. */
export function representable(result: number): number {
  if (Number.isFinite(result)) return result;
  throw new AuspexError('METRIC_OVERFLOW', 'the values are too large or too small for their metric', {
    hint: 'scale predictions and truths first',
  });
}

function lengthOf(values: ArrayLike<number> | null | undefined, side: Side): number {
  const length = values?.length;
  if (typeof length === 'number') return length;
  throw new AuspexError('METRIC_LENGTH', `${side} are not an array of numbers`, { where: { path: side } });
}

function finite(values: ArrayLike<number>, side: Side): Float64Array {
  const result = values instanceof Float64Array ? values : new Float64Array(values.length);
  for (let i = 0; i < result.length; i++) {
    const value = values[i];
    // Also false for a hole, null or a text, which an assignment to a float64 would make a number of.
    if (!Number.isFinite(value)) {
      throw new AuspexError('METRIC_NOT_FINITE', `row ${i} of the ${side} is ${value}, not a finite number`, {
        where: { path: `${side}[${i}]` },
        hint: 'leave out rows without a value on both sides',
      });
    }
    if (result !== values) result[i] = value!;
  }
  return result;
}
