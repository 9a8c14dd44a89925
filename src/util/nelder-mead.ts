// The least value of a function of a few variables without gradients (Nelder & Mead 1965), with the simplex, the coefficients and
// the end that SciPy's `fmin` has.

const [FIRST_SHARE, FIRST_AT_ZERO] = [0.05, 0.00025];
/** How near all points and their values must be to the best one. */
const TOLERANCE = 1e-4;

interface Point {
  readonly x: readonly number[];
  readonly value: number;
}

/** The point where the function is least, as far as is found in 200 steps for each variable. */
export function nelderMead(f: (x: readonly number[]) => number, start: readonly number[]): readonly number[] {
  const n = start.length;
  const at = (x: readonly number[]): Point => ({ x, value: f(x) });
  const between = (a: readonly number[], b: readonly number[], part: number): number[] =>
    a.map((from, i) => from + part * (b[i]! - from));
  const simplex = [
    at(start),
    ...start.map((_, k) =>
      at(start.map((x, i) => (i !== k ? x : x === 0 ? FIRST_AT_ZERO : (1 + FIRST_SHARE) * x))),
    ),
  ];
  const sort = (): void => void simplex.sort((a, b) => a.value - b.value);
  sort();
  for (let step = 0; step < 200 * n; step++) {
    const [best, worst] = [simplex[0]!, simplex[n]!];
    const isEnd = simplex.every(
      ({ x, value }) =>
        Math.abs(value - best.value) <= TOLERANCE &&
        x.every((one, i) => Math.abs(one - best.x[i]!) <= TOLERANCE),
    );
    if (isEnd) break;
    const centre = start.map((_, i) => simplex.slice(0, n).reduce((sum, { x }) => sum + x[i]!, 0) / n);
    const beyond = (part: number): Point => at(between(centre, worst.x, -part));
    const reflected = beyond(1);
    let next: Point | undefined;
    if (reflected.value < best.value) {
      const expanded = beyond(2);
      next = expanded.value < reflected.value ? expanded : reflected;
    } else if (reflected.value < simplex[n - 1]!.value) next = reflected;
    else if (reflected.value < worst.value) {
      const contracted = beyond(0.5);
      if (contracted.value <= reflected.value) next = contracted;
    } else {
      const contracted = beyond(-0.5);
      if (contracted.value < worst.value) next = contracted;
    }
    if (next) simplex[n] = next;
    else for (let i = 1; i <= n; i++) simplex[i] = at(between(best.x, simplex[i]!.x, 0.5));
    sort();
  }
  return simplex[0]!.x;
}
