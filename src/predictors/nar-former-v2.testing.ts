// The oracle of NAR-Former V2: what scripts/golden/nar_former_v2.py computes with PyTorch and NumPy.
import { readFileSync } from 'node:fs';
import type { Batch } from '../nn/batch.js';
import { freeze } from '../nn/freeze.js';
import type { Scope } from '../nn/scope.js';
import { type Inputs, trace } from '../nn/step.js';
import type { Value } from '../ops/build.js';
import '../ops/index.js';
import { hostTensor, Session } from '../runtime/session.js';
import type { Cell } from '../spaces/space.js';
import type { NetworkGraph } from './latency/network-graph.js';

interface GoldenCell {
  readonly ops: readonly number[];
  readonly edges: readonly (readonly [number, number])[];
}

export interface GoldenOperator {
  readonly code: number;
  readonly attributes: readonly number[];
  readonly shape: readonly number[];
}

type Outputs<K extends string> = { readonly outputs: Readonly<Record<K, number>> };

export const golden: {
  readonly width: number;
  readonly groups: number;
  readonly layers: { readonly accuracy: number; readonly latency: number };
  readonly accuracy: readonly (GoldenCell & Outputs<'exact' | 'exact with root' | 'released'>)[];
  readonly latency: readonly ({
    readonly nodes: readonly GoldenOperator[];
    readonly edges: readonly (readonly [number, number])[];
    readonly totals: readonly [batch: number, flops: number, parameters: number, memoryAccess: number];
  } & Outputs<'meant' | 'released'>)[];
  readonly operators: readonly (GoldenOperator & {
    readonly variant: 'meant' | 'released';
    readonly token: readonly number[];
  })[];
  readonly losses: readonly {
    readonly p: readonly number[];
    readonly y: readonly number[];
    readonly order: readonly number[];
    readonly loss: number;
  }[];
  readonly reordered: readonly (GoldenCell & { readonly other: GoldenCell | null })[];
  readonly nerf: readonly {
    readonly v: number;
    readonly exact: readonly number[];
    readonly released: readonly number[];
  }[];
} = JSON.parse(readFileSync(new URL('./fixtures/nar-former-v2.json', import.meta.url), 'utf8'));

export const VOCABULARY = ['in', 'a', 'b', 'c', 'd', 'e', 'out'];

function adjacencyOf(nodes: number, edges: readonly (readonly [number, number])[]): number[][] {
  const adjacency = Array.from({ length: nodes }, () => Array.from({ length: nodes }, () => 0));
  for (const [i, j] of edges) adjacency[i]![j] = 1;
  return adjacency;
}

export function cellOf({ ops, edges }: GoldenCell): Cell {
  return { ops: ops.map((code) => VOCABULARY[code]!), adjacency: adjacencyOf(ops.length, edges) };
}

type GoldenNetwork = (typeof golden.latency)[number];

export function networkOf({
  nodes,
  edges,
  totals,
}: Pick<GoldenNetwork, 'nodes' | 'edges' | 'totals'>): NetworkGraph {
  const [batch, flops, parameters, memoryAccess] = totals;
  return {
    nodes: nodes.map(({ code, attributes, shape: [b = 0, c = 0, h = 0, w = 0] }, i) => ({
      name: String(i),
      operator: String(code),
      code,
      attributes,
      shape: [b, c, h, w],
      flops: 0,
      parameters: 0,
      memoryAccess: 0,
    })),
    edges,
    statics: { batch, flops, parameters, memoryAccess },
    unknownShapes: 0,
  };
}

/** As the script makes them: sines of place and name, scales of normalisations around 1. */
function weightOf(name: string, dims: readonly number[]): Float32Array {
  const start = [...name].reduce((sum, c) => sum + c.charCodeAt(0), 0) % 97;
  const offset = Number(name.endsWith('norm.weight'));
  const count = dims.reduce((n, d) => n * d, 1);
  return Float32Array.from(
    { length: count },
    (_, i) => offset + 0.3 * Math.sin(start + 0.37 * i + 0.011 * i * i),
  );
}

/** What `write` computes for a batch, with weights that are sines. */
export async function computed(
  batch: Batch,
  write: (s: Scope, inputs: Inputs) => Value,
): Promise<Float32Array> {
  const { model, trace: traced } = trace(batch, false, write, 'computed');
  const weights = [...traced.parameters.values()].map((p) => [p.name, weightOf(p.name, p.dims)] as const);
  const session = await Session.create(freeze(model, new Map(weights)), { threads: 1 });
  const feeds = await Promise.all(
    session.inputs.map(async (name) => {
      const { type, data, dims } = batch[name]!;
      return [name, await hostTensor(type, data, dims)] as const;
    }),
  );
  const { computed: found } = await session.run(Object.fromEntries(feeds));
  await session.dispose();
  return found!.data as Float32Array;
}
