// Trains models of graphs on labels: several of different seeds, two at a time on two cores, each with checkpoints of its
// own. What the graphs are (cells, whole networks) is the business of who calls.
import type { CheckpointStore } from '../nn/checkpoint.js';
import { adamW } from '../nn/optimiser.js';
import type { Curves } from '../nn/record.js';
import { warmupCosine } from '../nn/schedules.js';
import type { Scope } from '../nn/scope.js';
import type { Inputs } from '../nn/step.js';
import { type Batch, Trainer, type Weights } from '../nn/trainer.js';
import type { Value } from '../ops/build.js';
import type { SessionOptions } from '../runtime/session.js';
import { AuspexError } from '../util/errors.js';
import type { Random } from '../util/random.js';
import { type LabelScale, type Labels, learned } from './labels.js';
import { KNOWN, PERMUTATION, type RankingLossOptions, rankingLoss, TARGET } from './ranking-loss.js';

/** Graphs that can be put into batches. */
export interface GraphSet {
  readonly count: number;
  /** The model's inputs for rows; `reordered` ones read differently but mean the same. */
  batch(rows: readonly number[], variant?: 'given' | 'reordered'): Batch;
  /** Rows of one batch have the same; a batch is compiled for each. One for all unless there is this. */
  bucketOf?(row: number): number;
  /** The most rows of a batch of a bucket, where its graphs are so large that more would take too much memory. */
  mostOf?(bucket: number): number;
}

/** How long and how fast. */
export interface TrainingRecipe {
  readonly loss: RankingLossOptions;
  /** Of the optimiser, in all. */
  readonly steps: number;
  readonly batch: number;
  readonly rate: number;
  readonly weightDecay: number;
  readonly emaDecay: number;
  /** How many are trained from different seeds; the prediction is their mean. */
  readonly members: number;
}

/** Where a checkpoint of a name, such as `member0`, is kept. */
export type Checkpoints = (name: string) => CheckpointStore | undefined;

export interface GraphTraining {
  readonly graphs: GraphSet;
  readonly labels: Labels;
  readonly scales: readonly LabelScale[];
  /** Rows that weights are chosen by, and their labels. */
  readonly validation?: { readonly graphs: GraphSet; readonly labels: Labels };
  /** How good predictions of the validation rows are, higher being better. */
  readonly score: (predictions: Float64Array, labels: Labels) => number;
  /** (B, …) → (B, labels) */
  readonly model: (s: Scope, inputs: Inputs) => Value;
  readonly recipe: TrainingRecipe;
  readonly seed: number;
  /** Threads in all; as many members at once. */
  readonly threads: number;
  /** Weights to begin with, by member; those that the model has not are left out. */
  readonly from?: readonly Weights[];
  readonly checkpoint?: Checkpoints;
  /** What this training is called among several that make one predictor. Default `member`. */
  readonly stage?: string;
  readonly onProgress?: (progress: GraphProgress) => void;
  readonly signal?: AbortSignal;
}

export interface GraphProgress {
  readonly member: number;
  readonly step: number;
  readonly loss: number;
  /** The latest validation's. */
  readonly score: number | undefined;
  /** Of all members. */
  readonly part: number;
}

export interface TrainedMember {
  readonly weights: Weights;
  readonly curves: Curves;
  readonly ended: 'completed' | 'early' | 'aborted';
}

/** Validations of a training. */
const VALIDATIONS = 10;
/** Checkpoints of a training. */
const CHECKPOINTS = 50;

/** The members, in the order of their seeds: seed, seed + 1, … Codes: TRAINING_STOPPED, TRAINING_DIVERGED. */
export async function fitGraphs(training: GraphTraining): Promise<TrainedMember[]> {
  const { recipe, threads } = training;
  const atOnce = Math.max(1, Math.min(threads, recipe.members));
  const session = { threads: Math.max(1, Math.floor(threads / atOnce)), isApart: atOnce > 1 };
  const parts = new Float64Array(recipe.members);
  const members: TrainedMember[] = new Array(recipe.members);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < recipe.members && !training.signal?.aborted) {
      const member = next++;
      members[member] = await trainMember(training, member, session, (step, loss, score) => {
        parts[member] = step / recipe.steps;
        const part = parts.reduce((a, b) => a + b) / recipe.members;
        training.onProgress?.({ member, step, loss, score, part });
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (!training.signal?.aborted) return members;
  throw new AuspexError('TRAINING_STOPPED', 'the training was stopped', {
    kind: 'failure',
    hint: 'it can be resumed where there are checkpoints',
  });
}

async function trainMember(
  training: GraphTraining,
  member: number,
  session: SessionOptions,
  onStep: (step: number, loss: number, score: number | undefined) => void,
): Promise<TrainedMember> {
  const { graphs, recipe, model, validation, score } = training;
  const { steps, rate, weightDecay, emaDecay } = recipe;
  const buckets = bucketsOf(graphs);
  const predict = (s: Scope, inputs: Inputs): Value => model(s, inputs);
  const from = training.from?.[member % training.from.length];
  const trainer = new Trainer(
    { predict, loss: (s, batch) => rankingLoss(s, batch, predict, recipe.loss) },
    {
      optimiser: adamW({ weightDecay, decayAll: false }),
      schedule: warmupCosine({ rate, steps, warmup: 0.1, final: 0.1 }),
      seed: training.seed + member,
      emaDecay,
      session,
      ...(from ? { weights: from } : {}),
    },
  );
  const store = training.checkpoint?.(`${training.stage ?? 'member'}${member}`);
  try {
    const { weights, curves, ended } = await trainer.fit({
      steps,
      batches: (_, random) => batchesOf(training, buckets, random),
      better: 'higher',
      every: { steps: Math.max(1, Math.ceil(steps / VALIDATIONS)) },
      checkpointEvery: { steps: Math.max(1, Math.ceil(steps / CHECKPOINTS)) },
      onProgress: ({ step, loss, validation: latest }) => onStep(step, loss, latest?.score),
      ...(validation
        ? {
            validate: async () => {
              const found = await predictAll(validation.graphs, training.scales.length, [
                async (batch) => (await trainer.predict(batch)).data as Float32Array,
              ]);
              return score(found, scaledLabels(validation.labels, training.scales));
            },
          }
        : {}),
      ...(store ? { checkpoint: store } : {}),
      ...(training.signal ? { signal: training.signal } : {}),
    });
    return { weights, curves, ended };
  } finally {
    await trainer.dispose();
  }
}

function scaledLabels({ names, values }: Labels, scales: readonly LabelScale[]): Labels {
  return { names, values: values.map((y, i) => learned(y, scales[i % scales.length]!)) };
}

/** Rows of graphs that fit into the same batches. */
interface Bucket {
  readonly rows: readonly number[];
  /** That a batch may have. */
  readonly most: number;
}

function bucketsOf(graphs: GraphSet): Bucket[] {
  const buckets = new Map<number, number[]>();
  for (let row = 0; row < graphs.count; row++) {
    const bucket = graphs.bucketOf?.(row) ?? 0;
    const rows = buckets.get(bucket) ?? [];
    rows.push(row);
    buckets.set(bucket, rows);
  }
  return [...buckets.entries()]
    .sort(([a], [b]) => a - b)
    .map(([bucket, rows]) => ({ rows, most: graphs.mostOf?.(bucket) ?? Number.POSITIVE_INFINITY }));
}

/**
 * The batches of an epoch, in random order. Rows that do not fill one are left to another epoch, which has another order; a
 * bucket of fewer rows than a batch has smaller ones.
 */
function* batchesOf(training: GraphTraining, buckets: readonly Bucket[], random: Random): Generator<Batch> {
  const chosen: number[][] = [];
  for (const { rows, most } of buckets) {
    const order = shuffled(rows, random);
    const size = Math.min(training.recipe.batch, order.length, most);
    for (let start = 0; start + size <= order.length; start += size)
      chosen.push(order.slice(start, start + size));
  }
  for (const rows of shuffled(chosen, random)) yield batchOf(training, rows, random);
}

function batchOf({ graphs, labels, scales, recipe }: GraphTraining, rows: number[], random: Random): Batch {
  const width = scales.length;
  const isTwice = recipe.loss.passes === 'inputs';
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
  const inputs = graphs.batch(rows);
  return {
    ...(isTwice ? stacked(inputs, graphs.batch(rows, 'reordered')) : inputs),
    [TARGET]: { type: 'float32', dims, data: target },
    [PERMUTATION]: {
      type: 'int64',
      dims: [pairs.length],
      data: BigInt64Array.from(shuffled(pairs, random), BigInt),
    },
    ...(labels.values.some(Number.isNaN) ? { [KNOWN]: { type: 'float32', dims, data: known } } : {}),
  };
}

/** Two batches, one behind the other. */
function stacked(a: Batch, b: Batch): Batch {
  return Object.fromEntries(
    Object.entries(a).map(([name, { type, dims, data }]) => {
      const both = new Float32Array(2 * data.length);
      both.set(data as Float32Array);
      both.set(b[name]!.data as Float32Array, data.length);
      return [name, { type, dims: [2 * dims[0]!, ...dims.slice(1)], data: both }];
    }),
  );
}

/** Graphs at once: fewer leave threads waiting for each other, more do not stay in the cache. */
const CHUNK = 256;

/** Puts out (batch, labels) for a batch. */
export type RunBatch = (batch: Batch) => Promise<Float32Array>;

/**
 * What a model puts out for all graphs, row by row; batches of a bucket have one size, the last being filled up.
 *
 * @param lanes what batches are run by, each one at a time
 */
export async function predictAll(
  graphs: GraphSet,
  width: number,
  lanes: readonly RunBatch[],
  { isAnySize = false } = {},
): Promise<Float64Array> {
  const values = new Float64Array(graphs.count * width);
  const parts = partsOf(graphs);
  const work = async (run: RunBatch): Promise<void> => {
    for (const { rows, size } of parts) {
      const filled = isAnySize ? rows : [...rows, ...new Array(size - rows.length).fill(rows[0])];
      const found = await run(graphs.batch(filled));
      rows.forEach((row, b) => {
        for (let i = 0; i < width; i++) values[row * width + i] = found[b * width + i]!;
      });
    }
  };
  // One generator for all: whoever is ready takes the next part.
  await Promise.all(lanes.map(work));
  return values;
}

function* partsOf(graphs: GraphSet): Generator<{ readonly rows: readonly number[]; readonly size: number }> {
  for (const { rows, most } of bucketsOf(graphs)) {
    const size = Math.min(CHUNK, most, rows.length);
    for (let start = 0; start < rows.length; start += size)
      yield { rows: rows.slice(start, start + size), size };
  }
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const order = [...items];
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}
