// A trained predictor: what every kind of it says of itself, and what it can do. One file a kind; each is written as
// one ONNX file whose metadata say all that is needed to use it.
import type { Model } from '../graph/graph.js';
import { type ErrorScale, type IntervalRule, intervalAround } from './conformal.js';

/** One thing that is predicted: an accuracy, a latency on one device. */
export interface LabelInfo {
  /** The column it was trained on. */
  readonly name: string;
  /** `%`, `ms`; empty for a number that has none. */
  readonly unit: string;
  /** How it was learned: as it is, or as its logarithm, which makes errors relative. */
  readonly scale: ErrorScale;
  /** How wide intervals are; undefined where no rows were held out. */
  readonly interval?: IntervalRule;
}

/** What a file says of its predictor. */
export interface PredictorInfo {
  /** Of this text; changes when its meaning does. */
  readonly version: 1;
  readonly kind: string;
  /** The space whose architectures it predicts. */
  readonly space: string;
  /** What it predicts, in the order of its outputs. */
  readonly labels: readonly LabelInfo[];
  /** Rows it was trained on. */
  readonly rows: number;
  readonly seed: number;
  /** How these rows were drawn from a table, where they were. */
  readonly split?: TrainingSplit;
}

/** A random split of the rows of a table that have all labels: which rows a predictor has seen can be told from it. */
export interface TrainingSplit {
  readonly seed: number;
  readonly train: number;
  readonly validation: number;
  /** Rows that were drawn from. */
  readonly of: number;
}

export interface Prediction {
  readonly value: number;
  /** Where the truth lies with the interval's coverage; undefined for a predictor without one. */
  readonly low?: number;
  readonly high?: number;
}

export interface Predictor {
  readonly info: PredictorInfo;
  readonly model: Model;
  /**
   * What is predicted of architectures of the predictor's space, given as texts: one number for every label, row by
   * row. Throws an AuspexError (ARCH_TEXT …) for a text that is none.
   */
  values(architectures: readonly string[]): Promise<Float64Array>;
  /** The predictor as a file that any ONNX Runtime runs; its metadata say what it is for. */
  toOnnx(): Uint8Array;
  dispose(): Promise<void>;
}

/** Where the metadata of a predictor's file have its `PredictorInfo`, as JSON. */
export const INFO_KEY = 'auspex.predictor';

/** A value with its interval. */
export function withInterval(value: number, { scale, interval }: LabelInfo): Prediction {
  if (interval === undefined) return { value };
  const [low, high] = intervalAround(value, interval, scale);
  return { value, low, high };
}
