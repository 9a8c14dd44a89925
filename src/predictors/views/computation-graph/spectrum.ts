// The spectrum of a computation graph: the smallest eigenvalues of the normalised Laplacian of its undirected graph, by
// which GENNAPE tells how alike two networks are built (Mills et al., AAAI 2023; Dwivedi & Bresson 2021).
import { eigenvaluesOf } from '../../../util/linear-algebra/tridiagonal.js';

/** How many the paper takes. */
export const SPECTRUM = 21;

/** Of graphs with fewer nodes the rest is filled up with the largest that there can be. */
const LARGEST = 2;

/**
 * The smallest eigenvalues of I − D^−½·A·D^−½ in ascending order, A being 1 between nodes that an edge joins in either
 * direction. Nodes without edges count 0 each, as other components do. A graph with fewer nodes than eigenvalues that
 * are asked for has 2 in the place of those it lacks.
 *
 * @param edges (e, 2): from and to, in turn
 */
export function smallestEigenvalues(nodes: number, edges: ArrayLike<number>, count = SPECTRUM): Float64Array {
  const matrix = new Float64Array(nodes * nodes);
  for (let e = 0; e < edges.length; e += 2) {
    const [i, j] = [edges[e]!, edges[e + 1]!];
    if (i === j) continue;
    matrix[i * nodes + j] = 1;
    matrix[j * nodes + i] = 1;
  }
  const scale = new Float64Array(nodes);
  for (let i = 0; i < nodes; i++) {
    let degree = 0;
    for (let j = 0; j < nodes; j++) degree += matrix[i * nodes + j]!;
    scale[i] = degree === 0 ? 0 : 1 / Math.sqrt(degree);
  }
  for (let i = 0; i < nodes; i++) {
    for (let j = 0; j < nodes; j++) matrix[i * nodes + j]! *= -scale[i]! * scale[j]!;
    matrix[i * nodes + i] = scale[i] === 0 ? 0 : 1;
  }
  const found = eigenvaluesOf(matrix, nodes).sort();
  return Float64Array.from({ length: count }, (_, i) => (i < nodes ? Math.max(0, found[i]!) : LARGEST));
}

/** The Euclidean distance of two spectra, σ in the paper. */
export function spectralDistance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return Math.sqrt(sum);
}
