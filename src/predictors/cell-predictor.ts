// A predictor of cells: NN-Former trained on cells with labels, several of different seeds together, with an interval.
// It is one ONNX file that says what it is for; its output is in the label's own units.
import { inferShapes } from '../analysis/infer.js';
import { symbol } from '../graph/dim.js';
import { type Model, makeGraph, makeModel } from '../graph/graph.js';
import { isTensor, TensorType } from '../graph/types.js';
import { freeze } from '../nn/freeze.js';
import { adamW } from '../nn/optimiser.js';
import { warmupCosine } from '../nn/schedules.js';
import type { Scope } from '../nn/scope.js';
import { type Inputs, trace } from '../nn/step.js';
import { type Batch, Trainer, type Weights } from '../nn/trainer.js';
import { decodeModel } from '../onnx/read.js';
import { encodeModel } from '../onnx/write.js';
import type { Value } from '../ops/build.js';
import { hostTensor, Session, type SessionOptions } from '../runtime/session.js';
import type { Cell } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import type { Random } from '../util/random.js';
import { EncodedCells } from './cell-batch.js';
import { conformalInterval, type IntervalRule } from './conformal.js';
import { type GraphInputs, NN_FORMER, type NNFormerOptions, nnFormer } from './nn-former.js';
import { PERMUTATION, RANKING_LOSS, type RankingLossOptions, rankingLoss, TARGET } from './ranking-loss.js';

/** Cells with what is to be predicted of them. */
export interface LabelledCells {
  readonly cells: readonly Cell[];
  readonly labels: ArrayLike<number>;
}

export interface CellRecipe {
  readonly model: NNFormerOptions;
  readonly loss: RankingLossOptions;
  readonly epochs: number;
  readonly batch: number;
  readonly rate: number;
  readonly weightDecay: number;
  readonly emaDecay: number;
  /** How many are trained from different seeds; the prediction is their mean. */
  readonly members: number;
}

/** Smaller than the paper's, trained for fewer epochs at a higher rate: minutes on two cores. */
export const CELL_RECIPE: CellRecipe = {
  model: { ...NN_FORMER, width: 96, layers: 4 },
  loss: RANKING_LOSS,
  epochs: 800,
  batch: 128,
  rate: 1e-3,
  weightDecay: 0.01,
  emaDecay: 0.99,
  members: 1,
};

export interface CellFitOptions {
  readonly recipe?: Partial<CellRecipe>;
  /** The space whose cells these are, and the name of the label: kept, and asked for when it predicts. */
  readonly space: string;
  readonly label: string;
  /** Names of operations; those of the cells unless given. */
  readonly vocabulary?: readonly string[];
  /** Nodes of the largest cell it is for. */
  readonly nodes?: number;
  readonly seed?: number;
  /** Rows that are not trained on; the interval is made with them. */
  readonly validation?: LabelledCells;
  readonly session?: SessionOptions;
  readonly onProgress?: (done: { readonly part: number; readonly loss: number }) => void;
  readonly signal?: AbortSignal;
}

/** What a file says of its predictor. */
export interface CellPredictorInfo {
  readonly kind: 'nn-former-cells';
  readonly space: string;
  readonly label: string;
  readonly vocabulary: readonly string[];
  readonly nodes: number;
  readonly rows: number;
  readonly seed: number;
  readonly recipe: CellRecipe;
  readonly interval?: IntervalRule;
}

export interface Prediction {
  readonly value: number;
  /** Where the truth lies with the interval's coverage; undefined for a predictor without one. */
  readonly low?: number;
  readonly high?: number;
}

const INFO_KEY = 'auspex.predictor';
const OUTPUT = 'prediction';
/** Cells at once: activations of more do not stay in the cache. */
const CHUNK = 64;

/**
 * Trains a predictor.
 *
 * @example
 * const predictor = await fitCells({ cells, labels }, { space: 'nasbench201', label: 'cifar10_test', seed: 1 });
 * const [{ value }] = await predictor.predict([cell]);
 */
export async function fitCells(
  { cells, labels }: LabelledCells,
  options: CellFitOptions,
): Promise<CellPredictor> {
  const recipe: CellRecipe = { ...CELL_RECIPE, ...options.recipe };
  const { seed = 0, validation } = options;
  if (cells.length < 2) throw new AuspexError('TOO_FEW_ROWS', `${cells.length} rows are too few to train on`);
  const vocabulary = options.vocabulary ?? [...new Set(cells.flatMap((cell) => cell.ops))].sort();
  const nodes = options.nodes ?? Math.max(...cells.map((cell) => cell.ops.length));
  const scale = standardScale(labels);
  const members: Weights[] = [];
  for (let member = 0; member < recipe.members; member++) {
    const trained = await trainMember(new EncodedCells(cells, vocabulary, nodes), labels, scale, recipe, {
      ...options,
      seed: seed + member,
      onProgress: ({ part, loss }) => options.onProgress?.({ part: (member + part) / recipe.members, loss }),
    });
    members.push(trained);
  }
  const { space, label } = options;
  const info = {
    kind: 'nn-former-cells',
    space,
    label,
    vocabulary,
    nodes,
    rows: cells.length,
    seed,
    recipe,
  } as const;
  const predictor = await CellPredictor.create(predictorModel(members, info, scale), info, options.session);
  if (validation === undefined) return predictor;
  const found = await predictor.values(validation.cells);
  const interval = conformalInterval(found, validation.labels);
  const model = withInfo(predictor.model, { ...info, interval });
  await predictor.dispose();
  return CellPredictor.create(model, { ...info, interval }, options.session);
}

/** Labels are learned as (y − mean)/deviation. */
interface Scale {
  readonly mean: number;
  readonly deviation: number;
}

function standardScale(labels: ArrayLike<number>): Scale {
  let sum = 0;
  for (let i = 0; i < labels.length; i++) {
    if (!Number.isFinite(labels[i])) {
      throw new AuspexError('LABEL_NOT_FINITE', `the label of row ${i} is ${labels[i]}`, {
        hint: 'leave out rows without a label',
      });
    }
    sum += labels[i]!;
  }
  const mean = sum / labels.length;
  let squares = 0;
  for (let i = 0; i < labels.length; i++) squares += (labels[i]! - mean) ** 2;
  if (squares === 0) throw new AuspexError('LABEL_CONSTANT', `all ${labels.length} labels are ${mean}`);
  return { mean, deviation: Math.sqrt(squares / labels.length) };
}

/** The model puts out its labels around a half. */
const CENTRE = 0.5;

async function trainMember(
  encoded: EncodedCells,
  labels: ArrayLike<number>,
  { mean, deviation }: Scale,
  recipe: CellRecipe,
  { seed = 0, session, onProgress, signal }: CellFitOptions,
): Promise<Weights> {
  const { model, loss, epochs, rate, weightDecay, emaDecay } = recipe;
  const size = Math.min(recipe.batch, encoded.count);
  // Rows that do not fill a batch are left to another epoch, which has another order.
  const perEpoch = Math.floor(encoded.count / size);
  const steps = epochs * perEpoch;
  const predict = (s: Scope, inputs: Inputs): Value => nnFormer(s, inputs as unknown as GraphInputs, model);
  const trainer = new Trainer(
    { predict, loss: (s, batch) => rankingLoss(s, batch, predict, loss) },
    {
      optimiser: adamW({ weightDecay, decayAll: false }),
      schedule: warmupCosine({ rate, steps, warmup: 0.1, final: 0.1 }),
      seed,
      emaDecay,
      ...(session ? { session } : {}),
    },
  );
  const batchOf = (rows: readonly number[], random: Random): Batch => ({
    ...encoded.batch(rows),
    [TARGET]: {
      type: 'float32',
      dims: [rows.length, 1],
      data: Float32Array.from(rows, (row) => (labels[row]! - mean) / deviation + CENTRE),
    },
    [PERMUTATION]: {
      type: 'int64',
      dims: [rows.length],
      data: BigInt64Array.from(shuffled(rows.length, random), BigInt),
    },
  });
  try {
    const { weights } = await trainer.fit({
      epochs,
      batches: function* (_, random) {
        const order = shuffled(encoded.count, random);
        for (let k = 0; k < perEpoch; k++) yield batchOf(order.slice(k * size, (k + 1) * size), random);
      },
      onProgress: ({ step, loss: found }) => onProgress?.({ part: step / steps, loss: found }),
      ...(signal ? { signal } : {}),
    });
    return weights;
  } finally {
    await trainer.dispose();
  }
}

function shuffled(count: number, random: Random): number[] {
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

/** The mean of all members, in the label's units, for batches of any size: (batch, 1). */
function predictorModel(members: readonly Weights[], info: CellPredictorInfo, scale: Scale): Model {
  const { recipe, vocabulary, nodes } = info;
  const one = new EncodedCells([{ ops: [vocabulary[0]!], adjacency: [[0]] }], vocabulary, nodes).batch([0]);
  const { model } = trace(
    one,
    false,
    (s, inputs) => {
      const found = members.map((_, i) =>
        nnFormer(s.at('member', i), inputs as unknown as GraphInputs, recipe.model),
      );
      return s.builder.sum(found).div(members.length).sub(CENTRE).mul(scale.deviation).add(scale.mean);
    },
    OUTPUT,
  );
  const weights = members.flatMap((member, i) =>
    [...member].map(([name, data]) => [`member.${i}.${name}`, data] as const),
  );
  const frozen = freeze(model, new Map(weights));
  return withInfo(withAnyBatch(frozen), info);
}

function withAnyBatch(model: Model): Model {
  const batch = symbol('batch');
  const free = (type: unknown): TensorType => {
    const { dtype, shape } = type as TensorType;
    return new TensorType(dtype, [batch, ...shape!.slice(1)]);
  };
  const { graph } = model;
  const changed = makeModel(
    makeGraph({
      ...graph,
      inputs: graph.inputs.map(({ name, type }) => ({ name, type: free(type) })),
      outputs: graph.outputs.map(({ name, type }) => ({ name, type: free(type) })),
    }),
    model,
  );
  const found = inferShapes(changed).graph.types.get(OUTPUT);
  if (!found || !isTensor(found) || String(found.shape) !== 'batch,1') {
    throw new Error(`the model does not take any batch: its output is ${found}`);
  }
  return changed;
}

function withInfo(model: Model, info: CellPredictorInfo): Model {
  const metadata = new Map([...(model.metadata ?? []), [INFO_KEY, JSON.stringify(info)] as const]);
  return { ...model, metadata };
}

/** A trained predictor of cells. */
export class CellPredictor {
  readonly info: CellPredictorInfo;
  readonly model: Model;
  readonly #session: Session;

  private constructor(model: Model, info: CellPredictorInfo, session: Session) {
    this.model = model;
    this.info = info;
    this.#session = session;
  }

  static async create(
    model: Model,
    info: CellPredictorInfo,
    options: SessionOptions = {},
  ): Promise<CellPredictor> {
    return new CellPredictor(model, info, await Session.create(model, options));
  }

  /** Reads what `toOnnx` wrote. */
  static async fromOnnx(bytes: Uint8Array, options: SessionOptions = {}): Promise<CellPredictor> {
    const model = decodeModel(bytes);
    const text = model.metadata?.get(INFO_KEY);
    const info = text === undefined ? undefined : (JSON.parse(text) as CellPredictorInfo);
    if (info?.kind !== 'nn-former-cells') {
      throw new AuspexError('NOT_A_PREDICTOR', 'this ONNX file is no predictor of cells', {
        hint: 'give a file that was written by training',
      });
    }
    return CellPredictor.create(model, info, options);
  }

  /** The predictor as a file that any ONNX Runtime runs; its metadata says what it is for. */
  toOnnx(): Uint8Array {
    return encodeModel(this.model);
  }

  /** The predicted labels. */
  async values(cells: readonly Cell[]): Promise<Float64Array> {
    const { vocabulary, nodes } = this.info;
    const encoded = new EncodedCells(cells, vocabulary, nodes);
    const values = new Float64Array(cells.length);
    for (let start = 0; start < cells.length; start += CHUNK) {
      const rows = Array.from({ length: Math.min(CHUNK, cells.length - start) }, (_, i) => start + i);
      const feeds = Object.fromEntries(
        await Promise.all(
          Object.entries(encoded.batch(rows)).map(
            async ([name, { type, data, dims }]) => [name, await hostTensor(type, data, dims)] as const,
          ),
        ),
      );
      const found = await this.#session.run(feeds);
      values.set(found[OUTPUT]!.data as Float32Array, start);
    }
    return values;
  }

  /** The predicted labels with their intervals. */
  async predict(cells: readonly Cell[]): Promise<Prediction[]> {
    const { interval } = this.info;
    return Array.from(await this.values(cells), (value) =>
      interval === undefined
        ? { value }
        : { value, low: value - interval.halfWidth, high: value + interval.halfWidth },
    );
  }

  async dispose(): Promise<void> {
    await this.#session.dispose();
  }
}
