// Gradient boosting of regression trees (Friedman 2001) as LightGBM does it (Ke et al. 2017): values in at most 255 bins, each
// tree grown from the leaf that gains most, squared error. The same trees as LightGBM, up to
// splits that gain equally much, where no feature has more values than bins.
import type { BoostedTree } from './boosted-tree.js';
import { type Bins, binned } from './value-bins.js';

export interface BoostingOptions {
  readonly trees: number;
  readonly learningRate: number;
  /** Leaves of a tree, at most. */
  readonly leaves: number;
  /** Rows of a leaf, at least. */
  readonly minLeaf: number;
  /** Added to the number of rows of a leaf when its value is found: small leaves say less. */
  readonly l2: number;
}

export const BOOSTING: BoostingOptions = { trees: 250, learningRate: 0.1, leaves: 31, minLeaf: 5, l2: 1 };

/** The sum of a start and of one value of every tree. */
export interface BoostedTrees {
  readonly start: number;
  readonly trees: BoostedTree[];
}

/**
 * Fits trees, and yields the part that is done after each.
 *
 * @param rows one row of numbers for each target
 */
export function* boosting(
  rows: readonly ArrayLike<number>[],
  targets: Float64Array,
  options: BoostingOptions = BOOSTING,
): Generator<number, BoostedTrees> {
  const start = targets.reduce((sum, y) => sum + y, 0) / targets.length;
  const residuals = targets.map((y) => y - start);
  const bins = binned(rows);
  const trees: BoostedTree[] = [];
  for (let i = 0; i < options.trees; i++) {
    const grown = new TreeOfBins(bins, residuals, options).grow();
    if (grown === undefined) break;
    trees.push(grown);
    yield (i + 1) / options.trees;
  }
  return { start, trees };
}

/** All of `boosting` at once. */
export function fitBoosted(
  rows: readonly ArrayLike<number>[],
  targets: Float64Array,
  options?: BoostingOptions,
): BoostedTrees {
  const steps = boosting(rows, targets, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

export function boostedValue({ start, trees }: BoostedTrees, row: ArrayLike<number>): number {
  let sum = start;
  for (const { feature, next, number } of trees) {
    let node = 0;
    while (feature[node]! >= 0) node = next[node]! + Number(row[feature[node]!]! > number[node]!);
    sum += number[node]!;
  }
  return sum;
}

const LEAST_GAIN = 1e-12;

interface Split {
  readonly gain: number;
  readonly feature: number;
  /** The last bin on the left. */
  readonly bin: number;
}

interface Leaf {
  /** Its rows, as a range of the list of all. */
  readonly from: number;
  readonly to: number;
  readonly sums: Histogram;
  readonly split: Split | undefined;
  /** Where it is in the tree. */
  readonly node: number;
}

/** Of every bin of every feature: the sum of residuals, and the number of rows. */
interface Histogram {
  readonly residual: Float64Array;
  readonly count: Float64Array;
}

class TreeOfBins {
  readonly #bins: Bins;
  readonly #residuals: Float64Array;
  readonly #options: BoostingOptions;
  readonly #order: Int32Array;
  readonly #scratch: Int32Array;

  constructor(bins: Bins, residuals: Float64Array, options: BoostingOptions) {
    this.#bins = bins;
    this.#residuals = residuals;
    this.#options = options;
    this.#order = Int32Array.from(residuals.keys());
    this.#scratch = new Int32Array(residuals.length);
  }

  /** Undefined if nothing can be gained. Takes what the tree explains off the residuals. */
  grow(): BoostedTree | undefined {
    const { leaves: most, learningRate, l2 } = this.#options;
    const rows = this.#residuals.length;
    const tree = { feature: [-1], next: [0], number: [0] };
    const leaves = [this.#leaf(0, rows, this.#histogram(0, rows), 0)];
    while (leaves.length < most) {
      let best = -1;
      for (const [i, { split }] of leaves.entries()) {
        if (split !== undefined && split.gain > (leaves[best]?.split?.gain ?? 0)) best = i;
      }
      if (best < 0) break;
      const leaf = leaves[best]!;
      const { feature, bin } = leaf.split!;
      const middle = this.#partition(leaf, feature, bin);
      const left = tree.feature.length;
      tree.feature[leaf.node] = feature;
      tree.number[leaf.node] = this.#bins.edges[feature]![bin]!;
      tree.next[leaf.node] = left;
      tree.feature.push(-1, -1);
      tree.next.push(0, 0);
      tree.number.push(0, 0);
      const [small, large] = this.#halves(leaf, middle);
      leaves[best] = this.#leaf(leaf.from, middle, small, left);
      leaves.push(this.#leaf(middle, leaf.to, large, left + 1));
    }
    if (leaves.length === 1) return undefined;
    for (const { from, to, node } of leaves) {
      let sum = 0;
      for (let p = from; p < to; p++) sum += this.#residuals[this.#order[p]!]!;
      const value = (learningRate * sum) / (to - from + l2);
      tree.number[node] = value;
      for (let p = from; p < to; p++) this.#residuals[this.#order[p]!]! -= value;
    }
    return tree;
  }

  /** The histograms of both sides: the smaller is counted, the other is what it leaves. */
  #halves({ from, to, sums }: Leaf, middle: number): [left: Histogram, right: Histogram] {
    const isLeftSmall = middle - from <= to - middle;
    const small = isLeftSmall ? this.#histogram(from, middle) : this.#histogram(middle, to);
    const rest = {
      residual: sums.residual.map((sum, i) => sum - small.residual[i]!),
      count: sums.count.map((count, i) => count - small.count[i]!),
    };
    return isLeftSmall ? [small, rest] : [rest, small];
  }

  #histogram(from: number, to: number): Histogram {
    const { features, places, starts, total } = this.#bins;
    const residual = new Float64Array(total);
    const count = new Float64Array(total);
    for (let p = from; p < to; p++) {
      const row = this.#order[p]!;
      const own = this.#residuals[row]!;
      for (let f = 0; f < features; f++) {
        const at = starts[f]! + places[row * features + f]!;
        residual[at]! += own;
        count[at]!++;
      }
    }
    return { residual, count };
  }

  #leaf(from: number, to: number, sums: Histogram, node: number): Leaf {
    return { from, to, sums, node, split: this.#bestSplit(sums, to - from) };
  }

  #bestSplit({ residual, count }: Histogram, rows: number): Split | undefined {
    const { minLeaf, l2 } = this.#options;
    if (rows < 2 * minLeaf) return undefined;
    const { features, starts, edges } = this.#bins;
    let best: Split | undefined;
    let whole = 0;
    for (let i = starts[0]!; i <= edges[0]!.length; i++) whole += residual[i]!;
    const before = whole ** 2 / (rows + l2);
    for (let f = 0; f < features; f++) {
      let [sum, number] = [0, 0];
      for (let bin = 0; bin < edges[f]!.length; bin++) {
        sum += residual[starts[f]! + bin]!;
        number += count[starts[f]! + bin]!;
        if (number < minLeaf) continue;
        if (rows - number < minLeaf) break;
        const gain = sum ** 2 / (number + l2) + (whole - sum) ** 2 / (rows - number + l2) - before;
        // Beside bins that are empty here, the last edge is taken, as in LightGBM; of features the first.
        const isBetter = best?.feature === f ? gain >= best.gain : gain > (best?.gain ?? LEAST_GAIN);
        if (isBetter) best = { gain, feature: f, bin };
      }
    }
    return best;
  }

  /** Puts the rows of a leaf that go left in front; the first of the others. */
  #partition({ from, to }: Leaf, feature: number, bin: number): number {
    const { features, places } = this.#bins;
    let [left, right] = [from, 0];
    for (let p = from; p < to; p++) {
      const row = this.#order[p]!;
      if (places[row * features + feature]! <= bin) this.#order[left++] = row;
      else this.#scratch[right++] = row;
    }
    this.#order.set(this.#scratch.subarray(0, right), left);
    return left;
  }
}
