// Labels that cost nothing, to learn what a space's cells are like before the few that were measured: the size of the
// network, and what flows through the cell when operations are random maps. Two cells through which the same flows
// compute the same. That such a surrogate of the flow teaches predictors is the idea of FGP (NeurIPS 2025).
import { describeArchitecture } from '../../spaces/describe.js';
import type { AnySpace, Cell } from '../../spaces/space.js';
import { Random } from '../../util/random.js';
import { column, type Labels } from '../labels.js';

/** Numbers that flow along an edge. */
const FLOW = 16;

/**
 * Logarithms of parameters and MACs, depth, and the flow at the output; what is the same for all is left out.
 *
 * @param architectures of the space
 * @param cellOf as the predictor sees them
 */
export function freeLabels(
  space: AnySpace,
  architectures: readonly unknown[],
  cellOf: (arch: unknown) => Cell,
  seed: number,
): Labels {
  const flow = randomFlow(seed, space.identities);
  const rows = architectures.map((arch) => {
    const { parameters, macs, depth } = describeArchitecture(space, arch);
    return [Math.log1p(parameters), Math.log1p(macs), depth, ...flow(cellOf(arch))];
  });
  const names = ['parameters', 'macs', 'depth', ...Array.from({ length: FLOW }, (_, k) => `flow${k}`)];
  const all: Labels = { names, values: Float64Array.from(rows.flat()) };
  const varied = names.flatMap((_, i) => (new Set(column(all, i)).size > 1 ? [i] : []));
  return {
    names: varied.map((i) => names[i]!),
    values: Float64Array.from(rows.flatMap((row) => varied.map((i) => row[i]!))),
  };
}

/**
 * What comes out of a cell, ln(1 + x): a node is ReLU(W·Σ x) over what feeds it, W being a random matrix for every kind of
 * operation, √(2/d)·N(0, 1), which keeps sizes as they are. The input is a fixed vector, `identities` and the output only sum.
 */
export function randomFlow(seed: number, identities: readonly string[] = []): (cell: Cell) => number[] {
  const passed = new Set(identities);
  const matrices = new Map<string, Float64Array>();
  const input = Float64Array.from({ length: FLOW }, normalOf(seed, 'input')).map(Math.abs);
  const matrixOf = (op: string): Float64Array => {
    let matrix = matrices.get(op);
    if (matrix === undefined) {
      const scale = Math.sqrt(2 / FLOW);
      matrix = Float64Array.from({ length: FLOW * FLOW }, normalOf(seed, op)).map((w) => w * scale);
      matrices.set(op, matrix);
    }
    return matrix;
  };
  return ({ ops, adjacency }) => {
    const values: Float64Array[] = [];
    ops.forEach((op, node) => {
      const sum = node === 0 ? input : new Float64Array(FLOW);
      for (let from = 0; from < node; from++) {
        if (!adjacency[from]![node]) continue;
        values[from]!.forEach((x, k) => {
          sum[k]! += x;
        });
      }
      const isPassed = node === 0 || node === ops.length - 1 || passed.has(op);
      values.push(isPassed ? sum : mapped(matrixOf(op), sum));
    });
    return Array.from(values.at(-1)!, Math.log1p);
  };
}

function mapped(matrix: Float64Array, x: Float64Array): Float64Array {
  return Float64Array.from({ length: FLOW }, (_, i) => {
    let y = 0;
    for (let k = 0; k < FLOW; k++) y += matrix[i * FLOW + k]! * x[k]!;
    return Math.max(0, y);
  });
}

/** Random numbers that depend on nothing but the seed and a name. */
function normalOf(seed: number, name: string): () => number {
  const stream = [...name].reduce((hash, letter) => (hash * 31 + letter.codePointAt(0)!) >>> 0, 7);
  const random = Random.seeded(seed, stream);
  return () => random.normal();
}
