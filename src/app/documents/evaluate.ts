// The JSON document of `auspex evaluate`, as docs/json/evaluate.md describes it.
import { z } from 'zod';
import type { EvaluatedLabel } from '../../report/pages/evaluation-report.js';
import type { Evaluated } from '../evaluate.js';

const number = z.number().nullable();
const better = z.enum(['higher', 'lower']);

/** Rows for a plot, in columns. Documents of earlier versions have none. */
const pointsSchema = z.object({
  measured: z.array(z.number()),
  predicted: z.array(z.number()),
  /** Ends of prediction intervals; null for a predictor without intervals. */
  low: z.array(z.number()).nullable(),
  high: z.array(z.number()).nullable(),
});
export type EvaluationPoints = z.infer<typeof pointsSchema>;

/** Of more rows, every second, third … is taken. */
const MOST_POINTS = 1000;
const DIGITS = 6;

export const evaluateDocument = z.object({
  schema: z.literal('auspex.evaluate/1'),
  predictor: z.object({
    file: z.string(),
    kind: z.string(),
    space: z.string(),
    rows: z.number(),
    seed: z.number(),
    labels: z.array(z.string()),
  }),
  data: z.object({
    file: z.string(),
    rows: z.number(),
    split: z.string().nullable(),
    part: z.enum(['train', 'validation', 'test']).nullable(),
    chosen: z.number(),
  }),
  labels: z.array(
    z.object({
      label: z.string(),
      unit: z.string(),
      better,
      higherIsBetter: z.boolean(),
      trainedOn: z.string(),
      rows: z.number(),
      withoutTruth: z.number(),
      metrics: z.array(
        z.object({
          name: z.string(),
          title: z.string(),
          better,
          value: number,
          low: number,
          high: number,
          degenerate: number,
          problem: z.object({ code: z.string(), message: z.string() }).nullable(),
        }),
      ),
      intervals: z
        .object({
          promised: number,
          rows: z.number(),
          inside: z.number(),
          share: z.number(),
          low: z.number(),
          high: z.number(),
          meanWidth: z.number(),
        })
        .nullable(),
      bootstrap: z.object({
        confidence: z.number(),
        resamples: z.number(),
        seed: z.number(),
        drawn: z.number(),
      }),
      points: pointsSchema.optional(),
    }),
  ),
  absent: z.array(z.string()),
  report: z.string().nullable(),
});

export type EvaluateDocument = z.infer<typeof evaluateDocument>;

export function evaluateDocumentOf(found: Evaluated, report: string | undefined): EvaluateDocument {
  const { file, info, data, tableRows, chosen, labels, absent } = found;
  return {
    schema: 'auspex.evaluate/1',
    predictor: {
      file,
      kind: info.kind,
      space: info.seen.spaces.join(', '),
      rows: info.seen.rows,
      seed: info.seen.seed,
      labels: info.labels.map(({ name }) => name),
    },
    data: {
      file: data,
      rows: tableRows,
      split: chosen.split ?? null,
      part: chosen.part ?? null,
      chosen: chosen.rows.length,
    },
    labels: labels.map(labelFields),
    absent: [...absent],
    report: report ?? null,
  };
}

function labelFields(evaluated: EvaluatedLabel): EvaluateDocument['labels'][number] {
  const { label, unit, better, trainedOn, promised, evaluation } = evaluated;
  const { rows, withoutTruth, metrics, coverage, bootstrap } = evaluation;
  return {
    label,
    unit,
    better,
    higherIsBetter: better === 'higher',
    trainedOn,
    rows,
    withoutTruth,
    metrics: metrics.map(({ name, title, better, estimate, low, high, degenerate, problem }) => ({
      name,
      title,
      better,
      value: estimate ?? null,
      low: low ?? null,
      high: high ?? null,
      degenerate: degenerate ?? null,
      problem: problem ?? null,
    })),
    intervals: coverage === undefined ? null : { promised: promised ?? null, ...coverage },
    bootstrap: { ...bootstrap },
    points: pointsOf(evaluated),
  };
}

function pointsOf({ predictions, truths }: EvaluatedLabel): EvaluationPoints {
  const known = predictions
    .map(({ value, low, high }, row) => ({ measured: truths[row]!, predicted: value, low, high }))
    .filter(({ measured, predicted }) => Number.isFinite(measured) && Number.isFinite(predicted));
  const every = Math.max(1, Math.ceil(known.length / MOST_POINTS));
  const shown = known.filter((_, i) => i % every === 0);
  const short = (x: number): number => Number(x.toPrecision(DIGITS));
  const hasEnds = shown.length > 0 && shown.every(({ low, high }) => isNumber(low) && isNumber(high));
  return {
    measured: shown.map(({ measured }) => short(measured)),
    predicted: shown.map(({ predicted }) => short(predicted)),
    low: hasEnds ? shown.map(({ low }) => short(low!)) : null,
    high: hasEnds ? shown.map(({ high }) => short(high!)) : null,
  };
}

function isNumber(x: number | undefined): boolean {
  return x !== undefined && Number.isFinite(x);
}
