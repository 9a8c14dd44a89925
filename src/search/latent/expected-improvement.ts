// How much a normally distributed value is expected to exceed the best one so far (Mockus 1978).
// EI = σ·(pdf(u) + u·cdf(u)), u = (mean − best)/σ.

const SQRT_2PI = Math.sqrt(2 * Math.PI);

/** @param spread σ, the standard deviation */
export function expectedImprovement(mean: number, spread: number, best: number): number {
  if (!(spread > 0)) return Math.max(0, mean - best);
  const u = (mean - best) / spread;
  return spread * (Math.exp(-0.5 * u * u) / SQRT_2PI + u * normalCdf(u));
}

/** Of the standard normal distribution. */
function normalCdf(x: number): number {
  return x > 0 ? 1 - upperTail(x) : upperTail(-x);
}

/** P(X > x) for x ≥ 0: a series near 0, a continued fraction beyond, both to double precision. */
function upperTail(x: number): number {
  if (x > 38) return 0;
  const density = Math.exp(-0.5 * x * x) / SQRT_2PI;
  if (x < 3) {
    let [term, sum] = [x, x];
    for (let n = 3; Math.abs(term) > 1e-17 * Math.abs(sum); n += 2) {
      term *= (x * x) / n;
      sum += term;
    }
    return 0.5 - density * sum;
  }
  let fraction = 0;
  for (let n = 200; n > 0; n--) fraction = n / (x + fraction);
  return density / (x + fraction);
}
