// GRAF, neural graph features (Kadlecová et al., ICML 2024, "Surprisingly Strong Performance Prediction with Neural Graph
// Features"): counts of operations, lengths of paths and degrees, for every set of operations. With a random forest they
// match far larger predictors.
//
// `maxOnPath` is the maximum itself. The released code takes the path with the most operations of the set less all others,
// and counts on it, which is another number for one in twelve.
//
// Sets: all that are not empty; where every pair of nodes is joined (NAS-Bench-201) without the set of all operations,
// which tells nothing there.
import type { AnySpace, Cell, CellOperations } from '../../spaces/space.js';
import { AuspexError } from '../../util/errors.js';
import { FeatureRows } from './feature-rows.js';

/** The features of a space's cells. */
export interface Graf {
  readonly names: readonly string[];
  /** The features of cells, one row each. */
  rows(cells: readonly Cell[]): FeatureRows;
}

/** A connection between two nodes, with the operations at its ends as bits; 0 stands for the input and the output. */
interface Edge {
  readonly from: number;
  readonly to: number;
  /** What it comes from; the edge's own operation where operations are on edges. */
  readonly before: number;
  /** What it goes to; the edge's own operation where operations are on edges. */
  readonly after: number;
}

/** Node 0 is the input and the last one the output; edges are in the order of the nodes they go to. */
interface Graph {
  readonly nodes: number;
  readonly edges: readonly Edge[];
  /** How often each operation is there. */
  readonly counts: readonly number[];
}

/** What is computed for a set of operations, in this order. */
const SET_FEATURES = [
  /**
   * Edges of the shortest path from input to output on which all operations are of the set; where there is none, the
   * number of nodes, which is more than any path has.
   */
  'minPath',
  /** The most operations of the set that lie on one path from input to output, whatever else does. */
  'maxOnPath',
  /** How many operations of the set the input feeds. */
  'inputDegree',
  /** How many operations of the set feed the output. */
  'outputDegree',
  /** The mean over all nodes of how many operations of the set feed them. */
  'meanInDegree',
  /** The mean over all nodes of how many operations of the set they feed. */
  'meanOutDegree',
] as const;

/** The features of a space's cells; undefined where it does not say what their operations are. */
export function grafOf({ title, cellOperations, largestCell }: AnySpace): Graf | undefined {
  if (cellOperations === undefined || largestCell === undefined) return undefined;
  const { names, edges } = cellOperations;
  return edges === undefined ? onNodes(title, names, largestCell) : onEdges(title, names, edges);
}

/** Of NAS-Bench-101: 3 counts, and 6 features for each of 7 sets. */
function onNodes(title: string, operations: readonly string[], largest: number): Graf {
  return graf(operations, SET_FEATURES, true, largest, (cell) => {
    if (cell.ops.length < 2 || cell.ops.length > largest) {
      throw new AuspexError('CELL_OTHER', `a cell of ${cell.ops.length} nodes does not belong to ${title}`, {
        hint: `its cells have up to ${largest} nodes, including input and output`,
      });
    }
    const bits = cell.ops.map((op, i) => (i === 0 || i === cell.ops.length - 1 ? 0 : bitOf(operations, op)));
    const edges = bits.flatMap((after, to) =>
      bits
        .slice(0, to)
        .flatMap((before, from) => (cell.adjacency[from]![to] ? [{ from, to, before, after }] : [])),
    );
    return { nodes: bits.length, edges, counts: countsOf(operations, bits) };
  });
}

/** Of NAS-Bench-201, whose edges join four nodes: 5 counts, and 5 features for each of 30 sets. */
function onEdges(
  title: string,
  operations: readonly string[],
  ends: NonNullable<CellOperations['edges']>,
): Graf {
  const nodes = 1 + Math.max(...ends.flat());
  // Every edge enters a node and leaves one, so that both means are the same.
  return graf(operations, SET_FEATURES.slice(0, -1), false, nodes, (cell) => {
    if (cell.ops.length !== ends.length + 2) {
      throw new AuspexError('CELL_OTHER', `a cell of ${cell.ops.length} nodes does not belong to ${title}`, {
        hint: `give the unpruned cell: input, ${ends.length} operations, output`,
      });
    }
    const bits = cell.ops.slice(1, -1).map((op) => bitOf(operations, op));
    const edges = ends.map(([from, to], i) => ({ from, to, before: bits[i]!, after: bits[i]! }));
    return { nodes, edges, counts: countsOf(operations, bits) };
  });
}

function graf(
  operations: readonly string[],
  features: readonly (typeof SET_FEATURES)[number][],
  withAll: boolean,
  mostNodes: number,
  graphOf: (cell: Cell) => Graph,
): Graf {
  const sets = Array.from({ length: 2 ** operations.length - (withAll ? 1 : 2) }, (_, i) => i + 1);
  const nameOf = (set: number): string => operations.filter((_, i) => set & (1 << i)).join(',');
  const names = [
    ...operations.map((op) => `count(${op})`),
    ...sets.flatMap((set) => features.map((name) => `${name}(${nameOf(set)})`)),
  ];
  return {
    names,
    rows: (cells) => {
      const data = new Float32Array(cells.length * names.length);
      const numbers = new Float64Array(SET_FEATURES.length);
      const paths = { shortest: new Int32Array(mostNodes), most: new Int32Array(mostNodes) };
      let at = 0;
      for (const cell of cells) {
        const graph = graphOf(cell);
        for (const count of graph.counts) data[at++] = count;
        for (const set of sets) {
          describeSet(graph, set, paths, numbers);
          for (let k = 0; k < features.length; k++) data[at++] = numbers[k]!;
        }
      }
      return new FeatureRows(names, data);
    },
  };
}

/** By node, edges of the shortest allowed path to it, and the most operations of the set on any path to it. */
interface Paths {
  readonly shortest: Int32Array;
  readonly most: Int32Array;
}

/** Writes the features of a set of operations, given as bits, in the order of `SET_FEATURES`. */
function describeSet(
  { nodes, edges }: Graph,
  set: number,
  { shortest, most }: Paths,
  into: Float64Array,
): void {
  shortest.fill(nodes, 0, nodes);
  // Below zero stays what no path leads to.
  most.fill(-nodes, 0, nodes);
  shortest[0] = 0;
  most[0] = 0;
  let [fromInput, toOutput, fedBySet, feedsSet] = [0, 0, 0, 0];
  for (let e = 0; e < edges.length; e++) {
    const { from, to, before, after } = edges[e]!;
    const comesFromSet = (before & set) === 0 ? 0 : 1;
    const goesToSet = (after & set) === 0 ? 0 : 1;
    if ((after === 0 || goesToSet) && shortest[from]! + 1 < shortest[to]!) shortest[to] = shortest[from]! + 1;
    if (most[from]! + goesToSet > most[to]!) most[to] = most[from]! + goesToSet;
    if (from === 0) fromInput += goesToSet;
    if (to === nodes - 1) toOutput += comesFromSet;
    fedBySet += comesFromSet;
    feedsSet += goesToSet;
  }
  into[0] = shortest[nodes - 1]!;
  into[1] = Math.max(0, most[nodes - 1]!);
  into[2] = fromInput;
  into[3] = toOutput;
  into[4] = fedBySet / nodes;
  into[5] = feedsSet / nodes;
}

function countsOf(operations: readonly string[], bits: readonly number[]): number[] {
  return operations.map((_, i) => bits.filter((bit) => bit === 1 << i).length);
}

function bitOf(operations: readonly string[], op: string): number {
  const place = operations.indexOf(op);
  if (place >= 0) return 1 << place;
  throw new AuspexError('OPERATION_UNKNOWN', `the features do not know the operation '${op}'`, {
    hint: `they know ${operations.join(', ')}`,
  });
}
