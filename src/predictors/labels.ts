// Labels as they are learned: with mean 0 and deviation 1, or as parts of their mean; as they are, their logarithms, or
// as a registered transform makes them.
import type { Network } from '../networks/network.js';
import type { Value } from '../ops/build.js';
import { AuspexError } from '../util/errors.js';
import type { ErrorScale } from './intervals.js';
import type { Json, LabelInfo } from './predictor.js';

/** Labels of all rows, row by row; NaN where a row lacks one. */
export interface Labels {
  readonly names: readonly string[];
  /** In the order of the names; none by default. */
  readonly units?: readonly string[];
  /** Default: lower for what is learned as its logarithm, else higher. */
  readonly better?: readonly LabelInfo['better'][];
  /** How each is learned; see `TargetTransform`. Default `linear`. */
  readonly transforms?: readonly string[];
  readonly values: Float64Array;
}

/**
 * How a label is learned. `linear` and `log` are undone inside the ONNX graph. A transform that depends on the network, by
 * one number that is measured of it, makes another number of the label; that one is learned linearly, and what the graph
 * puts out is turned back outside.
 */
export interface TargetTransform {
  readonly name: string;
  /** How errors are told: intervals are differences, or differences of logarithms. */
  readonly scale: ErrorScale;
  readonly ofNetwork?: {
    measure(network: Network): number;
    /** What has to be known of the rows that are trained on. NaN is a missing label. */
    fit(values: Float64Array, measures: Float64Array): Json;
    learned(y: number, measure: number, state: Json): number;
    value(learned: number, measure: number, state: Json): number;
  };
}

const TRANSFORMS = new Map<string, TargetTransform>();

/**
 * Makes a transform of labels known by its name.
 *
 * @example
 * registerTransform({
 *   name: 'per-mac',
 *   scale: 'linear',
 *   ofNetwork: {
 *     measure: (net) => net.counts().macs,
 *     fit: () => ({}),
 *     learned: (value, macs) => value / macs,
 *     value: (learned, macs) => learned * macs,
 *   },
 * });
 */
export function registerTransform(transform: TargetTransform): void {
  TRANSFORMS.set(transform.name, transform);
}

registerTransform({ name: 'linear', scale: 'linear' });
registerTransform({ name: 'log', scale: 'log' });

/** The transform of a name. */
export function transformNamed(name: string): TargetTransform {
  const found = TRANSFORMS.get(name);
  if (found !== undefined) return found;
  throw new AuspexError('TRANSFORM_UNKNOWN', `unknown label transform '${name}'`, {
    hint: `choose one of ${[...TRANSFORMS.keys()].join(', ')}`,
  });
}

export function errorScaleOf(transform: string): ErrorScale {
  return transformNamed(transform).scale;
}

/** How a label of a table is learned. */
export function transformOf({ transforms }: Labels, label: number): TargetTransform {
  return transformNamed(transforms?.[label] ?? 'linear');
}

/** Whether all labels are learned as logarithms, to be near, and not to rank. */
export function commonScale(labels: Labels): ErrorScale {
  return labels.names.every((_, i) => transformOf(labels, i).scale === 'log') ? 'log' : 'linear';
}

/** How one label becomes a number to learn: (f(y) − offset)/factor, f being the identity or the logarithm. */
export type LabelScale = {
  readonly scale: ErrorScale;
  readonly offset: number;
  readonly factor: number;
};

/**
 * `standard`: the mean becomes the centre, the deviation 1. `ratio`: parts of the mean, for models whose outputs are
 * positive.
 */
export type Standard = { readonly kind: 'standard'; readonly centre: number } | { readonly kind: 'ratio' };

/**
 * The scale of one of several labels.
 *
 * @throws AuspexError LABEL_TOO_FEW, LABEL_CONSTANT, LABEL_NOT_POSITIVE
 */
export function labelScale(
  { names, values }: Labels,
  label: number,
  scale: ErrorScale,
  standard: Standard = { kind: 'standard', centre: 0 },
): LabelScale {
  const name = names[label]!;
  const known = column({ names, values }, label).filter((y) => !Number.isNaN(y));
  if (known.length < 2) {
    throw new AuspexError('LABEL_TOO_FEW', `only ${known.length} rows have the label '${name}'`, {
      hint: 'give at least two rows that have it',
    });
  }
  const isPositive = known.every((y) => y > 0 && y < Number.POSITIVE_INFINITY);
  if (!isPositive && (scale === 'log' || standard.kind === 'ratio')) {
    const wrong = known.find((y) => !(y > 0 && y < Number.POSITIVE_INFINITY));
    throw new AuspexError('LABEL_NOT_POSITIVE', `a row has ${wrong} for '${name}', which must be above 0`, {
      hint: 'leave out such rows, or train with --scale linear',
    });
  }
  const learned = scale === 'log' ? known.map(Math.log) : known;
  const mean = learned.reduce((sum, y) => sum + y, 0) / learned.length;
  if (!Number.isFinite(mean)) {
    throw new AuspexError('LABEL_NOT_FINITE', `a row has an infinite '${name}'`, { hint: 'leave it out' });
  }
  const deviation = Math.sqrt(learned.reduce((sum, y) => sum + (y - mean) ** 2, 0) / learned.length);
  if (deviation <= 1e-12 * Math.abs(mean)) {
    throw new AuspexError('LABEL_CONSTANT', `all ${known.length} rows have the same '${name}', ${known[0]}`);
  }
  if (standard.kind === 'standard') {
    return { scale, offset: mean - standard.centre * deviation, factor: deviation };
  }
  return { scale: 'linear', offset: 0, factor: known.reduce((sum, y) => sum + y, 0) / known.length };
}

/** One label of all rows. */
export function column({ names, values }: Labels, label: number): Float64Array {
  const count = values.length / names.length;
  return Float64Array.from({ length: count }, (_, row) => values[row * names.length + label]!);
}

/** A label as it is learned. */
export function learned(y: number, { scale, offset, factor }: LabelScale): number {
  return ((scale === 'log' ? Math.log(y) : y) - offset) / factor;
}

/** All labels as they are learned. */
export function learnedLabels(values: Float64Array, scales: readonly LabelScale[]): Float64Array {
  return values.map((y, i) => learned(y, scales[i % scales.length]!));
}

/** Some rows. */
export function someLabels(labels: Labels, rows: readonly number[]): Labels {
  const width = labels.names.length;
  const values = new Float64Array(rows.length * width);
  rows.forEach(
    (row, i) => void values.set(labels.values.subarray(row * width, (row + 1) * width), i * width),
  );
  return { ...labels, values };
}

/** What was learned as labels again: (B, labels) → (B, labels). */
export function unlearned(outputs: Value, scales: readonly LabelScale[]): Value {
  const { builder, dtype } = outputs;
  const constant = (values: readonly number[]): Value => builder.constant(values, dtype, [values.length]);
  const values = outputs
    .mul(constant(scales.map(({ factor }) => factor)))
    .add(constant(scales.map(({ offset }) => offset)));
  if (scales.every(({ scale }) => scale === 'linear')) return values;
  if (scales.every(({ scale }) => scale === 'log')) return values.exp();
  const isLog = builder.constant(
    scales.map(({ scale }) => Number(scale === 'log')),
    'bool',
    [scales.length],
  );
  // The exponential of what is no logarithm may be infinite; it is not looked at.
  return builder.where(isLog, values.exp(), values);
}

/** One label of the rows that have it, and what was predicted of these rows. */
export function knownColumn(
  found: Float64Array,
  labels: Labels,
  label: number,
): { predictions: Float64Array; known: Float64Array } {
  const truths = column(labels, label);
  const isKnown = (_: number, row: number): boolean => !Number.isNaN(truths[row]);
  return {
    predictions: column({ names: labels.names, values: found }, label).filter(isKnown),
    known: truths.filter(isKnown),
  };
}
