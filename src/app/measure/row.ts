// From a measurement to its row in the JSON document.
import type { Case } from '../../measure/grid.js';
import type { Measurement } from '../../measure/measure.js';
import { predictedMemory } from '../../measure/predicted-memory.js';
import type { PreparedNetwork } from '../../measure/prepare.js';
import type { Profile } from '../../measure/profile/profile.js';
import type { MeasuredMemory } from '../../measure/protocol.js';
import type { Regression } from '../../measure/regression.js';
import type { Summary } from '../../measure/statistics.js';
import { attempt } from '../../util/attempt.js';
import type { MeasureRow, RegressionDocument, SummaryDocument } from '../documents/measure.js';
import { profileDocumentOf } from '../documents/profile.js';
import { problemOf } from '../problem.js';

export interface MeasuredCase {
  readonly name: string;
  readonly prepared: PreparedNetwork;
  readonly case: Case;
  readonly measurement: Measurement;
  readonly profile: Profile | undefined;
}

export function rowOf({ name, prepared, case: one, measurement, profile }: MeasuredCase): MeasureRow {
  const { given, network, inputs, meanings, chosenFlags, isOwnFile } = prepared;
  const { wallMs, cpuMs, blocks, warmupRuns, created, first, memory, noise, runtime, stopped } = measurement;
  return {
    network: name,
    // Without sizes: those are in its inputs.
    hash: attempt(() => given.hash()) ?? null,
    label: one.label,
    inputs: Object.entries(inputs).map(([input, { type, dims }]) => ({
      name: input,
      type,
      shape: [...dims],
      meaning: meanings[input] ?? '',
    })),
    chosenSizes: chosenFlags ?? null,
    isOwnFile,
    ...one.settings,
    runtime: runtime ?? null,
    wallMs: summaryOf(wallMs),
    cpuMs: cpuMs === undefined ? null : summaryOf(cpuMs),
    first: first ?? null,
    created: created ?? null,
    warmupRuns,
    blocks: blocks.map((block) => ({ ...block, cpuMs: block.cpuMs ?? null })),
    noise: { wallPerCpu: noise.wallPerCpu ?? null, drift: noise.drift, warnings: [...noise.warnings] },
    memory: memory === undefined ? null : memoryDocumentOf(memory),
    predictedMemory: attempt(() => predictedMemory(network, given)) ?? null,
    regression: null,
    profile: profile === undefined ? null : profileDocumentOf(profile),
    stopped: stopped === undefined ? null : problemOf(stopped),
  };
}

function memoryDocumentOf({ peakBytes, runningBytes, isExact }: MeasuredMemory): MeasureRow['memory'] {
  return { peakBytes, runningBytes, isExact };
}

function summaryOf({ interval, p99, ...numbers }: Summary): SummaryDocument {
  return { ...numbers, interval: interval === undefined ? null : [...interval], p99: p99 ?? null };
}

export function regressionDocumentOf({ interval, blocks, ...rest }: Regression): RegressionDocument {
  return { ...rest, interval: [...interval], blocks: [...blocks] };
}
