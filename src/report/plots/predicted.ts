// Predictions beside truths: value against value with the intervals' band, rank against rank, and how the errors are
// spread.
import { ascending, averageRanks } from '../../metrics/order.js';
import type { Prediction } from '../../predictors/predictions.js';
import { histogram } from './histogram.js';
import { type BandPoint, scatterPlot } from './scatter.js';

/** Predictions and truths of rows, all finite. */
export interface Compared {
  /** The label's name and unit. */
  readonly label: string;
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  readonly predictions: readonly Prediction[];
  readonly truths: ArrayLike<number>;
  /** What intervals promise, if it is known: 0.9. */
  readonly coverage?: number;
}

/** The band has corners at the means of this many groups of predictions. */
const GROUPS = 48;

/** Predicted against true values, with the band in which truths should lie. */
export function predictedPlot({ label, unit, predictions, truths, coverage }: Compared): string {
  const inUnit = unit === '' ? '' : ` (${unit})`;
  const points = intervalBand(predictions);
  const promised = coverage === undefined ? '' : ` of ${Number((100 * coverage).toPrecision(4))}%`;
  return scatterPlot({
    title: 'Predicted against true',
    description: `Predicted against true ${label} of ${predictions.length} rows; good predictions lie on the diagonal.`,
    x: { label: `true ${label}${inUnit}` },
    y: { label: `predicted ${label}${inUnit}` },
    points: { x: truths, y: Float64Array.from(predictions, ({ value }) => value) },
    diagonal: 'predicted = true',
    ...(points.length < 2 ? {} : { band: { name: `interval${promised}`, points } }),
    unit: 'rows',
  });
}

/** Predicted against true ranks, 1 the best; ties share the mean of their ranks. */
export function rankPlot({ label, better, predictions, truths }: Compared): string {
  const sign = better === 'higher' ? -1 : 1;
  const ranks = (values: Float64Array): Float64Array => averageRanks(values.map((value) => sign * value));
  return scatterPlot({
    title: 'Predicted against true rank (1 = best)',
    description: `Ranks by predicted ${label} against ranks by true ${label} of ${predictions.length} rows.`,
    x: { label: `true rank of ${label}` },
    y: { label: 'predicted rank' },
    points: {
      x: ranks(Float64Array.from(truths)),
      y: ranks(Float64Array.from(predictions, ({ value }) => value)),
    },
    diagonal: 'same rank',
    unit: 'rows',
  });
}

export function residualPlot({ label, unit, predictions, truths }: Compared): string {
  return histogram({
    title: 'Errors: predicted minus true',
    description: `Distribution of the errors of predicted ${label}.`,
    label: `predicted − true ${label}${unit === '' ? '' : ` (${unit})`}`,
    values: Float64Array.from(predictions, ({ value }, i) => value - truths[i]!),
    unit: 'rows',
  });
}

/** Means of intervals over groups of like predictions: exact where an interval follows from its prediction linearly. */
export function intervalBand(predictions: readonly Prediction[]): BandPoint[] {
  const sure = predictions.filter(
    (p): p is Required<Prediction> => p.low !== undefined && p.high !== undefined,
  );
  const { order } = ascending(Float64Array.from(sure, ({ value }) => value));
  const groups = Math.min(GROUPS, sure.length);
  const bands: BandPoint[] = [];
  const mean = (from: number, to: number): BandPoint => {
    const sum = { low: 0, high: 0, at: 0 };
    for (let i = from; i < to; i++) {
      const { low, high, value } = sure[order[i]!]!;
      sum.low += low;
      sum.high += high;
      sum.at += value;
    }
    const count = to - from;
    return { low: sum.low / count, high: sum.high / count, at: sum.at / count };
  };
  if (groups > 0) bands.push(mean(0, 1));
  for (let group = 0; group < groups; group++) {
    bands.push(
      mean(Math.floor((group * sure.length) / groups), Math.floor(((group + 1) * sure.length) / groups)),
    );
  }
  if (groups > 0) bands.push(mean(sure.length - 1, sure.length));
  return bands;
}
