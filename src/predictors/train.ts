// Trains models of graphs: several members of different seeds, two at a time on two cores, in one or more stages. What is
// minimised, how fast, and what stays as it is are data of a stage; each member has checkpoints of its own.
import type { CheckpointStore } from '../nn/checkpoint.js';
import type { Optimiser } from '../nn/optimiser.js';
import type { Curves } from '../nn/record.js';
import type { Schedule } from '../nn/schedules.js';
import type { Inputs, Objective } from '../nn/step.js';
import { type Batch, Trainer, type Weights } from '../nn/trainer.js';
import type { SessionOptions } from '../runtime/session.js';
import { AuspexError } from '../util/errors.js';
import type { Random } from '../util/random.js';
import { bucketsOf, drawnBatches, predictAll, stacked } from './batches.js';
import { expectGoing } from './stopped.js';
import type { GraphSet } from './views/view.js';

/** Where a checkpoint of a name, such as `member0`, is kept. */
export type Checkpoints = (name: string) => CheckpointStore | undefined;

/** One part of a training, with an objective of its own. */
export interface Stage {
  /** Of its checkpoints. Default `member`. */
  readonly name?: string;
  /** In the buckets that batches are made of. */
  readonly graphs: GraphSet;
  readonly objective: Objective;
  /** Inputs of a batch besides those of the graphs: targets, indices of pairs, a matrix of distances. */
  readonly extras?: (rows: readonly number[], random: Random) => Batch;
  /** `inputs`: batches hold the rows twice, the second time reordered. Default `dropout`: once. */
  readonly passes?: 'dropout' | 'inputs';
  readonly steps: number;
  /** Rows of a batch. */
  readonly batch: number;
  readonly optimiser: Optimiser;
  readonly schedule: Schedule;
  readonly clipNorm?: number;
  readonly emaDecay?: number;
  /** Parameters whose names begin so stay as they are. */
  readonly frozen?: readonly string[];
  /** How good the weights are, higher being better; the best are kept. Default: the last are. */
  readonly validate?: (predict: PredictSet) => Promise<number>;
  /** Weights to begin with, by member, given those of the stage before (none at first). Default: just those. */
  readonly start?: (before: readonly Weights[]) => Promise<readonly Weights[]> | readonly Weights[];
}

/** What the model puts out for all graphs of a set: (rows, width). */
type PredictSet = (graphs: GraphSet, width: number) => Promise<Float64Array>;

export interface TrainingRun {
  readonly seed: number;
  /** Threads in all; as many members at once. */
  readonly threads: number;
  readonly checkpoint?: Checkpoints;
  readonly onProgress?: (progress: TrainingProgress) => void;
  readonly signal?: AbortSignal;
}

export interface TrainingProgress {
  /** Of all that there is to do. */
  readonly part: number;
  readonly member?: number;
  readonly step?: number;
  readonly loss?: number;
  /** The latest validation's. */
  readonly score?: number | undefined;
}

export interface TrainedMember {
  readonly weights: Weights;
  readonly curves: Curves;
  readonly ended: 'completed' | 'early' | 'aborted';
}

/** Validations of a stage. */
const VALIDATIONS = 10;
/** Checkpoints of a stage. */
const CHECKPOINTS = 50;

/**
 * The members as the last stage leaves them, in the order of their seeds: seed, seed + 1, … Codes: TRAINING_STOPPED,
 * TRAINING_DIVERGED.
 */
export async function trainStages(
  stages: readonly Stage[],
  members: number,
  run: TrainingRun,
): Promise<TrainedMember[]> {
  const all = stages.reduce((sum, { steps }) => sum + steps, 0);
  let done = 0;
  let trained: TrainedMember[] = [];
  for (const stage of stages) {
    const before = trained.map(({ weights }) => weights);
    const from = stage.start ? await stage.start(before) : before;
    const [base, share] = [done / all, stage.steps / all];
    trained = await trainStage(stage, from, members, {
      ...run,
      onProgress: (progress) => run.onProgress?.({ ...progress, part: base + share * progress.part }),
    });
    done += stage.steps;
  }
  return trained;
}

async function trainStage(
  stage: Stage,
  from: readonly Weights[],
  count: number,
  run: TrainingRun,
): Promise<TrainedMember[]> {
  const atOnce = Math.max(1, Math.min(run.threads, count));
  const session = { threads: Math.max(1, Math.floor(run.threads / atOnce)), isApart: atOnce > 1 };
  const parts = new Float64Array(count);
  const members: TrainedMember[] = new Array(count);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count && !run.signal?.aborted) {
      const member = next++;
      const start = from[member % Math.max(1, from.length)];
      members[member] = await trainMember(stage, member, start, session, run, (step, loss, score) => {
        parts[member] = step / stage.steps;
        run.onProgress?.({ member, step, loss, score, part: parts.reduce((a, b) => a + b) / count });
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  expectGoing(run.signal);
  return members;
}

async function trainMember(
  stage: Stage,
  member: number,
  from: Weights | undefined,
  session: SessionOptions,
  run: TrainingRun,
  onStep: (step: number, loss: number, score: number | undefined) => void,
): Promise<TrainedMember> {
  const { graphs, steps, optimiser, schedule, clipNorm, emaDecay, validate } = stage;
  const buckets = bucketsOf(graphs);
  const trainer = new Trainer(frozenObjective(stage), {
    optimiser,
    schedule,
    seed: run.seed + member,
    session,
    ...(clipNorm === undefined ? {} : { clipNorm }),
    ...(emaDecay === undefined ? {} : { emaDecay }),
    ...(from ? { weights: from } : {}),
  });
  const predict: PredictSet = async (set, width) => {
    const run = async (batch: Batch) => (await trainer.predict(batch)).data as Float32Array;
    const found = await predictAll(set, width, [run], { isFilled: true });
    if (found.every(Number.isFinite)) return found;
    throw diverged('predictions for validation rows are not finite');
  };
  const store = run.checkpoint?.(`${stage.name ?? 'member'}${member}`);
  try {
    const { weights, curves, ended } = await trainer.fit({
      steps,
      batches: (_, random) => batchesOf(stage, buckets, random),
      better: 'higher',
      every: { steps: Math.max(1, Math.ceil(steps / VALIDATIONS)) },
      checkpointEvery: { steps: Math.max(1, Math.ceil(steps / CHECKPOINTS)) },
      onProgress: ({ step, loss, validation }) => onStep(step, loss, validation?.score),
      ...(validate ? { validate: () => validate(predict) } : {}),
      ...(store ? { checkpoint: store } : {}),
      ...(run.signal ? { signal: run.signal } : {}),
    });
    return { weights, curves, ended };
  } catch (error) {
    if (error instanceof AuspexError && error.code === 'TRAINING_DIVERGED') throw diverged(error.message);
    throw error;
  } finally {
    await trainer.dispose();
  }
}

/** A training whose numbers are no longer finite: the rate is at fault, as labels and features were checked. */
export function diverged(what: string): AuspexError {
  return new AuspexError('TRAINING_DIVERGED', what, {
    kind: 'failure',
    hint: 'lower the learning rate, as in --rate 1e-4; all labels and features are finite',
  });
}

/** The objective with what is frozen not trained. */
function frozenObjective({ objective, frozen }: Stage): Objective {
  if (frozen === undefined || frozen.length === 0) return objective;
  return {
    loss: (s, batch: Inputs) => objective.loss(s.freezing(frozen), batch),
    predict: (s, batch: Inputs) => objective.predict(s.freezing(frozen), batch),
  };
}

function* batchesOf(stage: Stage, buckets: ReturnType<typeof bucketsOf>, random: Random): Generator<Batch> {
  const { graphs, passes, extras } = stage;
  for (const rows of drawnBatches(buckets, stage.batch, random)) {
    const inputs = graphs.batch(rows);
    yield {
      ...(passes === 'inputs' ? stacked(inputs, graphs.batch(rows, 'reordered')) : inputs),
      ...extras?.(rows, random),
    };
  }
}
