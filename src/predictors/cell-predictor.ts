// Predictors of cells: a model of graphs trained on architectures with labels, several of different seeds together, with
// intervals. They are one ONNX file that says what it is for; its outputs are in the labels' own units.
import { inferShapes } from '../analysis/infer.js';
import { symbol } from '../graph/dim.js';
import { type Model, makeGraph, makeModel } from '../graph/graph.js';
import { tensorNumbers } from '../graph/tensor.js';
import { isTensor, TensorType } from '../graph/types.js';
import { kendallTauB, mae } from '../metrics/index.js';
import { freeze } from '../nn/freeze.js';
import { trace } from '../nn/step.js';
import type { Batch, Weights } from '../nn/trainer.js';
import { encodeModel } from '../onnx/write.js';
import { hostTensor, Session, type SessionOptions } from '../runtime/session.js';
import { spaceNamed } from '../spaces/index.js';
import type { AnySpace, Cell } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import { EncodedCells } from './cell-batch.js';
import { CELL_MODELS, type CellModelName, type CellRecipe } from './cell-models.js';
import { conformalInterval, type ErrorScale } from './conformal.js';
import { reorderedCell } from './consistency.js';
import {
  fitGraphs,
  type GraphSet,
  type GraphTraining,
  predictAll,
  type TrainedMember,
} from './fit-graphs.js';
import { column, type LabelScale, type Labels, labelScale, learned, unlearned } from './labels.js';
import {
  INFO_KEY,
  type LabelInfo,
  type Predictor,
  type PredictorInfo,
  type TrainingSplit,
} from './predictor.js';
import { combinedHeads, type LinearHead } from './transfer.js';

/** Architectures with what is to be predicted of them. */
export interface LabelledRows {
  /** Texts of the space. */
  readonly architectures: readonly string[];
  readonly labels: Labels;
}

export interface CellFitOptions
  extends Pick<GraphTraining, 'checkpoint' | 'onProgress' | 'signal'>,
    Partial<Pick<GraphTraining, 'seed' | 'threads'>> {
  readonly space: string;
  readonly kind: CellModelName;
  readonly recipe?: Partial<CellRecipe>;
  /** Whether labels are learned as they are or as logarithms. Default `linear`. */
  readonly scale?: ErrorScale;
  /** Rows that are not trained on: weights are chosen by them, and intervals are made with them. */
  readonly validation?: LabelledRows;
  /** How the rows were drawn, for the record. */
  readonly split?: TrainingSplit;
  /** A predictor of the same space and kind to begin with: its trunk, and what it says of its own labels. */
  readonly from?: CellPredictor;
}

/** What a file says of its predictor. */
export interface CellPredictorInfo extends PredictorInfo {
  readonly kind: CellModelName;
  readonly input: 'cell';
  readonly vocabulary: readonly string[];
  readonly nodes: number;
  readonly recipe: CellRecipe;
  /** How each label was learned. */
  readonly scales: readonly LabelScale[];
}

export interface FittedCells {
  readonly predictor: CellPredictor;
  /** How the training went, by member. */
  readonly members: readonly TrainedMember[];
}

const OUTPUT = 'prediction';
const MEMBER = 'member';
/** Parameters of the layer that is not kept when a predictor is trained further for other labels. */
const HEAD = /^head\./;
const HEAD_WEIGHT = 'head.weight';
const HEAD_BIAS = 'head.bias';

/**
 * Trains a predictor.
 *
 * @example
 * const { predictor } = await fitCells(rows, { space: 'nasbench201', kind: 'nn-former', seed: 1 });
 * const [accuracy] = await predictor.values(['|nor_conv_3x3~0|+|…']);
 *
 * @throws AuspexError SPACE_WITHOUT_CELLS, ARCH_TEXT, LABEL_…, TRAINING_DIVERGED, TRAINING_STOPPED
 */
export async function fitCells(rows: LabelledRows, options: CellFitOptions): Promise<FittedCells> {
  const { kind, seed = 0, threads = 2, scale = 'linear', validation, from } = options;
  const space = spaceNamed(options.space);
  const model = CELL_MODELS[kind];
  const recipe: CellRecipe = {
    ...model.recipe(rows.architectures.length),
    ...(from ? { model: from.info.recipe.model } : {}),
    ...options.recipe,
  };
  const { labels } = rows;
  const scales = labels.names.map((_, i) => labelScale(labels, i, scale, model.standard));
  const cells = cellsOf(space, rows.architectures);
  const held = validation && cellsOf(space, validation.architectures);
  const known = [...cells, ...(held ?? [])];
  const vocabulary =
    from?.info.vocabulary ?? space.vocabulary ?? [...new Set(known.flatMap(({ ops }) => ops))].sort();
  const nodes = from?.info.nodes ?? space.largestCell ?? Math.max(...known.map(({ ops }) => ops.length));
  const set = (of: readonly Cell[]): GraphSet => new CellSet(of, vocabulary, nodes);
  const members = await fitGraphs({
    graphs: set(cells),
    labels,
    scales,
    ...(validation ? { validation: { graphs: set(held!), labels: validation.labels } } : {}),
    score: scale === 'log' ? negativeError : meanTau,
    model: (s, inputs) => model.build(s, inputs, recipe.model, scales.length),
    recipe,
    seed,
    threads,
    ...(from ? { from: await from.startFor(cells, labels, scales) } : {}),
    ...(options.checkpoint ? { checkpoint: options.checkpoint } : {}),
    ...(options.onProgress ? { onProgress: options.onProgress } : {}),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  if (options.signal?.aborted) {
    throw new AuspexError('TRAINING_STOPPED', 'the training was stopped', {
      kind: 'failure',
      hint: 'it can be resumed where there are checkpoints',
    });
  }
  const info: CellPredictorInfo = {
    version: 1,
    kind,
    input: 'cell',
    space: space.name,
    labels: labels.names.map((name, i) => ({ name, unit: labels.units?.[i] ?? '', scale })),
    rows: cells.length,
    seed,
    ...(options.split ? { split: options.split } : {}),
    vocabulary,
    nodes,
    recipe,
    scales,
  };
  const weights = members.map((member) => member.weights);
  const plain = await CellPredictor.create(predictorModel(weights, info), info, { threads });
  if (validation === undefined) return { predictor: plain, members };
  const found = await plain.valuesOf(held!);
  const calibrated = { ...info, labels: info.labels.map((l, i) => calibratedLabel(l, i, found, validation)) };
  await plain.dispose();
  const withIntervals = withInfo(plain.model, calibrated);
  return { predictor: await CellPredictor.create(withIntervals, calibrated, { threads }), members };
}

/** The cells that a predictor sees of architectures. */
function cellsOf(space: AnySpace, architectures: readonly string[]): Cell[] {
  const cellOf = space.prunedCell ?? space.cell;
  if (cellOf === undefined) {
    throw new AuspexError('SPACE_WITHOUT_CELLS', `architectures of ${space.title} are no cells`, {
      hint: 'train a predictor of whole networks',
    });
  }
  return architectures.map((text) => cellOf(space.parse(text)));
}

/** Cells as fitGraphs takes them. Those in another order are only made where they are asked for. */
class CellSet implements GraphSet {
  readonly count: number;
  readonly #cells: readonly Cell[];
  readonly #encode: (cells: readonly Cell[]) => EncodedCells;
  readonly #given: EncodedCells;
  #reordered: EncodedCells | undefined;

  constructor(cells: readonly Cell[], vocabulary: readonly string[], nodes: number) {
    this.count = cells.length;
    this.#cells = cells;
    this.#encode = (of) => new EncodedCells(of, vocabulary, nodes);
    this.#given = this.#encode(cells);
  }

  batch(rows: readonly number[], variant: 'given' | 'reordered' = 'given'): Batch {
    if (variant === 'given') return this.#given.batch(rows);
    this.#reordered ??= this.#encode(this.#cells.map(reorderedCell));
    return this.#reordered.batch(rows);
  }
}

/** The mean over labels of τ-b. */
function meanTau(predictions: Float64Array, labels: Labels): number {
  return meanOver(predictions, labels, kendallTauB);
}

/** The mean over labels of the absolute error, negative. */
function negativeError(predictions: Float64Array, labels: Labels): number {
  return -meanOver(predictions, labels, mae);
}

function meanOver(
  predictions: Float64Array,
  labels: Labels,
  metric: (predictions: Float64Array, truths: Float64Array) => number,
): number {
  const { names } = labels;
  const scores = names.map((_, i) => {
    const truths = column(labels, i);
    const found = column({ names, values: predictions }, i);
    const isKnown = (_: number, row: number): boolean => !Number.isNaN(truths[row]);
    return metric(found.filter(isKnown), truths.filter(isKnown));
  });
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

function calibratedLabel(
  label: LabelInfo,
  place: number,
  found: Float64Array,
  { labels }: LabelledRows,
): LabelInfo {
  const truths = column(labels, place);
  const predictions = column({ names: labels.names, values: found }, place);
  const isKnown = (_: number, row: number): boolean => !Number.isNaN(truths[row]);
  const interval = conformalInterval(predictions.filter(isKnown), truths.filter(isKnown), {
    scale: label.scale,
  });
  return { ...label, interval };
}

/** The mean of all members, in the labels' units, for batches of any size: (batch, labels). */
function predictorModel(members: readonly Weights[], info: CellPredictorInfo): Model {
  const { kind, vocabulary, nodes, recipe, labels, scales } = info;
  const one = new EncodedCells([{ ops: [vocabulary[0]!], adjacency: [[0]] }], vocabulary, nodes).batch([0]);
  const { model } = trace(
    one,
    false,
    (s, inputs) => {
      const found = members.map((_, i) =>
        CELL_MODELS[kind].build(s.at(MEMBER, i), inputs, recipe.model, labels.length),
      );
      return unlearned(s.builder.sum(found).div(members.length), scales);
    },
    OUTPUT,
  );
  const weights = members.flatMap((member, i) =>
    [...member].map(([name, data]) => [`${MEMBER}.${i}.${name}`, data] as const),
  );
  const frozen = withAnyBatch(freeze(model, new Map(weights)), labels.length);
  return withInfo(frozen, info);
}

function withAnyBatch(model: Model, labels: number): Model {
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
  if (!found || !isTensor(found) || String(found.shape) !== `batch,${labels}`) {
    throw new Error(`the model does not take any batch: its output is ${found}`);
  }
  return changed;
}

function withInfo(model: Model, info: CellPredictorInfo): Model {
  const metadata = new Map([...(model.metadata ?? []), [INFO_KEY, JSON.stringify(info)] as const]);
  return { ...model, metadata };
}

/** A trained predictor of cells. */
export class CellPredictor implements Predictor {
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

  toOnnx(): Uint8Array {
    return encodeModel(this.model);
  }

  async values(architectures: readonly string[]): Promise<Float64Array> {
    return this.valuesOf(cellsOf(spaceNamed(this.info.space), architectures));
  }

  /** What is predicted of cells, as the space gives them: one number for every label, row by row. */
  async valuesOf(cells: readonly Cell[]): Promise<Float64Array> {
    const { vocabulary, nodes, labels } = this.info;
    const run = async (batch: Batch): Promise<Float32Array> => {
      const feeds = await Promise.all(
        Object.entries(batch).map(
          async ([name, { type, data, dims }]) => [name, await hostTensor(type, data, dims)] as const,
        ),
      );
      const found = await this.#session.run(Object.fromEntries(feeds));
      return found[OUTPUT]!.data as Float32Array;
    };
    return predictAll(new CellSet(cells, vocabulary, nodes), labels.length, run, { isAnySize: true });
  }

  /**
   * Weights to begin with for other labels: the trunk of every member and, where its head is one linear layer, the head
   * that combines the known labels to the new ones.
   */
  async startFor(cells: readonly Cell[], labels: Labels, scales: readonly LabelScale[]): Promise<Weights[]> {
    const members = this.#members();
    const heads = members.map((member) => ({ weight: member.get(HEAD_WEIGHT), bias: member.get(HEAD_BIAS) }));
    const starts = members.map((member) => new Map([...member].filter(([name]) => !HEAD.test(name))));
    const { standard } = CELL_MODELS[this.info.kind];
    const isLinear = heads.every((head): head is LinearHead => !!head.weight && !!head.bias);
    if (!isLinear || standard.kind !== 'standard') return starts;
    const learnedOf = (values: Float64Array, by: readonly LabelScale[]): Float64Array =>
      values.map((y, i) => learned(y, by[i % by.length]!));
    const known = learnedOf(await this.valuesOf(cells), this.info.scales);
    const targets = learnedOf(labels.values, scales);
    combinedHeads(heads, standard.centre, known, targets, scales.length).forEach(
      ({ weight, bias }, member) => {
        starts[member]!.set(HEAD_WEIGHT, weight).set(HEAD_BIAS, bias);
      },
    );
    return starts;
  }

  #members(): Weights[] {
    return Array.from({ length: this.info.recipe.members }, (_, member) => {
      const prefix = `${MEMBER}.${member}.`;
      const own = [...this.model.graph.initializers].filter(([name]) => name.startsWith(prefix));
      return new Map(
        own.map(([name, tensor]) => [name.slice(prefix.length), Float32Array.from(tensorNumbers(tensor))]),
      );
    });
  }

  async dispose(): Promise<void> {
    await this.#session.dispose();
  }
}
