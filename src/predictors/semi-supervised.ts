// Training on labelled and unlabelled batches in turn (Kadlecová et al. 2023): two optimisers, each with memories of its own,
// over the same weights. What both have goes from one to the other when the kind of batch changes.
import { adam } from '../nn/optimiser.js';
import type { Curves } from '../nn/record.js';
import { newRecord } from '../nn/record.js';
import { constantRate } from '../nn/schedules.js';
import type { Objective } from '../nn/step.js';
import { streamFor } from '../nn/stream.js';
import { type Batch, Trainer, type Weights } from '../nn/trainer.js';
import { shuffled } from './batches.js';
import { expectGoing } from './stopped.js';
import type { TrainedMember, TrainingRun } from './train.js';

/** Labelled batches that follow each other, and the part of the unlabelled ones that a round over the labelled networks has. */
const LABELLED_RUN = 300;
const COEFFICIENT = 0.33;

export type BatchKind = 'labelled' | 'unlabelled';

export interface EpochSizes {
  /** Batches of each kind in an epoch. */
  readonly unlabelled: number;
  readonly labelled: number;
  /** Batches that the labelled networks alone would fill: a network has many examples, one for each image. */
  readonly networks: number;
}

/** Unlabelled batches after which labelled ones follow: ⌊0.33·unlabelled⌋ divided by the batches of networks. */
export function unlabelledRun({ unlabelled, networks }: EpochSizes): number {
  return Math.max(1, Math.floor(Math.floor(COEFFICIENT * unlabelled) / Math.max(1, networks)));
}

/**
 * The kinds of an epoch's batches: a labelled one as long as there were fewer than 300·(⌊u/r⌋ + 1), u being the unlabelled
 * ones so far and r `unlabelledRun`. Where one kind is used up, the rest is of the other.
 */
export function* batchSchedule(sizes: EpochSizes): Generator<BatchKind> {
  const run = unlabelledRun(sizes);
  let [unlabelled, labelled] = [0, 0];
  while (unlabelled < sizes.unlabelled || labelled < sizes.labelled) {
    const isDue = LABELLED_RUN * (Math.floor(unlabelled / run) + 1) > labelled;
    const isLabelled = unlabelled === sizes.unlabelled || (isDue && labelled < sizes.labelled);
    if (isLabelled) labelled++;
    else unlabelled++;
    yield isLabelled ? 'labelled' : 'unlabelled';
  }
}

/** One kind of batches. */
export interface Examples {
  readonly count: number;
  batch(rows: readonly number[]): Batch;
  readonly objective: Objective;
}

export interface SemiSupervisedTraining {
  readonly labelled: Examples;
  readonly unlabelled: Examples;
  /** Different networks among the labelled examples. */
  readonly networks: number;
  readonly steps: number;
  readonly batch: number;
  readonly rate: number;
  readonly clipNorm: number;
  /** First values of parameters, for those that are not to begin at random. */
  readonly weights?: Weights;
}

export function epochSizes({
  labelled,
  unlabelled,
  networks,
  batch,
}: Pick<SemiSupervisedTraining, 'networks' | 'batch'> & {
  readonly labelled: Pick<Examples, 'count'>;
  readonly unlabelled: Pick<Examples, 'count'>;
}): EpochSizes {
  const batches = (count: number): number => Math.max(1, Math.floor(count / batch));
  return {
    unlabelled: batches(unlabelled.count),
    labelled: batches(labelled.count),
    networks: batches(networks),
  };
}

/** Checkpoints of a training. */
const CHECKPOINTS = 50;

/** Codes: TRAINING_STOPPED, TRAINING_DIVERGED, CHECKPOINT_…. */
export async function trainSemiSupervised(
  training: SemiSupervisedTraining,
  run: TrainingRun,
): Promise<TrainedMember> {
  const { steps, rate, clipNorm, weights } = training;
  const trainerOf = ({ objective }: Examples): Trainer =>
    new Trainer(objective, {
      optimiser: adam(),
      schedule: constantRate(rate),
      clipNorm,
      seed: run.seed,
      session: { threads: run.threads },
    });
  const trainers = { labelled: trainerOf(training.labelled), unlabelled: trainerOf(training.unlabelled) };
  if (weights) for (const trainer of Object.values(trainers)) trainer.adopt(weights);
  const store = run.checkpoint?.('member0');
  try {
    const saved = await store?.load();
    if (saved) await restore(trainers, saved);
    const done = trainers.labelled.record.step + trainers.unlabelled.record.step;
    const every = Math.max(1, Math.ceil(steps / CHECKPOINTS));
    const { curves } = newRecord();
    let [step, active] = [0, undefined as BatchKind | undefined];
    for (const { kind, rows } of rowsOf(training, run.seed)) {
      if (step === steps) break;
      step++;
      const trainer = trainers[kind];
      const other = active === undefined || active === kind ? undefined : trainers[active];
      active = kind;
      if (step <= done) continue;
      expectGoing(run.signal);
      if (other) trainer.adopt(other.weights('current'));
      const { loss, learningRate, gradientNorm } = await trainer.step(training[kind].batch(rows));
      push(curves, { loss, learningRate, gradientNorm });
      run.onProgress?.({ part: step / steps, member: 0, step, loss });
      if (step % every === 0) await store?.save(bytesOf(trainers));
    }
    if (active === 'unlabelled') trainers.labelled.adopt(trainers.unlabelled.weights('current'));
    return { weights: trainers.labelled.weights('current'), curves, ended: 'completed' };
  } finally {
    await trainers.labelled.dispose();
    await trainers.unlabelled.dispose();
  }
}

function push(
  curves: Curves,
  found: Readonly<Record<'loss' | 'learningRate' | 'gradientNorm', number>>,
): void {
  curves.loss.push(found.loss);
  curves.learningRate.push(found.learningRate);
  curves.gradientNorm.push(found.gradientNorm);
}

/** The batches of all epochs, each epoch in an order of its own. */
function* rowsOf(
  training: SemiSupervisedTraining,
  seed: number,
): Generator<{ kind: BatchKind; rows: readonly number[] }> {
  const sizes = epochSizes(training);
  for (let epoch = 0; ; epoch++) {
    const order = (kind: BatchKind): number[] =>
      shuffled([...Array(training[kind].count).keys()], streamFor(seed, kind, epoch));
    const orders = { labelled: order('labelled'), unlabelled: order('unlabelled') };
    const starts = { labelled: 0, unlabelled: 0 };
    for (const kind of batchSchedule(sizes)) {
      const start = starts[kind];
      const size = Math.min(training.batch, training[kind].count);
      starts[kind] += size;
      yield { kind, rows: orders[kind].slice(start, start + size) };
    }
  }
}

interface Trainers {
  readonly labelled: Trainer;
  readonly unlabelled: Trainer;
}

/** Both checkpoints, the first after its length. */
function bytesOf({ labelled, unlabelled }: Trainers): Uint8Array {
  const [a, b] = [labelled, unlabelled].map((trainer) => trainer.checkpoint() ?? new Uint8Array());
  const bytes = new Uint8Array(4 + a!.length + b!.length);
  new DataView(bytes.buffer).setUint32(0, a!.length, true);
  bytes.set(a!, 4);
  bytes.set(b!, 4 + a!.length);
  return bytes;
}

async function restore({ labelled, unlabelled }: Trainers, bytes: Uint8Array): Promise<void> {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const parts = [bytes.subarray(4, 4 + length), bytes.subarray(4 + length)];
  for (const [i, trainer] of [labelled, unlabelled].entries()) {
    if (parts[i]!.length > 0) await trainer.restore(Uint8Array.from(parts[i]!));
  }
}
