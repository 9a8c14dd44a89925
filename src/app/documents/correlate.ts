// The JSON document of correlations, `auspex.proxy.correlate/1`: docs/json/proxy.md says what its fields mean.
import * as z from 'zod';
import type { MetricResult } from '../../predictors/evaluate.js';
import type { CorrelateFound } from '../correlate.js';
import { planOptions } from '../score/plan.js';
import { isScored } from '../score/record.js';
import { columnDocumentOf, combinationDocument, directed, proxyDocument } from './score.js';

const count = z.int().min(0);

const metric = z.strictObject({
  value: z.number().nullable(),
  low: z.number().nullable(),
  high: z.number().nullable(),
  problem: z.object({ code: z.string(), message: z.string() }).nullable(),
});

const measured = { rows: count, tau: metric, spearman: metric };

export const correlateDocument = z.strictObject({
  schema: z.literal('auspex.proxy.correlate/1'),
  data: z.strictObject({ file: z.string(), space: z.string().nullable(), rows: count }),
  label: z.strictObject({ name: z.string(), unit: z.string(), ...directed }),
  options: planOptions,
  rows: count,
  failed: count,
  correlations: z.array(z.union([proxyDocument.extend(measured), combinationDocument.extend(measured)])),
  bootstrap: z.strictObject({ confidence: z.number(), resamples: count, seed: count }),
  report: z.string().nullable(),
  output: z.string().nullable(),
});
export type CorrelateDocument = z.input<typeof correlateDocument>;

/** @param report the path of the page, if one was written */
export function correlateDocumentOf(
  { plan, table, file, label, columns, records, correlations, resamples, output }: CorrelateFound,
  report: string | null,
): CorrelateDocument {
  const { proxies: _, space, ...options } = plan;
  const { name, unit, better } = label;
  return {
    schema: 'auspex.proxy.correlate/1',
    data: { file, space, rows: table.rows },
    label: { name, unit, better, higherIsBetter: better === 'higher' },
    options,
    rows: records.length,
    failed: records.filter((record) => !isScored(record)).length,
    correlations: correlations.map((correlation) => ({
      ...columnDocumentOf(columns.find((column) => column.name === correlation.name)!),
      rows: correlation.rows,
      tau: metricOf(correlation.tau),
      spearman: metricOf(correlation.spearman),
    })),
    bootstrap: { confidence: 0.95, resamples, seed: plan.seed },
    report,
    output,
  };
}

function metricOf({ estimate, low, high, problem }: MetricResult): z.infer<typeof metric> {
  return { value: estimate ?? null, low: low ?? null, high: high ?? null, problem: problem ?? null };
}
