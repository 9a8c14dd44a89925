// GENNAPE: six members on one encoder, each of which orders networks; their places in a pool are added up. For networks like
// those of the training all weigh the same. Two things are not in the paper, as heads say little of networks that look
// different: an order by structure, which weighs most for these; and, trained further on some labels of a family, a regression
// for few labels on features of the structure.
import * as z from 'zod';
import { symbol } from '../../graph/dim.js';
import { kendallTauB } from '../../metrics/index.js';
import type { Scope } from '../../nn/scope.js';
import type { Inputs } from '../../nn/step.js';
import type { Weights } from '../../nn/trainer.js';
import type { Value } from '../../ops/build.js';
import { AuspexError } from '../../util/errors.js';
import { paced } from '../../util/pauses.js';
import { Random } from '../../util/random.js';
import { type EntryGraph, entriesModel, outputOf, pairOf, weightsWithin } from '../entries.js';
import { OPSETS } from '../feature-model.js';
import { FEW_SHOT, fewShotFitting } from '../few-shot.js';
import { ENCODER } from '../gennape/encoder.js';
import { costFactors } from '../gennape/flops-transform.js';
import { EmbeddedRows, HEAD, MEMBERSHIPS } from '../gennape/head-inputs.js';
import { preference } from '../gennape/heads.js';
import { type Nearness, nearnessOf, nearValue } from '../gennape/nearness.js';
import {
  fitStructure,
  STRUCTURE,
  type StructureOrder,
  structureFrom,
  structureScore,
  structureValues,
} from '../gennape/structure-order.js';
import { changedOptions, type FitRun, type PredictorKind, registerKind } from '../kind.js';
import { labelStage } from '../label-stage.js';
import { column, type Labels, labelScale, transformOf, unlearned } from '../labels.js';
import { COMPUTATION_GNN, type ComputationInputs, computationGnn } from '../models/computation-gnn.js';
import { orderOfLatents } from '../pool-order.js';
import type { Ensemble, Entry, Json, Predictor } from '../predictor.js';
import { Runner } from '../runner.js';
import { expectGoing } from '../stopped.js';
import { type Stage, type TrainedMember, trainStages } from '../train.js';
import type { FeatureRows } from '../views/feature-rows.js';
import { partOf } from '../views/joined.js';
import { viewNamed } from '../views/view.js';
import { divided, headOf } from './cl.js';
import { pairStage } from './cl-pairwise.js';
import { joinedLabels, knownRows } from './feature-kind.js';
import {
  CLUSTER_OPTIONS,
  expectEncoder,
  fitHeads,
  HEAD_OPTIONS,
  type HeadRows,
  headSteps,
  headValues,
  STRUCTURE_INPUT,
  STRUCTURE_VIEW,
} from './head-kind.js';

/** Widths that keep the file small; the paper's are 256 for regressors and 128 for classifiers. */
const OPTIONS = HEAD_OPTIONS.extend({
  width: HEAD_OPTIONS.shape.width.default(64),
  latent: z.int().min(1).max(256).default(16),
  clusters: CLUSTER_OPTIONS.clusters.default(16),
  fuzzifier: CLUSTER_OPTIONS.fuzzifier.default(4),
  /** Of regressors with a head per cluster; `width` is of those with one. */
  clusterWidth: HEAD_OPTIONS.shape.width.default(64),
  classifierWidth: HEAD_OPTIONS.shape.width.default(64),
  combine: z.enum(['ranks', 'quantiles']).default('ranks'),
  /** How members weigh for networks unlike those of the training; `equal` is the paper's for all. */
  far: z.enum(['structure', 'equal']).default('structure'),
});
type Options = z.infer<typeof OPTIONS>;

const NAME = 'gennape';
const REGRESSORS = ['cl-fcm-t', 'cl-t'] as const;
const CLASSIFIERS = ['cl-fcm-pairwise', 'cl-pairwise'] as const;
const K_GNN = 'k-gnn';
const FLOPS = 'flops';
/** Those of the paper. */
const PAPER_MEMBERS = [...REGRESSORS, ...CLASSIFIERS, K_GNN, FLOPS] as const;
export const MEMBERS = [...PAPER_MEMBERS, STRUCTURE] as const;
/** Of predictors that were trained further. */
const FEW_SHOT_MEMBER = 'few-shot';
const NEAR = 'near';
/** Weights for networks unlike those of the training: chosen on NATS-Bench size, Accel-NASBench and DyNAS-T's OFA. */
const FAR: Readonly<Record<string, number>> = {
  [STRUCTURE]: 0.7,
  [FLOPS]: 0.1,
  'cl-fcm-pairwise': 0.1,
  'cl-pairwise': 0.1,
};
/**
 * What τ is divided by before the softmax of members. The paper's softmax (1) makes weights nearly equal, whatever members
 * learned. It was chosen on NATS-Bench size and Accel-NASBench.
 */
const TAU_TEMPERATURE = 0.2;
/** Rows that the order by structure is fitted to: more change nothing. */
const STRUCTURE_ROWS = 4000;
/** Labels that it takes to say how members agree with them. */
const LEAST_LABELS = 5;

/** How much the regression for few labels weighs: heads come into their own with thousands of rows. */
function fewShotShare(rows: number): number {
  return Math.max(0.3, Math.min(0.9, 0.9 - 0.4 * Math.log10(rows / 200)));
}

const hasClusters = (member: string): boolean => member.includes('fcm');

function modelOf(changes: object | undefined, from?: Predictor): Options {
  const own =
    from?.info.kind === NAME ? (from.info.recipe as unknown as { model: Options }).model : undefined;
  return changedOptions(
    gennapeKind,
    own ?? OPTIONS.parse({}),
    changes as Record<string, unknown> | undefined,
  );
}

export const gennapeKind: PredictorKind<Options> = registerKind({
  name: NAME,
  title: 'GENNAPE',
  paper: 'Mills et al., AAAI 2023',
  summary: 'any network: ensemble of members on one encoder',
  views: [STRUCTURE_VIEW],
  learns: 'labels',
  options: OPTIONS,
  recipe: (rows, changes = {}, from) => {
    expectEncoder(NAME, from);
    modelOf(changes.model, from);
    return { ...headSteps(rows, changes, from?.info.kind === NAME), members: 1 };
  },
  async fit(data, changes, run) {
    const model = modelOf(changes.model, data.from);
    const steps = gennapeKind.recipe!(data.networks.count, changes, data.from);
    return fitHeads(
      { name: NAME, title: 'GENNAPE', seesStructure: true },
      model,
      data,
      changes,
      run,
      async (rows) => {
        if (rows.isFurther) expectLabels(column(rows.prepared.labels, 0));
        const parts = partsOf(rows, model);
        const trained: TrainedMember[] = [];
        const weights = new Map<string, Float32Array>();
        for (const [place, { name, stage }] of parts.entries()) {
          const start = rows.isFurther ? weightsWithin(data.from!.model, `${name}.`) : undefined;
          const kept = start && fitting(start, data.from!, rows);
          const [member] = await trainStages(
            [
              {
                ...stage(steps),
                name,
                ...(kept ? { start: () => [kept] } : {}),
              },
            ],
            1,
            within(run, place, parts.length),
          );
          trained.push(member!);
          for (const [key, values] of member!.weights) weights.set(`${name}.${key}`, values);
        }
        const beside = await besideHeads(rows, data.from, run);
        const entries = entriesOf(rows, parts, model, beside);
        const graph = entriesModel(entries, weights, beside.fewShot && OPSETS);
        const runner = new Runner(graph, { threads: run.threads });
        const ensemble = rows.isFurther ? await agreeing(model, runner, rows) : untold(model);
        await runner.dispose();
        return {
          model: graph,
          members: trained,
          recipe: { ...steps, model } as unknown as Json,
          describe: (info) => {
            const { view, state } = info.entries[0]!;
            const more = entries.slice(1).map(
              ({ name, gives }): Entry => ({
                ...(name === undefined ? {} : { name }),
                gives,
                ...(gives === 'preference'
                  ? { view: 'latent', state: { width: model.latent } }
                  : name === ENCODER
                    ? { view: rows.encoder.view, state: rows.encoder.state }
                    : { view, state }),
              }),
            );
            return { ...info, entries: [...info.entries, ...more], ensemble };
          },
        };
      },
    );
  },
});

/** Weights that fit as many labels as there are now. */
function fitting(start: Map<string, Float32Array>, from: Predictor, { prepared }: HeadRows): Weights {
  if (from.info.labels.length === prepared.labels.names.length) return start;
  return new Map([...start].filter(([name]) => !/^(out|head\.4)\./.test(name)));
}

/** Refuses so few labels that no member can be told from another. */
function expectLabels(truths: Float64Array): void {
  const known = truths.filter((y) => !Number.isNaN(y));
  if (known.length >= LEAST_LABELS) return;
  throw new AuspexError(
    'LABEL_TOO_FEW',
    `only ${known.length} rows have the label; ${LEAST_LABELS} are needed to weigh the members of GENNAPE`,
    { hint: 'give more rows; without any, the predictor is used as it is' },
  );
}

/** The labels that are known, higher being better, and their rows. */
function knownLabels({ prepared: { labels } }: HeadRows): { rows: number[]; values: number[] } {
  const sign = labels.better?.[0] === 'lower' ? -1 : 1;
  const truths = column(labels, 0);
  const rows = [...truths.keys()].filter((row) => !Number.isNaN(truths[row]));
  return { rows, values: rows.map((row) => sign * truths[row]!) };
}

/** What stands beside members on the encoder. */
interface BesideHeads {
  readonly structure: StructureOrder;
  /** Where weights depend on it. */
  readonly near?: Nearness;
  /** By label: (B, F) → (B, 1) as it is learned. */
  readonly fewShot?: readonly ((x: Value) => Value)[];
  /** The same, where held-out rows were learned too. */
  readonly withoutHeldOut?: readonly ((x: Value) => Value)[];
}

async function besideHeads(rows: HeadRows, from: Predictor | undefined, run: FitRun): Promise<BesideHeads> {
  const { prepared, structure: features, soft, train } = rows;
  const chosen = Random.seeded(run.seed, 29).sample(features!.count, STRUCTURE_ROWS);
  const fitted = fitStructure(features!, prepared, chosen);
  if (!rows.isFurther) return { structure: fitted, near: nearnessOf(train.rows, soft!.components) };
  const known = structureFrom(from!.model);
  const structure = known?.length === fitted.weights.length ? { ...fitted, weights: known } : fitted;
  const fitting = async (some: FeatureRows, labels: Labels): Promise<((x: Value) => Value)[]> => {
    const each: ((x: Value) => Value)[] = [];
    for (const [label, scale] of prepared.scales.entries()) {
      const steps = fewShotFitting(...knownRows(some, labels, label, scale), FEW_SHOT, run.seed);
      each.push(await paced(steps, () => expectGoing(run.signal)));
    }
    return each;
  };
  const own = await fitting(features!, prepared.labels);
  const { held } = rows;
  if (!prepared.validation || !held?.structure) return { structure, fewShot: own };
  const all = joinedLabels(prepared.labels, prepared.validation.labels);
  const fewShot = await fitting(features!.concat(held.structure), all);
  return { structure, fewShot, withoutHeldOut: own };
}

function within(run: FitRun, place: number, count: number): FitRun {
  return {
    ...run,
    onProgress: (progress) => run.onProgress?.({ ...progress, part: (place + progress.part) / count }),
  };
}

/** A member that is trained: how, and what it is in a graph. */
interface Part {
  readonly name: string;
  stage(steps: ReturnType<typeof headSteps>): Stage;
  /** (B, labels) in the labels' units, or (B, latent). */
  write(s: Scope, seen: Inputs, given: Inputs, macs: Value): Value;
}

function partsOf(rows: HeadRows, model: Options): Part[] {
  return [
    ...REGRESSORS.map((name) => regressorPart(name, rows, model)),
    ...CLASSIFIERS.map((name) => classifierPart(name, rows, model)),
    graphPart(rows),
  ];
}

/** The rows of a member: with memberships, or without. */
function rowsOf(name: string, { train, inputs }: HeadRows): EmbeddedRows {
  return hasClusters(name) ? train : new EmbeddedRows(train.rows, inputs);
}

function seenBy(name: string, seen: Inputs): Inputs {
  const { [MEMBERSHIPS]: memberships, [HEAD]: x } = seen;
  return hasClusters(name) ? { [HEAD]: x!, [MEMBERSHIPS]: memberships! } : { [HEAD]: x! };
}

const LEARNED = { loss: { error: 'squared', rank: 0, consistency: 0 }, emaDecay: 0.99 } as const;

function regressorPart(name: string, rows: HeadRows, model: Options): Part {
  const { prepared } = rows;
  const isDivided = prepared.labels.names.map((_, i) => transformOf(prepared.labels, i).scale === 'linear');
  const labels = divided(prepared.labels, rows.macs, isDivided);
  const scales = labels.names.map((_, i) => labelScale(labels, i, prepared.scales[i]!.scale));
  const width = hasClusters(name) ? model.clusterWidth : model.width;
  const build = (s: Scope, inputs: Inputs): Value =>
    headOf(s, inputs, { ...model, width, outputs: scales.length });
  const { validation: _, ...others } = prepared;
  return {
    name,
    stage: (steps) =>
      labelStage(
        { ...others, set: rowsOf(name, rows), labels, scales },
        { ...steps, ...LEARNED, weightDecay: 0.01 },
        build,
      ),
    write: (s, seen, _given, macs) => {
      const mask = s.builder.constant(isDivided.map(Number), 'float32', [scales.length]);
      return unlearned(build(s, seenBy(name, seen)), scales).mul(costFactors(macs).sub(1).mul(mask).add(1));
    },
  };
}

function classifierPart(name: string, rows: HeadRows, model: Options): Part {
  const options = { ...model, width: model.classifierWidth };
  return {
    name,
    stage: (steps) => pairStage({ ...rows, train: rowsOf(name, rows) }, steps, options),
    write: (s, seen) => headOf(s, seenBy(name, seen), { ...options, outputs: model.latent }),
  };
}

function graphPart({ prepared }: HeadRows): Part {
  const { set, scales, state } = prepared;
  const [{ labels }] = state as unknown as readonly [{ readonly labels: readonly string[] }];
  const options = { ...COMPUTATION_GNN, convolution: K_GNN, labels: labels.length } as const;
  const build = (s: Scope, inputs: Inputs): Value =>
    computationGnn(s, inputs as unknown as ComputationInputs, { ...options, outputs: scales.length });
  const { validation: _, ...others } = prepared;
  return {
    name: K_GNN,
    stage: (steps) =>
      labelStage(
        { ...others, set: partOf(set, 0) },
        { ...steps, ...LEARNED, batch: Math.min(32, steps.batch), weightDecay: 0, clipNorm: 5 },
        build,
      ),
    write: (s, _, given) => unlearned(build(s, given), scales),
  };
}

/**
 * Values are the mean of what the regressors say; of networks unlike those of the training what their structure says; and,
 * where there are few labels, mostly what the regression for these does.
 */
function entriesOf(
  rows: HeadRows,
  parts: readonly Part[],
  model: Options,
  { structure, near, fewShot }: BesideHeads,
): EntryGraph[] {
  const inputs = viewNamed(rows.view).inputs(rows.prepared.state);
  const { labels, scales } = rows.prepared;
  const sign = labels.better?.[0] === 'lower' ? -1 : 1;
  const values = headValues(rows);
  const share = fewShotShare(labels.values.length / labels.names.length);
  const written = new Map<string, Value>();
  const once = (name: string, write: () => Value): Value => {
    const found = written.get(name) ?? write();
    written.set(name, found);
    return found;
  };
  const of = (name: string, s: Scope, given: Inputs): Value => {
    const { macs, head } = values(s, given);
    return once(name, () => parts.find((part) => part.name === name)!.write(s.at(name), head, given, macs));
  };
  const features = (given: Inputs): Value => given[STRUCTURE_INPUT]!;
  const scoreOf = (s: Scope, given: Inputs): Value =>
    once(STRUCTURE, () => structureScore(s, features(given), structure.weights));
  const nearOf = (s: Scope, given: Inputs): Value =>
    once(NEAR, () => nearValue(s.at(NEAR), values(s, given).rows, near!));
  const fewOf = (s: Scope, given: Inputs): Value =>
    once(FEW_SHOT_MEMBER, () => {
      const each = fewShot!.map((write) => write(features(given)));
      return unlearned(each.length === 1 ? each[0]! : s.builder.concat(each, 1), scales);
    });
  const first = (value: Value): Value => value.slice([0], [1], [1]).mul(sign);
  const pair = { type: 'float32' as const, dims: [symbol('pairs'), model.latent] };
  const score = (name: string, write: EntryGraph['write']): EntryGraph => ({
    ...{ name, inputs, write },
    gives: 'score',
  });
  return [
    {
      gives: 'values',
      inputs,
      write: (s, given) => {
        const each = REGRESSORS.map((name) => of(name, s, given));
        const mean = s.builder.sum(each).div(each.length);
        if (fewShot) return mean.mul(1 - share).add(fewOf(s, given).mul(share));
        if (model.far === 'equal') return mean;
        const unlike = structureValues(scoreOf(s, given), structure.curves);
        return mean.sub(unlike).mul(nearOf(s, given)).add(unlike);
      },
    },
    { name: ENCODER, gives: 'latent', inputs, write: (s, given) => values(s, given).latent },
    ...[...REGRESSORS, K_GNN].map((name) => score(name, (s, given) => first(of(name, s, given)))),
    score(FLOPS, (s, given) => values(s, given).macs.mul(sign)),
    score(STRUCTURE, scoreOf),
    ...(near ? [score(NEAR, nearOf)] : []),
    ...(fewShot ? [score(FEW_SHOT_MEMBER, (s, given) => first(fewOf(s, given)))] : []),
    ...CLASSIFIERS.flatMap((name): EntryGraph[] => {
      const [a, b] = pairOf({ name });
      return [
        { name, gives: 'latent', inputs, write: (s, given) => of(name, s, given) },
        {
          name,
          gives: 'preference',
          inputs: { [a]: pair, [b]: pair },
          write: (s, given) => preference(s.at(name), given[a]!, given[b]!),
        },
      ];
    }),
  ];
}

/** Weights where no label of a family is known: the paper's, all the same, and others for networks that look different. */
function untold({ combine, far }: Options): Ensemble {
  const equal = 1 / PAPER_MEMBERS.length;
  if (far === 'equal') return { combine, members: PAPER_MEMBERS.map((name) => ({ name, weight: equal })) };
  const members = MEMBERS.map((name) => ({
    ...{ name, weight: name === STRUCTURE ? 0 : equal },
    far: FAR[name] ?? 0,
  }));
  return { combine, members, near: NEAR };
}

/** Weights by the softmax of how members agree (Kendall's τ-b) with the labels of the rows, beside the regression's. */
async function agreeing({ combine }: Options, runner: Runner, rows: HeadRows): Promise<Ensemble> {
  const { set } = rows.prepared;
  const known = knownLabels(rows);
  const taus: number[] = [];
  for (const name of MEMBERS) {
    const isPairs = (CLASSIFIERS as readonly string[]).includes(name);
    const output = outputOf({ name, gives: isPairs ? 'latent' : 'score' });
    const data = await runner.runAll([output], set);
    const answers = isPairs ? await orderedBy(runner, name, data, set.count) : data;
    taus.push(
      tauOf(
        known.rows.map((row) => answers[row]!),
        known.values,
      ),
    );
  }
  const share = fewShotShare(set.count);
  const powers = taus.map((tau) => Math.exp(tau / TAU_TEMPERATURE));
  const sum = powers.reduce((total, power) => total + power, 0);
  return {
    combine,
    members: [
      ...MEMBERS.map((name, i) => ({ name, weight: ((1 - share) * powers[i]!) / sum })),
      { name: FEW_SHOT_MEMBER, weight: share },
    ],
  };
}

/** 0 for a member that says the same of all rows. */
function tauOf(answers: readonly number[], truths: readonly number[]): number {
  return answers.every((x) => x === answers[0]) ? 0 : kendallTauB(answers, truths);
}

function orderedBy(runner: Runner, name: string, data: Float64Array, rows: number): Promise<Float64Array> {
  const width = data.length / rows;
  const [first, second] = pairOf({ name });
  const tensor = (values: Float32Array) => ({
    type: 'float32' as const,
    dims: [values.length / width, width],
    data: values,
  });
  return orderOfLatents({ rows, width, data }, (a, b) =>
    runner.run(outputOf({ name, gives: 'preference' }), { [first]: tensor(a), [second]: tensor(b) }),
  );
}
