// What kinds that put heads on an encoder have in common (GENNAPE): networks are embedded once, clusters are found among the
// embeddings, heads are trained on them, and encoder, clusters and heads become one model.
import * as z from 'zod';
import type { Scope } from '../../nn/scope.js';
import type { Inputs } from '../../nn/step.js';
import type { Value } from '../../ops/build.js';
import { AuspexError } from '../../util/errors.js';
import { paced } from '../../util/pauses.js';
import { Random } from '../../util/random.js';
import { INPUT } from '../feature-model.js';
import { type FittedGraph, fitLabels, type Prepared } from '../fit.js';
import { type Encoder, embedded, encoded, encoderOf } from '../gennape/encoder.js';
import { type FuzzyFit, fuzzyCMeans } from '../gennape/fuzzy-c-means.js';
import {
  componentsOf,
  EmbeddedRows,
  HEAD,
  type HeadInputs,
  headInputs,
  inputsFrom,
  joined,
  joinedValue,
  MEMBERSHIPS,
  membershipsValue,
  type SoftClusters,
  standardisedValue,
} from '../gennape/head-inputs.js';
import { ENCODER_VIEW, ENCODER_VIEW_OPTIONS, trainedEncoder } from '../gennape/own-encoder.js';
import { projected } from '../gennape/pca.js';
import {
  changedOptions,
  type FitRun,
  type Fitted,
  type PredictorKind,
  type RecipeChanges,
  registerKind,
  type StepsRecipe,
  type TrainingData,
} from '../kind.js';
import type { Json, Predictor } from '../predictor.js';
import { expectGoing } from '../stopped.js';
import type { PackedSet } from '../views/computation-graph/graph-set.js';
import type { FeatureRows } from '../views/feature-rows.js';
import { type FeatureSet, segmentState } from '../views/features.js';
import { partOf } from '../views/joined.js';
import type { GraphSet } from '../views/view.js';

export const HEAD_OPTIONS = z.strictObject({
  width: z.int().min(1).max(1024),
  layers: z.int().min(1).max(16).default(4),
});
export const CLUSTER_OPTIONS = {
  clusters: z.int().min(1).max(64),
  fuzzifier: z.number().min(1.1).max(10),
};

/** Clusters, where a kind has them. */
export interface ClusterOptions {
  readonly clusters?: number;
  readonly fuzzifier?: number;
}

const BESIDE = '+features';
export const HEADS_VIEW = `${ENCODER_VIEW}${BESIDE}`;
/** Of heads that also see features of the structure. */
export const STRUCTURE_INPUT = `${INPUT}.2`;
export const STRUCTURE_VIEW = `${HEADS_VIEW}${BESIDE}`;
/** Where a file has what its heads see networks by. */
const STATE_PATH = 'state.';
const COSTS = { names: ['macs'], space: null };
/** Rows that clusters are found among: more take minutes and change little. */
const CLUSTERED = 4000;
/** Steps of an encoder that is trained by the way. */
const ENCODER_STEPS = { steps: 500, rate: 1e-3 };

/** What heads are trained on. */
export interface HeadRows {
  readonly encoder: Encoder;
  readonly inputs: HeadInputs;
  readonly soft: SoftClusters | undefined;
  readonly train: EmbeddedRows;
  readonly macs: Float64Array;
  readonly held?: {
    readonly rows: EmbeddedRows;
    readonly macs: Float64Array;
    readonly structure?: FeatureRows;
  };
  readonly prepared: Prepared;
  /** The view that networks are seen by. */
  readonly view: string;
  /** Of the networks' structure, where heads see it. */
  readonly structure?: FeatureRows;
  /** Of a predictor of the same kind to begin with. */
  readonly isFurther: boolean;
}

/** Steps of a head: 40 epochs of the rows, no fewer than few rows need; fewer and smaller ones to train one further. */
export function headSteps(rows: number, changes: RecipeChanges, isFurther: boolean): StepsRecipe {
  const { batch = 256, members = 1, rate = isFurther ? 3e-4 : 1e-3 } = changes;
  const { steps = isFurther ? 400 : Math.max(1000, Math.ceil((40 * rows) / batch)) } = changes;
  for (const [name, value] of Object.entries({ steps, members, batch })) {
    if (Number.isInteger(value) && value >= 1 && value <= 10_000_000) continue;
    throw new AuspexError('BAD_OPTION', `--${name} cannot be ${value}`, {
      hint: 'it must be a whole number from 1 to 10000000',
    });
  }
  return { steps, batch, rate, members };
}

/** A kind that fits heads. */
interface HeadKind<O> extends Pick<PredictorKind<O>, 'name' | 'title' | 'summary' | 'learns' | 'options'> {
  /** Whether it has one member, whatever is asked for. */
  readonly isSingle?: true;
  fit(fitting: HeadFitting<O>): Promise<FittedGraph>;
}

export interface HeadFitting<O> {
  readonly rows: HeadRows;
  readonly model: O;
  readonly steps: StepsRecipe;
  /** A predictor to begin with. */
  readonly from: Predictor | undefined;
  readonly run: FitRun;
}

export function registerHeads<O extends ClusterOptions>(heads: HeadKind<O>): void {
  const { fit, isSingle, ...about } = heads;
  // Those of a predictor to train further, or the kind's own, with what is changed.
  const modelOf = ({ model }: RecipeChanges, from?: Predictor): O => {
    const isFurther = from?.info.kind === about.name;
    const before = isFurther ? (from.info.recipe as unknown as { model: O }).model : undefined;
    return changedOptions(about, before ?? about.options.parse({}), model);
  };
  const recipe: NonNullable<PredictorKind['recipe']> = (rows, changes = {}, from) => {
    expectEncoder(about.name, from);
    modelOf(changes, from);
    const steps = headSteps(rows, changes, from?.info.kind === about.name);
    return isSingle ? { ...steps, members: 1 } : steps;
  };
  registerKind<O>({
    ...about,
    paper: 'Mills et al., AAAI 2023',
    views: [HEADS_VIEW],
    recipe,
    fit: async (data, changes, run) => {
      const { from } = data;
      const model = modelOf(changes, from);
      const steps = recipe(data.networks.count, changes, from) as StepsRecipe;
      return fitHeads(about, model, data, changes, run, (rows) => fit({ rows, model, steps, from, run }));
    },
  });
}

/** Refuses a predictor to begin with that has no encoder. */
export function expectEncoder(kind: string, from: Predictor | undefined): void {
  if (from === undefined || encoderOf(from) !== undefined) return;
  throw new AuspexError('PREDICTOR_KIND', `${from.info.kind} cannot be trained further as ${kind}`, {
    hint: `give an encoder (the kind contrastive), or a predictor of the kind ${kind}`,
  });
}

/** Embeds networks, and fits heads to labels. */
export function fitHeads(
  kind: Pick<PredictorKind, 'name' | 'title'> & { readonly seesStructure?: true },
  clusters: ClusterOptions,
  data: TrainingData,
  { pretraining = { rows: 0, ...ENCODER_STEPS } }: RecipeChanges,
  run: FitRun,
  work: (rows: HeadRows) => Promise<FittedGraph>,
): Promise<Fitted> {
  const { from } = data;
  expectEncoder(kind.name, from);
  const given = from && encoderOf(from);
  const more = kind.seesStructure ? [segmentState()] : [];
  const view = `${given?.view ?? ENCODER_VIEW}${BESIDE}${more.map(() => BESIDE).join('')}`;
  const fitting = {
    ...{ kind, view },
    viewOptions: [
      ENCODER_VIEW_OPTIONS,
      { features: ['macs'] },
      ...more.map(() => ({ features: 'segments' })),
    ] as unknown as Json,
    prior: given && ([given.state, COSTS, ...more] as Json),
  };
  const structureOf = (set: GraphSet): { structure?: FeatureRows } =>
    kind.seesStructure ? { structure: (partOf(set, 2) as FeatureSet).rows } : {};
  return fitLabels(fitting, data, run, async (prepared) => {
    const { set, state, validation } = prepared;
    const lead = partOf(set, 0);
    const macs = macsOf(set);
    const encoder =
      given ??
      (await trainedEncoder(lead as PackedSet, (state as readonly Json[])[0], macs, pretraining, run));
    const latents = await embedded(encoder, lead, run.threads);
    expectGoing(run.signal);
    const isFurther = from?.info.kind === kind.name;
    const before = isFurther ? inputsFrom(from.model, STATE_PATH) : undefined;
    const inputs = before?.inputs ?? headInputs(latents, encoder.width, macs);
    const rows = joined(latents, encoder.width, macs, inputs.macs);
    const soft = before ? before.soft : await softClusters(rows, encoder.width + 1, clusters, run);
    const held = validation && {
      rows: new EmbeddedRows(
        joined(
          await embedded(encoder, partOf(validation.set, 0), run.threads),
          encoder.width,
          macsOf(validation.set),
          inputs.macs,
        ),
        inputs,
        soft,
      ),
      macs: macsOf(validation.set),
      ...structureOf(validation.set),
    };
    return work({
      ...{ encoder, inputs, soft, macs, prepared, isFurther, view },
      ...structureOf(set),
      train: new EmbeddedRows(rows, inputs, soft),
      ...(held ? { held } : {}),
    });
  });
}

function macsOf(set: GraphSet): Float64Array {
  return Float64Array.from((partOf(set, 1) as FeatureSet).rows.data);
}

/** Fuzzy clusters among some of the rows, in at most 32 principal components of them all. */
async function softClusters(
  rows: Float64Array,
  width: number,
  { clusters, fuzzifier }: ClusterOptions,
  run: FitRun,
): Promise<SoftClusters | undefined> {
  if (clusters === undefined || fuzzifier === undefined) return undefined;
  const components = componentsOf(rows, width);
  const places = projected(rows, components);
  const count = rows.length / width;
  const chosen = Random.seeded(run.seed, 17).sample(count, CLUSTERED);
  const some = Float64Array.from({ length: chosen.length * components.count }, (_, i) => {
    const row = chosen[Math.floor(i / components.count)]!;
    return places[row * components.count + (i % components.count)]!;
  });
  const fitting = fuzzyCMeans(some, components.count, {
    clusters: Math.min(clusters, chosen.length),
    fuzzifier,
    seed: run.seed,
  });
  const found: FuzzyFit = await paced(fitting, () => expectGoing(run.signal));
  return { components, clusters: found };
}

/** What heads take in the graph of a file; written once, however many heads there are. */
export function headValues({
  encoder,
  inputs,
  soft,
}: Pick<HeadRows, 'encoder' | 'inputs' | 'soft'>): (
  s: Scope,
  given: Inputs,
) => { latent: Value; macs: Value; rows: Value; head: Inputs } {
  let written: { latent: Value; macs: Value; rows: Value; head: Inputs } | undefined;
  return (s, given) => {
    if (written !== undefined) return written;
    const macs = given[INPUT]!;
    const latent = encoded(s, encoder, given);
    const state = s.at(STATE_PATH.slice(0, -1));
    const rows = joinedValue(state, latent, macs, inputs.macs);
    const head = {
      [HEAD]: standardisedValue(state, rows, inputs.all),
      ...(soft ? { [MEMBERSHIPS]: membershipsValue(state, rows, soft) } : {}),
    };
    written = { latent, macs, rows, head };
    return written;
  };
}
