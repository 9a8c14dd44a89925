// Networks as cells of one space: operations one-hot, adjacency, number of nodes. The only place that looks at a network's
// cell as a graph; a file that `auspex space export` wrote has one, too.
import * as z from 'zod';
import { symbol } from '../../graph/dim.js';
import type { Network } from '../../networks/network.js';
import type { Networks } from '../../networks/networks.js';
import type { Batch } from '../../nn/batch.js';
import type { AnySpace, Cell } from '../../spaces/space.js';
import { AuspexError } from '../../util/errors.js';
import { readEach } from '../encode.js';
import { cellInputs, codesOf, EncodedCells, MOST_NODES } from './cell-batch.js';
import { reorderedCell } from './cell-orders.js';
import { type GraphSet, notCovered, registerView, type View, whyNot } from './view.js';

const STATE = z.object({
  space: z.string(),
  /** Cells with all that is written, or without operations that have no part in the result. */
  form: z.enum(['whole', 'pruned']),
  /** Whether the model takes cells padded to any number of nodes. */
  sizes: z.enum(['any', 'fixed']),
  /** Names of operations; their places are their codes. */
  vocabulary: z.array(z.string()).min(1),
  /** That cells are padded to. */
  nodes: z.int().min(1).max(MOST_NODES),
});
export type CellState = z.infer<typeof STATE>;
type CellOptions = Pick<CellState, 'form' | 'sizes'>;

const OTHERS = 'whole-network predictors see any network: nn-former-network, nnlp-network, forest';

export const cellView: View<CellState> = {
  name: 'cell',
  state: STATE,

  async prepare(networks, options, prior) {
    const { form, sizes } = options as CellOptions;
    const space = spaceOf(networks);
    if (prior !== undefined) {
      if (prior.space === space.name) return prior;
      throw new AuspexError(
        'OTHER_SPACE',
        `--from was trained on ${prior.space}, but the table contains ${space.name}`,
        { hint: 'give a predictor for the same space; whole-network predictors can change space' },
      );
    }
    const { vocabulary, largestCell: nodes } = space;
    if (vocabulary !== undefined && nodes !== undefined) {
      return { space: space.name, form, sizes, vocabulary: [...vocabulary], nodes };
    }
    const cells = await readEach(allOf(networks), (network) => network.cell(form)!);
    return {
      space: space.name,
      form,
      sizes,
      vocabulary: [...new Set(cells.flatMap(({ ops }) => ops))].sort(),
      nodes: Math.max(...cells.map(({ ops }) => ops.length)),
    };
  },

  covers: (network, state) => whyNot(() => cellOf(network, state)),

  inputs: ({ sizes, nodes, vocabulary }) =>
    cellInputs(symbol('batch'), sizes === 'any' ? symbol('nodes') : nodes, codesOf(vocabulary)),

  async encode(networks, state, options) {
    return new CellSet(await readEach(networks, (network) => cellOf(network, state), options), state);
  },
};
registerView(cellView);

/** The space of the first network that can be read. */
function spaceOf(networks: Networks): AnySpace {
  let first: unknown;
  for (const network of readable(networks, (error) => (first ??= error))) {
    const space = network.arch?.space;
    if (space?.cell !== undefined) return space;
    first ??= space === undefined ? withoutCell(network) : withoutCells(space);
  }
  throw first ?? new AuspexError('NO_NETWORKS', 'there are no networks to train on');
}

function* readable(networks: Networks, onError: (error: AuspexError) => void): Generator<Network> {
  for (let row = 0; row < networks.count; row++) {
    try {
      yield networks.at(row);
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      onError(error);
    }
  }
}

function* allOf(networks: Networks): Generator<Network> {
  for (let row = 0; row < networks.count; row++) yield networks.at(row);
}

/** The cell of a network, of which everything is known. */
function cellOf(network: Network, { space, form, vocabulary, nodes }: CellState): Cell {
  const { arch } = network;
  if (arch === undefined) throw withoutCell(network, space);
  if (arch.space.name !== space) {
    throw notCovered(
      'OTHER_SPACE',
      `predicts cells of ${space}; ${network.ref} belongs to ${arch.space.name}`,
      `give a predictor of ${arch.space.name}; ${OTHERS}`,
    );
  }
  const cell = network.cell(form);
  if (cell === undefined) throw withoutCells(arch.space);
  const unknown = cell.ops.find((op) => !vocabulary.includes(op));
  if (unknown !== undefined) {
    throw notCovered(
      'OPERATION_UNKNOWN',
      `does not know the operation '${unknown}' of ${network.ref}`,
      `it knows ${vocabulary.join(', ')}`,
    );
  }
  if (cell.ops.length <= nodes) return cell;
  throw notCovered(
    'CELL_TOO_LARGE',
    `predicts cells of up to ${nodes} nodes; ${network.ref} has ${cell.ops.length}`,
  );
}

function withoutCell({ ref }: Network, space?: string): AuspexError {
  const what = space === undefined ? 'needs cells of a space' : `predicts cells of ${space}`;
  return notCovered(
    'NETWORK_WITHOUT_SPACE',
    `${what}; ${ref} does not say which architecture it is`,
    `give a file that \`auspex space export\` wrote; ${OTHERS}`,
  );
}

function withoutCells({ title }: AnySpace): AuspexError {
  return notCovered('SPACE_WITHOUT_CELLS', `predicts cells, and networks of ${title} have none`, OTHERS);
}

/**
 * Smaller cells are padded to one of these numbers of nodes: runs of few rows cost more than a few nodes that are masked. It
 * does not depend on the other rows, so that a prediction is the same to the last bit in any company.
 */
const PADDED = [5, 8];

/** Encoded cells: those of one size together, where the model takes any. */
class CellSet implements GraphSet {
  readonly count: number;
  readonly #cells: readonly Cell[];
  readonly #state: CellState;
  readonly #given: EncodedCells;
  #reordered: EncodedCells | undefined;

  constructor(cells: readonly Cell[], state: CellState, given?: EncodedCells) {
    this.count = cells.length;
    this.#cells = cells;
    this.#state = state;
    this.#given = given ?? this.#encoded(cells);
  }

  bucketOf(row: number): number {
    const { sizes, nodes } = this.#state;
    if (sizes === 'fixed') return nodes;
    const size = this.#given.sizeOf(row);
    return Math.min(PADDED.find((padded) => padded >= size) ?? size, nodes);
  }

  keyOf(row: number): string {
    return this.#given.keyOf(row);
  }

  /** How often every operation is there, nodes and edges. */
  outline(row: number): Float64Array {
    const { vocabulary } = this.#state;
    const { ops, adjacency } = this.#cells[row]!;
    const outline = new Float64Array(vocabulary.length + 2);
    for (const op of ops) outline[vocabulary.indexOf(op)]!++;
    outline[vocabulary.length] = ops.length;
    outline[vocabulary.length + 1] = adjacency.reduce(
      (sum, row) => row.reduce((all, edge) => all + edge, sum),
      0,
    );
    return outline;
  }

  /** All of one size, so that there is one batch to compile. */
  merged(): GraphSet {
    return new CellSet(this.#cells, { ...this.#state, sizes: 'fixed' }, this.#given);
  }

  batch(rows: readonly number[], variant: 'given' | 'reordered' = 'given'): Batch {
    const size = rows.reduce((most, row) => Math.max(most, this.bucketOf(row)), 1);
    if (variant === 'given') return this.#given.batch(rows, size);
    // Made only where they are asked for.
    this.#reordered ??= this.#encoded(this.#cells.map(reorderedCell));
    return this.#reordered.batch(rows, size);
  }

  #encoded(cells: readonly Cell[]): EncodedCells {
    return new EncodedCells(cells, this.#state.vocabulary, this.#state.nodes);
  }
}
