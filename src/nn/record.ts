// What a training knows of itself besides its tensors: how far it is, what it found best, its curves. Plain data
// that a checkpoint keeps as JSON.

/** What one validation gave. */
export interface Validation {
  /** Steps and epochs that were done. */
  readonly step: number;
  readonly epoch: number;
  readonly score: number;
}

/** The course of a training. */
export interface Curves {
  /** One number for every step. */
  readonly loss: number[];
  readonly learningRate: number[];
  /** Of all parameters together, before it is clipped. */
  readonly gradientNorm: number[];
  readonly validation: Validation[];
}

export interface TrainingRecord {
  /** Steps done. */
  step: number;
  /** Epochs done: the number of the one that is going on, counted from 0. */
  epoch: number;
  /** Batches done of that epoch. */
  batch: number;
  /** The best validation so far. */
  best: Validation | undefined;
  /** Validations since then. */
  sinceBest: number;
  /** What the learning rate of the schedule is multiplied by; falls where the score stays on a plateau. */
  rateScale: number;
  /** Validations since the best one or since the learning rate fell. */
  sincePlateau: number;
  readonly curves: Curves;
}

export function newRecord(): TrainingRecord {
  return {
    step: 0,
    epoch: 0,
    batch: 0,
    best: undefined,
    sinceBest: 0,
    rateScale: 1,
    sincePlateau: 0,
    curves: { loss: [], learningRate: [], gradientNorm: [], validation: [] },
  };
}
