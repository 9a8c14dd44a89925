// Regret over time: how much worse the best network so far is than the best there is, at points in time. The best so far is the
// one with the best value; how good it really is says another label.

/** An evaluated network. */
export interface Evaluation {
  readonly value: number;
  readonly test: number;
  readonly seconds: number;
}

/** Twenty points for every power of ten. */
export function timeGrid(from: number, to: number): number[] {
  const [first, last] = [Math.log10(from), Math.log10(to)];
  const count = Math.round(20 * (last - first));
  return Array.from({ length: count + 1 }, (_, i) => 10 ** (first + (i * (last - first)) / count));
}

/** The evaluation with the best value at each time; undefined before the first one is done. */
export function incumbentsAt(
  times: readonly number[],
  evaluations: readonly Evaluation[],
): (Evaluation | undefined)[] {
  let [done, spent] = [0, 0];
  let incumbent: Evaluation | undefined;
  return times.map((time) => {
    for (; done < evaluations.length; done++) {
      const next = evaluations[done]!;
      if (spent + next.seconds > time) break;
      spent += next.seconds;
      if (incumbent === undefined || next.value > incumbent.value) incumbent = next;
    }
    return incumbent;
  });
}

interface Interval {
  readonly mean: number;
  /** Of 95%, by the normal distribution of means; the mean itself where runs are too few for that. */
  readonly low: number;
  readonly high: number;
}

/** Fewer have no interval. */
const FEWEST_RUNS = 5;

export function meanInterval(values: readonly number[]): Interval | undefined {
  if (values.length === 0) return undefined;
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  if (values.length < FEWEST_RUNS) return { mean, low: mean, high: mean };
  const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / Math.max(1, values.length - 1);
  const half = 1.96 * Math.sqrt(variance / values.length);
  return { mean, low: mean - half, high: mean + half };
}
