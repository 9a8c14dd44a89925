// What a predictor is: networks in, columns of predictions (or an order, or embeddings) out. One contract for all kinds;
// each predictor is one ONNX file whose metadata say all that is needed to use it.
import type { Model } from '../graph/graph.js';
import type { Network } from '../networks/network.js';
import type { Networks } from '../networks/networks.js';
import type { AuspexError } from '../util/errors.js';
import type { IntervalRule } from './intervals.js';
import type { Predictions } from './predictions.js';
import type { Reach } from './reach.js';

/** What JSON can hold. */
export type Json =
  | null
  | boolean
  | number
  | string
  | undefined
  | readonly Json[]
  | { readonly [key: string]: Json };

/** One thing that is predicted: an accuracy, a latency on one device. */
export interface LabelInfo {
  /** The column it was trained on. */
  readonly name: string;
  /** `%`, `ms`; empty for a number that has none. */
  readonly unit: string;
  readonly better: 'higher' | 'lower';
  /** How it was learned: `linear`, `log` or another registered transform; see labels.ts. */
  readonly transform: string;
  /** What the transform was fitted to, where it is. */
  readonly transformState?: Json;
  /** How wide intervals are; undefined where too few rows were held out. */
  readonly interval?: IntervalRule;
  /** What measured it, where that is known. */
  readonly measured?: Measurement;
  /** How networks are assumed to be trained, where a file has the same quantity for several ways. */
  readonly recipe?: TrainingRecipe;
}

/** A way to train networks. The first label of a file has the one that is assumed by default. */
export interface TrainingRecipe {
  /** What users choose it by. */
  readonly name: string;
  /** In words that follow "trained": `on ImageNet-1k from scratch`. */
  readonly about: string;
}

interface Measurement {
  readonly device?: string;
  readonly runtime?: string;
  readonly batch?: number;
  readonly threads?: number;
  readonly date?: string;
}

/** One way into a predictor's graph. */
export interface Entry {
  /** Of a member of an ensemble, whose entries are beside those of the others. */
  readonly name?: string;
  /** How networks become its inputs; `a+b` is two views side by side. `latent` for pairs of what `latent` gives. */
  readonly view: string;
  /** What the view was prepared to. */
  readonly state: Json;
  /** Numbers in the labels' units; an embedding; whether the first of a pair is better; one number that orders networks. */
  readonly gives: 'values' | 'latent' | 'preference' | 'score';
  /** What networks of the training were like, where the view can outline them; distances are told by it. */
  readonly reach?: Reach;
}

/** What a file says of its predictor. */
export interface PredictorInfo {
  /** Of this text; changes when its meaning does. */
  readonly version: 2;
  readonly kind: string;
  readonly entries: readonly Entry[];
  /** What it predicts, in the order of its outputs; none of an embedding. */
  readonly labels: readonly LabelInfo[];
  readonly seen: Seen;
  /** How it was trained; what is in it is the kind's business. */
  readonly recipe: Json;
  /** Of a predictor that orders networks by what several members say. */
  readonly ensemble?: Ensemble;
  /**
   * Networks of the training that distances are told to, by name, in the order of the graph's output `distance`: (batch,
   * names). 0 is the same network; beyond 1 nothing is predicted, as no network that intervals were made from was as far
   * from the rest.
   */
  readonly known?: readonly string[];
}

/** How members are combined to one order. */
export interface Ensemble {
  /** What each member's answers become before they are added: ranks in the pool, or their normal quantiles. */
  readonly combine: 'ranks' | 'quantiles';
  readonly members: readonly EnsembleMember[];
  /**
   * An entry that gives a `score`: 1 for networks like those of the training, 0 for others, where members weigh as `far`
   * says.
   */
  readonly near?: string;
}

export interface EnsembleMember {
  /** Its entries have it: one that gives a `score`, or two that give a `latent` and a `preference`. */
  readonly name: string;
  /** All weights together are 1. */
  readonly weight: number;
  /** The weight for networks that are not like those of the training; `weight` by default. */
  readonly far?: number;
}

/** What a predictor was trained on. */
interface Seen {
  /** Names of spaces; `onnx` for files that do not say which architecture they are. */
  readonly spaces: readonly string[];
  readonly rows: number;
  readonly seed: number;
  /** How these rows were drawn from a table, where they were. */
  readonly split?: TrainingSplit;
  readonly digests?: string;
}

/** A random split of the rows of a table that have all labels: which rows a predictor has seen can be told from it. */
export interface TrainingSplit {
  readonly seed: number;
  readonly train: number;
  readonly validation: number;
  /** Rows that were drawn from. */
  readonly of: number;
}

/** Told of a network that cannot be used; its row is then skipped. */
export type OnBad = (row: number, error: AuspexError) => void;

export interface PredictOptions {
  /** Bad rows are NaN, and told here; without it the first one is thrown. */
  readonly onBad?: OnBad;
  /** @param part of the rows that is done */
  readonly onProgress?: (part: number) => void;
  readonly signal?: AbortSignal;
}

/** (rows, width), row by row. */
export interface Matrix {
  readonly rows: number;
  readonly width: number;
  readonly data: Float64Array;
}

/** What members of an ensemble say of networks. */
export interface MemberAnswers {
  readonly members: readonly EnsembleMember[];
  /** Of each row how like those of the training it is, from 0 to 1, where weights depend on it. */
  readonly near?: Float64Array;
  /**
   * (rows, members): a score as the member gives it; of members that compare pairs, the part of the pool that a network is
   * placed above. NaN for bad rows.
   */
  readonly values: Float64Array;
}

export interface Predictor {
  readonly info: PredictorInfo;
  readonly model: Model;
  /** Values of all labels. Missing in predictors that only rank or embed. */
  predict?(networks: Networks, options?: PredictOptions): Promise<Predictions>;
  /** A score for every network, higher being better, which compares them only with each other. */
  order?(networks: Networks, options?: PredictOptions): Promise<Float64Array>;
  embed?(networks: Networks, options?: PredictOptions): Promise<Matrix>;
  /** What every member of an ensemble says by itself. */
  members?(networks: Networks, options?: PredictOptions): Promise<MemberAnswers>;
  /** Why a network cannot be predicted, in words for users; undefined where it can. Never throws. */
  covers(network: Network): AuspexError | undefined;
  /** What is assumed of a network that can be predicted, in sentences for users. */
  assumes?(network: Network): readonly string[];
  /** The predictor as a file that any ONNX Runtime runs; its metadata say what it is for. */
  toOnnx(): Uint8Array;
  dispose(): Promise<void>;
}
