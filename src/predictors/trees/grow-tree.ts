// Growing one regression tree (CART, Breiman et al. 1984): exact splits by least squares. Rows are sorted by every
// feature once for the whole forest; a split keeps these orders by a stable partition, so a level of a tree takes time
// linear in rows × features.
import { ascending } from '../../metrics/order.js';
import type { Random } from '../../util/random.js';

/** Nodes in pre-order: the left child follows its parent. A row goes left where its feature is at most the threshold. */
export interface Tree {
  /** −1 for a leaf. */
  readonly feature: Int32Array;
  readonly threshold: Float32Array;
  /** Where the right child is. */
  readonly right: Int32Array;
  /** The mean of the targets that reached the node. */
  readonly value: Float64Array;
}

interface TreeOptions {
  /** How many features are looked at for a split; more while all of them were constant. */
  readonly features: number;
  /** Least number of different rows in a leaf. */
  readonly minLeaf: number;
  readonly maxDepth: number;
}

/** Numbers that are looked at between two turns of others: a few milliseconds. */
const TURN = 2 ** 20;

/** Grows trees on rows of one table. */
export class TreeGrower {
  readonly #rows: number;
  readonly #columns: number;
  readonly #options: TreeOptions;
  /** (features, rows): values, and rows in their order. */
  readonly #values: Float32Array;
  readonly #orders: Int32Array;
  readonly #targets: Float64Array;
  /** Their mean. Sums are of what lies beyond it, and so keep their digits. */
  readonly #centre: number;
  // Memory of the tree being grown.
  readonly #sorted: Int32Array;
  /** (rows, 2): how often a row counts, and its target as often. */
  readonly #weighted: Float64Array;
  readonly #isLeft: Uint8Array;
  readonly #scratch: Int32Array;
  readonly #active: Int32Array;
  /** Node, first and last row, depth, features that vary. */
  readonly #stack: Int32Array;
  /** The best split of the node so far: what it takes away of the squared error, and its first row on the right. */
  #most = -1;
  #split = -1;

  private constructor(columns: number, targets: Float64Array, options: TreeOptions) {
    const rows = targets.length;
    this.#rows = rows;
    this.#columns = columns;
    this.#options = options;
    this.#targets = targets;
    this.#centre = targets.reduce((sum, target) => sum + target / rows, 0);
    this.#values = new Float32Array(rows * columns);
    this.#orders = new Int32Array(rows * columns);
    this.#sorted = new Int32Array(rows * columns);
    this.#weighted = new Float64Array(2 * rows);
    this.#isLeft = new Uint8Array(rows);
    this.#scratch = new Int32Array(rows);
    this.#active = new Int32Array(columns);
    this.#stack = new Int32Array(5 * (rows + 1));
  }

  /** Sorts rows by every feature, yielding after each. `data` is (rows, features). */
  static *making(
    data: Float32Array,
    columns: number,
    targets: Float64Array,
    options: TreeOptions,
  ): Generator<number, TreeGrower> {
    const rows = targets.length;
    const grower = new TreeGrower(columns, targets, options);
    for (let f = 0; f < columns; f++) {
      const column = grower.#values.subarray(f * rows, (f + 1) * rows);
      for (let i = 0; i < rows; i++) column[i] = data[i * columns + f]!;
      grower.#orders.set(ascending(Float64Array.from(column)).order, f * rows);
      yield 0;
    }
    return grower;
  }

  /**
   * A tree of rows that count as often as `weights` says, grown node by node: it yields after some work.
   *
   * @param importances where the squared error that splits take away is added, by feature.
   */
  *growing(weights: Float64Array, random: Random, importances: Float64Array): Generator<undefined, Tree> {
    const n = this.#rows;
    const { features: tries, minLeaf, maxDepth } = this.#options;
    const [values, targets, sorted, weighted] = [this.#values, this.#targets, this.#sorted, this.#weighted];
    const [isLeft, active, stack] = [this.#isLeft, this.#active, this.#stack];
    const members = this.#inBag(weights);
    const leastToSplit = Math.max(2, 2 * minLeaf);

    const capacity = 2 * members.length - 1;
    const feature = new Int32Array(capacity).fill(-1);
    const threshold = new Float32Array(capacity);
    const right = new Int32Array(capacity);
    const value = new Float64Array(capacity);
    let nodes = 0;
    let looked = 0;

    for (let f = 0; f < this.#columns; f++) active[f] = f;
    stack.set([-1, 0, members.length, 0, this.#columns]);
    let top = 5;
    while (top > 0) {
      top -= 5;
      const parent = stack[top]!;
      const start = stack[top + 1]!;
      const end = stack[top + 2]!;
      const depth = stack[top + 3]!;
      let varying = stack[top + 4]!;
      const node = nodes++;
      if (parent >= 0) right[parent] = node;
      looked += (end - start) * tries;
      if (looked > TURN) {
        looked = 0;
        yield;
      }

      let total = 0;
      let sum = 0;
      let isPure = true;
      const first = targets[members[start]!]!;
      for (let p = start; p < end; p++) {
        const row = members[p]!;
        total += weighted[2 * row]!;
        sum += weighted[2 * row + 1]!;
        if (targets[row] !== first) isPure = false;
      }
      const mean = sum / total;
      value[node] = isPure ? first : this.#centre + mean;
      if (isPure || end - start < leastToSplit || depth >= maxDepth) continue;

      let chosen = -1;
      let undrawn = varying;
      this.#most = -1;
      // Two rows are told apart by one feature as well as by another.
      const wanted = end - start === 2 ? 1 : tries;
      for (let drawn = 0; undrawn > 0 && (drawn < wanted || chosen < 0); drawn++) {
        const place = Math.floor((random.uint32() / 2 ** 32) * undrawn);
        const f = active[place]!;
        undrawn--;
        active[place] = active[undrawn]!;
        const column = f * n;
        if (values[column + sorted[column + start]!] === values[column + sorted[column + end - 1]!]) {
          // Constant here, and so below: behind those that vary, where only nodes above look again.
          varying--;
          active[undrawn] = active[varying]!;
          active[varying] = f;
          continue;
        }
        active[undrawn] = f;
        if (this.#scan(column, start, end, mean, total)) chosen = f;
      }
      if (chosen < 0) continue;

      const column = chosen * n;
      const split = this.#split;
      feature[node] = chosen;
      threshold[node] = between(
        values[column + sorted[column + split - 1]!]!,
        values[column + sorted[column + split]!]!,
      );
      importances[chosen]! += this.#most * total;
      for (let p = start; p < end; p++) {
        const row = sorted[column + p]!;
        members[p] = row;
        isLeft[row] = Number(p < split);
      }
      const isLast = split - start < leastToSplit && end - split < leastToSplit;
      if (!isLast) {
        for (let a = 0; a < varying; a++) {
          if (active[a] !== chosen) this.#partition(active[a]! * n + start, active[a]! * n + end);
        }
      }
      // The left one is taken next, as pre-order has it.
      top = this.#push(top, node, split, end, depth + 1, varying);
      top = this.#push(top, -1, start, split, depth + 1, varying);
    }
    return {
      feature: feature.slice(0, nodes),
      threshold: threshold.slice(0, nodes),
      right: right.slice(0, nodes),
      value: value.slice(0, nodes),
    };
  }

  /**
   * Looks for a split by one feature that is better than the best, and remembers it. The squared error falls by
   * total·d²/(left·right), d being what the sum on the left has beyond left·mean.
   */
  #scan(column: number, start: number, end: number, mean: number, total: number): boolean {
    const [values, sorted, weighted] = [this.#values, this.#sorted, this.#weighted];
    const { minLeaf } = this.#options;
    const earliest = start + minLeaf;
    const latest = end - minLeaf;
    let most = this.#most;
    let split = -1;
    let left = 0;
    let leftSum = 0;
    let before = values[column + sorted[column + start]!]!;
    for (let p = start; p <= latest; p++) {
      const row = sorted[column + p]!;
      const here = values[column + row]!;
      if (here !== before) {
        before = here;
        const d = leftSum - left * mean;
        const product = left * (total - left);
        // Compared without dividing, which takes most of the time.
        if (d * d > most * product && p >= earliest) {
          most = (d * d) / product;
          split = p;
        }
      }
      left += weighted[2 * row]!;
      leftSum += weighted[2 * row + 1]!;
    }
    if (split < 0) return false;
    this.#most = most;
    this.#split = split;
    return true;
  }

  #push(top: number, parent: number, start: number, end: number, depth: number, varying: number): number {
    const stack = this.#stack;
    stack[top] = parent;
    stack[top + 1] = start;
    stack[top + 2] = end;
    stack[top + 3] = depth;
    stack[top + 4] = varying;
    return top + 5;
  }

  /** Rows that count, in the order of every feature in `#sorted`; and a list of them. */
  #inBag(weights: Float64Array): Int32Array {
    const n = this.#rows;
    const [orders, sorted] = [this.#orders, this.#sorted];
    let count = 0;
    for (let f = 0; f < this.#columns; f++) {
      count = 0;
      for (let k = 0; k < n; k++) {
        const row = orders[f * n + k]!;
        sorted[f * n + count] = row;
        count += Number(weights[row] !== 0);
      }
    }
    for (let i = 0; i < n; i++) {
      this.#weighted[2 * i] = weights[i]!;
      this.#weighted[2 * i + 1] = weights[i]! * (this.#targets[i]! - this.#centre);
    }
    return sorted.slice(0, count);
  }

  /** Puts the rows that go left before the others, both in the order they had. */
  #partition(start: number, end: number): void {
    const [sorted, isLeft, scratch] = [this.#sorted, this.#isLeft, this.#scratch];
    let left = start;
    let others = 0;
    // Written to both places, and only one of them moves on: no branch that nobody can predict.
    for (let p = start; p < end; p++) {
      const row = sorted[p]!;
      sorted[left] = row;
      scratch[others] = row;
      const goesLeft = isLeft[row]!;
      left += goesLeft;
      others += 1 - goesLeft;
    }
    for (let k = 0; k < others; k++) sorted[left + k] = scratch[k]!;
  }
}

/** The number halfway, or the lower one where single precision has none between. */
function between(low: number, high: number): number {
  const middle = Math.fround(low / 2 + high / 2);
  return middle < high && middle >= low ? middle : low;
}
