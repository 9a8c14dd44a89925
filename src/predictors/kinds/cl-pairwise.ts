// GENNAPE's pairwise classifiers on a contrastive encoder: which of two networks is better. They give an order of networks
// and no values.
import * as z from 'zod';
import { symbol } from '../../graph/dim.js';
import { binaryCrossEntropy } from '../../nn/losses.js';
import { adamW } from '../../nn/optimiser.js';
import { warmupCosine } from '../../nn/schedules.js';
import type { Scope } from '../../nn/scope.js';
import type { Inputs } from '../../nn/step.js';
import type { Weights } from '../../nn/trainer.js';
import type { Value } from '../../ops/build.js';
import type { Random } from '../../util/random.js';
import { entriesModel, memberWeights, PAIR } from '../entries.js';
import { ENCODER } from '../gennape/encoder.js';
import { preference } from '../gennape/heads.js';
import type { StepsRecipe } from '../kind.js';
import { KIND_TITLES } from '../kind-titles.js';
import { column } from '../labels.js';
import type { Entry, Json } from '../predictor.js';
import { type Stage, trainStages } from '../train.js';
import { viewNamed } from '../views/view.js';
import { headOf } from './cl.js';
import {
  CLUSTER_OPTIONS,
  type ClusterOptions,
  HEAD_OPTIONS,
  type HeadRows,
  headValues,
  registerHeads,
} from './head-kind.js';

/** Of the trunk. */
type PairOptions = z.infer<typeof HEAD_OPTIONS> & { readonly latent: number };
type Options = PairOptions & ClusterOptions;

/** Differences up to this part of a whole are ties, which teach nothing. */
const TIE = 1e-4;
/** Of a batch: the other row of every pair, which is better, and whether the pair counts. */
const [OTHER, BETTER, COUNTS] = ['other', 'better', 'counts'];

function classifier(name: string, title: string, summary: string, hasClusters: boolean): void {
  const plain = HEAD_OPTIONS.extend({
    width: HEAD_OPTIONS.shape.width.default(128),
    latent: z.int().min(1).max(256).default(16),
  });
  const options: z.ZodType<Options> = hasClusters
    ? plain.extend({
        clusters: CLUSTER_OPTIONS.clusters.default(11),
        fuzzifier: CLUSTER_OPTIONS.fuzzifier.default(3.5),
      })
    : plain;
  registerHeads<Options>({
    name,
    title,
    summary,
    learns: 'pairs',
    options,
    isSingle: true,
    fit: async ({ rows, model, steps, from, run }) => {
      const start = rows.isFurther ? memberWeights(from!.model) : undefined;
      const stage = { ...pairStage(rows, steps, model), ...(start ? { start: () => start } : {}) };
      const members = await trainStages([stage], 1, run);
      const { names, better } = rows.prepared.labels;
      const label = { name: names[0], better: better?.[0] ?? 'higher' };
      return {
        model: classifierModel(rows, model, members[0]!.weights),
        members,
        recipe: { ...steps, model, label } as unknown as Json,
        describe: (info) => {
          const { view, state } = info.entries[0]!;
          const entries: Entry[] = [
            { view, state, gives: 'latent' },
            { view: 'latent', state: { width: model.latent }, gives: 'preference' },
            { name: ENCODER, view, state, gives: 'latent' },
          ];
          return { ...info, entries, labels: [] };
        },
      };
    },
  });
}

/** Binary cross-entropy of random pairs of a batch; of several labels, the first one decides. */
export function pairStage(rows: HeadRows, { steps, batch, rate }: StepsRecipe, model: PairOptions): Stage {
  const { labels } = rows.prepared;
  const truths = column(labels, 0);
  const sign = labels.better?.[0] === 'lower' ? -1 : 1;
  const tie = labels.units?.[0] === '%' ? 100 * TIE : TIE;
  const trunk = (s: Scope, inputs: Inputs): Value => headOf(s, inputs, { ...model, outputs: model.latent });
  const floats = (data: readonly number[]) => ({
    type: 'float32' as const,
    dims: [data.length, 1],
    data: Float32Array.from(data),
  });
  return {
    name: 'pairs',
    graphs: rows.train,
    steps,
    batch,
    optimiser: adamW({ weightDecay: 0.01, decayAll: false }),
    schedule: warmupCosine({ rate, steps, warmup: 0.1, final: 0.1 }),
    emaDecay: 0.99,
    extras: (chosen: readonly number[], random: Random) => {
      const other = chosen.map(() => random.below(chosen.length));
      // NaN, of a row without the label, is no difference.
      const off = chosen.map((row, i) => sign * (truths[row]! - truths[chosen[other[i]!]!]!));
      return {
        [OTHER!]: { type: 'int64', dims: [chosen.length], data: BigInt64Array.from(other, BigInt) },
        [BETTER!]: floats(off.map((d) => Number(d > 0))),
        [COUNTS!]: floats(off.map((d) => Number(Math.abs(d) > tie))),
      };
    },
    objective: {
      predict: trunk,
      loss: (s, { [OTHER!]: other, [BETTER!]: better, [COUNTS!]: counts, ...inputs }) => {
        const latent = trunk(s, inputs);
        return binaryCrossEntropy(preference(s, latent, latent.gather(other!)), better!, counts!);
      },
    },
  };
}

function classifierModel(rows: HeadRows, model: Options, weights: Weights) {
  const values = headValues(rows);
  const inputs = viewNamed(rows.view).inputs(rows.prepared.state);
  const pair = { type: 'float32' as const, dims: [symbol('pairs'), model.latent] };
  const [first, second] = PAIR;
  const member = (s: Scope): Scope => s.at('member', 0);
  return entriesModel(
    [
      {
        gives: 'latent',
        inputs,
        write: (s, given) => headOf(member(s), values(s, given).head, { ...model, outputs: model.latent }),
      },
      {
        gives: 'preference',
        inputs: { [first]: pair, [second]: pair },
        write: (s, given) => preference(member(s), given[first]!, given[second]!),
      },
      { name: ENCODER, gives: 'latent', inputs, write: (s, given) => values(s, given).latent },
    ],
    new Map([...weights].map(([key, data]) => [`member.0.${key}`, data])),
  );
}

classifier('cl-pairwise', KIND_TITLES['cl-pairwise'], 'any network: compares pairs of embeddings', false);
classifier(
  'cl-fcm-pairwise',
  KIND_TITLES['cl-fcm-pairwise'],
  'any network: compares pairs, a head per cluster',
  true,
);
