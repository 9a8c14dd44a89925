// Searches of a paper: strategies that run many times on a table of trained networks, each with the same number of seconds of
// training to spend. Data only; nothing is run.
import type { RecipeChanges } from '../../predictors/kinds/index.js';
import type { StrategyOptions } from '../../search/strategies/registry.js';
import type { DataName } from '../data.js';

export interface SearchExperiment {
  /** As commands take it; a folder of results has this name. */
  readonly id: string;
  readonly title: string;
  readonly paper: string;
  readonly shows: string;
  readonly differs: readonly string[];
  readonly data: DataName;
  /** Columns: what strategies see, what regret is measured in, and what an evaluation costs. */
  readonly labels: { readonly value: string; readonly test: string; readonly seconds: string };
  /** Seconds that a label of an embedding costs, as a part of those of a whole training. */
  readonly labelShare: number;
  /** Of training that a search may spend. */
  readonly seconds: number;
  readonly entries: readonly SearchEntry[];
}

export interface SearchEntry {
  /** Names its files. */
  readonly id: string;
  /** As plots name it. */
  readonly name: string;
  /** Of the registry; `guided` is a predictor trained on the first evaluations, whose order the others follow. */
  readonly strategy: string;
  readonly options?: StrategyOptions;
  /** A file `NAME.onnx` in the folder of tables, or a kind that the package has for the space. */
  readonly embedding?: string;
  /** Networks whose labels the embedding was learned from; with them, curves are also shown later by their training seconds. */
  readonly labelled?: number;
  /** Of a `guided` search. */
  readonly guide?: Guide;
}

/** A predictor that orders networks. */
export interface Guide {
  readonly kind: string;
  /** Evaluated at random and learned from. 0: the predictor is used as it is. */
  readonly rows: number;
  /** What differs from the recipe of the kind for so many rows. */
  readonly recipe?: RecipeChanges;
  /** What it begins with; by default what the package has for the space. */
  readonly from?: string;
}

const ARCH2VEC = { embedding: 'arch2vec' };
const RELEASED_BO = { spread: 'variance', targets: 'raw', incumbent: 0.95 };

const LATENT_SEARCH: SearchExperiment = {
  id: 'latent-search',
  title: 'Searches in latent space on NAS-Bench-101',
  paper:
    'arch2vec (Yan et al., NeurIPS 2020); Graph embedding for NAS with input-output information (Kadlecová et al. 2023), figures 5 and 6',
  shows:
    'How near searches come to the best cell of the table within a million seconds of training, by the embedding that they search in.',
  differs: [
    'Over the 20,001 cells for which validation accuracy and training seconds are at hand, not all 423,624.',
    'Strategies see the validation accuracy of one run of 108 epochs. An evaluation costs the training seconds of the table. Regret is the highest test accuracy of these cells (mean of three runs) less that of the cell with the best validation accuracy so far. Validation accuracy of one run is noisy: the cell with the highest one has a test regret of its own.',
    'With the time of labels: later by the seconds of the 608 networks whose labels the embedding was learned from ("time shifted" in the paper), each of which costs 12 of 108 epochs as in the paper. The labels of the Accuracy model are of 108 epochs: at their full cost they would take more than the whole budget.',
    'Guided by NN-Former: 100 random cells are evaluated, a pretrained NN-Former (one member, 150 steps, a tenth of the full recipe) learns their validation accuracies, and all others are evaluated in the order of its predictions. The one from other cells is the bundled predictor, which has seen test accuracies of cells that are not in this table and evaluates none before; it is the same in every run.',
    'Evolution is not compared: the table has one cell in twenty, so most mutations lead out of it, and evolution stops finding new cells after about sixty.',
    'BO evaluates five cells in every round; in the released code fewer, where some of the best five are known.',
  ],
  data: 'nasbench101_validation',
  labels: { value: 'val_accuracy_one_run', test: 'test_accuracy', seconds: 'train_seconds' },
  labelShare: 12 / 108,
  seconds: 1e6,
  entries: [
    { id: 'random', name: 'random search', strategy: 'random' },
    { id: 'reinforce-arch2vec', name: 'REINFORCE, arch2vec', strategy: 'reinforce', ...ARCH2VEC },
    {
      id: 'reinforce-arch2vec-released',
      name: 'REINFORCE as released, arch2vec',
      strategy: 'reinforce',
      options: { baseline: 0.95, scale: 'raw' },
      ...ARCH2VEC,
    },
    {
      id: 'reinforce-accuracy-model',
      name: 'REINFORCE, Accuracy model',
      strategy: 'reinforce',
      embedding: 'accuracy-model',
      labelled: 608,
    },
    { id: 'bo-arch2vec', name: 'BO, arch2vec', strategy: 'bo', ...ARCH2VEC },
    {
      id: 'bo-arch2vec-released',
      name: 'BO as released, arch2vec',
      strategy: 'bo',
      options: RELEASED_BO,
      ...ARCH2VEC,
    },
    {
      id: 'bo-20-arch2vec',
      name: 'BO, 20 cells a round, arch2vec',
      strategy: 'bo',
      options: { batch: 20 },
      ...ARCH2VEC,
    },
    {
      id: 'bo-20-arch2vec-released',
      name: 'BO as released, 20 cells a round, arch2vec',
      strategy: 'bo',
      options: { ...RELEASED_BO, batch: 20 },
      ...ARCH2VEC,
    },
    {
      id: 'bo-accuracy-model',
      name: 'BO, Accuracy model',
      strategy: 'bo',
      embedding: 'accuracy-model',
      labelled: 608,
    },
    { id: 'bo-nn-former', name: 'BO, NN-Former pretrained', strategy: 'bo', embedding: 'nn-former' },
    {
      id: 'guided-nn-former',
      name: 'guided by NN-Former',
      strategy: 'guided',
      guide: { kind: 'nn-former', rows: 100, recipe: { members: 1, steps: 150 } },
    },
    {
      id: 'guided-bundled',
      name: 'guided by NN-Former from 342,483 other cells',
      strategy: 'guided',
      guide: { kind: 'nn-former', rows: 0, from: 'bundled:nasbench101-accuracy' },
    },
  ],
};

export const SEARCHES: readonly SearchExperiment[] = [LATENT_SEARCH];
