// Computation graphs in a few long arrays, one behind the other: 30 bytes a node and 8 an edge, so that 50,000 networks of
// NAS-Bench-101 take a quarter of a gigabyte.
import { digest } from '../../../util/digest.js';
import type { ComputationGraph } from './computation-graph.js';
import type { ComputationGraphState } from './view.js';

/** Sizes of a node: height in and out, width in and out, channels in and out. */
export const SIZES = 6;

type Numbers = Uint8Array | Uint32Array | Float32Array;

/** An array that grows. */
class Growing<A extends Numbers> {
  data: A;
  length = 0;

  constructor(data: A) {
    this.data = data;
  }

  /** Makes room for more elements, and says where they begin. */
  extend(count: number): number {
    const start = this.length;
    this.length += count;
    if (this.length > this.data.length) {
      const Type = this.data.constructor as new (length: number) => A;
      const larger = new Type(Math.max(this.length, Math.ceil(1.5 * this.data.length)));
      larger.set(this.data as never);
      this.data = larger;
    }
    return start;
  }
}

/** What a network has that the view has no words for. */
export interface Unknown {
  /** How often each operator occurs that is outside the vocabulary, by its name. */
  readonly operators: ReadonlyMap<string, number>;
  /** Nodes with a size that is not known. */
  readonly sizes: number;
}

/** Where the parts of one graph are. */
export interface Extent {
  readonly nodes: number;
  readonly weighted: number;
  readonly edges: number;
  /** In `ops` and, times `SIZES`, in `sizes`. */
  readonly nodeStart: number;
  /** In `bias` and, times two, in `kernels`. */
  readonly weightedStart: number;
  /** In `edges`, times two. */
  readonly edgeStart: number;
}

export class PackedGraphs {
  count = 0;
  readonly #state: ComputationGraphState;
  /** (count, 3): where nodes, weighted nodes and edges of a graph begin. */
  readonly #starts = new Growing(new Uint32Array(3 * 64));
  readonly #ops = new Growing(new Uint8Array(1024));
  readonly #sizes = new Growing(new Float32Array(1024));
  readonly #kernels = new Growing(new Uint8Array(1024));
  readonly #bias = new Growing(new Uint8Array(1024));
  readonly #edges = new Growing(new Uint32Array(1024));
  readonly #unknown = new Map<number, Unknown>();

  constructor(state: ComputationGraphState) {
    this.#state = state;
    this.#starts.extend(3);
  }

  /** Places in the vocabulary; weighted nodes of a graph come first. */
  get ops(): Uint8Array {
    return this.#ops.data;
  }
  /** As the model sees them, `SIZES` of a node. */
  get sizes(): Float32Array {
    return this.#sizes.data;
  }
  /** Two of a weighted node, from 0 (none) to the largest that has an embedding. */
  get kernels(): Uint8Array {
    return this.#kernels.data;
  }
  /** 1 where a weighted node has one. */
  get bias(): Uint8Array {
    return this.#bias.data;
  }
  /** From and to, numbers of nodes of the graph. */
  get edges(): Uint32Array {
    return this.#edges.data;
  }

  extent(row: number): Extent {
    const [at, starts] = [3 * row, this.#starts.data];
    const [nodeStart, weightedStart, edgeStart] = [starts[at]!, starts[at + 1]!, starts[at + 2]!];
    return {
      nodes: starts[at + 3]! - nodeStart,
      weighted: starts[at + 4]! - weightedStart,
      edges: starts[at + 5]! - edgeStart,
      nodeStart,
      weightedStart,
      edgeStart,
    };
  }

  unknown(row: number): Unknown | undefined {
    return this.#unknown.get(row);
  }

  add({ nodes, weightedCount, edges, unknownSizes }: ComputationGraph): void {
    const { kernel: largest } = this.#state.scales;
    const nodeStart = this.#ops.extend(nodes.length);
    const sizesStart = this.#sizes.extend(SIZES * nodes.length);
    const weightedStart = this.#bias.extend(weightedCount);
    const kernelStart = this.#kernels.extend(2 * weightedCount);
    const edgeStart = this.#edges.extend(2 * edges.length);
    let operators: Map<string, number> | undefined;
    for (let i = 0; i < nodes.length; i++) {
      const node = nodes[i]!;
      this.ops[nodeStart + i] = node.op;
      this.#writeSizes(node.resolution, sizesStart + SIZES * i);
      if (node.kind === 'weighted') {
        const [, , k1, k2] = node.shape;
        this.kernels[kernelStart + 2 * i] = Math.min(k1, largest);
        this.kernels[kernelStart + 2 * i + 1] = Math.min(k2, largest);
        this.bias[weightedStart + i] = Number(node.usesBias);
      }
      if (node.op > 0) continue;
      operators ??= new Map();
      operators.set(node.label, (operators.get(node.label) ?? 0) + 1);
    }
    for (let e = 0; e < edges.length; e++) {
      const [from, to] = edges[e]!;
      this.edges[edgeStart + 2 * e] = from;
      this.edges[edgeStart + 2 * e + 1] = to;
    }
    if (operators !== undefined || unknownSizes > 0) {
      this.#unknown.set(this.count, { operators: operators ?? new Map(), sizes: unknownSizes });
    }
    this.count++;
    this.#starts.extend(3);
    this.#starts.data.set([this.#ops.length, this.#bias.length, this.#edges.length / 2], 3 * this.count);
  }

  /** Divided by their scale; or their logarithms, of which that of the scale is 1. */
  #writeSizes(resolution: readonly number[], at: number): void {
    const { scales, sizes: kind } = this.#state;
    for (let i = 0; i < SIZES; i++) {
      const scale = i < 4 ? scales.side : scales.channels;
      const size = resolution[i]!;
      this.sizes[at + i] = kind === 'log' ? Math.log1p(size) / Math.log1p(scale) : size / scale;
    }
  }

  /** The same for graphs that are the same. */
  keyOf(row: number): string {
    const { nodes, weighted, edges, nodeStart, weightedStart, edgeStart } = this.extent(row);
    const part = (array: Numbers, start: number, length: number): string =>
      textOf(new Uint8Array(array.slice(start, start + length).buffer));
    return digest(
      [
        `${nodes} ${weighted} ${edges} `,
        part(this.ops, nodeStart, nodes),
        part(this.sizes, SIZES * nodeStart, SIZES * nodes),
        part(this.kernels, 2 * weightedStart, 2 * weighted),
        part(this.bias, weightedStart, weighted),
        part(this.edges, 2 * edgeStart, 2 * edges),
      ].join(''),
    );
  }
}

/** Arguments of a call: more may not fit onto the stack. */
const AT_ONCE = 8192;

/** A character of each byte. */
function textOf(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += AT_ONCE) {
    text += String.fromCharCode(...bytes.subarray(start, start + AT_ONCE));
  }
  return text;
}
