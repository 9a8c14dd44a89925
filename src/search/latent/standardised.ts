// Columns with mean 0 and deviation 1, as those of some rows have it.

export interface Standard {
  readonly means: Float64Array;
  /** 1 where all rows are equal. */
  readonly deviations: Float64Array;
}

/** @param rows (n, width), row by row */
export function standardOf(rows: Float64Array, width: number): Standard {
  const count = rows.length / width;
  const [means, squares] = [new Float64Array(width), new Float64Array(width)];
  rows.forEach((x, i) => {
    means[i % width]! += x / count;
  });
  rows.forEach((x, i) => {
    squares[i % width]! += (x - means[i % width]!) ** 2 / count;
  });
  return { means, deviations: squares.map((square) => (square > 0 ? Math.sqrt(square) : 1)) };
}

export function standardised(rows: Float64Array, { means, deviations }: Standard): Float64Array {
  const width = means.length;
  return rows.map((x, i) => (x - means[i % width]!) / deviations[i % width]!);
}
