// How well latents are decoded (Table 4 of Kadlecová et al. 2023): of random latents, how many cells exist and how many differ;
// of latents of known cells, how many operations and edges come back.
import { labelledGraphHash } from '../spaces/cells/labelled-graph-hash.js';
import type { AnySpace, Cell } from '../spaces/space.js';
import type { Random } from '../util/random.js';
import {
  type CellDecoder,
  decodeCell,
  decodedScores,
  decodeValidCell,
  drawnLatents,
} from './cell-decoder.js';
import { fixedEdges } from './fixed-edges.js';

export interface DecodingQuality {
  /** Cells of an architecture among all that were decoded. */
  readonly validity: number;
  /** Different cells among those, as they were decoded: nodes without a part in the result tell them apart. */
  readonly uniqueness: number;
  /** Different architectures among those. */
  readonly uniqueNetworks: number;
}

/** How good what is decoded from random latents is. */
export function decodingQuality(
  decoder: CellDecoder,
  space: AnySpace,
  { count, random, isConstrained = false }: { count: number; random: Random; isConstrained?: boolean },
): DecodingQuality {
  const [found, networks] = [new Set<string>(), new Set<string>()];
  let valid = 0;
  const archOf = (cell: Cell | undefined): unknown => cell && space.fromCell?.(cell);
  for (let i = 0; i < count; i++) {
    const z = drawnLatents(decoder, random);
    const cell = isConstrained
      ? decodeValidCell(z, decoder, (one) => archOf(one) !== undefined, fixedEdges(space))
      : decodeCell(z, decoder);
    const arch = archOf(cell);
    if (arch === undefined) continue;
    valid++;
    const { ops, adjacency } = cell!;
    const labels = ops.map((op) => decoder.vocabulary.indexOf(op));
    found.add(labelledGraphHash(labels, adjacency));
    networks.add(space.hash?.(arch) ?? space.format(arch));
  }
  const of = (different: Set<string>): number => (valid === 0 ? 0 : different.size / valid);
  return { validity: valid / count, uniqueness: of(found), uniqueNetworks: of(networks) };
}

export interface ReconstructionQuality {
  /** Nodes of cells whose likeliest operation is theirs. */
  readonly operators: number;
  /**
   * The same over all rows, the padding included, which is right if the first operation of the vocabulary is the likeliest:
   * what the released code counts, and what papers report.
   */
  readonly operatorsOfAllRows: number;
  /** Pairs of rows, the padding included, whose edge is likelier than not exactly where there is one. */
  readonly adjacency: number;
  /** Cells of which every operation and edge comes back. */
  readonly cells: number;
}

/**
 * How much of cells comes back from their latents.
 *
 * @param latents (cells, nodes · latent), row by row
 */
export function reconstructionQuality(
  decoder: CellDecoder,
  cells: readonly Cell[],
  latents: Float64Array,
): ReconstructionQuality {
  const { nodes, latent, vocabulary } = decoder;
  const width = nodes * latent;
  let [known, padding, paddingRight, operators, edgesRight, whole] = [0, 0, 0, 0, 0, 0];
  cells.forEach(({ ops, adjacency }, row) => {
    const { operations, edges } = decodedScores(latents.subarray(row * width, (row + 1) * width), decoder);
    const rightBefore = operators + edgesRight;
    operations.forEach((scores, node) => {
      const best = scores.indexOf(Math.max(...scores));
      if (node < ops.length) operators += Number(vocabulary[best] === ops[node]);
      else paddingRight += Number(best === 0);
    });
    for (let from = 0; from < nodes; from++) {
      for (let to = from + 1; to < nodes; to++) {
        edgesRight += Number(edges[from]![to]! > 0 === Boolean(adjacency[from]?.[to]));
      }
    }
    known += ops.length;
    padding += nodes - ops.length;
    whole += Number(operators + edgesRight - rightBefore === ops.length + (nodes * (nodes - 1)) / 2);
  });
  return {
    operators: operators / known,
    operatorsOfAllRows: (operators + paddingRight) / (known + padding),
    adjacency: edgesRight / ((cells.length * nodes * (nodes - 1)) / 2),
    cells: whole / cells.length,
  };
}
