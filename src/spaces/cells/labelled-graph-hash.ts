// A hash of small graphs with labelled nodes that is the same for all orders of the nodes, as NAS-Bench-101 defines it.
import { md5 } from '../../util/md5.js';

/**
 * Labels refined along edges by MD5, as many rounds as there are nodes.
 *
 * @param labels of nodes
 * @param adjacency `adjacency[i][j]` is 1 where i feeds j
 */
export function labelledGraphHash(
  labels: readonly number[],
  adjacency: readonly (readonly number[])[],
): string {
  const sources = adjacency.map((_, j) => labels.flatMap((_, i) => (adjacency[i]![j] ? [i] : [])));
  const targets = adjacency.map((row) => row.flatMap((edge, j) => (edge ? [j] : [])));
  let hashes = labels.map((label, i) => md5(`(${targets[i]!.length}, ${sources[i]!.length}, ${label})`));
  const sorted = (vertices: readonly number[]): string =>
    vertices.length === 1
      ? hashes[vertices[0]!]!
      : vertices
          .map((i) => hashes[i]!)
          .sort()
          .join('');
  for (let round = 0; round < labels.length; round++) {
    hashes = hashes.map((own, i) => md5(`${sorted(sources[i]!)}|${sorted(targets[i]!)}|${own}`));
  }
  return md5(`['${hashes.sort().join("', '")}']`);
}
