// The JSON document of scored networks, `auspex.proxy/1`: docs/json/proxy.md says what its fields mean.
import * as z from 'zod';
import { LOSS_KINDS, proxyNamed } from '../../proxies/index.js';
import { problem } from '../problem.js';
import { columnValues, type ProxyColumn } from '../score/columns.js';
import { planOptions } from '../score/plan.js';
import { isScored, type NetworkRecord } from '../score/record.js';
import type { ScoreFound } from '../score/score.js';

const count = z.int().min(0);
const dims = z.array(count).readonly();
const names = z.array(z.string()).readonly();

const direction = z.enum(['higher', 'lower']);
/** `higherIsBetter` says the same, for readers of before. */
export const directed = { better: direction, higherIsBetter: z.boolean() };
const about = { name: z.string(), title: z.string(), ...directed };
export const proxyDocument = z.strictObject({ ...about, scale: z.enum(['raw', 'logarithm']) });
export const combinationDocument = z.strictObject({ ...about, members: names });
const columnDocument = z.union([proxyDocument, combinationDocument]);

const block = z.strictObject({
  node: z.string(),
  stream: z.string(),
  width: count,
  qkvWidth: count,
  tokens: count,
  weights: names,
});

const tensor = z.strictObject({
  name: z.string(),
  dims,
  role: z.string(),
  counts: z.boolean(),
  part: z.enum(['attention', 'perceptron', 'head']).exactOptional(),
});

const explanation = z.strictObject({
  inputs: z.array(z.strictObject({ name: z.string(), type: z.string() })).readonly(),
  samples: count,
  logits: z.strictObject({ name: z.string(), dims, classes: count }),
  heads: z
    .array(
      z.strictObject({
        output: z.string(),
        name: z.string(),
        dims,
        loss: z.enum(LOSS_KINDS),
        why: z.string(),
      }),
    )
    .readonly(),
  changes: z
    .array(
      z.strictObject({
        transform: z.string(),
        what: z.string(),
        node: z.string().exactOptional(),
        operator: z.string().exactOptional(),
      }),
    )
    .readonly(),
  problems: z.array(z.strictObject({ step: z.string(), code: z.string(), message: z.string() })).readonly(),
  features: z
    .strictObject({ name: z.string(), dims, channelAxis: count, channels: count, positions: count })
    .nullable(),
  blocks: z.array(block).readonly(),
  tensors: z.array(tensor).readonly(),
});

export const scoreDocument = z.strictObject({
  schema: z.literal('auspex.proxy/1'),
  space: z.string().nullable(),
  options: planOptions,
  proxies: z.array(columnDocument),
  given: count,
  scored: count,
  failed: count,
  networks: z.array(
    z.strictObject({
      index: count,
      network: z.string(),
      scores: z.record(z.string(), z.number().nullable()),
      errors: z.record(z.string(), problem).exactOptional(),
      error: problem.exactOptional(),
      explanation: explanation.exactOptional(),
      unexplained: problem.exactOptional(),
    }),
  ),
  output: z.string().nullable(),
});
export type ScoreDocument = z.input<typeof scoreDocument>;

/** The document of what was found. */
export function scoreDocumentOf({ plan, columns, given, records, output }: ScoreFound): ScoreDocument {
  const values = columnValues(columns, records);
  const { proxies: _, space, ...options } = plan;
  const scored = records.filter(isScored).length;
  return {
    schema: 'auspex.proxy/1',
    space,
    options,
    proxies: columns.map(columnDocumentOf),
    given,
    scored,
    failed: records.length - scored,
    networks: records.map(({ index, network, errors, error, explanation: found, unexplained }, r) => ({
      index,
      network,
      scores: Object.fromEntries(columns.map(({ name }, c) => [name, values[c]![r] ?? null])),
      ...(errors ? { errors } : {}),
      ...(error ? { error } : {}),
      ...(found ? { explanation: found } : {}),
      ...(unexplained ? { unexplained } : {}),
    })),
    output,
  };
}

/** A proxy or a combination of them. */
export function columnDocumentOf(column: ProxyColumn): z.infer<typeof columnDocument> {
  const { name, title, better, members, combine } = column;
  const about = { name, title, better, higherIsBetter: better === 'higher' };
  return combine ? { ...about, members } : { ...about, scale: proxyNamed(name.split(':')[0]!).scale };
}

/** 0 if anything was scored or explained; else 2 if every network that was given is at fault itself, 1 otherwise. */
export function exitCodeOf({ records, columns }: Pick<ScoreFound, 'records' | 'columns'>): 0 | 1 | 2 {
  const isDone = records.some((record) => (columns.length === 0 ? record.explanation : isScored(record)));
  if (isDone) return 0;
  return records.every(isAtFault) ? 2 : 1;
}

function isAtFault({ error }: NetworkRecord): boolean {
  return error !== undefined && !error.isFailure;
}
