// The course of a training: epochs of batches, validation now and then, the best weights kept, early stop,
// progress, checkpoints. Where it stops does not change where it goes: resumed from a checkpoint, a training
// takes the same steps, to the bit, as one that was never stopped.
import { AuspexError } from '../util/errors.js';
import type { Random } from '../util/random.js';
import type { CheckpointStore } from './checkpoint.js';
import type { Curves, Validation } from './record.js';
import { type PlateauOptions, plateau } from './schedules.js';
import { streamFor } from './stream.js';
import type { Batch, StepResult, Trainer, Weights } from './trainer.js';

/** After so many steps, or after so many epochs. */
export type Every =
  | { readonly steps: number; readonly epochs?: never }
  | { readonly epochs: number; readonly steps?: never };

export interface FitOptions {
  /** Trains until so many epochs or steps are done in all, whichever comes first; one must be given. */
  readonly epochs?: number;
  readonly steps?: number;
  /**
   * The batches of an epoch, counted from 0. They must depend on nothing but the epoch and the random numbers: a
   * training that is resumed asks for them again and leaves out those that were done.
   */
  readonly batches: (epoch: number, random: Random) => Iterable<Batch>;
  /** A score of the weights as they are; NaN is never the best. */
  readonly validate?: (trainer: Trainer) => Promise<number>;
  /** How often to validate, besides at the end. Default: after every epoch. */
  readonly every?: Every;
  /** Which scores are better. Default: lower. */
  readonly better?: 'higher' | 'lower';
  /** Stops after so many validations in a row that were no better. */
  readonly patience?: number;
  /** Lowers the learning rate where the score stays on a plateau. */
  readonly plateau?: Pick<PlateauOptions, 'factor' | 'patience' | 'threshold'>;
  /** Called after every step. */
  readonly onProgress?: (progress: Progress) => void;
  /** Stops after the step that is going on. */
  readonly signal?: AbortSignal;
  /** Where to go on from, if something is there, and to keep checkpoints. */
  readonly checkpoint?: CheckpointStore;
  /** How often to save one, besides at the end. Default: after every epoch. */
  readonly checkpointEvery?: Every;
}

export interface Progress extends StepResult {
  /** Steps done. */
  readonly step: number;
  /** All steps of the training; unknown in the first epoch where only epochs are given. */
  readonly steps: number | undefined;
  /** Epochs done. */
  readonly epoch: number;
  readonly examplesPerSecond: number;
  /** Until the end; unknown where `steps` is. */
  readonly etaSeconds: number | undefined;
  /** The latest validation. */
  readonly validation: Validation | undefined;
}

export interface FitResult {
  /** Why it ended: all steps are done, validation stayed without progress, or the signal. */
  readonly ended: 'completed' | 'early' | 'aborted';
  readonly steps: number;
  readonly epochs: number;
  /** The best validation. */
  readonly best: Validation | undefined;
  /** The best weights, or the last where nothing was validated. */
  readonly weights: Weights;
  readonly curves: Curves;
}

const DEFAULTS: Required<Pick<FitOptions, 'every' | 'better' | 'checkpointEvery'>> = {
  every: { epochs: 1 },
  better: 'lower',
  checkpointEvery: { epochs: 1 },
};

/** Trains as the options say. */
export async function fit(trainer: Trainer, options: FitOptions): Promise<FitResult> {
  if (options.epochs === undefined && options.steps === undefined) {
    throw new RangeError('how long to train: epochs or steps must be given');
  }
  const saved = trainer.record.step === 0 ? await options.checkpoint?.load() : undefined;
  if (saved !== undefined) await trainer.restore(saved);
  return new Fit(trainer, options).run();
}

class Fit {
  readonly #trainer: Trainer;
  readonly #options: FitOptions & typeof DEFAULTS;
  readonly #clock: Clock;
  /** What the last checkpoint was of. */
  #saved = '';

  constructor(trainer: Trainer, options: FitOptions) {
    this.#trainer = trainer;
    this.#options = { ...DEFAULTS, ...options };
    this.#clock = new Clock(trainer.record.step);
  }

  async run(): Promise<FitResult> {
    const trainer = this.#trainer;
    let ended = this.#ended();
    while (ended === undefined) ended = await this.#epoch();
    const { record } = trainer;
    const isValidated = record.curves.validation.at(-1)?.step === record.step;
    if (ended !== 'aborted' && !isValidated && record.step > 0) await this.#validate();
    await this.#save();
    const { step, epoch, best, curves } = record;
    return {
      ended,
      steps: step,
      epochs: epoch,
      best,
      weights: trainer.weights(best === undefined ? trainer.evaluateWith : 'best'),
      curves,
    };
  }

  /** Whether and why there is no further step. */
  #ended(): FitResult['ended'] | undefined {
    const { epochs = Number.POSITIVE_INFINITY, steps = Number.POSITIVE_INFINITY } = this.#options;
    const { patience = Number.POSITIVE_INFINITY, signal } = this.#options;
    const { step, epoch, sinceBest } = this.#trainer.record;
    if (step >= steps || epoch >= epochs) return 'completed';
    if (sinceBest > 0 && sinceBest >= patience) return 'early';
    return signal?.aborted ? 'aborted' : undefined;
  }

  /** What is left of an epoch. */
  async #epoch(): Promise<FitResult['ended'] | undefined> {
    const { record, seed } = this.#trainer;
    const { epoch, batch: done } = record;
    let index = 0;
    for (const batch of this.#options.batches(epoch, streamFor(seed, 'batches', epoch))) {
      if (index++ < done) continue;
      const result = await this.#clock.time(batch, () => this.#trainer.step(batch));
      record.batch++;
      this.#report(result);
      await this.#pause('steps', record.step);
      const ended = this.#ended();
      if (ended !== undefined) return ended;
    }
    if (index === 0) throw new AuspexError('NO_BATCHES', `epoch ${epoch} has no batches`);
    if (index < done) {
      throw new AuspexError(
        'CHECKPOINT_MISMATCH',
        `epoch ${epoch} has ${index} batches, but the checkpoint was written after ${done}`,
        { hint: 'continue with the same data' },
      );
    }
    record.epoch++;
    record.batch = 0;
    await this.#pause('epochs', record.epoch);
    return this.#ended();
  }

  /** Between two steps or epochs: validation, then a checkpoint that knows of it. */
  async #pause(unit: 'steps' | 'epochs', count: number): Promise<void> {
    const { every, checkpointEvery } = this.#options;
    if (isDue(every, unit, count)) await this.#validate();
    if (isDue(checkpointEvery, unit, count)) await this.#save();
  }

  async #validate(): Promise<void> {
    const { validate, better, plateau: plateauOptions } = this.#options;
    if (validate === undefined) return;
    const trainer = this.#trainer;
    const { record } = trainer;
    const score = await validate(trainer);
    const validation = { step: record.step, epoch: record.epoch, score };
    record.curves.validation.push(validation);
    if (isBetter(score, record.best?.score, better)) {
      record.best = validation;
      record.sinceBest = 0;
      await trainer.keepBest();
    } else record.sinceBest++;
    if (plateauOptions === undefined) return;
    const mode = better === 'higher' ? 'max' : 'min';
    record.plateau = plateau(record.plateau, score, { ...plateauOptions, mode });
  }

  async #save(): Promise<void> {
    const { step, epoch, batch, curves } = this.#trainer.record;
    const position = String([step, epoch, batch, curves.validation.length]);
    const { checkpoint } = this.#options;
    if (checkpoint === undefined || position === this.#saved) return;
    const bytes = this.#trainer.checkpoint();
    if (bytes === undefined) return;
    await checkpoint.save(bytes);
    this.#saved = position;
  }

  #report(result: StepResult): void {
    const { onProgress } = this.#options;
    if (onProgress === undefined) return;
    const { step, epoch, curves } = this.#trainer.record;
    const steps = this.#expectedSteps();
    onProgress({
      ...result,
      step,
      steps,
      epoch,
      examplesPerSecond: this.#clock.examplesPerSecond,
      etaSeconds: steps === undefined ? undefined : this.#clock.secondsFor(steps - step, step),
      validation: curves.validation.at(-1),
    });
  }

  /** Steps until the end; of epochs, judged by those that are done. */
  #expectedSteps(): number | undefined {
    const { steps, epochs } = this.#options;
    const { step, epoch, batch } = this.#trainer.record;
    if (epochs === undefined) return steps;
    const perEpoch = epoch === 0 ? undefined : (step - batch) / epoch;
    const inAll = perEpoch === undefined ? undefined : Math.round(perEpoch * epochs);
    if (steps === undefined || inAll === undefined) return inAll;
    return Math.min(steps, inAll);
  }
}

/** What a step weighs in the speed after the next one: about the last 50 count. */
const MEMORY = 0.98;

/** How fast it goes. */
class Clock {
  readonly #start = performance.now();
  readonly #firstStep: number;
  #examples = 0;
  #stepMs = 0;

  constructor(firstStep: number) {
    this.#firstStep = firstStep;
  }

  async time<T>(batch: Batch, run: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const result = await run();
    this.#stepMs = MEMORY * this.#stepMs + performance.now() - start;
    this.#examples = MEMORY * this.#examples + (Object.values(batch)[0]?.dims[0] ?? 1);
    return result;
  }

  /** Of steps alone. */
  get examplesPerSecond(): number {
    return (1000 * this.#examples) / this.#stepMs;
  }

  /** With all that happens between steps. */
  secondsFor(steps: number, step: number): number {
    return ((performance.now() - this.#start) / 1000 / (step - this.#firstStep)) * steps;
  }
}

function isDue(every: Every, unit: 'steps' | 'epochs', count: number): boolean {
  const period = every[unit];
  return period !== undefined && count % period === 0;
}

function isBetter(score: number, best: number | undefined, better: 'higher' | 'lower'): boolean {
  if (best === undefined) return !Number.isNaN(score);
  return better === 'higher' ? score > best : score < best;
}
