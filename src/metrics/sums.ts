// Sums that do not lose small terms: plain addition over 400,000 rows costs four digits. The rounding error of every
// addition is found by Knuth's TwoSum and added up beside it (Neumaier 1974). Infinity where float64 overflows.

/** Σ x_i */
export function sum(x: Float64Array): number {
  let total = 0;
  let lost = 0;
  for (let i = 0; i < x.length; i++) {
    const value = x[i]!;
    const next = total + value;
    const added = next - total;
    lost += total - (next - added) + (value - added);
    total = next;
  }
  return Number.isFinite(total) ? total + lost : total;
}

/** Σ x_i·y_i, each product rounded. */
export function dot(x: Float64Array, y: Float64Array): number {
  let total = 0;
  let lost = 0;
  for (let i = 0; i < x.length; i++) {
    const value = x[i]! * y[i]!;
    const next = total + value;
    const added = next - total;
    lost += total - (next - added) + (value - added);
    total = next;
  }
  return Number.isFinite(total) ? total + lost : total;
}
