// From latents of nodes back to cells: operations by a linear layer, edges by products of latents, as arch2vec decodes them.
// What was decoded may be a cell of no architecture; a constrained decoder takes the most likely one that is.
import type { Cell } from '../spaces/space.js';
import type { Random } from '../util/random.js';

/** What decoding needs to know; kept in the file of a predictor. */
export type CellDecoder = {
  /** Names of operations; their places are their codes. */
  readonly vocabulary: readonly string[];
  readonly nodes: number;
  /** Numbers of a node. */
  readonly latent: number;
  /** (latent, operations), row by row. */
  readonly weight: readonly number[];
  readonly bias: readonly number[];
  /** (nodes, latent), row by row: means and deviations of the latents of all cells that were learned from. */
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
};

/** Scores of what a cell may be: logits of operations (nodes, operations) and of edges (nodes, nodes). */
export interface DecodedScores {
  readonly operations: readonly (readonly number[])[];
  readonly edges: readonly (readonly number[])[];
}

/** @param z (nodes, latent), row by row */
export function decodedScores(z: ArrayLike<number>, decoder: CellDecoder): DecodedScores {
  const { nodes, latent, vocabulary, weight, bias } = decoder;
  const at = (node: number, i: number): number => z[node * latent + i]!;
  const places = Array.from({ length: nodes }, (_, node) => node);
  const product = (a: number, b: number): number => {
    let sum = 0;
    for (let i = 0; i < latent; i++) sum += at(a, i) * at(b, i);
    return sum;
  };
  return {
    operations: places.map((node) =>
      vocabulary.map((_, op) => {
        let sum = bias[op]!;
        for (let i = 0; i < latent; i++) sum += at(node, i) * weight[i * vocabulary.length + op]!;
        return sum;
      }),
    ),
    edges: places.map((from) =>
      places.map((to) => (from < to ? product(from, to) : Number.NEGATIVE_INFINITY)),
    ),
  };
}

/**
 * The likeliest operation of every node and all edges that are likelier than not. Nodes behind the output are padding, and
 * are left out.
 */
export function decodeCell(z: ArrayLike<number>, decoder: CellDecoder): Cell {
  const { operations, edges } = decodedScores(z, decoder);
  const ops = operations.map((scores) => decoder.vocabulary[greatest(scores)]!);
  const output = ops.indexOf(decoder.vocabulary.at(-1)!);
  const count = output < 1 ? ops.length : output + 1;
  return {
    ops: ops.slice(0, count),
    adjacency: edges.slice(0, count).map((row) => row.slice(0, count).map((score) => Number(score > 0))),
  };
}

/**
 * The likeliest cell that is one of an architecture: it begins with the input and ends with the output, and has as many of
 * the likeliest edges as are likelier than not, or as near to that number as there is an architecture. Undefined where no
 * number of edges gives one.
 *
 * @param fixed the edges of all cells of the space, where they have the same
 */
export function decodeValidCell(
  z: ArrayLike<number>,
  decoder: CellDecoder,
  isValid: (cell: Cell) => boolean,
  fixed?: Cell['adjacency'],
): Cell | undefined {
  const { vocabulary } = decoder;
  const { operations, edges } = decodedScores(z, decoder);
  const logs = operations.map(logSoftmax);
  const last = vocabulary.length - 1;
  const inner = (scores: readonly number[]): number => greatest(scores.slice(1, last)) + 1;
  // The output goes where it, and operations before it, are likeliest; behind it there is nothing to be likely.
  let [count, best] = [fixed?.length ?? 2, Number.NEGATIVE_INFINITY];
  let before = 0;
  for (let node = 1; fixed === undefined && node < logs.length; node++) {
    const score = (before + logs[node]![last]!) / node;
    if (score > best) [count, best] = [node + 1, score];
    before += logs[node]![inner(logs[node]!)]!;
  }
  const ops = Array.from({ length: count }, (_, node) =>
    node === 0 ? vocabulary[0]! : node === count - 1 ? vocabulary[last]! : vocabulary[inner(logs[node]!)]!,
  );
  if (fixed !== undefined) {
    const cell = { ops, adjacency: fixed };
    return isValid(cell) ? cell : undefined;
  }
  const ranked = edges
    .slice(0, count)
    .flatMap((row, from) => row.slice(0, count).map((score, to) => ({ from, to, score })))
    .filter(({ from, to }) => from < to)
    .sort((a, b) => b.score - a.score);
  const likely = ranked.filter(({ score }) => score > 0).length;
  for (const edgeCount of byDistance(likely, ranked.length)) {
    const adjacency = ops.map(() => ops.map(() => 0));
    for (const { from, to } of ranked.slice(0, edgeCount)) adjacency[from]![to] = 1;
    const cell = { ops, adjacency };
    if (isValid(cell)) return cell;
  }
  return undefined;
}

/** Latents as those of the cells that were learned from are spread: (nodes, latent), row by row. */
export function drawnLatents({ mean, deviation }: CellDecoder, random: Random): Float64Array {
  return Float64Array.from(mean, (centre, i) => centre + deviation[i]! * random.normal());
}

function greatest(scores: readonly number[]): number {
  return scores.reduce((best, score, i) => (score > scores[best]! ? i : best), 0);
}

function logSoftmax(scores: readonly number[]): number[] {
  const most = Math.max(...scores);
  const log = most + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - most), 0));
  return scores.map((score) => score - log);
}

/** 0 to most, those next to a number first. */
function byDistance(start: number, most: number): number[] {
  return Array.from({ length: most + 1 }, (_, i) => i).sort(
    (a, b) => Math.abs(a - start) - Math.abs(b - start) || a - b,
  );
}
