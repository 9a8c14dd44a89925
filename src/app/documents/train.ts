// The JSON documents of `auspex train` and `auspex pretrain`, as docs/json/predict.md describes them.
import { z } from 'zod';
import type { LabelInfo, PredictorInfo } from '../../predictors/predictor.js';
import { bestOf, type Trained } from '../train/request.js';

const interval = z.object({
  coverage: z.number(),
  rows: z.number(),
  within: z.tuple([z.number(), z.number()]).optional(),
  groups: z.array(z.object({ upTo: z.number().optional(), halfWidth: z.number() })),
});

export const trainDocument = z.object({
  schema: z.literal('auspex.train/1'),
  output: z.string(),
  seconds: z.number(),
  best: z.array(z.number().nullable()),
  /** Held-out rows that are networks of the training too. */
  excluded: z.number(),
  /** Rows that were left out with --skip-bad. */
  skipped: z.array(z.object({ network: z.string(), set: z.string(), code: z.string(), message: z.string() })),
  version: z.number(),
  kind: z.string(),
  input: z.string(),
  nodes: z.number().optional(),
  features: z.array(z.string()).optional(),
  space: z.string(),
  labels: z.array(
    z.looseObject({
      name: z.string(),
      unit: z.string(),
      better: z.enum(['higher', 'lower']),
      scale: z.string(),
      interval: interval.optional(),
    }),
  ),
  rows: z.number(),
  seed: z.number(),
  split: z.object({ seed: z.number(), train: z.number(), validation: z.number(), of: z.number() }).optional(),
  /** Of kinds without steps. */
  options: z.unknown().optional(),
  /** Of kinds that are trained by steps, and the scales of their labels. */
  recipe: z.unknown().optional(),
  scales: z.unknown().optional(),
});

export const pretrainDocument = z.object({
  schema: z.literal('auspex.pretrain/1'),
  output: z.string(),
  kind: z.string(),
  space: z.string(),
  rows: z.number(),
  steps: z.number(),
  seed: z.number(),
  seconds: z.number(),
  labels: z.array(z.string()),
});

export function trainDocumentOf({ predictor, members, excluded, skipped, seconds, output }: Trained): object {
  return {
    schema: 'auspex.train/1',
    output,
    seconds,
    best: bestOf(members),
    excluded,
    skipped: skipped.map(({ ref, set, error: { code, message } }) => ({ network: ref, set, code, message })),
    ...infoDocument(predictor.info),
  };
}

/** What a predictor says of itself. */
function infoDocument({ version, kind, entries, labels, seen, recipe: all }: PredictorInfo): object {
  const { scales, ...recipe } = all as { scales?: unknown; steps?: number; model?: unknown };
  const { view, state } = entries[0]!;
  const { nodes, names } = state as { nodes?: number; names?: readonly string[] };
  return {
    version,
    kind,
    input: view === 'nnlqp' ? 'network' : view,
    ...(nodes === undefined ? {} : { nodes }),
    ...(names === undefined ? {} : { features: names }),
    space: seen.spaces.join(', '),
    labels: labels.map(({ transform, ...label }: LabelInfo) => ({ ...label, scale: transform })),
    rows: seen.rows,
    seed: seen.seed,
    ...(seen.split ? { split: seen.split } : {}),
    ...(recipe.steps === undefined ? { options: recipe.model } : { recipe, scales }),
  };
}
