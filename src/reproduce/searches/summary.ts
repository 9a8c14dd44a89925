// What all runs of a search experiment say together: mean regret over time with its interval, as numbers, a plot and a page.
import { linePlot, type Series } from '../../report/plots/lines.js';
import type { SearchEntry, SearchExperiment } from './experiment.js';
import { meanInterval } from './regret.js';
import { entriesOf } from './run-experiment.js';
import { RunFiles, type RunResult } from './run-files.js';
import { timesOf } from './run-search.js';

export interface RegretCurve {
  /** Seconds; moved by those of the labels that an embedding was learned from, where it is shifted. */
  readonly times: readonly number[];
  readonly mean: readonly number[];
  /** 95% intervals of the mean. */
  readonly low: readonly number[];
  readonly high: readonly number[];
}

export interface SearchLine {
  readonly entry: SearchEntry;
  readonly seeds: readonly number[];
  readonly evaluations: number;
  /** Absent where nothing was run. */
  readonly curve?: RegretCurve;
  /** The same of the label that strategies see. */
  readonly seen?: RegretCurve;
  /** The curve by the time that labels of the embedding took as well. */
  readonly shifted?: RegretCurve;
}

/** @throws AuspexError REPRODUCE_RESULT, REPRODUCE_SETTINGS, REPRODUCE_NO_CELL */
export function summarised(
  experiment: SearchExperiment,
  { out, draws, only }: { readonly out: string; readonly draws: number; readonly only?: RegExp | undefined },
): SearchLine[] {
  const files = new RunFiles(out, experiment);
  return entriesOf(experiment, only).map((entry) => {
    const results = Array.from({ length: draws }, (_, seed) => files.read(entry, seed) ?? []).flat();
    const evaluations = results.reduce((sum, run) => sum + run.evaluations, 0) / Math.max(1, results.length);
    const line = { entry, seeds: results.map(({ seed }) => seed), evaluations };
    if (results.length === 0) return line;
    const [curve, seen] = (['regret', 'seenRegret'] as const).map((of) =>
      curveOf(timesOf(experiment), results, of),
    ) as [RegretCurve, RegretCurve];
    if (entry.labelled === undefined) return { ...line, curve, seen };
    const shift = entry.labelled * experiment.labelShare * results[0]!.meanSeconds;
    return { ...line, curve, seen, shifted: { ...curve, times: curve.times.map((time) => time + shift) } };
  });
}

/** Times at which every run has evaluated something. */
function curveOf(
  times: readonly number[],
  results: readonly RunResult[],
  of: 'regret' | 'seenRegret',
): RegretCurve {
  const from = times.findIndex((_, i) => results.every((run) => run[of][i] !== null));
  const points = times.slice(from).map((_, i) => meanInterval(results.map((run) => run[of][from + i]!))!);
  return {
    times: times.slice(from),
    mean: points.map(({ mean }) => mean),
    low: points.map(({ low }) => low),
    high: points.map(({ high }) => high),
  };
}

/** Values at a time: of the last point that is not later. */
export function regretBy({ times, mean, low, high }: RegretCurve, seconds: number) {
  const at = times.findLastIndex((time) => time <= seconds * (1 + 1e-9));
  return at < 0 ? undefined : { mean: mean[at]!, low: low[at]!, high: high[at]! };
}

/** What a plot shows: regret of the test label, the same later by the time of labels, or of the label that strategies see. */
export const REGRETS = { curve: 'test regret', shifted: 'test regret', seen: 'validation regret' } as const;
export type Regret = keyof typeof REGRETS;

/** Mean regret over seconds of training, with bands. */
export function regretPlot(
  { title, seconds }: SearchExperiment,
  lines: readonly SearchLine[],
  regret: Regret,
): string {
  const series = lines.flatMap((line): Series[] => {
    const shown = line[regret] ?? line.curve;
    if (shown === undefined) return [];
    const count = shown.times.filter((time) => time <= seconds * (1 + 1e-9)).length;
    if (count === 0) return [];
    const percent = (values: readonly number[]): number[] => values.slice(0, count).map((x) => 100 * x);
    return [
      {
        name: `${line.entry.name}${regret === 'shifted' && line.shifted ? ', shifted' : ''}`,
        x: shown.times.slice(0, count),
        // The best there is has no place on a logarithmic axis: the curve ends before.
        y: percent(shown.mean).map((y) => (y > 0 ? y : Number.NaN)),
        low: percent(shown.low),
        high: percent(shown.high),
      },
    ];
  });
  return linePlot({
    title: regret === 'shifted' ? `${title}, with the time of labels` : title,
    x: { label: 'seconds of training', kind: 'log' },
    y: { label: `${REGRETS[regret]} (%), mean and 95% interval`, kind: 'log' },
    series,
  });
}
