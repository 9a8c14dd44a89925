// Computation graphs as they are put into batches: packed, all nodes of all graphs in one list, so that a batch costs as
// much as its nodes, whatever the largest graph.
//
// Layout of a batch of B graphs: weighted nodes of all graphs, then regular ones; edges number both together. Each list
// ends with padding: one row at least, so that none is empty. Padding belongs to graph B, which models drop; padding
// edges join padding nodes.
//
// A training compiles a step for every shape of a batch, which takes seconds, so its batches are padded to a size that
// nearly all of them fit (`merged`). Predictions run one model with open sizes, and are not padded.
import type { Batch } from '../../../nn/batch.js';
import type { GraphSet } from '../view.js';
import { type Extent, type PackedGraphs, SIZES, type Unknown } from './packed-graphs.js';
import type { ComputationGraphState } from './view.js';

/** Nodes of a batch that is predicted: more do not stay in the cache. */
const MOST_NODES = 2 ** 14;
/** Nodes of a batch that is trained on: activations of all of them are kept. */
const MOST_TRAINED = 2 ** 18;
/** Of the sum of sizes of a random batch, how many deviations above its mean nearly none lies. */
const DEVIATIONS = 2.5;
/** Batches beyond that are padded to so many times as much, or that again. */
const STEP = 1.25;

/** What lists of a batch grow with, by graph. */
interface Lengths {
  readonly weighted: number;
  readonly regular: number;
  readonly edges: number;
  readonly blocks: number;
}
const LISTS = ['weighted', 'regular', 'edges', 'blocks'] as const;

/** Means and deviations of the lengths of a set's graphs. */
interface Spread {
  readonly means: Lengths;
  readonly deviations: Lengths;
}

export class PackedSet implements GraphSet {
  readonly count: number;
  readonly #graphs: PackedGraphs;
  readonly #state: ComputationGraphState;
  /** Where batches are padded. */
  readonly #spread: Spread | undefined;

  constructor(graphs: PackedGraphs, state: ComputationGraphState, spread?: Spread) {
    this.count = graphs.count;
    this.#graphs = graphs;
    this.#state = state;
    this.#spread = spread;
  }

  /** Predicted together: graphs of about one size. Trained together: any. */
  bucketOf(row: number): number {
    return this.#spread ? 0 : Math.ceil(Math.log2(this.#graphs.extent(row).nodes));
  }

  mostOf(bucket: number): number {
    if (this.#spread === undefined) return Math.max(1, Math.floor(MOST_NODES / 2 ** bucket));
    const { weighted, regular } = this.#spread.means;
    return Math.max(1, Math.floor(MOST_TRAINED / (weighted + regular)));
  }

  keyOf(row: number): string {
    return this.#graphs.keyOf(row);
  }

  unknown(row: number): Unknown | undefined {
    return this.#graphs.unknown(row);
  }

  /** The number of nodes of a graph and its edges, (e, 2): all that its spectrum depends on. */
  structure(row: number): { readonly nodes: number; readonly edges: Uint32Array } {
    const { nodes, edges, edgeStart } = this.#graphs.extent(row);
    return { nodes, edges: this.#graphs.edges.subarray(2 * edgeStart, 2 * (edgeStart + edges)) };
  }

  /** Logarithms of the numbers of nodes of every label, of all nodes and edges; mean sizes of what comes out. */
  outline(row: number): Float64Array {
    const { ops, sizes } = this.#graphs;
    const { nodes, edges, nodeStart } = this.#graphs.extent(row);
    const { length } = this.#state.labels;
    const outline = new Float64Array(length + 5);
    for (let i = nodeStart; i < nodeStart + nodes; i++) {
      outline[ops[i]!]!++;
      for (let axis = 0; axis < 3; axis++)
        outline[length + 2 + axis]! += Math.log1p(sizes[SIZES * i + 2 * axis + 1]!) / nodes;
    }
    for (let op = 0; op < length; op++) outline[op] = Math.log1p(outline[op]!);
    outline[length] = Math.log(nodes);
    outline[length + 1] = Math.log1p(edges);
    return outline;
  }

  /** Batches of any of the rows, padded to common sizes. */
  merged(): PackedSet {
    return new PackedSet(this.#graphs, this.#state, spreadOf(this, this.count));
  }

  lengths(row: number): Lengths {
    const { nodes, weighted, edges } = this.#graphs.extent(row);
    const { blocks: size } = this.#state;
    const blocks = size === 0 ? 0 : Math.ceil(nodes / size);
    return { weighted, regular: nodes - weighted, edges, blocks };
  }

  batch(rows: readonly number[]): Batch {
    const extents = rows.map((row) => this.#graphs.extent(row));
    const writer = new BatchWriter(this.#capacity(rows), rows.length, this.#state.blocks);
    for (const [b, extent] of extents.entries()) writer.write(b, extent, this.#graphs);
    return writer.finish();
  }

  /** How long each list is. */
  #capacity(rows: readonly number[]): Lengths {
    const sums = totals(rows.map((row) => this.lengths(row)));
    const spread = this.#spread;
    if (spread === undefined) return mapped((list) => sums[list] + 1);
    const usual = mapped(
      (list) =>
        rows.length * spread.means[list] + DEVIATIONS * Math.sqrt(rows.length) * spread.deviations[list] + 2,
    );
    // All lists grow together, so that there are few shapes.
    let scale = 1;
    while (LISTS.some((list) => Math.floor(scale * usual[list]) <= sums[list])) scale *= STEP;
    return mapped((list) => Math.floor(scale * usual[list]));
  }
}

function mapped(of: (list: (typeof LISTS)[number]) => number): Lengths {
  return Object.fromEntries(LISTS.map((list) => [list, of(list)])) as unknown as Lengths;
}

function totals(all: readonly Lengths[]): Lengths {
  return mapped((list) => all.reduce((sum, lengths) => sum + lengths[list], 0));
}

function spreadOf(set: PackedSet, count: number): Spread {
  const [sums, squares] = [new Float64Array(LISTS.length), new Float64Array(LISTS.length)];
  for (let row = 0; row < count; row++) {
    const lengths = set.lengths(row);
    LISTS.forEach((list, i) => {
      sums[i]! += lengths[list];
      squares[i]! += lengths[list] ** 2;
    });
  }
  const at = (list: (typeof LISTS)[number]): number => LISTS.indexOf(list);
  const mean = (list: (typeof LISTS)[number]): number => sums[at(list)]! / Math.max(1, count);
  return {
    means: mapped(mean),
    deviations: mapped((list) =>
      Math.sqrt(Math.max(0, squares[at(list)]! / Math.max(1, count) - mean(list) ** 2)),
    ),
  };
}

/** Writes graphs into the lists of one batch. */
class BatchWriter {
  readonly #capacity: Lengths;
  readonly #size: number;
  readonly #counts: Float32Array;
  readonly #weightedOps: Int32Array;
  readonly #weightedSizes: Float32Array;
  readonly #kernels: Int32Array;
  readonly #bias: Float32Array;
  readonly #regularOps: Int32Array;
  readonly #regularSizes: Float32Array;
  readonly #from: Int32Array;
  readonly #to: Int32Array;
  readonly #graph: Int32Array;
  readonly #blockNodes: Int32Array;
  readonly #presence: Float32Array;
  readonly #blockGraph: Int32Array;
  #weighted = 0;
  #regular = 0;
  #edges = 0;
  #blocks = 0;

  /** @param size rows of a block, 0 for none */
  constructor(capacity: Lengths, graphs: number, size: number) {
    const { weighted, regular, edges, blocks } = capacity;
    this.#capacity = capacity;
    this.#size = size;
    const last = weighted + regular - 1;
    this.#counts = new Float32Array(graphs);
    this.#weightedOps = new Int32Array(weighted);
    this.#weightedSizes = new Float32Array(SIZES * weighted);
    this.#kernels = new Int32Array(2 * weighted);
    this.#bias = new Float32Array(2 * weighted);
    this.#regularOps = new Int32Array(regular);
    this.#regularSizes = new Float32Array(SIZES * regular);
    this.#from = new Int32Array(edges).fill(last);
    this.#to = new Int32Array(edges).fill(last);
    this.#graph = new Int32Array(weighted + regular).fill(graphs);
    this.#blockNodes = new Int32Array(blocks * size).fill(last);
    this.#presence = new Float32Array(blocks * size);
    this.#blockGraph = new Int32Array(blocks).fill(graphs);
  }

  write(b: number, extent: Extent, graphs: PackedGraphs): void {
    const { nodes, weighted, edges, nodeStart, weightedStart, edgeStart } = extent;
    const regular = nodes - weighted;
    const { ops, sizes, kernels, bias } = graphs;
    this.#counts[b] = nodes;
    const weightedEnd = nodeStart + weighted;
    this.#weightedOps.set(ops.subarray(nodeStart, weightedEnd), this.#weighted);
    this.#weightedSizes.set(sizes.subarray(SIZES * nodeStart, SIZES * weightedEnd), SIZES * this.#weighted);
    this.#kernels.set(
      kernels.subarray(2 * weightedStart, 2 * (weightedStart + weighted)),
      2 * this.#weighted,
    );
    for (let i = 0; i < weighted; i++) this.#bias[2 * (this.#weighted + i) + bias[weightedStart + i]!] = 1;
    this.#regularOps.set(ops.subarray(weightedEnd, nodeStart + nodes), this.#regular);
    this.#regularSizes.set(
      sizes.subarray(SIZES * weightedEnd, SIZES * (nodeStart + nodes)),
      SIZES * this.#regular,
    );
    // Where nodes of this graph are in the batch: those with weights, and the others less their place in the graph.
    const first = this.#weighted;
    const shift = this.#capacity.weighted + this.#regular - weighted;
    this.#graph.fill(b, first, first + weighted);
    this.#graph.fill(b, shift + weighted, shift + nodes);
    for (let e = 0; e < edges; e++) {
      const [from, to] = [graphs.edges[2 * (edgeStart + e)]!, graphs.edges[2 * (edgeStart + e) + 1]!];
      this.#from[this.#edges + e] = from + (from < weighted ? first : shift);
      this.#to[this.#edges + e] = to + (to < weighted ? first : shift);
    }
    if (this.#size > 0) {
      const start = this.#blocks * this.#size;
      for (let i = 0; i < nodes; i++) this.#blockNodes[start + i] = i + (i < weighted ? first : shift);
      this.#presence.fill(1, start, start + nodes);
      const blocks = Math.ceil(nodes / this.#size);
      this.#blockGraph.fill(b, this.#blocks, this.#blocks + blocks);
      this.#blocks += blocks;
    }
    this.#weighted += weighted;
    this.#regular += regular;
    this.#edges += edges;
  }

  finish(): Batch {
    const { weighted, regular, edges, blocks } = this.#capacity;
    const floats = (data: Float32Array, ...dims: number[]) => ({ type: 'float32' as const, dims, data });
    const places = (data: Int32Array, ...dims: number[]) => ({ type: 'int32' as const, dims, data });
    return {
      counts: floats(this.#counts, this.#counts.length, 1),
      weightedOps: places(this.#weightedOps, weighted),
      weightedSizes: floats(this.#weightedSizes, weighted, SIZES),
      kernels: places(this.#kernels, weighted, 2),
      bias: floats(this.#bias, weighted, 2),
      regularOps: places(this.#regularOps, regular),
      regularSizes: floats(this.#regularSizes, regular, SIZES),
      from: places(this.#from, edges),
      to: places(this.#to, edges),
      graph: places(this.#graph, weighted + regular),
      ...(this.#size > 0
        ? {
            blockNodes: places(this.#blockNodes, blocks, this.#size),
            presence: floats(this.#presence, blocks, this.#size),
            blockGraph: places(this.#blockGraph, blocks),
          }
        : {}),
    };
  }
}
