// Networks as tensors, in the two ways of the latency predictors: numbers brought to a common scale (NNLP), and
// sines and cosines of them (NAR-Former V2, NN-Former). Smaller networks are padded; `presence` says which nodes
// there are.
import type { Batch } from '../../../nn/batch.js';
import { AuspexError } from '../../../util/errors.js';
import type { NetworkGraph, StaticFeatures } from './network-graph.js';
import { type AttributeName, attributesOf, CODES, MAX_ATTRIBUTES } from './operators.js';

/** How the numbers of a network become features. */
export interface Encoding {
  readonly nodeWidth: number;
  readonly staticWidth: number;
  /** Writes what follows the one-hot code: attributes, then four sizes. */
  writeNode(into: Float32Array, at: number, node: CompactNode): void;
  writeStatic(into: Float32Array, at: number, statics: StaticFeatures): void;
}

/** A node as it is kept. */
interface CompactNode {
  readonly code: number;
  /** As many as `attributesOf(code)` names. */
  readonly attributes: Float32Array;
  readonly shape: Float32Array;
}

const SIZES = 4;

/** What numbers are moved and divided by: (v − centre)/scale. */
const ATTRIBUTE_SCALES: Readonly<Record<AttributeName, readonly [centre: number, scale: number]>> = {
  kernel_shape: [2.53, 56],
  strides: [1.16, 56],
  pads: [0.75, 6],
  dilations: [1, 1],
  group: [15.08, 6144],
  bias: [0.77, 1],
  perm: [1.78, 4],
  output_padding: [0, 1e-5],
};
const SIZE_SCALES: readonly (readonly [centre: number, scale: number])[] = [
  [12.25, 1024],
  [286.96, 2496],
  [32.62, 256],
  [31.8, 256],
];
const GIGA = 1e9;

/**
 * NNLP's: 32 for the operator, 8 attributes, 4 sizes, all as (v − centre)/scale; what an operator has no attribute for
 * stays 0, while a size that a value does not have is the 0 that it would be, scaled. Of the whole network [batch,
 * FLOPs, parameters, memory access], all but the batch in 10⁹.
 */
export const NNLP_ENCODING: Encoding = {
  nodeWidth: CODES + MAX_ATTRIBUTES + SIZES,
  staticWidth: 4,
  writeNode(into, at, { code, attributes, shape }) {
    const names = attributesOf(code);
    for (let i = 0; i < attributes.length; i++) {
      const [centre, scale] = ATTRIBUTE_SCALES[names[i]!];
      into[at + i] = (attributes[i]! - centre) / scale;
    }
    for (let i = 0; i < SIZES; i++) {
      const [centre, scale] = SIZE_SCALES[i]!;
      into[at + MAX_ATTRIBUTES + i] = (shape[i]! - centre) / scale;
    }
  },
  writeStatic(into, at, { batch, nnlqpFlops, parameters, memoryAccess }) {
    into.set([batch, nnlqpFlops / GIGA, parameters / GIGA, memoryAccess / GIGA], at);
  },
};

/** Numbers that an attribute, or a feature of the whole network, becomes. */
const WAVES = 10;
/** Numbers that a size becomes; NAR-Former V2 has 10. */
const SIZE_WAVES = 20;

/**
 * NN-Former's: 32 for the operator, 8 attributes of 10 numbers each, 4 sizes of 20; see `waves`. Of the whole network
 * [batch, FLOPs/10⁹, parameters/10⁷, memory access/10⁷], 10 numbers each.
 */
export const NN_FORMER_ENCODING: Encoding = {
  nodeWidth: CODES + MAX_ATTRIBUTES * WAVES + SIZES * SIZE_WAVES,
  staticWidth: 4 * WAVES,
  writeNode(into, at, { attributes, shape }) {
    attributes.forEach((value, i) => void into.set(knownWaves(value, WAVES), at + i * WAVES));
    const sizes = at + MAX_ATTRIBUTES * WAVES;
    shape.forEach((value, i) => void into.set(knownWaves(value, SIZE_WAVES), sizes + i * SIZE_WAVES));
  },
  writeStatic(into, at, { batch, nnlqpFlops, parameters, memoryAccess }) {
    const numbers = [batch, nnlqpFlops / GIGA, parameters / 1e7, memoryAccess / 1e7];
    numbers.forEach((value, i) => void into.set(waves(value, WAVES), at + i * WAVES));
  },
};

/** A number as sin(v·ω₀), cos(v·ω₀), sin(v·ω₁), …: ω_j = 10000^(−j/m) for m = width/2 frequencies. */
export function waves(value: number, width: number): Float32Array {
  const frequencies = width / 2;
  return Float32Array.from({ length: width }, (_, i) => {
    const angle = value * 10_000 ** (-(i >> 1) / frequencies);
    return i % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
  });
}

/** Sizes and attributes are few, and come again and again. */
const known = new Map<number, Map<number, Float32Array>>();
const MAX_KNOWN = 10_000;

/** `waves`, looked up. */
export function knownWaves(value: number, width: number): Float32Array {
  let table = known.get(width);
  if (table === undefined || table.size > MAX_KNOWN) {
    table = new Map();
    known.set(width, table);
  }
  let found = table.get(value);
  if (found === undefined) {
    found = waves(value, width);
    table.set(value, found);
  }
  return found;
}

/** A network as it is kept: a few numbers per node. */
interface CompactNetwork {
  readonly nodes: readonly CompactNode[];
  /** From, to, from, to, … */
  readonly edges: Uint32Array;
  readonly statics: StaticFeatures;
}

export interface NetworkBatchOptions {
  /** To how many nodes all are padded; as many as the largest of the batch has unless told. */
  readonly nodes?: number;
}

/** Networks, ready to be put into batches. */
export class EncodedNetworks {
  readonly encoding: Encoding;
  readonly #networks: CompactNetwork[] = [];

  constructor(networks: Iterable<NetworkGraph>, encoding: Encoding) {
    this.encoding = encoding;
    for (const { nodes, edges, statics } of networks) {
      this.#networks.push({
        nodes: nodes.map(({ code, attributes, shape }) => ({
          code,
          attributes: Float32Array.from(attributes),
          shape: Float32Array.from(shape),
        })),
        edges: Uint32Array.from(edges.flat()),
        statics,
      });
    }
  }

  get count(): number {
    return this.#networks.length;
  }

  /** How many nodes a network has. */
  size(row: number): number {
    return this.#networks[row]!.nodes.length;
  }

  /** Logarithms of the numbers of the whole network and of its nodes, and the share of each operator among them. */
  outline(row: number): Float64Array {
    const { nodes, statics } = this.#networks[row]!;
    const { batch, nnlqpFlops, parameters, memoryAccess } = statics;
    const whole = [batch, nnlqpFlops, parameters, memoryAccess, nodes.length].map(Math.log1p);
    const outline = new Float64Array(whole.length + CODES + 1);
    outline.set(whole);
    for (const { code } of nodes) outline[whole.length + code]! += 1 / nodes.length;
    return outline;
  }

  /**
   * The tensors that the models take, for the rows named, in their order: `nodes` (B, n, d), `presence` (B, n), 1 for
   * nodes that are there, `adjacency` (B, n, n), 1 where i feeds j, and `statics` (B, e).
   */
  batch(rows: ArrayLike<number>, options: NetworkBatchOptions = {}): Batch {
    const { nodeWidth, staticWidth } = this.encoding;
    const count = rows.length;
    const chosen = Array.from(rows, (row) => this.#networks[row]!);
    const largest = chosen.reduce((most, { nodes }) => Math.max(most, nodes.length), 1);
    const n = options.nodes ?? largest;
    if (largest > n) {
      throw new AuspexError(
        'NETWORK_TOO_LARGE',
        `a network of ${largest} nodes exceeds the padded size of ${n}`,
        {
          hint: 'pad to more nodes',
        },
      );
    }
    const features = new Float32Array(count * n * nodeWidth);
    const presence = new Float32Array(count * n);
    const adjacency = new Float32Array(count * n * n);
    const statics = new Float32Array(count * staticWidth);
    chosen.forEach((network, b) => {
      presence.fill(1, b * n, b * n + network.nodes.length);
      network.nodes.forEach((node, i) => {
        const at = (b * n + i) * nodeWidth;
        if (node.code > 0) features[at + node.code - 1] = 1;
        this.encoding.writeNode(features, at + CODES, node);
      });
      const { edges } = network;
      for (let e = 0; e < edges.length; e += 2) adjacency[(b * n + edges[e]!) * n + edges[e + 1]!] = 1;
      this.encoding.writeStatic(statics, b * staticWidth, network.statics);
    });
    return {
      nodes: { type: 'float32', dims: [count, n, nodeWidth], data: features },
      presence: { type: 'float32', dims: [count, n], data: presence },
      adjacency: { type: 'float32', dims: [count, n, n], data: adjacency },
      statics: { type: 'float32', dims: [count, staticWidth], data: statics },
    };
  }
}
