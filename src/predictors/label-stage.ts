// Labels as what a stage learns: error, order of random pairs and agreement of two passes, by AdamW with a cosine. Rows may
// lack some labels.
import { kendallTauB, mae } from '../metrics/index.js';
import { adamW } from '../nn/optimiser.js';
import { warmupCosine } from '../nn/schedules.js';
import type { Scope } from '../nn/scope.js';
import type { Inputs } from '../nn/step.js';
import type { Batch } from '../nn/trainer.js';
import type { Value } from '../ops/build.js';
import type { Random } from '../util/random.js';
import { shuffled } from './batches.js';
import type { Prepared } from './fit.js';
import type { ErrorScale } from './intervals.js';
import type { StepsRecipe } from './kind.js';
import { commonScale, knownColumn, type LabelScale, type Labels, learned, learnedLabels } from './labels.js';
import { KNOWN, PERMUTATION, type RankingLossOptions, rankingLoss, TARGET } from './ranking-loss.js';
import type { Stage } from './train.js';

export type LabelRecipe = StepsRecipe & {
  readonly loss: RankingLossOptions;
  readonly weightDecay: number;
  readonly emaDecay: number;
  /** The gradient of all parameters together is scaled down to this norm. */
  readonly clipNorm?: number;
};

/** @param build (B, …) → (B, labels), as they are learned */
export function labelStage(
  { set, labels, scales, validation }: Prepared,
  recipe: LabelRecipe,
  build: (s: Scope, inputs: Inputs) => Value,
): Stage {
  const { loss, steps, batch, rate, weightDecay, emaDecay, clipNorm } = recipe;
  const isPartial = labels.values.some(Number.isNaN);
  const isTwice = loss.passes === 'inputs';
  const score = validationScore(commonScale(labels));
  const held = validation && (validation.set.merged?.(batch) ?? validation.set);
  return {
    graphs: set.merged?.(batch) ?? set,
    objective: { predict: build, loss: (s, given) => rankingLoss(s, given, build, loss) },
    extras: (rows, random) => targets(rows, labels, scales, { isPartial, isTwice }, random),
    ...(loss.passes ? { passes: loss.passes } : {}),
    steps,
    batch,
    optimiser: adamW({ weightDecay, decayAll: false }),
    schedule: warmupCosine({ rate, steps, warmup: 0.1, final: 0.1 }),
    emaDecay,
    ...(clipNorm === undefined ? {} : { clipNorm }),
    ...(validation
      ? {
          validate: async (predict) => {
            const { names, values } = validation.labels;
            const found = await predict(held!, scales.length);
            return score(found, { names, values: learnedLabels(values, scales) });
          },
        }
      : {}),
  };
}

/** What rows of a batch are compared with. */
function targets(
  rows: readonly number[],
  labels: Labels,
  scales: readonly LabelScale[],
  { isPartial, isTwice }: { isPartial: boolean; isTwice: boolean },
  random: Random,
): Batch {
  const width = scales.length;
  const target = new Float32Array(rows.length * width);
  const known = new Float32Array(rows.length * width).fill(1);
  rows.forEach((row, b) => {
    scales.forEach((scale, i) => {
      const y = labels.values[row * width + i]!;
      if (Number.isNaN(y)) known[b * width + i] = 0;
      // Where there is no label any number but 0 does, which an error relative to it could not be divided by.
      target[b * width + i] = Number.isNaN(y) ? 1 : learned(y, scale);
    });
  });
  const dims = [rows.length, width];
  const pairs = Array.from({ length: isTwice ? 2 * rows.length : rows.length }, (_, i) => i);
  return {
    [TARGET]: { type: 'float32', dims, data: target },
    [PERMUTATION]: {
      type: 'int64',
      dims: [pairs.length],
      data: BigInt64Array.from(shuffled(pairs, random), BigInt),
    },
    ...(isPartial ? { [KNOWN]: { type: 'float32', dims, data: known } } : {}),
  };
}

/** How good predictions are, higher being better: τ-b, of logarithms the negative mean error; the mean over labels. */
function validationScore(scale: ErrorScale): (found: Float64Array, labels: Labels) => number {
  return (found, labels) => {
    const scores = labels.names.map((_, place) => {
      const { predictions, known } = knownColumn(found, labels, place);
      return scale === 'log' ? -mae(predictions, known) : kendallTauB(predictions, known);
    });
    return scores.reduce((sum, score) => sum + score, 0) / scores.length;
  };
}
