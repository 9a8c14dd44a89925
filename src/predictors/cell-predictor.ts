// Predictors of cells: a model of graphs trained on architectures with labels, several of different seeds together, with
// intervals. They are one ONNX file that says what it is for; its outputs are in the labels' own units.
import { isKnown, symbol } from '../graph/dim.js';
import type { Model } from '../graph/graph.js';
import { isTensor } from '../graph/types.js';
import type { Batch, Weights } from '../nn/trainer.js';
import { Session, type SessionOptions } from '../runtime/session.js';
import { spaceNamed } from '../spaces/index.js';
import type { AnySpace, Cell } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';
import { Random } from '../util/random.js';
import { cellInputs, codesOf, EncodedCells } from './cell-batch.js';
import { CELL_MODELS, type CellModelName, type CellRecipe, type Pretraining } from './cell-models.js';
import type { ErrorScale } from './conformal.js';
import { reorderedCell } from './consistency.js';
import {
  fitGraphs,
  type GraphSet,
  type GraphTraining,
  predictAll,
  type TrainedMember,
} from './fit-graphs.js';
import { freeLabels } from './free-labels.js';
import { calibrated, type LabelledRows, labelInfos, validationScore } from './labelled-rows.js';
import { type LabelScale, type Labels, labelScale, learned } from './labels.js';
import { membersModel, memberWeights } from './members.js';
import { OnnxPredictor, withInfo } from './onnx-predictor.js';
import type { PredictorInfo, TrainingSplit } from './predictor.js';
import { combinedHeads, type LinearHead } from './transfer.js';

export type { LabelledRows } from './labelled-rows.js';

export interface CellFitOptions
  extends Pick<GraphTraining, 'checkpoint' | 'onProgress' | 'signal' | 'stage'>,
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

/** Parameters of the layer that is not kept when a predictor is trained further for other labels. */
const HEAD = /^head\./;
const HEAD_WEIGHT = 'head.weight';
const HEAD_BIAS = 'head.bias';
/** Of the random numbers that architectures to learn from for nothing are drawn with. */
const PRETRAINING_STREAM = 11;

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
  const { kind, seed = 0, threads = 2, scale = 'linear', validation } = options;
  const space = spaceNamed(options.space);
  const model = CELL_MODELS[kind];
  const recipe: CellRecipe = {
    ...model.recipe(rows.architectures.length, scale),
    ...(options.from ? { model: options.from.info.recipe.model } : {}),
    ...options.recipe,
    ...(options.from ? { cells: options.from.info.recipe.cells } : {}),
  };
  const { labels } = rows;
  const scales = labels.names.map((_, i) => labelScale(labels, i, scale, model.standard));
  const cells = cellsOf(space, rows.architectures, recipe);
  const held = validation && cellsOf(space, validation.architectures, recipe);
  const share = pretrainingShare(recipe, options);
  const from = options.from ?? (await pretrained(space, recipe, share, options));
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
    score: validationScore(scale),
    model: (s, inputs) => model.build(s, inputs, recipe.model, scales.length),
    recipe,
    seed,
    threads,
    ...(from ? { from: await from.startFor(cells, labels, scales) } : {}),
    ...(options.checkpoint ? { checkpoint: options.checkpoint } : {}),
    ...progressOf(options, (part) => share + (1 - share) * part),
    ...(options.stage ? { stage: options.stage } : {}),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  const info: CellPredictorInfo = {
    version: 1,
    kind,
    input: 'cell',
    space: space.name,
    labels: labelInfos(labels, scale),
    rows: cells.length,
    seed,
    ...(options.split ? { split: options.split } : {}),
    vocabulary,
    nodes,
    recipe,
    scales,
  };
  const plain = predictorModel(
    members.map(({ weights }) => weights),
    info,
  );
  const create = (of: CellPredictorInfo): Promise<CellPredictor> =>
    CellPredictor.create(withInfo(plain, of), of, { threads });
  return { predictor: await calibrated(info, validation, create), members };
}

/** The part of all work that comes before the labels are learned; a pass of two costs twice as much. */
function pretrainingShare({ pretraining, steps, loss }: CellRecipe, { from }: CellFitOptions): number {
  if (pretraining === undefined || from !== undefined) return 0;
  const own = steps * (loss.consistency === 0 ? 1 : 2);
  return pretraining.steps / (pretraining.steps + own);
}

/** A predictor to begin with, unless there is one or the recipe has none. */
async function pretrained(
  space: AnySpace,
  { pretraining, ...recipe }: CellRecipe,
  share: number,
  options: CellFitOptions,
): Promise<CellPredictor | undefined> {
  if (pretraining === undefined) return undefined;
  const { validation: _, split: __, ...others } = options;
  return pretrainCells(space.name, pretraining, {
    ...others,
    recipe,
    ...progressOf(options, (part) => share * part),
  });
}

/**
 * A predictor of what can be told of a space's cells for nothing (see `freeLabels`), to begin with where few labels are
 * known.
 *
 * @example
 * const from = await pretrainCells('nasbench201', PRETRAINING, { kind: 'nn-former' });
 * const { predictor } = await fitCells(rows, { space: 'nasbench201', kind: 'nn-former', from });
 */
export async function pretrainCells(
  spaceName: string,
  { rows, steps, rate }: Pretraining,
  options: Omit<CellFitOptions, 'space' | 'validation' | 'split' | 'from'>,
): Promise<CellPredictor> {
  const space = spaceNamed(spaceName);
  const { seed = 0 } = options;
  const random = Random.seeded(seed, PRETRAINING_STREAM);
  const archs = Array.from({ length: rows }, () => space.sample(random));
  const { cells = 'pruned' } = options.recipe ?? {};
  const labels = freeLabels(space, archs, cellOf(space, { cells }), seed);
  const { predictor } = await fitCells(
    { architectures: archs.map((arch) => space.format(arch)), labels },
    {
      ...options,
      space: spaceName,
      stage: 'pretraining',
      scale: 'linear',
      recipe: {
        ...options.recipe,
        cells,
        pretraining: undefined,
        steps,
        rate,
        loss: { error: 'absolute', rank: 0, consistency: 0 },
      },
    },
  );
  return predictor;
}

/** Progress as a part of the whole. */
function progressOf(
  { onProgress }: CellFitOptions,
  partOf: (part: number) => number,
): Pick<CellFitOptions, 'onProgress'> {
  if (onProgress === undefined) return {};
  return { onProgress: (progress) => onProgress({ ...progress, part: partOf(progress.part) }) };
}

/** The cells that a predictor sees of architectures. */
function cellsOf(
  space: AnySpace,
  architectures: readonly string[],
  recipe: Pick<CellRecipe, 'cells'>,
): Cell[] {
  const of = cellOf(space, recipe);
  return architectures.map((text) => of(space.parse(text)));
}

function cellOf(space: AnySpace, { cells }: Pick<CellRecipe, 'cells'>): (arch: unknown) => Cell {
  const cellOf = (cells === 'pruned' ? space.prunedCell : undefined) ?? space.cell;
  if (cellOf === undefined) {
    throw new AuspexError('SPACE_WITHOUT_CELLS', `architectures of ${space.title} are no cells`, {
      hint: 'train a predictor of whole networks',
    });
  }
  return cellOf;
}

/** Cells as they are trained on, all of one size. Those in another order are only made where they are asked for. */
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

/** Different cells as they are predicted: those of one size together, where the model takes any. */
class CellsBySize implements GraphSet {
  readonly count: number;
  /** For every cell, the row of the first that is written alike. */
  readonly places: Uint32Array;
  readonly #cells: EncodedCells;
  readonly #firsts: Uint32Array;
  readonly #isAnySize: boolean;

  constructor(cells: EncodedCells, isAnySize: boolean) {
    const rows = new Map<string, number>();
    const firsts: number[] = [];
    this.places = Uint32Array.from({ length: cells.count }, (_, cell) => {
      const key = cells.keyOf(cell);
      const row = rows.get(key) ?? firsts.push(cell) - 1;
      rows.set(key, row);
      return row;
    });
    this.#firsts = Uint32Array.from(firsts);
    this.count = firsts.length;
    this.#cells = cells;
    this.#isAnySize = isAnySize;
  }

  bucketOf(row: number): number {
    return this.#isAnySize ? this.#cells.sizeOf(this.#firsts[row]!) : this.#cells.nodes;
  }

  batch(rows: readonly number[]): Batch {
    return this.#cells.batch(
      rows.map((row) => this.#firsts[row]!),
      this.bucketOf(rows[0]!),
    );
  }
}

/** The mean of all members, in the labels' units, for batches of any size: (batch, labels). */
function predictorModel(members: readonly Weights[], info: CellPredictorInfo): Model {
  const { kind, vocabulary, nodes, recipe, labels, scales } = info;
  const { build, isAnySize } = CELL_MODELS[kind];
  const shapes = cellInputs(symbol('batch'), isAnySize ? symbol('nodes') : nodes, codesOf(vocabulary));
  return membersModel(members, shapes, (s, inputs) => build(s, inputs, recipe.model, labels.length), scales);
}

/** A trained predictor of cells. */
export class CellPredictor extends OnnxPredictor<CellPredictorInfo> {
  /** Whether the file takes cells padded to any number of nodes. */
  readonly #isAnySize: boolean;

  private constructor(model: Model, info: CellPredictorInfo, session: Session, options: SessionOptions) {
    super(model, info, session, options);
    const type = model.graph.inputs.find(({ name }) => name === 'adjacency')?.type;
    this.#isAnySize = type !== undefined && isTensor(type) && !isKnown(type.shape?.[1] ?? 0);
  }

  static async create(
    model: Model,
    info: CellPredictorInfo,
    options: SessionOptions = {},
  ): Promise<CellPredictor> {
    return new CellPredictor(model, info, await Session.create(model, options), options);
  }

  async values(architectures: readonly string[]): Promise<Float64Array> {
    return this.valuesOf(cellsOf(spaceNamed(this.info.space), architectures, this.info.recipe));
  }

  /** What is predicted of cells, as the space gives them: one number for every label, row by row. */
  async valuesOf(cells: readonly Cell[]): Promise<Float64Array> {
    const { length: width } = this.info.labels;
    const set = new CellsBySize(this.#encoded(cells), this.#isAnySize);
    const found = await predictAll(set, width, await this.lanes(set.count), { isAnySize: true });
    const values = new Float64Array(cells.length * width);
    set.places.forEach((place, cell) => {
      values.set(found.subarray(place * width, (place + 1) * width), cell * width);
    });
    return values;
  }

  inputs(architectures: readonly string[]): Batch {
    const cells = cellsOf(spaceNamed(this.info.space), architectures, this.info.recipe);
    return this.#encoded(cells).batch(cells.map((_, i) => i));
  }

  #encoded(cells: readonly Cell[]): EncodedCells {
    return new EncodedCells(cells, this.info.vocabulary, this.info.nodes);
  }

  /**
   * Weights to begin with for other labels: the trunk of every member and, where its head is one linear layer, the head
   * that combines the known labels to the new ones.
   */
  async startFor(cells: readonly Cell[], labels: Labels, scales: readonly LabelScale[]): Promise<Weights[]> {
    const members = memberWeights(this.model, this.info.recipe.members);
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
}
