// What a table of a paper is here: cells, each a predictor that is trained and tested in one way, beside the numbers
// that were published. Data only; nothing is run.
import type { ErrorScale } from '../predictors/intervals.js';
import type { RecipeChanges } from '../predictors/kinds/index.js';
import type { DataName } from './data.js';

export interface ReproducedTable {
  /** As commands take it; a folder of results has this name. */
  readonly id: string;
  readonly title: string;
  readonly paper: string;
  /** What is to be seen from it, in a sentence or two. */
  readonly shows: string;
  /** What all cells do otherwise than the papers. */
  readonly differs: readonly string[];
  /** `rows`: the first metric against rows of training. `bars`: the first metric of every cell. */
  readonly plot: 'rows' | 'bars';
  readonly cells: readonly ResultCell[];
}

/** One configuration, trained and tested once for every seed. */
export interface ResultCell {
  /** Names its files; of lower case letters, digits and hyphens. */
  readonly id: string;
  /** Cells of one series differ only in their rows. */
  readonly series: string;
  readonly data: DataName;
  /** Only architectures whose text does not contain this. */
  readonly without?: string;
  /** Kind of predictor. */
  readonly kind: string;
  /** Trained on. 0 of predictors that have seen nothing of this table: those of `sources`, or one as it is in `from`. */
  readonly rows: number;
  /** Trained on rows of other tables, and tested on all rows of this one. */
  readonly sources?: readonly CellSource[];
  /** Labels of all sources are of one unit, and are learned as they are; else as ranks within each. */
  readonly isOneUnit?: true;
  /** Begins with this predictor of the package, such as `bundled:gennape`. */
  readonly from?: string;
  /** Held out to choose weights by and to make intervals with. */
  readonly validation: number;
  /** What is drawn for training and validation, where other cells of the table use more: all have the same test rows. */
  readonly drawn?: { readonly rows: number; readonly validation: number };
  /** How many of the other rows are tested on, drawn at random; all unless told. */
  readonly tested?: number;
  /** Only networks whose tested label is above this are tested. */
  readonly above?: number;
  readonly labels: readonly LabelPair[];
  readonly scale: ErrorScale;
  /** What differs from the recipe that the kind has for so many rows. */
  readonly recipe?: RecipeChanges;
  /** Begins with what was learned of the space before any label; else with nothing. */
  readonly isPretrained?: true;
  /** Trained first, on all rows that are drawn, for other labels; what it learned is where the cell begins. */
  readonly trunk?: readonly string[];
  /** Latents are decoded, so many random ones and those of the tested networks: metrics are `DECODING_METRICS`. */
  readonly decodes?: number;
  /** Those that are shown; the first is what is compared with. */
  readonly metrics: readonly [string, ...string[]];
  /** Published for the same method. */
  readonly published: readonly Published[];
  /** Published for other methods on as many rows. */
  readonly others: readonly Published[];
  /** Of the first metric: what this project demands of itself, and what it aims at. */
  readonly floor?: number;
  readonly goal?: number;
  /** What this cell does otherwise than the papers, besides what all do. */
  readonly differs: readonly string[];
}

/** Rows of another table that a cell is trained on, drawn by the seed. */
export interface CellSource {
  readonly data: DataName;
  readonly rows: number;
  /** The column in the place of each label that is trained. */
  readonly labels: readonly string[];
}

/** A column that is learned, and the one that predictions are compared with. */
interface LabelPair {
  readonly train: string;
  readonly test: string;
}

/** A number somebody printed. */
export interface Published {
  readonly by: string;
  readonly metric: string;
  /** The label it is about; the mean over all of them unless told. */
  readonly label?: string;
  readonly value: number;
  readonly deviation?: number;
  readonly source: string;
  /** Set where the number could not be looked up again; it is shown with a question mark. */
  readonly isUnverified?: true;
}
