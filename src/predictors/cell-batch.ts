// Cells as tensors: operations one-hot, adjacency, number of nodes; padded to the same number of nodes, so that all
// batches have one shape.
import type { Batch } from '../nn/trainer.js';
import type { Cell } from '../spaces/space.js';
import { AuspexError } from '../util/errors.js';

/** Width of one-hot codes, the papers'. */
export const CODES = 32;

/** The cells of a table, ready to be put into batches. */
export class EncodedCells {
  /** Nodes of the largest cell; all are padded to it. */
  readonly nodes: number;
  readonly count: number;
  readonly #operations: Uint8Array;
  readonly #sizes: Uint8Array;
  readonly #adjacency: Uint8Array;

  /** @param vocabulary the names of operations; their places are their codes. */
  constructor(cells: readonly Cell[], vocabulary: readonly string[], nodes?: number) {
    const codes = new Map(vocabulary.map((name, i) => [name, i]));
    const largest = cells.reduce((most, { ops }) => Math.max(most, ops.length), 0);
    const n = nodes ?? largest;
    if (largest > n || n >= CODES || vocabulary.length >= CODES) {
      throw new AuspexError('CELL_TOO_LARGE', `cells of ${largest} nodes; there is room for ${n}`);
    }
    this.nodes = n;
    this.count = cells.length;
    this.#operations = new Uint8Array(cells.length * n).fill(CODES);
    this.#sizes = Uint8Array.from(cells, ({ ops }) => ops.length);
    this.#adjacency = new Uint8Array(cells.length * n * n);
    cells.forEach(({ ops, adjacency }, c) => {
      ops.forEach((op, i) => {
        const code = codes.get(op);
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

  /** The tensors that models of cells take, for the rows named, in their order. */
  batch(rows: ArrayLike<number>): Batch {
    const { nodes: n } = this;
    const count = rows.length;
    const operations = new Float32Array(count * n * CODES);
    const size = new Float32Array(count * CODES);
    const adjacency = new Float32Array(count * n * n);
    for (let b = 0; b < count; b++) {
      const row = rows[b]!;
      size[b * CODES + this.#sizes[row]!] = 1;
      for (let i = 0; i < n; i++) {
        const code = this.#operations[row * n + i]!;
        if (code < CODES) operations[(b * n + i) * CODES + code] = 1;
      }
      adjacency.set(this.#adjacency.subarray(row * n * n, (row + 1) * n * n), b * n * n);
    }
    return {
      operations: { type: 'float32', dims: [count, n, CODES], data: operations },
      size: { type: 'float32', dims: [count, 1, CODES], data: size },
      adjacency: { type: 'float32', dims: [count, n, n], data: adjacency },
    };
  }
}
