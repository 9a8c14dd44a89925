// The JSON document of `auspex measure`, as docs/json/measure.md describes it. A later run reads it as its baseline.
import { z } from 'zod';
import { problem } from '../problem.js';
import { profileDocument } from './profile.js';

const number = z.number();
const interval = z.tuple([number, number]);

const summary = z.object({
  runs: number,
  median: number,
  /** Null below six runs. */
  interval: interval.nullable(),
  mean: number,
  min: number,
  max: number,
  p90: number,
  /** Null below 100 runs. */
  p99: number.nullable(),
});
export type SummaryDocument = z.infer<typeof summary>;

const time = z.object({ wallMs: number, cpuMs: number });

const regression = z.object({
  clock: z.enum(['wall', 'cpu']),
  limit: number,
  ratio: number,
  interval,
  confidence: number,
  blocks: z.tuple([number, number]),
  verdict: z.enum(['slower', 'not slower', 'uncertain']),
});
export type RegressionDocument = z.infer<typeof regression>;

const row = z.object({
  network: z.string(),
  /** The structure hash; null if the network was only given to a runner. */
  hash: z.string().nullable(),
  label: z.string(),
  inputs: z.array(
    z.object({ name: z.string(), type: z.string(), shape: z.array(number), meaning: z.string() }),
  ),
  /** Options that set the sizes that were chosen; null if all were given or fixed. */
  chosenSizes: z.string().nullable(),
  isOwnFile: z.boolean(),
  threads: number,
  provider: z.string(),
  optimization: z.string(),
  runtime: z.string().nullable(),
  wallMs: summary,
  cpuMs: summary.nullable(),
  first: time.nullable(),
  created: time.nullable(),
  warmupRuns: number,
  blocks: z.array(z.object({ runs: number, wallMs: number, cpuMs: number.nullable() })),
  noise: z.object({
    wallPerCpu: number.nullable(),
    drift: number,
    warnings: z.array(z.enum(['busy', 'drift'])),
  }),
  memory: z
    .object({
      peakBytes: number,
      runningBytes: number,
      isExact: z.boolean(),
    })
    .nullable(),
  /** Null where sizes or operators are unknown. */
  predictedMemory: z.object({ peakBytes: number, weightBytes: number, activationBytes: number }).nullable(),
  regression: regression.nullable(),
  profile: profileDocument.nullable(),
  stopped: problem.nullable(),
});
export type MeasureRow = z.infer<typeof row>;

export const measureDocument = z.object({
  schema: z.literal('auspex.measure/1'),
  auspex: z.string(),
  date: z.string(),
  machine: z.object({
    processor: z.string(),
    cores: number,
    memoryBytes: number,
    platform: z.string(),
    governor: z.string().nullable(),
    node: z.string(),
  }),
  /** The command that measured elsewhere. */
  runner: z.string().nullable(),
  rule: z.object({
    precision: number,
    leastRuns: number,
    mostRuns: number,
    seconds: number,
    warmupSeconds: number,
    confidence: number,
  }),
  processes: number,
  seed: number,
  isComplete: z.boolean(),
  rows: z.array(row),
  errors: z.array(z.object({ network: z.string(), label: z.string(), error: problem })),
});
export type MeasureDocument = z.infer<typeof measureDocument>;
