// Random forests for regression (Breiman 2001): the mean of trees, each grown on rows drawn with replacement. The strong
// baseline of predictors on features such as GRAF's.
import type { Model } from '../../graph/graph.js';
import { AuspexError } from '../../util/errors.js';
import { atOnce } from '../../util/pauses.js';
import { Random } from '../../util/random.js';
import { type FeatureRows, targetsFor } from '../views/feature-rows.js';
import { type Tree, TreeGrower } from './grow-tree.js';
import { forestModel } from './random-forest-onnx.js';

export interface ForestOptions {
  readonly trees: number;
  /** The share of features that is looked at for each split, drawn anew. */
  readonly maxFeatures: number;
  /** Least number of different rows in a leaf. */
  readonly minSamplesLeaf: number;
  readonly maxDepth: number;
  /** Rows drawn with replacement for every tree; without, all trees get all rows. */
  readonly bootstrap: boolean;
  readonly seed: number;
}

/** scikit-learn's. */
export const FOREST: ForestOptions = {
  trees: 100,
  maxFeatures: 1,
  minSamplesLeaf: 1,
  maxDepth: Number.POSITIVE_INFINITY,
  bootstrap: true,
  seed: 0,
};

/** A file of more has more numbers than is read (`DEFAULT_LIMITS`): each node has about nine. */
const MOST_NODES = 2_000_000;

/** A forest as JSON has it. */
interface ForestJson {
  readonly features: readonly string[];
  readonly trees: readonly {
    readonly feature: readonly number[];
    readonly threshold: readonly number[];
    readonly right: readonly number[];
    readonly value: readonly number[];
  }[];
}

/** What is known only where a forest was fitted, not where it was read. */
interface ForestFit {
  readonly forest: RandomForest;
  /**
   * For every row, the mean of the trees that did not see it: how good the forest is on rows that are new to it. NaN
   * where all trees saw the row.
   */
  readonly outOfBag: Float64Array;
  /** By feature, the share of the squared error that its splits took away, the mean over trees; they add up to 1. */
  readonly importances: Float64Array;
}

/**
 * A fitted forest.
 *
 * @example
 * const { forest, outOfBag } = RandomForest.fit(new FeatureRows(['parameters', 'macs'], numbers), accuracies);
 * const { means, spreads } = forest.predict(others);
 * writeModel(forest.toModel(), 'forest.onnx');
 */
export class RandomForest {
  readonly features: readonly string[];
  readonly trees: readonly Tree[];

  private constructor(features: readonly string[], trees: readonly Tree[]) {
    this.features = features;
    this.trees = trees;
  }

  static fit(rows: FeatureRows, targets: ArrayLike<number>, options: Partial<ForestOptions> = {}): ForestFit {
    return atOnce(RandomForest.fitting(rows, targets, options));
  }

  /** `fit`, yielding the part that is done every few milliseconds. */
  static *fitting(
    rows: FeatureRows,
    targets: ArrayLike<number>,
    options: Partial<ForestOptions> = {},
  ): Generator<number, ForestFit> {
    const settings = { ...FOREST, ...options };
    requireOptions(settings);
    const { trees: count, maxFeatures, minSamplesLeaf, maxDepth, bootstrap, seed } = settings;
    const columns = rows.names.length;
    const grower = yield* TreeGrower.making(rows.data, columns, targetsFor(rows, targets), {
      features: Math.max(1, Math.floor(maxFeatures * columns)),
      minLeaf: minSamplesLeaf,
      maxDepth,
    });
    const weights = new Float64Array(rows.count).fill(1);
    const [sums, votes] = [new Float64Array(rows.count), new Float64Array(rows.count)];
    const importances = new Float64Array(columns);
    const trees: Tree[] = [];
    let nodes = 0;
    for (let t = 0; t < count; t++) {
      const random = Random.seeded(seed, t);
      if (bootstrap) drawWithReplacement(weights, random);
      const gains = new Float64Array(columns);
      const growing = grower.growing(weights, random, gains);
      let step = growing.next();
      for (; !step.done; step = growing.next()) yield t / count;
      const tree = step.value;
      trees.push(tree);
      nodes += tree.feature.length;
      if (nodes > MOST_NODES) throw tooLarge(t);
      yield (t + 1) / count;
      addScaled(importances, gains);
      for (let i = 0; i < rows.count; i++) {
        if (weights[i] !== 0) continue;
        sums[i]! += tree.value[leafOf(tree, rows.data, i * columns)]!;
        votes[i]!++;
      }
    }
    const scaled = new Float64Array(columns);
    addScaled(scaled, importances);
    return {
      forest: new RandomForest(rows.names, trees),
      outOfBag: sums.map((sum, i) => sum / votes[i]!),
      importances: scaled,
    };
  }

  /** The mean of the trees for every row, and their standard deviation: how far they disagree. */
  predict(rows: FeatureRows): { means: Float64Array; spreads: Float64Array } {
    rows.require(this.features);
    const columns = this.features.length;
    const [means, squares] = [new Float64Array(rows.count), new Float64Array(rows.count)];
    // Welford 1962: no digits are lost where trees agree on a large number.
    this.trees.forEach((tree, t) => {
      for (let i = 0; i < rows.count; i++) {
        const value = tree.value[leafOf(tree, rows.data, i * columns)]!;
        const off = value - means[i]!;
        means[i]! += off / (t + 1);
        squares[i]! += off * (value - means[i]!);
      }
    });
    return { means, spreads: squares.map((sum) => Math.sqrt(sum / this.trees.length)) };
  }

  /**
   * The forest as a model that stands alone: `features` (rows, F) → `prediction` (rows, 1) and `spread` (rows, 1).
   * Trees decide as here; their numbers are rounded to single precision.
   */
  toModel(): Model {
    return forestModel(this.features, this.trees);
  }

  toJSON(): ForestJson {
    return {
      features: this.features,
      trees: this.trees.map(({ feature, threshold, right, value }) => ({
        feature: [...feature],
        threshold: [...threshold],
        right: [...right],
        value: [...value],
      })),
    };
  }

  /** Code: FOREST_JSON. */
  static fromJSON({ features, trees }: ForestJson): RandomForest {
    const read = trees.map((tree) => ({
      feature: Int32Array.from(tree.feature),
      threshold: Float32Array.from(tree.threshold),
      right: Int32Array.from(tree.right),
      value: Float64Array.from(tree.value),
    }));
    read.forEach((tree, t) => {
      const { length } = tree.feature;
      const isWhole = [tree.threshold, tree.right, tree.value].every((list) => list.length === length);
      // Children come after their parents, so that every walk ends.
      const isTree = tree.feature.every((f, i) => {
        const next = tree.right[i]!;
        return f === -1 || (f >= 0 && f < features.length && next > i + 1 && next < length);
      });
      if (length > 0 && isWhole && isTree) return;
      throw new AuspexError('FOREST_JSON', `tree ${t} is damaged`, { where: { path: `trees[${t}]` } });
    });
    if (read.length === 0) throw new AuspexError('FOREST_JSON', 'the forest has no trees');
    return new RandomForest(features, read);
  }
}

/** The leaf that a row ends in; `offset` is where the row starts. */
function leafOf({ feature, threshold, right }: Tree, data: Float32Array, offset: number): number {
  let node = 0;
  for (let f = feature[0]!; f >= 0; f = feature[node]!) {
    node = data[offset + f]! <= threshold[node]! ? node + 1 : right[node]!;
  }
  return node;
}

/** How often each row is among as many as there are. */
function drawWithReplacement(weights: Float64Array, random: Random): void {
  weights.fill(0);
  for (let k = 0; k < weights.length; k++) weights[random.below(weights.length)]!++;
}

/** Adds what has been divided by its sum, if there is any. */
function addScaled(into: Float64Array, amounts: Float64Array): void {
  const sum = amounts.reduce((a, b) => a + b, 0);
  if (sum > 0) for (let f = 0; f < into.length; f++) into[f]! += amounts[f]! / sum;
}

function tooLarge(trees: number): AuspexError {
  return new AuspexError(
    'MODEL_OPTION',
    `a forest of more than ${MOST_NODES} nodes is too large for a file`,
    {
      hint: `${trees} trees of these rows are possible; or give a larger minSamplesLeaf`,
    },
  );
}

function requireOptions({ trees, maxFeatures, minSamplesLeaf, maxDepth }: ForestOptions): void {
  const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1;
  const demands: readonly (readonly [isMet: boolean, what: string])[] = [
    [isCount(trees), `trees is ${trees}, not a whole number from 1`],
    [maxFeatures > 0 && maxFeatures <= 1, `maxFeatures is ${maxFeatures}, not a share above 0 and up to 1`],
    [isCount(minSamplesLeaf), `minSamplesLeaf is ${minSamplesLeaf}, not a whole number from 1`],
    [maxDepth >= 1, `maxDepth is ${maxDepth}, not 1 or more`],
  ];
  const wrong = demands.find(([isMet]) => !isMet);
  if (wrong !== undefined) throw new AuspexError('FOREST_OPTIONS', wrong[1]);
}
