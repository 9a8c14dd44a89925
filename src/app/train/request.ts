// What `auspex train` is asked for, and what came of it.
import type { LabelRequest } from '../../datasets/label-options.js';
import type { ErrorScale } from '../../predictors/intervals.js';
import type { PredictorKind, RecipeChanges } from '../../predictors/kind.js';
import type { Predictor } from '../../predictors/predictor.js';
import type { TrainedMember } from '../../predictors/train.js';
import type { AuspexError } from '../../util/errors.js';
import type { Equality } from '../arch-keys.js';

export interface TrainRequest {
  readonly kind: string;
  /** The table's path. */
  readonly data: string;
  /** None for kinds that learn from networks alone. */
  readonly labels: readonly LabelRequest[];
  readonly output: string;
  /** Of a plain file: the space of its architectures and their column. */
  readonly space?: string | undefined;
  readonly arch?: string | undefined;
  /** Rows to train on and to hold out; see `defaultSplit`. */
  readonly train?: number | undefined;
  readonly validation?: number | undefined;
  /** A column whose rows of one value stay together. */
  readonly group?: string | undefined;
  /** What equal architectures are, which stay together; `text` by default. */
  readonly equal?: Equality | undefined;
  /** What `auspex data split` wrote. */
  readonly split?: string | undefined;
  /** A table of networks without labels, for kinds that learn from those, too; other rows of the table by default. */
  readonly unlabelled?: string | undefined;
  /** IO data and the folder of its images, for kinds that learn what networks compute. */
  readonly io?: string | undefined;
  readonly images?: string | undefined;
  readonly seed: number;
  /** How labels are learned; by default what each label says. */
  readonly scale?: ErrorScale | undefined;
  /** A predictor to begin with. */
  readonly from?: string | undefined;
  readonly changes: RecipeChanges;
  readonly threads: number;
  readonly curves?: string | undefined;
  readonly skipBad?: boolean | undefined;
  readonly resume?: boolean | undefined;
  readonly force?: boolean | undefined;
}

/** A row that was left out. */
export interface SkippedNetwork {
  readonly ref: string;
  readonly set: 'train' | 'validation';
  readonly error: AuspexError;
}

export interface Trained {
  readonly kind: PredictorKind;
  readonly predictor: Predictor;
  readonly members: readonly TrainedMember[];
  /** Held-out rows that are networks of the training too. */
  readonly excluded: number;
  readonly skipped: readonly SkippedNetwork[];
  readonly seconds: number;
  readonly output: string;
  /** Of the optimiser, where there are any. */
  readonly steps: number | undefined;
}

/** The best validation of every member. */
export function bestOf(members: readonly TrainedMember[]): (number | null)[] {
  return members.map(({ curves }) => {
    const scores = curves.validation.map(({ score }) => score);
    return scores.length === 0 ? null : Math.max(...scores);
  });
}
