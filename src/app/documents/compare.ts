// The JSON document of `auspex compare`, as docs/json/compare.md describes it.
import { z } from 'zod';
import type { Counts } from '../../analysis/cost.js';
import type { InferredNode } from '../../analysis/infer.js';
import { nodeLabel, operatorName } from '../../graph/graph.js';
import { formatType } from '../../graph/types.js';
import type { Comparison } from '../../networks/comparison/compare.js';
import type { ComparedPair } from '../compare.js';
import type { ProfiledSide } from '../compare-profile.js';
import { count, countOf } from './count.js';
import { profileDocument, profileDocumentOf } from './profile.js';

const counts = z.object({
  nodes: z.number(),
  parameters: count,
  macs: count,
  flops: count,
  weightBytes: count,
  activationBytes: count,
});

const node = z.object({ name: z.string(), operator: z.string(), output: z.string() });

/** JSON has no infinity. */
const distance = z.number().nullable();

const side = z.object({ wallMs: z.number(), cpuMs: z.number().nullable(), profile: profileDocument });

export const compareDocument = z.object({
  schema: z.literal('auspex.compare/1'),
  a: z.string(),
  b: z.string(),
  verdict: z.enum(['identical', 'same up to folding', 'same function', 'same structure', 'different']),
  cost: z.object({ a: counts, b: counts }),
  added: z.array(node),
  removed: z.array(node),
  changed: z.array(node.extend({ differences: z.array(z.string()) })),
  matched: z.number(),
  weights: z.object({
    compared: z.number(),
    equal: z.number(),
    absent: z.number(),
    different: z.array(
      z.object({
        name: z.string(),
        node: z.string(),
        dims: z.array(z.number()),
        absolute: distance,
        relative: distance,
      }),
    ),
  }),
  outputs: z
    .discriminatedUnion('status', [
      z.object({
        status: z.literal('run'),
        samples: z.number(),
        seed: z.number(),
        sizes: z.record(z.string(), z.number()),
        outputs: z.array(z.object({ name: z.string(), absolute: distance, relative: distance })),
      }),
      z.object({ status: z.literal('not run'), reason: z.string() }),
    ])
    .nullable(),
  /** With --profile: medians of all runs, and where the time goes. */
  profiles: z.object({ a: side, b: side }).exactOptional(),
});

export type CompareDocument = z.infer<typeof compareDocument>;

export function compareDocumentOf({ a, b, result, profiles }: ComparedPair): CompareDocument {
  const comparison = result as Comparison;
  const { verdict, match, weights, costs, nodes, outputs } = comparison;
  const changed = match.pairs.filter(({ differences }) => differences.length > 0);
  return {
    schema: 'auspex.compare/1',
    a,
    b,
    verdict,
    cost: { a: countsOf(costs.a, nodes.a), b: countsOf(costs.b, nodes.b) },
    added: match.added.map(nodeOf),
    removed: match.removed.map(nodeOf),
    changed: changed.map((pair) => ({ ...nodeOf(pair.a), differences: [...pair.differences] })),
    matched: match.pairs.length,
    weights: {
      ...weights,
      different: weights.different.map((one) => ({ ...one, dims: [...one.dims], ...finite(one) })),
    },
    outputs:
      outputs?.status === 'run'
        ? { ...outputs, outputs: outputs.outputs.map((one) => ({ name: one.name, ...finite(one) })) }
        : (outputs ?? null),
    ...(profiles ? { profiles: { a: sideOf(profiles.a), b: sideOf(profiles.b) } } : {}),
  };
}

function sideOf({ measurement, profile }: ProfiledSide): z.infer<typeof side> {
  const { wallMs, cpuMs } = measurement;
  return { wallMs: wallMs.median, cpuMs: cpuMs?.median ?? null, profile: profileDocumentOf(profile) };
}

function finite({ absolute, relative }: { absolute: number; relative: number }) {
  const number = (x: number): number | null => (Number.isFinite(x) ? x : null);
  return { absolute: number(absolute), relative: number(relative) };
}

function nodeOf({ node: { ...one }, call }: InferredNode): z.infer<typeof node> {
  return { name: nodeLabel(one), operator: operatorName(one), output: formatType(call.outputs[0]) };
}

function countsOf(of: Counts, nodes: number): z.infer<typeof counts> {
  return {
    nodes,
    parameters: of.parameters,
    macs: countOf(of.macs),
    flops: countOf(of.flops),
    weightBytes: of.weightBytes,
    activationBytes: countOf(of.activationBytes),
  };
}
