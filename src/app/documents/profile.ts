// A profile in JSON documents: part of `auspex measure --profile` and `auspex compare --profile`.
import { z } from 'zod';
import { operatorName } from '../../graph/graph.js';
import type { Profile } from '../../measure/profile/profile.js';
import type { UserNode } from '../../measure/profile/tokens.js';

const number = z.number();
const node = z.object({ name: z.string(), operator: z.string() });

export const profileDocument = z.object({
  runs: number,
  runMs: number,
  kernelMs: number,
  mapped: number,
  inserted: number,
  roofs: z.object({ flopsPerSecond: number, bytesPerSecond: number }),
  nodes: z.array(
    node.extend({
      block: z.array(z.string()),
      timeMs: number,
      share: number,
      fused: z.array(node),
      kernels: z.array(z.string()),
      flops: number.nullable(),
      bytes: number,
      flopsPerSecond: number.nullable(),
      bytesPerSecond: number,
      roof: z.enum(['compute', 'memory', 'overhead']),
      reached: number,
    }),
  ),
  kernels: z.array(
    z.object({
      operator: z.string(),
      timeMs: number,
      calls: number,
      bytes: number,
      kind: z.enum(['direct', 'inserted', 'unmapped']),
      from: z.array(node),
    }),
  ),
  removed: z.array(node),
});
export type ProfileDocument = z.infer<typeof profileDocument>;

export function profileDocumentOf(profile: Profile): ProfileDocument {
  const { runs, runMs, kernelMs, mapped, inserted, roofs } = profile;
  const perSecond = (count: number, timeMs: number): number => (timeMs > 0 ? count / (timeMs / 1000) : 0);
  return {
    runs,
    runMs,
    kernelMs,
    mapped,
    inserted,
    roofs: { flopsPerSecond: roofs.flops, bytesPerSecond: roofs.bytes },
    nodes: profile.nodes.map(
      ({ name, operator, block, timeMs, share, kernels, flops, bytes, roof, reached, fused }) => ({
        name,
        operator,
        block: [...block],
        timeMs,
        share,
        fused: fused.map(nodeOf),
        kernels: [...kernels],
        flops: flops ?? null,
        bytes,
        flopsPerSecond: flops === undefined ? null : perSecond(flops, timeMs),
        bytesPerSecond: perSecond(bytes, timeMs),
        roof,
        reached,
      }),
    ),
    kernels: profile.kernels.map(({ operator, timeMs, calls, bytes, kind, from }) => ({
      operator,
      timeMs,
      calls,
      bytes,
      kind,
      from: from.map(nodeOf),
    })),
    removed: profile.removed.map(nodeOf),
  };
}

function nodeOf({ label, node: of }: UserNode): { name: string; operator: string } {
  return { name: label, operator: operatorName(of) };
}
