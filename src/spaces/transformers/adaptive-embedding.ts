// Embedding and softmax of large vocabularies: tokens in clusters of ever rarer ones, the rarer the narrower. Both
// share their weights.
import { normal, zeros } from '../../nn/initialise.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';

const WEIGHT = normal(0, 0.02);
const PROJECTION = normal(0, 0.01);

/** Tokens of similar frequency, `from` … `to` − 1. */
interface Cluster {
  readonly from: number;
  readonly to: number;
  /** One row a token, (to − from, e). */
  readonly table: Value;
  /** From the embedding to the model, (e, d); undefined where they are the same. */
  readonly projection: Value | undefined;
}

interface ClusterSizes {
  readonly vocabulary: number;
  /** Where clusters of rarer tokens begin; those beyond the vocabulary are left out. */
  readonly cutoffs: readonly number[];
  /** Of the model, d. */
  readonly width: number;
  /** Of the embedding of the first cluster. */
  readonly dEmbed: number;
  /** Every further cluster has an embedding this many times narrower. */
  readonly divVal: number;
}

/** What embedding and softmax look up; the embedding needs no clusters where all are equally wide. */
interface Clusters {
  readonly embedding: readonly Cluster[];
  readonly softmax: readonly Cluster[];
}

export function clustersOf(s: Scope, { vocabulary, cutoffs, width, dEmbed, divVal }: ClusterSizes): Clusters {
  const ends = [...cutoffs.filter((cutoff) => cutoff < vocabulary), vocabulary];
  if (divVal === 1) {
    const table = s.parameter('table', [vocabulary, dEmbed], WEIGHT);
    const projection = dEmbed === width ? undefined : s.parameter('project', [dEmbed, width], PROJECTION);
    const softmax = ends.map((to, i): Cluster => {
      const from = ends[i - 1] ?? 0;
      return { from, to, table: ends.length === 1 ? table : table.slice([from], [to], [0]), projection };
    });
    return { embedding: [{ from: 0, to: vocabulary, table, projection }], softmax };
  }
  const clusters = ends.map((to, i): Cluster => {
    const from = ends[i - 1] ?? 0;
    const e = Math.floor(dEmbed / divVal ** i);
    const table = s.parameter(`table.${i}`, [to - from, e], WEIGHT);
    return { from, to, table, projection: s.parameter(`project.${i}`, [e, width], PROJECTION) };
  });
  return { embedding: clusters, softmax: clusters };
}

/**
 * Adaptive embedding (Baevski & Auli 2019): (B, n) → (B, n, d). Every cluster is looked up and projected for all
 * tokens, as which ones belong to it is not known before.
 */
export function adaptiveEmbedding(x: Value, { embedding }: Clusters): Value {
  const { builder } = x;
  const isWhole = embedding.length === 1;
  const parts = embedding.map(({ from, to, table, projection }): Value => {
    // Tokens of other clusters read some row, which does not count.
    const last = to - from - 1;
    const rows = table.gather(isWhole ? x : x.sub(from).max(0).min(last));
    const projected = projection === undefined ? rows : rows.matmul(projection);
    if (isWhole) return projected;
    const isHere = x.greaterOrEqual(from).and(x.less(to)).unsqueeze([-1]);
    return builder.where(isHere, projected, 0);
  });
  return builder.sum(parts);
}

/**
 * Adaptive softmax (Grave et al. 2017) that shares its weights with the embedding: (B, n, d) → (B, n, vocabulary).
 * The first cluster has one more output for each of the others; all but the first share its projection too.
 */
export function adaptiveLogSoftmax(s: Scope, x: Value, { softmax: clusters }: Clusters): Value {
  const { builder } = s;
  const d = x.length(-1);
  const vocabulary = clusters.at(-1)!.to;
  const rest = clusters.length - 1;
  const bias = s.parameter('bias', [vocabulary], zeros);
  const biasOf = ({ from, to }: Cluster): Value => (rest === 0 ? bias : bias.slice([from], [to], [0]));
  const [first, ...others] = clusters as [Cluster, ...Cluster[]];

  const e = first.table.length(1);
  const hidden = first.projection === undefined ? x : x.matmul(s.parameter('project', [d, e], PROJECTION));
  if (rest === 0) return hidden.matmul(first.table.transposeLast()).add(bias).logSoftmax();
  const headWeight = builder.concat([first.table, s.parameter('cluster.weight', [rest, e], WEIGHT)], 0);
  const headBias = builder.concat([biasOf(first), s.parameter('cluster.bias', [rest], zeros)], 0);
  const head = hidden.matmul(headWeight.transposeLast()).add(headBias).logSoftmax();
  const [frequent, ...logits] = head.split([first.to, ...others.map(() => 1)], -1) as [Value, ...Value[]];

  const tails = others.map((cluster, i): Value => {
    const { table, projection } = cluster;
    const inner = projection === undefined ? x : x.matmul(projection.transposeLast());
    return inner.matmul(table.transposeLast()).add(biasOf(cluster)).logSoftmax().add(logits[i]!);
  });
  return builder.concat([frequent, ...tails], -1);
}
