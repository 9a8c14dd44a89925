// GENNAPE: six members on one encoder, each of which orders networks; their places in a pool are added up. With no labels of
// a family all weigh the same; trained further on some, they weigh as they agree with these, and a Gaussian process on the
// embeddings joins them, which the paper does not have.
import * as z from 'zod';
import { symbol } from '../../graph/dim.js';
import { kendallTauB } from '../../metrics/index.js';
import type { Scope } from '../../nn/scope.js';
import type { Inputs } from '../../nn/step.js';
import type { Weights } from '../../nn/trainer.js';
import type { Value } from '../../ops/build.js';
import { AuspexError } from '../../util/errors.js';
import { Random } from '../../util/random.js';
import { type EntryGraph, entriesModel, outputOf, pairOf, weightsWithin } from '../entries.js';
import { ENCODER } from '../gennape/encoder.js';
import { type FewLabelProcess, fewLabelProcess, processValue } from '../gennape/few-label-process.js';
import { costFactors } from '../gennape/flops-transform.js';
import { EmbeddedRows, HEAD, MEMBERSHIPS } from '../gennape/head-inputs.js';
import { preference } from '../gennape/heads.js';
import { changedOptions, type FitRun, type PredictorKind, registerKind } from '../kind.js';
import { labelStage } from '../label-stage.js';
import { column, labelScale, transformOf, unlearned } from '../labels.js';
import { COMPUTATION_GNN, type ComputationInputs, computationGnn } from '../models/computation-gnn.js';
import { orderOfLatents } from '../pool-order.js';
import type { Ensemble, Entry, Json, Predictor } from '../predictor.js';
import { Runner } from '../runner.js';
import { type Stage, type TrainedMember, trainStages } from '../train.js';
import { partOf } from '../views/joined.js';
import { viewNamed } from '../views/view.js';
import { divided, headOf } from './cl.js';
import { pairStage } from './cl-pairwise.js';
import {
  CLUSTER_OPTIONS,
  expectEncoder,
  fitHeads,
  HEAD_OPTIONS,
  HEADS_VIEW,
  type HeadRows,
  headSteps,
  headValues,
} from './head-kind.js';

/** Widths that keep the file small; the paper's are 256 for regressors and 128 for classifiers. */
const OPTIONS = HEAD_OPTIONS.extend({
  width: HEAD_OPTIONS.shape.width.default(64),
  latent: z.int().min(1).max(256).default(16),
  clusters: CLUSTER_OPTIONS.clusters.default(16),
  fuzzifier: CLUSTER_OPTIONS.fuzzifier.default(4),
  combine: z.enum(['ranks', 'quantiles']).default('ranks'),
  /** The weight of FLOPs where there are no labels; all others weigh the same. The paper's is that of all. */
  flopsShare: z
    .number()
    .min(0)
    .max(1)
    .default(1 / 6),
});
type Options = z.infer<typeof OPTIONS>;

const NAME = 'gennape';
const REGRESSORS = ['cl-fcm-t', 'cl-t'] as const;
const CLASSIFIERS = ['cl-fcm-pairwise', 'cl-pairwise'] as const;
const K_GNN = 'k-gnn';
const FLOPS = 'flops';
export const MEMBERS = [...REGRESSORS, ...CLASSIFIERS, K_GNN, FLOPS] as const;
/** Of predictors that were trained further. */
const PROCESS = 'gaussian-process';
/** Rows that it is fitted to: time is cubic in them. */
const PROCESS_ROWS = 500;
/**
 * The weight of the process, and what τ is divided by before the softmax of the others. The paper's softmax (1) makes weights
 * nearly equal, whatever members learned. Both were chosen on NATS-Bench size and Accel-NASBench.
 */
const PROCESS_SHARE = 0.5;
const TAU_TEMPERATURE = 0.2;
/** Labels that it takes to say how members agree with them. */
const LEAST_LABELS = 5;

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
  summary: 'any network: ensemble of six members',
  views: [HEADS_VIEW],
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
    return fitHeads({ name: NAME, title: 'GENNAPE' }, model, data, changes, run, async (rows) => {
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
      const process = rows.isFurther ? processOf(rows, run.seed) : undefined;
      const entries = entriesOf(rows, parts, model, process);
      const graph = entriesModel(entries, weights);
      const equal = {
        combine: model.combine,
        members: MEMBERS.map((name) => ({
          name,
          weight: name === FLOPS ? model.flopsShare : (1 - model.flopsShare) / (MEMBERS.length - 1),
        })),
      };
      const runner = new Runner(graph, { threads: run.threads });
      const ensemble = process ? await agreeing(equal, runner, rows) : equal;
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
                : { view, state }),
            }),
          );
          return { ...info, entries: [...info.entries, ...more], ensemble };
        },
      };
    });
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

/** What the process sees: embeddings, and logarithms of MACs. */
function processOf(rows: HeadRows, seed: number): FewLabelProcess {
  const { train, macs, encoder } = rows;
  const known = knownLabels(rows);
  const chosen = [...Random.seeded(seed, 23).sample(known.rows.length, PROCESS_ROWS)];
  const width = encoder.width + 1;
  const x = new Float64Array(chosen.length * width);
  chosen.forEach((place, i) => {
    const row = known.rows[place]!;
    x.set(train.rows.subarray(row * train.width, row * train.width + encoder.width), i * width);
    x[i * width + encoder.width] = Math.log1p(macs[row]!);
  });
  const values = chosen.map((place) => known.values[place]!);
  return fewLabelProcess(x, values);
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
  const build = (s: Scope, inputs: Inputs): Value => headOf(s, inputs, { ...model, outputs: scales.length });
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
  return {
    name,
    stage: (steps) => pairStage({ ...rows, train: rowsOf(name, rows) }, steps, model),
    write: (s, seen) => headOf(s, seenBy(name, seen), { ...model, outputs: model.latent }),
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

/** Values are the mean of what the regressors say. */
function entriesOf(
  rows: HeadRows,
  parts: readonly Part[],
  model: Options,
  process: FewLabelProcess | undefined,
): EntryGraph[] {
  const inputs = viewNamed(`${rows.encoder.view}+features`).inputs(rows.prepared.state);
  const { labels } = rows.prepared;
  const sign = labels.better?.[0] === 'lower' ? -1 : 1;
  const values = headValues(rows);
  const written = new Map<string, Value>();
  const of = (name: string, s: Scope, given: Inputs): Value => {
    const { macs, head } = values(s, given);
    const found =
      written.get(name) ?? parts.find((part) => part.name === name)!.write(s.at(name), head, given, macs);
    written.set(name, found);
    return found;
  };
  const first = (value: Value): Value => value.slice([0], [1], [1]).mul(sign);
  const pair = { type: 'float32' as const, dims: [symbol('pairs'), model.latent] };
  return [
    {
      gives: 'values',
      inputs,
      write: (s, given) => {
        const each = REGRESSORS.map((name) => of(name, s, given));
        return s.builder.sum(each).div(each.length);
      },
    },
    { name: ENCODER, gives: 'latent', inputs, write: (s, given) => values(s, given).latent },
    ...[...REGRESSORS, K_GNN].map(
      (name): EntryGraph => ({
        name,
        gives: 'score',
        inputs,
        write: (s, given) => first(of(name, s, given)),
      }),
    ),
    { name: FLOPS, gives: 'score', inputs, write: (s, given) => values(s, given).macs.mul(sign) },
    ...(process
      ? [
          {
            name: PROCESS,
            gives: 'score' as const,
            inputs,
            write: (s: Scope, given: Inputs): Value => {
              const { latent, macs } = values(s, given);
              return processValue(s, s.builder.concat([latent, macs.add(1).log()], 1), process);
            },
          },
        ]
      : []),
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

/** Weights by the softmax of how members agree (Kendall's τ-b) with the labels of the rows, beside that of the process. */
async function agreeing(equal: Ensemble, runner: Runner, rows: HeadRows): Promise<Ensemble> {
  const { set } = rows.prepared;
  const known = knownLabels(rows);
  const taus: [name: string, tau: number][] = [];
  for (const { name } of equal.members) {
    const isPairs = (CLASSIFIERS as readonly string[]).includes(name);
    const output = outputOf({ name, gives: isPairs ? 'latent' : 'score' });
    const data = await runner.runAll([output], set);
    const answers = isPairs ? await orderedBy(runner, name, data, set.count) : data;
    const tau = tauOf(
      known.rows.map((row) => answers[row]!),
      known.values,
    );
    taus.push([name, tau]);
  }
  const powers = taus.map(([, tau]) => Math.exp(tau / TAU_TEMPERATURE));
  const sum = powers.reduce((total, power) => total + power, 0);
  return {
    ...equal,
    members: [
      ...taus.map(([name], i) => ({ name, weight: ((1 - PROCESS_SHARE) * powers[i]!) / sum })),
      { name: PROCESS, weight: PROCESS_SHARE },
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
