// What a training knows of itself besides its tensors: how far it is, what it found best, its curves. Plain data
// that a checkpoint keeps.
import { type PlateauState, plateauStart } from './schedules.js';

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
  /** Its rate is what the schedule's is multiplied by: 1 until the score stays on a plateau. */
  plateau: PlateauState;
  readonly curves: Curves;
}

export function newRecord(): TrainingRecord {
  return {
    step: 0,
    epoch: 0,
    batch: 0,
    best: undefined,
    sinceBest: 0,
    plateau: plateauStart(1),
    curves: { loss: [], learningRate: [], gradientNorm: [], validation: [] },
  };
}
