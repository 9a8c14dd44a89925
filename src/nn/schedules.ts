// Learning rates over time. A schedule is a function of the number of steps done: 0 gives the rate of the first
// step. Steps may as well be epochs. Only the plateau looks at how training goes; its state is plain data.

/** The learning rate after so many steps. */
export type Schedule = (step: number) => number;

export function constantRate(rate: number): Schedule {
  return () => rate;
}

export interface WarmupOptions {
  /** The highest rate, which warming up ends with. */
  readonly rate: number;
  /** Of the whole training; the rate stays where it is beyond. */
  readonly steps: number;
  /** The part of all steps in which the rate rises from 0. */
  readonly warmup?: number;
  /** The last rate, as a part of the highest. */
  readonly final?: number;
}

/** Rises linearly, then falls from 1 to `final` by `shape`, which goes from 1 to 0 as its argument goes from 0 to 1. */
function warmupThen(
  { rate, steps, warmup = 0.1, final = 0 }: WarmupOptions,
  shape: (done: number) => number,
): Schedule {
  const rising = warmup * steps;
  return (step) => {
    if (step < rising) return (rate * step) / rising;
    const done = steps > rising ? Math.min(1, (step - rising) / (steps - rising)) : 1;
    return rate * (final + (1 - final) * shape(done));
  };
}

/** Half a cosine (Loshchilov & Hutter 2017): η·(f + (1 − f)·½(1 + cos πt)), t from 0 after warming up to 1. */
export function warmupCosine(options: WarmupOptions): Schedule {
  return warmupThen(options, (done) => (1 + Math.cos(Math.PI * done)) / 2);
}

/** A line: η·(f + (1 − f)·(1 − t)), t from 0 after warming up to 1. */
export function warmupLinear(options: WarmupOptions): Schedule {
  return warmupThen(options, (done) => 1 - done);
}

/** η·factor^⌊step/every⌋ */
export function stepDecay({
  rate,
  every,
  factor = 0.1,
}: {
  rate: number;
  every: number;
  factor?: number;
}): Schedule {
  return (step) => rate * factor ** Math.floor(step / every);
}

export interface PlateauOptions {
  /** Whether less of the metric is better, or more. */
  readonly mode?: 'min' | 'max';
  /** What the rate is multiplied with. */
  readonly factor?: number;
  /** How many times in a row the metric may fail to improve. */
  readonly patience?: number;
  /** The part of the best metric by which another must be better to count. */
  readonly threshold?: number;
  readonly leastRate?: number;
}

/** Survives JSON. */
export interface PlateauState {
  readonly rate: number;
  /** The best metric so far; null before the first. */
  readonly best: number | null;
  /** How many metrics in a row were no better. */
  readonly stale: number;
}

export function plateauStart(rate: number): PlateauState {
  return { rate, best: null, stale: 0 };
}

/**
 * The state after one more metric: the rate falls when more than `patience` in a row were no better. As PyTorch's
 * ReduceLROnPlateau, except that a threshold is a part of the best metric's size, so that it asks for more of
 * negative metrics, too.
 */
export function plateau(state: PlateauState, metric: number, options: PlateauOptions = {}): PlateauState {
  const { mode = 'min', factor = 0.1, patience = 10, threshold = 1e-4, leastRate = 0 } = options;
  const { rate, best } = state;
  if (isBetter(metric, best, mode, threshold)) return { rate, best: metric, stale: 0 };
  const stale = state.stale + 1;
  if (stale <= patience) return { rate, best, stale };
  return { rate: Math.max(rate * factor, leastRate), best, stale: 0 };
}

/** NaN is never better. */
function isBetter(metric: number, best: number | null, mode: 'min' | 'max', threshold: number): boolean {
  if (best === null) return !Number.isNaN(metric);
  const gain = mode === 'min' ? best - metric : metric - best;
  return gain > threshold * Math.abs(best);
}
