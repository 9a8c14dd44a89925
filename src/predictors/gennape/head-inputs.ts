// What heads see of a network: its embedding and what it costs, both standardised by the rows of the training; and, where
// there are clusters, how far it is a member of each.
import type { Model } from '../../graph/graph.js';
import { fromNumbers, tensorNumbers } from '../../graph/tensor.js';
import type { Batch } from '../../nn/batch.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import type { GraphSet } from '../views/view.js';
import { type Clusters, membershipsOf } from './fuzzy-c-means.js';
import { type Components, principalComponents, projected } from './pca.js';

/** Of each number the mean and the deviation. */
export interface Standardised {
  readonly means: Float64Array;
  readonly deviations: Float64Array;
}

/** Embedding (width) and MACs beside it, as heads see them. */
export interface HeadInputs {
  /** Of the MACs alone, with which they join the embedding; clusters are found so. */
  readonly macs: Standardised;
  /** Of the embedding and standardised MACs. */
  readonly all: Standardised;
}

/** Clusters of embeddings and MACs, in principal components. */
export interface SoftClusters {
  readonly components: Components;
  readonly clusters: Clusters;
}

function standardised(rows: Float64Array, width: number): Standardised {
  const n = rows.length / width;
  const [means, deviations] = [new Float64Array(width), new Float64Array(width)];
  for (let i = 0; i < rows.length; i++) means[i % width]! += rows[i]! / n;
  for (let i = 0; i < rows.length; i++) deviations[i % width]! += (rows[i]! - means[i % width]!) ** 2 / n;
  return {
    means,
    // What is the same for all rows tells nothing; of another network it may be anything.
    deviations: deviations.map((variance, f) =>
      variance > (1e-6 * means[f]!) ** 2 && variance > 0 ? Math.sqrt(variance) : 1,
    ),
  };
}

/** @param latents (n, width) @param macs (n) */
export function headInputs(latents: Float64Array, width: number, macs: Float64Array): HeadInputs {
  const own = standardised(macs, 1);
  return { macs: own, all: standardised(joined(latents, width, macs, own), width + 1) };
}

/** Embeddings with standardised MACs behind: (n, width + 1). */
export function joined(
  latents: Float64Array,
  width: number,
  macs: Float64Array,
  { means, deviations }: Standardised,
): Float64Array {
  const rows = new Float64Array(macs.length * (width + 1));
  for (let row = 0; row < macs.length; row++) {
    rows.set(latents.subarray(row * width, (row + 1) * width), row * (width + 1));
    rows[row * (width + 1) + width] = (macs[row]! - means[0]!) / deviations[0]!;
  }
  return rows;
}

/** Inputs of heads in a training. */
export const HEAD = 'head';
export const MEMBERSHIPS = 'memberships';

/** Rows that heads are trained on: embeddings that were computed once. */
export class EmbeddedRows implements GraphSet {
  readonly count: number;
  readonly width: number;
  /** (n, width + 1): embeddings and standardised MACs. */
  readonly rows: Float64Array;
  readonly #standard: Standardised;
  readonly #memberships: Float64Array | undefined;

  constructor(rows: Float64Array, inputs: HeadInputs, soft?: SoftClusters) {
    this.rows = rows;
    this.width = inputs.all.means.length;
    this.count = rows.length / this.width;
    this.#standard = inputs.all;
    this.#memberships = soft && membershipsOf(projected(rows, soft.components), soft.clusters);
  }

  batch(chosen: readonly number[]): Batch {
    const { width } = this;
    const { means, deviations } = this.#standard;
    const data = new Float32Array(chosen.length * width);
    chosen.forEach((row, b) => {
      for (let f = 0; f < width; f++)
        data[b * width + f] = (this.rows[row * width + f]! - means[f]!) / deviations[f]!;
    });
    const head = { type: 'float32' as const, dims: [chosen.length, width], data };
    if (this.#memberships === undefined) return { [HEAD]: head };
    const clusters = this.#memberships.length / this.count;
    const members = new Float32Array(chosen.length * clusters);
    chosen.forEach((row, b) => {
      members.set(this.#memberships!.subarray(row * clusters, (row + 1) * clusters), b * clusters);
    });
    return {
      [HEAD]: head,
      [MEMBERSHIPS]: { type: 'float32', dims: [chosen.length, clusters], data: members },
    };
  }
}

/** At most so many components, as in the paper. */
export const COMPONENTS = 32;

export function componentsOf(rows: Float64Array, width: number): Components {
  return principalComponents(rows, width, COMPONENTS);
}

// In a graph --------------------------------------------------------------------------------------------------

/** A tensor of the graph under a name by which it is found again. */
export function kept(s: Scope, name: string, values: ArrayLike<number>, dims: readonly number[]): Value {
  const full = `${s.path}${name}`;
  if (s.builder.types.has(full)) return s.builder.value(full);
  return s.builder.initializer(fromNumbers(full, 'float32', dims, values));
}

/** Embedding (B, width) and MACs (B, 1) side by side, MACs standardised: (B, width + 1). */
export function joinedValue(
  s: Scope,
  latent: Value,
  macs: Value,
  { means, deviations }: Standardised,
): Value {
  const z = macs.sub(kept(s, 'macs.means', means, [1])).div(kept(s, 'macs.deviations', deviations, [1]));
  return s.builder.concat([latent, z], 1);
}

export function standardisedValue(s: Scope, rows: Value, { means, deviations }: Standardised): Value {
  const { length } = means;
  return rows.sub(kept(s, 'all.means', means, [length])).div(kept(s, 'all.deviations', deviations, [length]));
}

/** Memberships of rows (B, width + 1): (B, clusters). A row on a centroid is a member of it alone. */
export function membershipsValue(s: Scope, rows: Value, { components, clusters }: SoftClusters): Value {
  const { width, count } = components;
  const transposed = Float64Array.from(
    { length: width * count },
    (_, i) => components.vectors[(i % count) * width + Math.floor(i / count)]!,
  );
  const places = rows
    .sub(kept(s, 'components.means', components.means, [width]))
    .matmul(kept(s, 'components.vectors', transposed, [width, count]));
  const centroids = kept(s, 'clusters.centroids', clusters.centroids, [1, clusters.count, count]);
  const squares = places.unsqueeze([1]).sub(centroids).square().sum([2]);
  const isOn = squares.equal(0);
  const exponent = kept(s, 'clusters.exponent', [1 / (clusters.fuzzifier - 1)], [1]);
  const least = squares.reduceMin([1], true);
  const ratios = least.div(s.builder.where(isOn, 1, squares)).pow(exponent);
  const shares = s.builder.where(isOn, 1, ratios);
  return shares.div(shares.sum([1], true));
}

/** What a graph was written with, so that its heads can be trained further. */
export function inputsFrom(model: Model, path: string): { inputs: HeadInputs; soft?: SoftClusters } {
  const { initializers } = model.graph;
  const numbers = (name: string): Float64Array | undefined => {
    const tensor = initializers.get(`${path}${name}`);
    return tensor && Float64Array.from(tensorNumbers(tensor));
  };
  const inputs = {
    macs: { means: numbers('macs.means')!, deviations: numbers('macs.deviations')! },
    all: { means: numbers('all.means')!, deviations: numbers('all.deviations')! },
  };
  const vectors = numbers('components.vectors');
  if (vectors === undefined) return { inputs };
  const means = numbers('components.means')!;
  const [width, count] = [means.length, vectors.length / means.length];
  const centroids = numbers('clusters.centroids')!;
  const components = {
    width,
    count,
    means,
    vectors: Float64Array.from(
      { length: width * count },
      (_, i) => vectors[(i % width) * count + Math.floor(i / width)]!,
    ),
    variances: new Float64Array(count),
  };
  const clusters = {
    count: centroids.length / count,
    width: count,
    fuzzifier: 1 + 1 / numbers('clusters.exponent')![0]!,
    centroids,
  };
  return { inputs, soft: { components, clusters } };
}
