// GENNAPE's regressors on a contrastive encoder: one head (CL) or one for each cluster (CL+FCM), of labels as they are or
// divided by a function of what networks cost (T).
import type * as z from 'zod';
import type { Scope } from '../../nn/scope.js';
import type { Inputs } from '../../nn/step.js';
import type { Value } from '../../ops/build.js';
import { entriesModel, memberWeights } from '../entries.js';
import { ENCODER } from '../gennape/encoder.js';
import { costFactors, perCost } from '../gennape/flops-transform.js';
import { HEAD, MEMBERSHIPS } from '../gennape/head-inputs.js';
import { type HeadOptions, head, headEnsemble } from '../gennape/heads.js';
import { KIND_TITLES } from '../kind-titles.js';
import { type LabelRecipe, labelStage } from '../label-stage.js';
import { type LabelScale, type Labels, labelScale, transformOf, unlearned } from '../labels.js';
import type { Json, Predictor } from '../predictor.js';
import { trainStages } from '../train.js';
import { viewNamed } from '../views/view.js';
import {
  CLUSTER_OPTIONS,
  type ClusterOptions,
  HEAD_OPTIONS,
  type HeadRows,
  headValues,
  registerHeads,
} from './head-kind.js';

type Options = z.infer<typeof HEAD_OPTIONS> & ClusterOptions;

/** A head as it is trained: (B, …) → (B, outputs). */
export function headOf(s: Scope, inputs: Inputs, options: HeadOptions): Value {
  const memberships = inputs[MEMBERSHIPS];
  const x = inputs[HEAD]!;
  return memberships === undefined ? head(s, x, options) : headEnsemble(s, x, memberships, options);
}

interface Variant {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly hasClusters: boolean;
  /** Whether labels are divided by `costFactor`. */
  readonly isPerCost: boolean;
}

function regressor({ name, title, summary, hasClusters, isPerCost }: Variant): void {
  const plain = HEAD_OPTIONS.extend({ width: HEAD_OPTIONS.shape.width.default(256) });
  const options: z.ZodType<Options> = hasClusters
    ? plain.extend({
        clusters: CLUSTER_OPTIONS.clusters.default(16),
        fuzzifier: CLUSTER_OPTIONS.fuzzifier.default(4),
      })
    : plain;
  registerHeads<Options>({
    name,
    title,
    summary,
    learns: 'labels',
    options,
    fit: async ({ rows, model, steps, from, run }) => {
      const learned: LabelRecipe = {
        ...steps,
        loss: { error: 'squared', rank: 0, consistency: 0 },
        weightDecay: 0.01,
        emaDecay: 0.99,
      };
      const isDivided = rows.prepared.labels.names.map(
        (_, i) => isPerCost && transformOf(rows.prepared.labels, i).scale === 'linear',
      );
      const labels = divided(rows.prepared.labels, rows.macs, isDivided);
      const scales = labels.names.map((_, i) => labelScale(labels, i, rows.prepared.scales[i]!.scale));
      const build = (s: Scope, inputs: Inputs): Value =>
        headOf(s, inputs, { ...model, outputs: scales.length });
      const { validation } = rows.prepared;
      const stage = labelStage(
        {
          ...rows.prepared,
          ...{ set: rows.train, labels, scales },
          ...(validation && rows.held
            ? {
                validation: {
                  set: rows.held.rows,
                  labels: divided(validation.labels, rows.held.macs, isDivided),
                },
              }
            : {}),
        },
        learned,
        build,
      );
      const start = rows.isFurther ? startOf(from!, scales.length) : undefined;
      const members = await trainStages(
        [{ ...stage, ...(start ? { start: () => start } : {}) }],
        steps.members,
        run,
      );
      const weights = members.flatMap((member, i) =>
        [...member.weights].map(([key, values]) => [`member.${i}.${key}`, values] as const),
      );
      return {
        model: regressorModel(rows, build, members.length, scales, isDivided, new Map(weights)),
        members,
        recipe: { ...learned, model, scales } as unknown as Json,
        describe: (info) => ({
          ...info,
          entries: [
            ...info.entries,
            { name: ENCODER, gives: 'latent', view: info.entries[0]!.view, state: info.entries[0]!.state },
          ],
        }),
      };
    },
  });
}

/** Labels that are learned divided by what networks cost. */
export function divided(labels: Labels, macs: Float64Array, isDivided: readonly boolean[]): Labels {
  const width = labels.names.length;
  const values = labels.values.map((y, i) =>
    isDivided[i % width] ? perCost(y, macs[Math.floor(i / width)]!) : y,
  );
  return { ...labels, values };
}

/** Weights to begin with; a layer that puts out other labels begins anew. */
function startOf(from: Predictor, outputs: number): Map<string, Float32Array>[] {
  return memberWeights(from.model).map((member) =>
    from.info.labels.length === outputs
      ? member
      : new Map([...member].filter(([name]) => !name.startsWith('out.'))),
  );
}

/** Encoder, clusters, heads and what undoes the transforms, in one model. */
function regressorModel(
  rows: HeadRows,
  build: (s: Scope, inputs: Inputs) => Value,
  count: number,
  scales: readonly LabelScale[],
  isDivided: readonly boolean[],
  weights: ReadonlyMap<string, Float32Array>,
) {
  const values = headValues(rows);
  const inputs = viewNamed(rows.view).inputs(rows.prepared.state);
  return entriesModel(
    [
      {
        gives: 'values',
        inputs,
        write: (s, given) => {
          const { macs, head: seen } = values(s, given);
          const each = Array.from({ length: count }, (_, i) => build(s.at('member', i), seen));
          const found = unlearned(s.builder.sum(each).div(count), scales);
          if (!isDivided.includes(true)) return found;
          const mask = s.builder.constant(isDivided.map(Number), 'float32', [scales.length]);
          return found.mul(costFactors(macs).sub(1).mul(mask).add(1));
        },
      },
      { name: ENCODER, gives: 'latent', inputs, write: (s, given) => values(s, given).latent },
    ],
    weights,
  );
}

const ON = 'any network: a head on its embedding';
const MANY = 'any network: a head per fuzzy cluster';
const T = ', labels by FLOPs';
const variants: readonly Variant[] = [
  { name: 'cl', title: KIND_TITLES.cl, summary: ON, hasClusters: false, isPerCost: false },
  { name: 'cl-t', title: KIND_TITLES['cl-t'], summary: `${ON}${T}`, hasClusters: false, isPerCost: true },
  { name: 'cl-fcm', title: KIND_TITLES['cl-fcm'], summary: MANY, hasClusters: true, isPerCost: false },
  {
    name: 'cl-fcm-t',
    title: KIND_TITLES['cl-fcm-t'],
    summary: `${MANY}${T}`,
    hasClusters: true,
    isPerCost: true,
  },
];
for (const variant of variants) regressor(variant);
