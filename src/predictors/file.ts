// What a predictor's file says of it, as metadata of the ONNX model: checked when it is read, and brought up to date if an
// earlier version wrote it.

import * as z from 'zod';
import { isKnown } from '../graph/dim.js';
import type { Model } from '../graph/graph.js';
import { isTensor } from '../graph/types.js';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import type { Entry, Json, LabelInfo, PredictorInfo } from './predictor.js';
import { REACH } from './reach.js';
import { viewNamed } from './views/index.js';

/** Where the metadata of a predictor's file have its `PredictorInfo`, as JSON. */
export const INFO_KEY = 'auspex.predictor';

/** The model with what is to be known of it. */
export function withInfo(model: Model, info: PredictorInfo): Model {
  const metadata = new Map([...(model.metadata ?? []), [INFO_KEY, JSON.stringify(info)] as const]);
  return { ...model, metadata };
}

const SPLIT = z.object({ seed: z.number(), train: z.number(), validation: z.number(), of: z.number() });
const INTERVAL = z.object({
  coverage: z.number(),
  rows: z.number(),
  by: z.literal('distance').optional(),
  within: z.tuple([z.number(), z.number()]).optional(),
  groups: z
    .array(z.object({ upTo: z.number().optional(), halfWidth: z.number(), meanError: z.number().optional() }))
    .min(1),
});
const LABEL = z.object({
  name: z.string(),
  unit: z.string(),
  better: z.enum(['higher', 'lower']),
  transform: z.string(),
  transformState: z.json().optional(),
  interval: INTERVAL.optional(),
  measured: z
    .object({
      device: z.string().optional(),
      runtime: z.string().optional(),
      batch: z.number().optional(),
      threads: z.number().optional(),
      date: z.string().optional(),
    })
    .optional(),
  recipe: z.object({ name: z.string(), about: z.string() }).optional(),
});
const INFO = z.object({
  version: z.literal(2),
  kind: z.string(),
  entries: z
    .array(
      z.object({
        name: z.string().optional(),
        view: z.string(),
        state: z.json(),
        gives: z.enum(['values', 'latent', 'preference', 'score']),
        reach: REACH.optional(),
      }),
    )
    .min(1),
  labels: z.array(LABEL),
  seen: z.object({
    spaces: z.array(z.string()),
    rows: z.number(),
    seed: z.number(),
    split: SPLIT.optional(),
    digests: z.string().optional(),
  }),
  recipe: z.json(),
  ensemble: z
    .object({
      combine: z.enum(['ranks', 'quantiles']),
      members: z.array(z.object({ name: z.string(), weight: z.number(), far: z.number().optional() })).min(1),
      near: z.string().optional(),
    })
    .optional(),
  known: z.array(z.string()).min(1).optional(),
});

const STRINGS = z.array(z.string());
const FIRST = z.object({
  kind: z.string(),
  space: z.string(),
  labels: z.array(
    z.object({
      name: z.string(),
      unit: z.string(),
      scale: z.enum(['linear', 'log']),
      interval: INTERVAL.optional(),
    }),
  ),
  rows: z.number(),
  seed: z.number(),
  split: SPLIT.optional(),
  recipe: z.record(z.string(), z.json()).optional(),
  scales: z.json().optional(),
  /** Of cells. */
  vocabulary: STRINGS.optional(),
  nodes: z.number().optional(),
  /** Of features. */
  features: STRINGS.optional(),
  options: z.json().optional(),
});

type First = z.infer<typeof FIRST>;

/**
 * What a file says of its predictor, whatever version wrote it.
 *
 * @throws AuspexError NOT_A_PREDICTOR, PREDICTOR_TOO_NEW
 */
export function infoOf(model: Model): PredictorInfo {
  const text = model.metadata?.get(INFO_KEY);
  if (text === undefined) {
    throw notOurs('this file is not an auspex predictor', 'give a file that `auspex train` wrote');
  }
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw notOurs(`the metadata of the predictor ('${INFO_KEY}') are not JSON`);
  }
  const { version } = checked<{ version: number }>(z.object({ version: z.number() }), found);
  if (version > 2) {
    throw new AuspexError(
      'PREDICTOR_TOO_NEW',
      `the predictor has version ${version}; this auspex reads versions up to 2`,
      {
        hint: 'update auspex',
      },
    );
  }
  const info: PredictorInfo =
    version === 1 ? migrated(checked<First>(FIRST, found), model) : checked(INFO, found);
  const entries = info.entries.map((entry, i): Entry => {
    // Pairs of what another entry puts out are no view of networks.
    if (entry.gives === 'preference') return entry;
    return { ...entry, state: checked(viewNamed(entry.view).state, entry.state, `entries[${i}].state`) };
  });
  return { ...info, entries };
}

function notOurs(message: string, hint = 'write the file again with `auspex train`'): AuspexError {
  return new AuspexError('NOT_A_PREDICTOR', message, { hint });
}

/** JSON has no fields that are undefined, so what is optional for zod is exactly that. */
function checked<T>(schema: z.ZodType, found: unknown, within = ''): T {
  const { data, error, success } = schema.safeParse(found);
  if (success) return data as T;
  const { path, message } = error.issues[0]!;
  const at = [within, ...path.map(String)].filter((part) => part !== '').join('.');
  throw notOurs(`the metadata of the predictor are damaged${at === '' ? '' : ` at ${at}`}: ${message}`);
}

/** Encodings by the kinds that version 1 knew. */
const ENCODINGS: Readonly<Record<string, string>> = {
  'nn-former-network': 'nn-former',
  'nar-former-v2-network': 'nar-former-v2',
  'nnlp-network': 'nnlp',
};

/** Version 1 had one space, one input, and no directions: what is learned as its logarithm is better low. */
function migrated(first: First, model: Model): PredictorInfo {
  const { kind, space, labels, rows, seed, split, recipe = {}, scales, options } = first;
  return {
    version: 2,
    kind,
    entries: [{ ...migratedView(first, model), gives: 'values' }],
    labels: labels.map(
      ({ scale, ...label }) =>
        ({ ...label, better: scale === 'log' ? 'lower' : 'higher', transform: scale }) as LabelInfo,
    ),
    seen: { spaces: [space], rows, seed, ...(split ? { split } : {}) },
    recipe: (options === undefined ? { ...recipe, scales } : { model: options }) as Json,
  };
}

function migratedView(
  { kind, space, vocabulary, nodes, features, recipe }: First,
  { graph }: Model,
): Pick<Entry, 'view' | 'state'> {
  if (vocabulary !== undefined) {
    const type = graph.inputs.find(({ name }) => name === 'adjacency')?.type;
    const isAnySize = type !== undefined && isTensor(type) && !isKnown(type.shape?.[1] ?? 0);
    const sizes = isAnySize ? 'any' : 'fixed';
    return { view: 'cell', state: { space, form: recipe?.cells ?? 'whole', sizes, vocabulary, nodes } };
  }
  if (features !== undefined) {
    // Numbers that every network has need no space.
    const isCost = features.every((name) => ['parameters', 'macs', 'flops', 'depth'].includes(name));
    return { view: 'features', state: { names: features, space: isCost ? null : space } };
  }
  const encoding = ENCODINGS[kind];
  if (encoding !== undefined) return { view: 'nnlqp', state: { encoding } };
  throw notOurs(`unknown kind of predictor '${printableStart(kind, 40)}'`);
}
