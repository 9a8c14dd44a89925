// Agglomerative clustering with complete linkage: the two clusters are joined whose farthest points are nearest, as long as these
// are nearer than a threshold. No two points of a cluster are farther apart than it.

/**
 * The cluster of every row, numbered from 0 in the order of their first rows; −1 for rows with NaN. Time is quadratic in the
 * rows, by chains of nearest neighbours (Murtagh 1983).
 *
 * @param rows (n, width), row by row
 */
export function completeLinkage(rows: Float64Array, width: number, threshold: number): Int32Array {
  const all = Array.from({ length: rows.length / width }, (_, i) => i);
  const known = all.filter((i) => rows.subarray(i * width, (i + 1) * width).every(Number.isFinite));
  const n = known.length;
  const distances = new Float64Array(n * n);
  for (let a = 0; a < n; a++) {
    for (let b = 0; b < a; b++) {
      let sum = 0;
      for (let k = 0; k < width; k++)
        sum += (rows[known[a]! * width + k]! - rows[known[b]! * width + k]!) ** 2;
      distances[a * n + b] = distances[b * n + a] = Math.sqrt(sum);
    }
  }
  const parent = Int32Array.from({ length: n }, (_, i) => i);
  const root = (i: number): number => {
    let at = i;
    while (parent[at] !== at) at = parent[at]!;
    return at;
  };
  const left = new Set(Array.from({ length: n }, (_, i) => i));
  const chain: number[] = [];
  while (left.size > 1) {
    if (chain.length === 0) chain.push(left.values().next().value!);
    const [last, before] = [chain.at(-1)!, chain.at(-2)];
    // The one before wins ties, or chains would have no end.
    let [nearest, least] = [
      before ?? -1,
      before === undefined ? Number.POSITIVE_INFINITY : distances[last * n + before]!,
    ];
    for (const other of left) {
      if (other !== last && distances[last * n + other]! < least) {
        [nearest, least] = [other, distances[last * n + other]!];
      }
    }
    if (nearest !== before) {
      chain.push(nearest);
      continue;
    }
    chain.length -= 2;
    left.delete(nearest);
    // What is joined beyond the threshold is never joined below it again: distances only grow.
    if (least < threshold) parent[root(nearest)] = root(last);
    for (const other of left) {
      if (other === last) continue;
      const far = Math.max(distances[last * n + other]!, distances[nearest * n + other]!);
      distances[last * n + other] = far;
      distances[other * n + last] = far;
    }
  }
  const numbers = new Map<number, number>();
  const found = new Int32Array(all.length).fill(-1);
  known.forEach((row, i) => {
    const at = root(i);
    if (!numbers.has(at)) numbers.set(at, numbers.size);
    found[row] = numbers.get(at)!;
  });
  return found;
}
