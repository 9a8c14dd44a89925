// Cells as tensors: operations one-hot, adjacency, number of nodes; padded to the same number of nodes, so that all
// batches have one shape.
import type { Dim } from '../../graph/dim.js';
import type { Batch } from '../../nn/trainer.js';
import type { Cell } from '../../spaces/space.js';
import { AuspexError } from '../../util/errors.js';
import type { InputShapes } from './view.js';

/** Least width of one-hot codes, the papers'. */
const CODES = 32;
/** Most nodes of a cell: their number is a one-hot code too. */
export const MOST_NODES = CODES - 1;
/** In the place of an operation where there is no node. */
const ABSENT = 0xffff;

/** Width of the operations' codes: the papers', or as many as there are operations. */
export function codesOf(vocabulary: readonly string[]): number {
  return Math.max(CODES, vocabulary.length);
}

/** What models of cells take, for batches of cells that are padded to n nodes. */
export function cellInputs(batch: Dim, n: Dim, codes: number): InputShapes {
  return {
    operations: { type: 'float32', dims: [batch, n, codes] },
    size: { type: 'float32', dims: [batch, 1, CODES] },
    adjacency: { type: 'float32', dims: [batch, n, n] },
  };
}

/** The cells of a table, ready to be put into batches. */
export class EncodedCells {
  /** Nodes of the largest cell; all are padded to it. */
  readonly nodes: number;
  readonly count: number;
  /** Width of the operations' codes: the papers', or as many as there are operations. */
  readonly codes: number;
  readonly #operations: Uint16Array;
  readonly #sizes: Uint8Array;
  readonly #adjacency: Uint8Array;

  /** @param vocabulary the names of operations; their places are their codes. */
  constructor(cells: readonly Cell[], vocabulary: readonly string[], nodes?: number) {
    const places = new Map(vocabulary.map((name, i) => [name, i]));
    const largest = cells.reduce((most, { ops }) => Math.max(most, ops.length), 0);
    const n = nodes ?? largest;
    if (largest > n || n > MOST_NODES) {
      throw new AuspexError(
        'CELL_TOO_LARGE',
        `a cell has ${largest} nodes; the predictor takes up to ${Math.min(n, MOST_NODES)}`,
      );
    }
    this.codes = codesOf(vocabulary);
    this.nodes = n;
    this.count = cells.length;
    this.#operations = new Uint16Array(cells.length * n).fill(ABSENT);
    this.#sizes = Uint8Array.from(cells, ({ ops }) => ops.length);
    this.#adjacency = new Uint8Array(cells.length * n * n);
    cells.forEach(({ ops, adjacency }, c) => {
      ops.forEach((op, i) => {
        const code = places.get(op);
        if (code === undefined) {
          throw new AuspexError('OPERATION_UNKNOWN', `the predictor does not know the operation '${op}'`, {
            hint: `it knows ${vocabulary.join(', ')}`,
          });
        }
        this.#operations[c * n + i] = code;
        for (let j = 0; j < ops.length; j++) this.#adjacency[(c * n + i) * n + j] = adjacency[i]![j]!;
      });
    });
  }

  /** How many nodes a cell has. */
  sizeOf(row: number): number {
    return this.#sizes[row]!;
  }

  /** Cells that are written alike have the same. */
  keyOf(row: number): string {
    const { nodes: n } = this;
    const operations = this.#operations.subarray(row * n, (row + 1) * n);
    const adjacency = this.#adjacency.subarray(row * n * n, (row + 1) * n * n);
    return String.fromCharCode(...operations, ...adjacency);
  }

  /**
   * The tensors that models of cells take, for the rows named, in their order.
   *
   * @param n nodes that cells are padded to: at least those of the largest of them
   */
  batch(rows: ArrayLike<number>, n = this.nodes): Batch {
    const { nodes, codes } = this;
    const count = rows.length;
    const operations = new Float32Array(count * n * codes);
    const size = new Float32Array(count * CODES);
    const adjacency = new Float32Array(count * n * n);
    for (let b = 0; b < count; b++) {
      const row = rows[b]!;
      size[b * CODES + this.#sizes[row]!] = 1;
      for (let i = 0; i < n; i++) {
        const code = this.#operations[row * nodes + i]!;
        if (code !== ABSENT) operations[(b * n + i) * codes + code] = 1;
      }
      for (let i = 0; i < n; i++) {
        const from = (row * nodes + i) * nodes;
        adjacency.set(this.#adjacency.subarray(from, from + n), (b * n + i) * n);
      }
    }
    return {
      operations: { type: 'float32', dims: [count, n, codes], data: operations },
      size: { type: 'float32', dims: [count, 1, CODES], data: size },
      adjacency: { type: 'float32', dims: [count, n, n], data: adjacency },
    };
  }
}
