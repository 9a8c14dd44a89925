// Kinds of predictors: how each is trained. One file a kind in kinds/, which registers it; one conformance suite for all.
import * as z from 'zod';
import type { Networks } from '../networks/networks.js';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import type { ErrorScale } from './intervals.js';
import type { Labels } from './labels.js';
import type { Json, OnBad, Predictor, PredictorInfo, TrainingSplit } from './predictor.js';
import type { TrainedMember, TrainingRun } from './train.js';

/** What a predictor is trained on. */
export interface TrainingData {
  readonly networks: Networks;
  /** NaN where a row lacks a label. Kinds that learn from networks alone need none. */
  readonly labels?: Labels;
  /** Rows that are not trained on: weights are chosen by them, and intervals are made with them. */
  readonly validation?: { readonly networks: Networks; readonly labels?: Labels };
  /** Networks whose labels are not known or not to be looked at, of kinds that learn from them, too. */
  readonly unlabelled?: Networks;
  /** What some networks compute for images, of kinds that learn it. */
  readonly io?: IoTraining;
  /** A predictor of the same kind to begin with. */
  readonly from?: Predictor;
  /** How the rows were drawn, for the record. */
  readonly split?: TrainingSplit;
  /** Of the architectures of all rows, those held out too: what the predictor has seen. See `ArchDigests`. */
  readonly digests?: string;
}

/** Output features of trained networks for images, of every network for every image; see `auspex data io`. */
export interface IoExamples {
  readonly networks: Networks;
  readonly images: {
    readonly count: number;
    readonly side: number;
    /** (count, 3, side, side) */
    readonly pixels: Float32Array;
  };
  /** Numbers of a network and an image. */
  readonly width: number;
  /** Writes them to `out`, from `at` on. */
  read(network: number, image: number, out: Float32Array, at: number): void;
}

export interface IoTraining extends IoExamples {
  /** What the outputs are compared with after training: networks, images or both that were not learned from. */
  readonly tests?: readonly (IoExamples & { readonly name: string })[];
}

/** What is learned of a space before any label. */
export type Pretraining = {
  /** Architectures that are drawn from the space. */
  readonly rows: number;
  readonly steps: number;
  readonly rate: number;
};

/** What users may change of how a predictor is trained. */
export interface RecipeChanges {
  readonly steps?: number;
  readonly members?: number;
  readonly batch?: number;
  readonly rate?: number;
  /** Options of the model, by name. */
  readonly model?: Readonly<Record<string, unknown>>;
  /** Of kinds that learn something before the labels. */
  readonly pretraining?: Pretraining;
  /** Nothing is learned before the labels. */
  readonly isFromScratch?: boolean;
}

/** How long and how fast; kinds add what is their own. */
export type StepsRecipe = {
  /** Of the optimiser, in all. */
  readonly steps: number;
  /** Rows of a step. */
  readonly batch: number;
  readonly rate: number;
  /** How many are trained from different seeds; the prediction is their mean. */
  readonly members: number;
};

export interface FitRun extends TrainingRun {
  /** Bad rows are left out and told here; without it the first one is thrown. Validation rows count from 0, too. */
  readonly onBad?: OnBad;
}

export interface Fitted {
  readonly predictor: Predictor;
  /** How the training went, by member; none of what is not trained in steps. */
  readonly members: readonly TrainedMember[];
  /** Validation rows that are networks of the training too: intervals are made without them. */
  readonly excluded: number;
}

export interface PredictorKind<O = unknown> {
  readonly name: string;
  readonly title: string;
  readonly paper: string;
  /** What it looks at, in a few words. */
  readonly summary: string;
  readonly views: readonly string[];
  /** What it needs: labels; networks alone; labels, of which it compares pairs. */
  readonly learns: 'labels' | 'networks' | 'pairs';
  /** Learns what families have in common: rows of one alone do not show it. */
  readonly comparesFamilies?: true;
  /** It begins with any predictor that embeds cells, and learns labels from embeddings. */
  readonly isOnEmbedding?: true;
  /** It learns labels of some networks, and from others without labels. */
  readonly isSemiSupervised?: true;
  /** Options of the model that users may change, with ranges and defaults. */
  readonly options: z.ZodType<O>;
  /**
   * How it is trained on so many rows; there is none of what is not trained in steps, and has no members, checkpoints or
   * predictor to begin with.
   *
   * @throws AuspexError BAD_OPTION, MODEL_OPTION, PREDICTOR_KIND
   */
  recipe?(rows: number, changes?: RecipeChanges, from?: Predictor, scale?: ErrorScale): StepsRecipe;
  /** @throws AuspexError LABEL_…, MODEL_OPTION, TRAINING_DIVERGED, TRAINING_STOPPED, and what views throw */
  fit(data: TrainingData, changes: RecipeChanges, run: FitRun): Promise<Fitted>;
  /** Learns what can be told of networks for nothing, to begin with where few labels are known. */
  pretrain?(networks: Networks, changes: RecipeChanges, run: FitRun): Promise<Fitted>;
}

const kinds = new Map<string, PredictorKind>();

/** All kinds, in the order they were registered. */
export const KINDS: ReadonlyMap<string, PredictorKind> = kinds;

/**
 * Makes a kind of predictor known by its name. `graphKind` and `featureKind` make and register one.
 *
 * @example
 * const forest = predictorKinds().find(({ name }) => name === 'forest')!;
 * registerKind({ ...forest, name: 'my-forest', title: 'My forest' });
 * predictorKinds().at(-1)?.name; // 'my-forest'
 */
export function registerKind<O>(kind: PredictorKind<O>): PredictorKind<O> {
  kinds.set(kind.name, kind as PredictorKind);
  return kind;
}

/**
 * The kind of a name.
 *
 * @throws AuspexError PREDICTOR_UNKNOWN
 */
export function kindNamed(name: string): PredictorKind {
  const kind = KINDS.get(name);
  if (kind !== undefined) return kind;
  throw new AuspexError('PREDICTOR_UNKNOWN', `there is no predictor called '${printableStart(name, 40)}'`, {
    hint: `choose one of ${[...KINDS.keys()].join(', ')}`,
  });
}

/** Throws where a predictor to begin with is of another kind. */
export function expectKind(name: string, from: Predictor | undefined): void {
  if (from === undefined || from.info.kind === name) return;
  throw new AuspexError('PREDICTOR_KIND', `${from.info.kind} cannot be trained further as ${name}`, {
    hint: `give a predictor of the kind ${name}`,
  });
}

/** Far beyond what is of use; more would never end, or not fit into memory. */
const MOST = { steps: 10_000_000, members: 1000, batch: 65_536 };

/** Throws where a training in steps is asked for with none, or with more than ever end. */
export function expectCounts(counts: Readonly<Record<keyof typeof MOST, number>>): void {
  for (const [name, value] of Object.entries(counts)) {
    const most = MOST[name as keyof typeof MOST];
    if (Number.isInteger(value) && value >= 1 && value <= most) continue;
    throw new AuspexError('BAD_OPTION', `--${name} cannot be ${value}`, {
      hint: `it must be a whole number from 1 to ${most}`,
    });
  }
}

/**
 * Whether a predictor to begin with has the sizes that options ask for; dropout is no size. Options that are not given,
 * or are what the predictor has, change nothing.
 */
export function hasSizes({ recipe }: PredictorInfo, model: RecipeChanges['model'] = {}): boolean {
  const own = (recipe as { model?: { readonly [name: string]: Json } }).model ?? {};
  return Object.entries(model).every(
    ([name, value]) => name === 'dropout' || JSON.stringify(value) === JSON.stringify(own[name]),
  );
}

/**
 * Options with some changed.
 *
 * @param base what those that are not given are
 * @throws AuspexError MODEL_OPTION, which lists what there is and its range
 */
export function changedOptions<O>(
  { name: kind, options }: Pick<PredictorKind<O>, 'name' | 'options'>,
  base: O,
  changes: RecipeChanges['model'] = {},
): O {
  const described = describedOptions(options);
  const like = (name: string): string => JSON.stringify((base as Record<string, unknown>)[name]);
  const all = [...described].map(([name, range]) => `${name}: ${range}, like ${like(name)}`);
  const wrong = (message: string): AuspexError =>
    new AuspexError('MODEL_OPTION', message, {
      hint: all.length === 0 ? 'it has no options' : `it has ${all.join('; ')}`,
    });
  for (const name of Object.keys(changes)) {
    if (!described.has(name)) throw wrong(`${kind} has no option '${printableStart(name, 40)}'`);
  }
  const found = options.safeParse({ ...base, ...changes });
  if (found.success) return found.data;
  const { path, message, code } = found.error.issues[0]!;
  const name = path[0] === undefined ? undefined : String(path[0]);
  if (name === undefined) throw wrong(`options of ${kind}: ${message}`);
  // What a kind checks itself says why; what a schema says is for programmers.
  const why = code === 'custom' ? message : `it must be ${described.get(name)}`;
  const given = printableStart(JSON.stringify(changes[name] ?? null), 60);
  throw wrong(`option '${name}' of ${kind} cannot be ${given}: ${why}`);
}

interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

/** What every option may be, in words: a whole number from 4 to 1024. */
function describedOptions(options: z.ZodType): ReadonlyMap<string, string> {
  const { properties = {} } = z.toJSONSchema(options, { io: 'input' }) as JsonSchema;
  return new Map(Object.entries(properties).map(([name, schema]) => [name, rangeText(schema)]));
}

function rangeText({ type, enum: names, minimum, exclusiveMinimum, maximum, items }: JsonSchema): string {
  if (names !== undefined) return names.join(' or ');
  if (type === 'boolean') return 'true or false';
  if (type === 'array') return `a list of ${rangeText(items ?? {})}`;
  const least = exclusiveMinimum === undefined ? `from ${minimum}` : `above ${exclusiveMinimum}`;
  return `a ${type === 'integer' ? 'whole ' : ''}number ${least} to ${maximum}`;
}
