// Trains an objective: one compiled step for every shape of batch, all of them on the same state. What a step does
// depends only on the state, the batch, the seed and the step's number. How long to train, when to validate and
// what to keep is in fit.ts.
import { channelBlock } from '../runtime/channel-block.js';
import { type HostTensor, hostTensor, Session, type SessionOptions } from '../runtime/session.js';
import { AuspexError } from '../util/errors.js';
import { type Batch, parseSignature, shapesOf, signatureOf, sizeOf, tensorsOf } from './batch.js';
import {
  checkpointMismatch,
  decodeCheckpoint,
  encodeCheckpoint,
  expectSameTraining,
  type StoredTensor,
  type TrainingIdentity,
} from './checkpoint.js';
import { objectiveFingerprint, optimiserFingerprint } from './fingerprint.js';
import { type FitOptions, type FitResult, fit } from './fit.js';
import { initialValues } from './initialise.js';
import { NoiseSource, NoiseTables } from './noise.js';
import { newRecord, type TrainingRecord } from './record.js';
import type { Schedule } from './schedules.js';
import type { ParameterSpec } from './scope.js';
import {
  averageOf,
  type BatchShapes,
  GRADIENT_NORM,
  isParameterName,
  LOSS,
  type Objective,
  type StateSpec,
  type StepOptions,
  trace,
  trainingStep,
} from './step.js';
import { State, Stepper } from './stepper.js';

export type { Batch };

/** Values of parameters by name. */
export type Weights = ReadonlyMap<string, Float32Array>;

/** `current`: as the last step left them. `averaged`: their moving average. `best`: of the best validation. */
export type WeightsKind = 'current' | 'averaged' | 'best';

export interface TrainerOptions extends Omit<StepOptions, 'gradientNorm'> {
  readonly schedule: Schedule;
  /** Of first weights, noise and the order of data. Default 0. */
  readonly seed?: number;
  /** First values of parameters, for those that are not to begin at random. */
  readonly weights?: Weights;
  /** The weights that are validated and kept. Default: averaged where there is an `emaDecay`. */
  readonly evaluateWith?: 'current' | 'averaged';
  readonly session?: SessionOptions;
}

/** What one step found. */
export interface StepResult {
  readonly loss: number;
  /** Of all parameters together, before it is clipped. */
  readonly gradientNorm: number;
  readonly learningRate: number;
}

interface CompiledStep {
  readonly stepper: Stepper;
  readonly noise: NoiseSource;
}

interface CompiledModel {
  readonly session: Session;
  readonly parameters: readonly ParameterSpec[];
}

const PREDICTION = 'prediction';

/**
 * @example
 * const trainer = new Trainer(objective, { optimiser: adamW(), schedule: constantRate(1e-3), seed: 1 });
 * const { weights, curves } = await trainer.fit({ epochs: 20, batches });
 * const prediction = await trainer.predict(batch);
 */
export class Trainer {
  readonly objective: Objective;
  readonly seed: number;
  readonly evaluateWith: 'current' | 'averaged';
  readonly #options: TrainerOptions;
  readonly #optimiserFingerprint: string;
  readonly #tables: NoiseTables;
  readonly #steps = new Map<string, Promise<CompiledStep>>();
  readonly #models = new Map<string, Promise<CompiledModel>>();
  /** By the shapes of batches that steps were compiled for. */
  readonly #fingerprints = new Map<string, string>();
  #state: State | undefined;
  /** What parameters begin with once there is a state. */
  readonly #adopted = new Map<string, Float32Array>();
  #best: ReadonlyMap<string, HostTensor> = new Map();
  /** How far it is; changes with every step. */
  record: TrainingRecord = newRecord();

  constructor(objective: Objective, options: TrainerOptions) {
    const { seed = 0, emaDecay, evaluateWith = emaDecay === undefined ? 'current' : 'averaged' } = options;
    if (!Number.isSafeInteger(seed)) throw new RangeError(`a seed is a whole number, not ${seed}`);
    if (evaluateWith === 'averaged' && emaDecay === undefined) {
      throw new RangeError('weights are only averaged with an emaDecay');
    }
    this.objective = objective;
    this.seed = seed;
    this.evaluateWith = evaluateWith;
    this.#options = options;
    this.#optimiserFingerprint = optimiserFingerprint(options.optimiser);
    this.#tables = new NoiseTables(seed);
  }

  /** Trains; see `FitOptions`. */
  fit(options: FitOptions): Promise<FitResult> {
    return fit(this, options);
  }

  /**
   * One step on a batch.
   *
   * @throws AuspexError TRAINING_DIVERGED where the loss or the gradient is no finite number; the weights are then
   * those before the step.
   */
  async step(batch: Batch): Promise<StepResult> {
    const { optimiser, schedule } = this.#options;
    const { record } = this;
    const { stepper, noise } = await this.#compiledStep(shapesOf(batch));
    const number = record.step + 1;
    const learningRate = schedule(record.step) * record.plateau.rate;
    const feeds = { ...(await tensorsOf(batch)), ...(await noise.feeds(number)) };
    for (const [name, value] of Object.entries(optimiser.scalars(number, learningRate))) {
      feeds[stepper.step.scalars[name]!] = await hostTensor('float32', Float32Array.of(value), []);
    }
    const results = await stepper.run(feeds);
    const scalar = (name: string): number => Number(results[name]!.data[0]);
    const [loss, gradientNorm] = [scalar(LOSS), scalar(GRADIENT_NORM)];
    const wrong = Number.isFinite(loss) ? `gradient norm is ${gradientNorm}` : `loss is ${loss}`;
    if (!Number.isFinite(loss) || !Number.isFinite(gradientNorm)) {
      this.#state!.swap();
      throw new AuspexError('TRAINING_DIVERGED', `the ${wrong} in step ${number}, epoch ${record.epoch}`, {
        kind: 'failure',
        hint: 'lower the learning rate, clip the gradient, or look for NaN in the data',
      });
    }
    record.step = number;
    record.curves.loss.push(loss);
    record.curves.learningRate.push(learningRate);
    record.curves.gradientNorm.push(gradientNorm);
    return { loss, gradientNorm, learningRate };
  }

  /** What the objective predicts for a batch, which needs no targets. */
  async predict(batch: Batch, weights: WeightsKind = this.evaluateWith): Promise<HostTensor> {
    return this.#run(PREDICTION, batch, weights);
  }

  /** The loss of a batch as the trained model has it: without dropout, with running statistics. */
  async evaluate(batch: Batch, weights: WeightsKind = this.evaluateWith): Promise<number> {
    return Number((await this.#run(LOSS, batch, weights)).data[0]);
  }

  /** A copy of the weights; none before the first step. */
  weights(kind: WeightsKind = this.evaluateWith): Weights {
    return new Map(
      [...this.#parameters(kind)].map(([name, { data }]) => [name, Float32Array.from(data as Float32Array)]),
    );
  }

  /**
   * Takes over values of parameters from another training, as where two optimisers train the same ones in turn. Parameters
   * that it does not have are left out.
   */
  adopt(weights: Weights): void {
    for (const [name, data] of weights) {
      if (this.#state === undefined) this.#adopted.set(name, data);
      else if (this.#state.has(name)) (this.#state.current(name).data as Float32Array).set(data);
    }
  }

  /** Keeps the weights that are validated as the best. */
  async keepBest(): Promise<void> {
    const best = new Map<string, HostTensor>();
    for (const [name, { dims, data }] of this.#parameters(this.evaluateWith)) {
      best.set(name, await hostTensor('float32', Float32Array.from(data as Float32Array), dims));
    }
    this.#best = best;
  }

  /** Releases what was compiled. */
  async dispose(): Promise<void> {
    const compiled = [...this.#steps.values(), ...this.#models.values()];
    this.#steps.clear();
    this.#models.clear();
    for (const each of await Promise.all(compiled)) {
      await ('stepper' in each ? each.stepper : each.session).dispose();
    }
  }

  // Checkpoints ----------------------------------------------------------------------------------------------

  /** All that is needed to go on; undefined before the first step. */
  checkpoint(): Uint8Array | undefined {
    if (this.#state === undefined) return undefined;
    return encodeCheckpoint({
      identity: this.#identity(),
      record: this.record,
      state: new Map([...this.#state.names].map((name) => [name, stored(this.#state!.current(name))])),
      best: new Map([...this.#best].map(([name, tensor]) => [name, stored(tensor)])),
    });
  }

  /**
   * Goes back to a checkpoint of the same training.
   *
   * @throws AuspexError CHECKPOINT_UNREADABLE, CHECKPOINT_MISMATCH
   */
  async restore(bytes: Uint8Array): Promise<void> {
    const { identity, record, state, best } = decodeCheckpoint(bytes);
    expectSameTraining(identity, this.#identity());
    for (const [signature, fingerprint] of Object.entries(identity.objective)) {
      this.#expectObjective(signature, fingerprint);
    }
    for (const [name, { data }] of this.#state ? state : []) {
      (this.#state!.current(name).data as Float32Array).set(data);
    }
    this.#state ??= await State.of(state);
    for (const [signature, fingerprint] of Object.entries(identity.objective)) {
      this.#fingerprints.set(signature, fingerprint);
    }
    const tensors = new Map<string, HostTensor>();
    for (const [name, { dims, data }] of best) tensors.set(name, await hostTensor('float32', data, dims));
    this.#best = tensors;
    this.record = record;
  }

  #identity(): TrainingIdentity {
    const { optimiser, clipNorm, emaDecay } = this.#options;
    return {
      seed: this.seed,
      optimiser: optimiser.name,
      optimiserFingerprint: this.#optimiserFingerprint,
      clipNorm,
      emaDecay,
      evaluateWith: this.evaluateWith,
      objective: Object.fromEntries(this.#fingerprints),
    };
  }

  #expectObjective(signature: string, fingerprint: string): void {
    let own: string | undefined;
    let cause: unknown;
    try {
      own = objectiveFingerprint(this.objective, parseSignature(signature));
    } catch (error) {
      cause = error;
    }
    if (own !== fingerprint) {
      throw checkpointMismatch('belongs to another objective: the loss differs for the same batches', cause);
    }
  }

  // What is compiled -----------------------------------------------------------------------------------------

  #compiledStep(shapes: BatchShapes): Promise<CompiledStep> {
    return cached(this.#steps, signatureOf(shapes), async (signature) => {
      const block = await channelBlock(this.#options.session);
      const step = trainingStep(this.objective, shapes, { ...this.#options, channelBlock: block });
      this.#state ??= await State.of(this.#firstState(step.state));
      expectState(step.state, this.#state, signature);
      if (!this.#fingerprints.has(signature)) {
        this.#fingerprints.set(signature, objectiveFingerprint(this.objective, shapes));
      }
      return {
        stepper: await Stepper.create(step, this.#state, this.#options.session),
        noise: new NoiseSource(step.noise, this.seed, this.#tables),
      };
    });
  }

  #compiledModel(output: string, shapes: BatchShapes): Promise<CompiledModel> {
    return cached(this.#models, `${output} ${signatureOf(shapes)}`, async () => {
      const { objective } = this;
      const write = output === LOSS ? objective.loss : objective.predict;
      const traced = trace(shapes, false, write.bind(objective), output);
      return {
        session: await Session.create(traced.model, this.#options.session),
        parameters: [...traced.trace.parameters.values()],
      };
    });
  }

  async #run(output: string, batch: Batch, kind: WeightsKind): Promise<HostTensor> {
    const { session, parameters } = await this.#compiledModel(output, shapesOf(batch));
    const feeds = await tensorsOf(batch);
    const values = this.#parameters(kind);
    for (const spec of parameters) {
      const value =
        values.get(spec.name) ??
        (this.#state === undefined && kind !== 'best'
          ? await hostTensor('float32', this.#firstValue(spec), spec.dims)
          : undefined);
      if (value === undefined) throw missingParameter(spec, kind);
      feeds[spec.name] = value;
    }
    return (await session.run(feeds))[output]!;
  }

  // The state ------------------------------------------------------------------------------------------------

  #firstValue(parameter: ParameterSpec): Float32Array {
    const given = this.#adopted.get(parameter.name) ?? this.#options.weights?.get(parameter.name);
    if (given === undefined) return initialValues(parameter, this.seed);
    const size = sizeOf(parameter.dims);
    if (given.length === size) return Float32Array.from(given);
    throw new AuspexError(
      'WEIGHTS_SHAPE',
      `'${parameter.name}' [${parameter.dims}] has ${size} elements; ${given.length} were given`,
    );
  }

  /** Slots of the optimiser begin with zeros, averages where their parameters do. */
  #firstState(specs: readonly StateSpec[]): Map<string, StoredTensor> {
    const names = new Set(specs.map(({ parameter }) => parameter.name));
    for (const name of this.#options.weights?.keys() ?? []) {
      if (!names.has(name)) {
        throw new AuspexError(
          'WEIGHTS_UNKNOWN',
          `weights were given for '${name}', which is not a parameter`,
        );
      }
    }
    return new Map(
      specs.map(({ name, dims, role, parameter }) => {
        const data = role === 'slot' ? new Float32Array(sizeOf(dims)) : this.#firstValue(parameter);
        return [name, { dims, data }];
      }),
    );
  }

  /** The tensors themselves, not copies. What is not trained is not averaged: it stands for itself. */
  #parameters(kind: WeightsKind): ReadonlyMap<string, HostTensor> {
    if (kind === 'best') return this.#best;
    const state = this.#state;
    const found = new Map<string, HostTensor>();
    for (const name of state?.names ?? []) {
      if (!isParameterName(name)) continue;
      const average = averageOf(name);
      found.set(name, state!.current(kind === 'averaged' && state!.has(average) ? average : name));
    }
    return found;
  }
}

function stored({ dims, data }: HostTensor): StoredTensor {
  return { dims, data: data as Float32Array };
}

/** Made once; again where that failed. */
function cached<T>(
  made: Map<string, Promise<T>>,
  key: string,
  make: (key: string) => Promise<T>,
): Promise<T> {
  const known = made.get(key);
  if (known) return known;
  const making = make(key);
  made.set(key, making);
  making.catch(() => made.delete(key));
  return making;
}

/** Steps for all shapes of batches turn over the whole state, so all must have the same. */
function expectState(specs: readonly StateSpec[], state: State, signature: string): void {
  const wanted = new Map(specs.map(({ name, dims }) => [name, String(dims)]));
  const names = [...state.names];
  const other =
    names.find((name) => !wanted.has(name)) ??
    [...wanted.keys()].find(
      (name) => !state.has(name) || String(state.current(name).dims) !== wanted.get(name),
    );
  if (other === undefined) return;
  const shape = (dims: string | undefined): string => (dims === undefined ? 'absent' : `[${dims}]`);
  const here = shape(wanted.get(other));
  const before = shape(state.has(other) ? String(state.current(other).dims) : undefined);
  throw new AuspexError(
    'STATE_MISMATCH',
    `'${other}' is ${here} for batches of ${signature}; it is ${before} for those before`,
    { hint: 'parameters must not depend on the shape of the batch' },
  );
}

function missingParameter({ name }: ParameterSpec, kind: WeightsKind): AuspexError {
  return kind === 'best'
    ? new AuspexError('NO_BEST_WEIGHTS', 'there are no best weights before the first validation')
    : new AuspexError('PARAMETER_UNTRAINED', `the loss does not use parameter '${name}'`);
}
