// The oracle of NAR-Former V2: what verify/golden/nar_former_v2.py computes with PyTorch and NumPy.
import { readFileSync } from 'node:fs';
import type { Cell } from '../../spaces/space.js';
import type { NetworkGraph } from '../views/nnlqp/network-graph.js';
import { type GoldenCell, goldenCell } from './golden.testing.js';

export { computed } from './golden.testing.js';

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
  readonly chains: readonly (GoldenCell & { readonly codes: number; readonly outputs: readonly number[] })[];
  readonly latency: readonly ({
    readonly nodes: readonly GoldenOperator[];
    readonly edges: readonly (readonly [number, number])[];
    readonly totals: readonly [batch: number, nnlqpFlops: number, parameters: number, memoryAccess: number];
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

export function cellOf(cell: GoldenCell): Cell {
  return goldenCell(cell, VOCABULARY);
}

type GoldenNetwork = (typeof golden.latency)[number];

export function networkOf({
  nodes,
  edges,
  totals,
}: Pick<GoldenNetwork, 'nodes' | 'edges' | 'totals'>): NetworkGraph {
  const [batch, nnlqpFlops, parameters, memoryAccess] = totals;
  return {
    nodes: nodes.map(({ code, attributes, shape: [b = 0, c = 0, h = 0, w = 0] }, i) => ({
      name: String(i),
      operator: String(code),
      code,
      attributes,
      shape: [b, c, h, w],
      nnlqpFlops: 0,
      parameters: 0,
      memoryAccess: 0,
    })),
    edges,
    statics: { batch, nnlqpFlops, parameters, memoryAccess },
    unknownShapes: 0,
  };
}
