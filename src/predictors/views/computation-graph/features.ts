// A computation graph as plain arrays: what GENNAPE's networks take.
import type { ComputationGraph } from './computation-graph.js';
import type { Resolution } from './image-sizes.js';

/** What sizes are divided by, and the largest kernel that has an embedding. */
export const SCALES = { side: 256, channels: 512, kernel: 7 } as const;

/** Rows are nodes, weighted ones apart from regular ones; edges number them together, weighted ones first. */
export interface GraphFeatures {
  readonly weighted: {
    /** (n): places in the vocabulary. */
    readonly ops: Int32Array;
    /** (n, 6): height in and out, width in and out, channels in and out, divided by their scales. */
    readonly sizes: Float32Array;
    /** (n, 2): whole numbers from 0 (no kernel) to 7; larger kernels count as 7. */
    readonly kernels: Int32Array;
    /** (n, 2): 1, 0 without a bias and 0, 1 with one. */
    readonly bias: Float32Array;
  };
  readonly regular: { readonly ops: Int32Array; readonly sizes: Float32Array };
  /** (2, e): where edges come from, then where they go. */
  readonly edges: Int32Array;
}

/**
 * The features of a graph. Sizes are divided by 256 (heights and widths) and 512 (channels), the authors' constants
 * for classification; larger sizes give numbers above 1, as theirs do.
 */
export function graphFeatures({ nodes, weightedCount, edges }: ComputationGraph): GraphFeatures {
  const [weighted, regular] = [nodes.slice(0, weightedCount), nodes.slice(weightedCount)];
  const withKernel = weighted.filter((node) => node.kind === 'weighted');
  const opsOf = (some: typeof nodes): Int32Array => Int32Array.from(some, ({ op }) => op);
  const scaledSizes = (some: typeof nodes): Float32Array =>
    Float32Array.from(some.flatMap(({ resolution }) => scaled(resolution)));
  return {
    weighted: {
      ops: opsOf(weighted),
      sizes: scaledSizes(weighted),
      kernels: Int32Array.from(
        withKernel.flatMap(({ shape: [, , k1, k2] }) => [k1, k2].map((k) => Math.min(k, SCALES.kernel))),
      ),
      bias: Float32Array.from(withKernel.flatMap(({ usesBias }) => (usesBias ? [0, 1] : [1, 0]))),
    },
    regular: { ops: opsOf(regular), sizes: scaledSizes(regular) },
    edges: Int32Array.from([...edges.map(([from]) => from), ...edges.map(([, to]) => to)]),
  };
}

function scaled(resolution: Resolution): number[] {
  return resolution.map((size, i) => size / (i < 4 ? SCALES.side : SCALES.channels));
}
