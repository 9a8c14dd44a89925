// Predictions as columns: one number for every row and label, and the ends of intervals beside them. NaN stands for rows
// that could not be predicted.
import type { Networks } from '../networks/networks.js';
import { AuspexError } from '../util/errors.js';
import { intervalAround } from './intervals.js';
import { errorScaleOf } from './labels.js';
import type { LabelInfo, PredictOptions, Predictor } from './predictor.js';

export interface Prediction {
  readonly value: number;
  /** Where the truth lies with the interval's coverage; undefined for a label without one. */
  readonly low?: number;
  readonly high?: number;
}

/** A network of a predictor's training, and how far it is: 0 is the same network. */
export interface Neighbour {
  readonly name: string;
  readonly distance: number;
}

/** One label of all rows. */
export interface PredictedColumn {
  readonly values: Float64Array;
  readonly low?: Float64Array;
  readonly high?: Float64Array;
}

export interface PredictionDetails {
  readonly ends?: { low: Float64Array; high: Float64Array };
  readonly distance?: Float64Array;
  readonly neighbours?: readonly (readonly Neighbour[])[];
}

export class Predictions {
  readonly labels: readonly LabelInfo[];
  readonly count: number;
  /** (rows, labels), row by row; so are the ends of intervals, NaN for labels without one. */
  readonly values: Float64Array;
  readonly low: Float64Array | undefined;
  readonly high: Float64Array | undefined;
  /** How far each network is from what the predictor has seen, where its view can tell. */
  readonly distance: Float64Array | undefined;
  /** The nearest networks of the training, nearest first, where the predictor knows them by name. */
  readonly neighbours: readonly (readonly Neighbour[])[] | undefined;

  /** @param ends of intervals, where they do not follow from the values and the labels' rules alone */
  constructor(
    labels: readonly LabelInfo[],
    values: Float64Array,
    { ends, distance, neighbours }: PredictionDetails = {},
  ) {
    this.labels = labels;
    this.values = values;
    this.count = values.length / labels.length;
    const both = ends ?? intervalEnds(labels, values, distance);
    this.low = both?.low;
    this.high = both?.high;
    this.distance = distance;
    this.neighbours = neighbours;
  }

  /** The place of a label by its name. */
  placeOf(label: string): number {
    const place = this.labels.findIndex(({ name }) => name === label);
    if (place >= 0) return place;
    throw new AuspexError('LABEL_UNKNOWN', `the predictor does not predict '${label}'`, {
      hint: `it predicts ${this.labels.map(({ name }) => name).join(', ')}`,
    });
  }

  at(row: number, label: number | string): Prediction {
    const place = typeof label === 'string' ? this.placeOf(label) : label;
    const i = row * this.labels.length + place;
    const value = this.values[i]!;
    if (this.labels[place]!.interval === undefined) return { value };
    return { value, low: this.low![i]!, high: this.high![i]! };
  }

  column(label: number | string): PredictedColumn {
    const place = typeof label === 'string' ? this.placeOf(label) : label;
    const of = (all: Float64Array): Float64Array =>
      Float64Array.from({ length: this.count }, (_, row) => all[row * this.labels.length + place]!);
    if (this.labels[place]!.interval === undefined) return { values: of(this.values) };
    return { values: of(this.values), low: of(this.low!), high: of(this.high!) };
  }
}

/** The ends of all intervals; undefined where no label has any. */
export function intervalEnds(
  labels: readonly LabelInfo[],
  values: Float64Array,
  distance?: Float64Array,
): { low: Float64Array; high: Float64Array } | undefined {
  if (labels.every(({ interval }) => interval === undefined)) return undefined;
  const [low, high] = [new Float64Array(values.length), new Float64Array(values.length)];
  for (let i = 0; i < values.length; i++) {
    const { interval, transform } = labels[i % labels.length]!;
    // A network whose distance nobody knows is taken for the farthest.
    const far = distance?.[Math.floor(i / labels.length)] ?? Number.POSITIVE_INFINITY;
    const key = interval?.by === 'distance' ? far : values[i]!;
    const ends = interval && intervalAround(values[i]!, interval, errorScaleOf(transform), key);
    [low[i], high[i]] = ends ?? [Number.NaN, Number.NaN];
  }
  return { low, high };
}

/** A value with its interval. */
export function withInterval(value: number, label: LabelInfo): Prediction {
  return new Predictions([label], Float64Array.of(value)).at(0, 0);
}

/** The predictions of a predictor that has values. */
export function predictionsOf(
  predictor: Predictor,
  networks: Networks,
  options?: PredictOptions,
): Promise<Predictions> {
  if (predictor.predict) return predictor.predict(networks, options);
  throw new AuspexError(
    'PREDICTOR_WITHOUT_VALUES',
    `${predictor.info.kind} compares networks and does not predict values`,
    {
      hint: 'give a predictor that has labels',
    },
  );
}
