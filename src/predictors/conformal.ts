// How wide an interval must be: split conformal prediction (Vovk et al. 2005; Lei et al. 2018). What was predicted for
// rows that were not trained on is compared with what they are; as wide as most of these errors is wide enough.
import { AuspexError } from '../util/errors.js';

/** An interval y ± halfWidth. */
export interface IntervalRule {
  /** The part of new rows that should lie inside: at least this much on average over draws of the rows. */
  readonly coverage: number;
  readonly halfWidth: number;
  /** Rows it was made from. */
  readonly rows: number;
}

/**
 * The ⌈(n + 1)·coverage⌉-th smallest absolute error.
 *
 * @throws AuspexError INTERVAL_TOO_FEW where n rows cannot promise the coverage.
 */
export function conformalInterval(
  predictions: ArrayLike<number>,
  truths: ArrayLike<number>,
  coverage = 0.9,
): IntervalRule {
  const errors = Float64Array.from({ length: truths.length }, (_, i) =>
    Math.abs(predictions[i]! - truths[i]!),
  ).sort();
  const rank = Math.ceil((errors.length + 1) * coverage);
  if (rank > errors.length) {
    const needed = Math.ceil(coverage / (1 - coverage));
    throw new AuspexError(
      'INTERVAL_TOO_FEW',
      `${errors.length} held-out rows cannot promise ${coverage * 100}% coverage`,
      { hint: `hold out at least ${needed} rows` },
    );
  }
  return { coverage, halfWidth: errors[rank - 1]!, rows: errors.length };
}

/** The part of rows whose truth lies in their interval. */
export function coverageOf(
  predictions: ArrayLike<number>,
  truths: ArrayLike<number>,
  { halfWidth }: Pick<IntervalRule, 'halfWidth'>,
): number {
  let inside = 0;
  for (let i = 0; i < truths.length; i++) {
    if (Math.abs(predictions[i]! - truths[i]!) <= halfWidth) inside++;
  }
  return inside / truths.length;
}
