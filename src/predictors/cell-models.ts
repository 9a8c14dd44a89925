// The models that predict labels of cells, by name, each with the recipe it is trained by unless told.
import type { Scope } from '../nn/scope.js';
import type { Inputs } from '../nn/step.js';
import type { Value } from '../ops/build.js';
import type { ErrorScale } from './conformal.js';
import type { TrainingRecipe } from './fit-graphs.js';
import { GCN, type GcnOptions, gcn } from './gcn.js';
import type { Standard } from './labels.js';
import {
  NAR_FORMER_V2_ACCURACY,
  type NarFormerV2AccuracyOptions,
  narFormerV2Accuracy,
} from './nar-former-v2.js';
import { type GraphInputs, NN_FORMER, type NNFormerOptions, nnFormer } from './nn-former.js';
import { NAR_FORMER_V2_LOSS } from './ranking-loss.js';
import { SAGE_CELLS, type SageCellsOptions, sageCells } from './sage-cells.js';

/** Options of the models, by name. */
export interface CellModelOptions {
  readonly 'nn-former': NNFormerOptions;
  readonly 'nar-former-v2': NarFormerV2AccuracyOptions;
  readonly gcn: GcnOptions;
  readonly sage: SageCellsOptions;
}

export type CellModelName = keyof CellModelOptions;

export interface CellRecipe extends TrainingRecipe {
  readonly model: CellModelOptions[CellModelName];
  /**
   * Cells with all that is written, or without operations that have no part in the result. Those change no accuracy, but
   * take time when the network runs.
   */
  readonly cells: 'whole' | 'pruned';
  /** What is learned before, from labels that cost nothing; see `freeLabels`. */
  readonly pretraining?: Pretraining | undefined;
}

export interface Pretraining {
  /** Architectures that are drawn from the space. */
  readonly rows: number;
  readonly steps: number;
  readonly rate: number;
}

export interface CellModel {
  readonly title: string;
  /** How labels become what it puts out. */
  readonly standard: Standard;
  /**
   * @param rows that there are to train on
   * @param scale whether labels are learned as they are, to rank, or as logarithms, to be near
   */
  recipe(rows: number, scale: ErrorScale): CellRecipe;
  /** What it puts out does not depend on the number n that cells are padded to, and its file takes any. */
  readonly isAnySize: boolean;
  /** (B, n, codes), (B, 1, 32), (B, n, n) → (B, outputs) */
  build(s: Scope, inputs: Inputs, options: CellModelOptions[CellModelName], outputs: number): Value;
}

/** More rows need more steps, but each of them is seen less often: 640 steps for 156 rows, 3,950 for 4,236. */
function steps(rows: number): number {
  return Math.round(40 * rows ** 0.55);
}

/** What a predictor learns of a space before it is told labels, where nobody has done it before. */
export const PRETRAINING: Pretraining = { rows: 4000, steps: 1500, rate: 2e-3 };

const COMMON: Omit<CellRecipe, 'model' | 'steps'> = {
  cells: 'pruned',
  loss: { error: 'squared', rank: 10, consistency: 10 },
  batch: 128,
  rate: 1e-3,
  weightDecay: 0.01,
  emaDecay: 0.99,
  members: 2,
};

/** Latencies are no noisier than a few per cent: nothing is gained by dropout, or by looking at pairs. */
const EXACT: Pick<CellRecipe, 'loss' | 'rate' | 'cells'> = {
  cells: 'whole',
  loss: { error: 'absolute', rank: 0, consistency: 0 },
  rate: 2e-3,
};

function common(rows: number, scale: ErrorScale): Omit<CellRecipe, 'model'> {
  return { ...COMMON, ...(scale === 'log' ? EXACT : {}), steps: steps(rows) };
}

export const CELL_MODELS: Readonly<Record<CellModelName, CellModel>> = {
  'nn-former': {
    title: 'NN-Former',
    standard: { kind: 'standard', centre: 0.5 },
    recipe: (rows, scale) => ({
      ...common(rows, scale),
      // Smaller than the paper's, trained for fewer epochs at a higher rate: minutes on two cores.
      model: { ...NN_FORMER, width: 64, layers: 6, dropout: scale === 'log' ? 0 : NN_FORMER.dropout },
      pretraining: scale === 'log' ? undefined : PRETRAINING,
    }),
    isAnySize: true,
    build: (s, inputs, options, outputs) =>
      nnFormer(s, graphsOf(inputs), { ...(options as NNFormerOptions), outputs }),
  },
  'nar-former-v2': {
    title: 'NAR-Former V2',
    standard: { kind: 'ratio' },
    recipe: (rows, scale) => ({
      ...common(rows, scale),
      loss: NAR_FORMER_V2_LOSS,
      // Without a term of its own a node hears of itself only by way of its neighbours, and learns far worse.
      model: { ...NAR_FORMER_V2_ACCURACY, width: 192, layers: 4, root: true },
    }),
    isAnySize: false,
    build: (s, inputs, options, outputs) =>
      narFormerV2Accuracy(s, graphsOf(inputs), { ...(options as NarFormerV2AccuracyOptions), outputs }),
  },
  gcn: {
    title: 'GCN (BRP-NAS)',
    standard: { kind: 'standard', centre: 0 },
    recipe: (rows, scale) => ({
      ...onePass(common(rows, scale)),
      model: { ...GCN, dropout: scale === 'log' ? 0.002 : GCN.dropout },
    }),
    isAnySize: false,
    build: (s, inputs, options, outputs) => gcn(s, graphsOf(inputs), { ...(options as GcnOptions), outputs }),
  },
  sage: {
    title: 'GraphSAGE (NNLP)',
    standard: { kind: 'standard', centre: 0 },
    recipe: (rows, scale) => ({ ...onePass(common(rows, scale)), model: SAGE_CELLS }),
    isAnySize: false,
    build: (s, inputs, options, outputs) =>
      sageCells(s, graphsOf(inputs), { ...(options as SageCellsOptions), outputs }),
  },
};

function onePass<R extends Pick<CellRecipe, 'loss'>>(recipe: R): R {
  return { ...recipe, loss: { ...recipe.loss, consistency: 0 } };
}

function graphsOf(inputs: Inputs): GraphInputs {
  return inputs as unknown as GraphInputs;
}
