// How wide an interval must be: split conformal prediction (Vovk et al. 2005; Lei et al. 2018). What was predicted for
// rows that were not trained on is compared with what they are; as wide as most of these errors is wide enough. Rows
// are grouped by what is predicted of them (Mondrian conformal prediction), as bad networks are harder to tell apart
// than good ones.
import { AuspexError } from '../util/errors.js';

/** Errors of a scale: differences, or differences of logarithms. */
export type ErrorScale = 'linear' | 'log';

/** How far the truth may be from a prediction. */
export interface IntervalRule {
  /** The part of new rows that should lie inside: at least this much on average over draws of the rows. */
  readonly coverage: number;
  /** Rows it was made from. */
  readonly rows: number;
  /** What groups are bounded by: predictions by default, or how far a network is from those of the training. */
  readonly by?: 'distance' | undefined;
  /** Values that cannot be passed, as 0 and 100 of percentages that are parts of a whole: ends are cut there. */
  readonly within?: readonly [least: number, most: number] | undefined;
  /** By ascending predictions or distances. The last has no bound. */
  readonly groups: readonly IntervalGroup[];
}

/** Predictions, or distances, up to a bound. */
interface IntervalGroup {
  readonly upTo?: number | undefined;
  /** Of linear errors: y ± halfWidth; of logarithmic: y / e^halfWidth to y · e^halfWidth. */
  readonly halfWidth: number;
  /** The mean of the errors that it was made from. Of groups of distances only. */
  readonly meanError?: number | undefined;
}

/** Rows that a group has at least. */
const GROUP_ROWS = 40;
const MOST_GROUPS = 8;

/**
 * Of each group the ⌈(n + 1)·coverage⌉-th smallest absolute error.
 *
 * @param distances that rows are grouped by, instead of predictions
 * @throws AuspexError INTERVAL_TOO_FEW where n rows cannot promise the coverage.
 */
export function conformalInterval(
  predictions: ArrayLike<number>,
  truths: ArrayLike<number>,
  {
    coverage = 0.9,
    scale = 'linear' as ErrorScale,
    distances = undefined as ArrayLike<number> | undefined,
  } = {},
): IntervalRule {
  const rows = truths.length;
  const keys = distances ?? predictions;
  const order = Array.from({ length: rows }, (_, i) => i).sort((a, b) => keys[a]! - keys[b]!);
  const count = Math.max(1, Math.min(MOST_GROUPS, Math.floor(rows / GROUP_ROWS)));
  const groups = Array.from({ length: count }, (_, g): IntervalGroup => {
    const end = Math.round(((g + 1) * rows) / count);
    const members = order.slice(Math.round((g * rows) / count), end);
    const errors = Float64Array.from(members, (i) => errorOf(predictions[i]!, truths[i]!, scale)).sort();
    const halfWidth = conformalWidth(errors, coverage);
    const meanError = errors.reduce((sum, error) => sum + error / errors.length, 0);
    const found = distances ? { halfWidth, meanError } : { halfWidth };
    if (g === count - 1) return found;
    return { upTo: (keys[order[end - 1]!]! + keys[order[end]!]!) / 2, ...found };
  });
  return { coverage, rows, ...(distances ? { by: 'distance' as const } : {}), groups };
}

function errorOf(prediction: number, truth: number, scale: ErrorScale): number {
  return Math.abs(scale === 'log' ? Math.log(prediction / truth) : prediction - truth);
}

/**
 * The ⌈(n + 1)·coverage⌉-th smallest of n errors.
 *
 * @param errors in ascending order
 * @throws AuspexError INTERVAL_TOO_FEW
 */
export function conformalWidth(errors: Float64Array, coverage: number): number {
  const rank = Math.ceil((errors.length + 1) * coverage);
  if (rank <= errors.length) return errors[rank - 1]!;
  throw new AuspexError(
    'INTERVAL_TOO_FEW',
    `${errors.length} held-out rows are too few for ${coverage * 100}% coverage`,
    { hint: `hold out at least ${Math.ceil(coverage / (1 - coverage))} rows` },
  );
}

/**
 * Where the truth should lie.
 *
 * @param key what groups are bounded by, where that is not the prediction
 */
export function intervalAround(
  value: number,
  rule: Pick<IntervalRule, 'groups' | 'within'>,
  scale: ErrorScale = 'linear',
  key = value,
): readonly [low: number, high: number] {
  const { halfWidth } = groupOf(rule, key);
  const [low, high] =
    scale === 'linear'
      ? [value - halfWidth, value + halfWidth]
      : [value / Math.exp(halfWidth), value * Math.exp(halfWidth)];
  const [least, most] = rule.within ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return [Math.max(least, low), Math.min(most, high)];
}

/** The group of a prediction or distance. */
export function groupOf({ groups }: Pick<IntervalRule, 'groups'>, key: number): IntervalGroup {
  return groups.find(({ upTo = Number.POSITIVE_INFINITY }) => key <= upTo) ?? groups.at(-1)!;
}

/** The part of rows whose truth lies in their interval. */
export function coverageOf(
  predictions: ArrayLike<number>,
  truths: ArrayLike<number>,
  rule: Pick<IntervalRule, 'groups' | 'within'>,
  scale: ErrorScale = 'linear',
  keys: ArrayLike<number> = predictions,
): number {
  let inside = 0;
  for (let i = 0; i < truths.length; i++) {
    const [low, high] = intervalAround(predictions[i]!, rule, scale, keys[i]!);
    if (low <= truths[i]! && truths[i]! <= high) inside++;
  }
  return inside / truths.length;
}
