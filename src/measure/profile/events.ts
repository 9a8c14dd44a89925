// The profile that ONNX Runtime writes: how long each kernel took in each run, and what it read and wrote.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AuspexError } from '../../util/errors.js';
import { PROFILE_PREFIX } from '../protocol.js';
import { median } from '../statistics.js';

/** One kernel, over all runs. */
export interface KernelTime {
  /** As in the optimised graph; may be empty. */
  readonly name: string;
  readonly operator: string;
  readonly provider: string;
  readonly timeMs: number;
  /** Executions in one run. */
  readonly calls: number;
  /** Bytes of weights and activations that it read and wrote in one run. */
  readonly bytes: number;
  /** Sizes of what it read and wrote; weights that were packed before the first run are left out. */
  readonly inputs: readonly (readonly number[])[];
  readonly outputs: readonly (readonly number[])[];
  /** Of its executions, the time of a quick one: nobody interrupted it. */
  readonly quickMs: number;
}

export interface ProfileTimes {
  readonly runs: number;
  /** Median of whole runs in the profiled session. */
  readonly runMs: number;
  readonly kernels: readonly KernelTime[];
}

const event = z.object({
  cat: z.string(),
  name: z.string(),
  dur: z.number(),
  args: z
    .object({
      op_name: z.string().optional(),
      provider: z.string().optional(),
      node_index: z.string().optional(),
      activation_size: z.string().optional(),
      parameter_size: z.string().optional(),
      output_size: z.string().optional(),
      /** Sizes by the name of the element type: [{ float: [1, 3, 224, 224] }]. */
      input_type_shape: z.array(z.record(z.string(), z.array(z.number()))).optional(),
      output_type_shape: z.array(z.record(z.string(), z.array(z.number()))).optional(),
    })
    .optional(),
});
type ProfileEvent = z.infer<typeof event>;

const KERNEL = '_kernel_time';
/** The end of a run; the events of its kernels come before it. */
const RUN = 'model_run';
/** Of the runs, to warm up. */
const LEFT_OUT = 0.25;
/** Of the executions of a kernel, the fastest: others were interrupted. */
const KEPT = 0.8;

/** @throws AuspexError PROFILE_MISSING if the runtime wrote none */
export function readProfile(folder: string): ProfileTimes {
  const file = readdirSync(folder).find((name) => name.startsWith(PROFILE_PREFIX));
  if (file === undefined) throw missing();
  const runs = runsOf(z.array(event).parse(JSON.parse(readFileSync(join(folder, file), 'utf8'))));
  const kept = runs.slice(Math.floor(runs.length * LEFT_OUT));
  if (kept.length === 0) throw missing();
  return {
    runs: kept.length,
    runMs: median(kept.map(({ ms }) => ms)),
    kernels: kernelsOf(kept),
  };
}

function missing(): AuspexError {
  return new AuspexError('PROFILE_MISSING', 'ONNX Runtime wrote no profile of the network', {
    kind: 'failure',
    hint: 'profiles are written by the CPU provider: --provider cpu',
  });
}

interface Run {
  readonly ms: number;
  readonly events: readonly ProfileEvent[];
}

function runsOf(events: readonly ProfileEvent[]): Run[] {
  const runs: Run[] = [];
  let waiting: ProfileEvent[] = [];
  for (const one of events) {
    if (one.cat === 'Node' && one.name.endsWith(KERNEL)) waiting.push(one);
    if (one.name !== RUN) continue;
    runs.push({ ms: one.dur / 1000, events: waiting });
    waiting = [];
  }
  return runs;
}

/** Kernels by name and place; those in the body of a loop run several times in one run. */
function kernelsOf(runs: readonly Run[]): KernelTime[] {
  const found = new Map<string, { first: ProfileEvent; perRun: number[]; calls: number }>();
  runs.forEach((run, index) => {
    for (const one of run.events) {
      const key = `${one.args?.node_index} ${one.name}`;
      let kernel = found.get(key);
      if (kernel === undefined) {
        kernel = { first: one, perRun: new Array<number>(runs.length).fill(0), calls: 0 };
        found.set(key, kernel);
      }
      kernel.perRun[index]! += one.dur;
      kernel.calls++;
    }
  });
  return [...found.values()].map(({ first, perRun, calls }) => {
    const { op_name = '', provider = '', input_type_shape, output_type_shape, ...sizes } = first.args ?? {};
    const perRunCalls = calls / runs.length;
    const bytes = [sizes.activation_size, sizes.parameter_size, sizes.output_size]
      .map((text) => Number(text ?? 0))
      .reduce((sum, size) => sum + size, 0);
    return {
      name: first.name.slice(0, -KERNEL.length),
      operator: op_name,
      provider,
      timeMs: trimmedMean(perRun) / 1000,
      calls: perRunCalls,
      bytes: bytes * perRunCalls,
      inputs: sizesIn(input_type_shape),
      outputs: sizesIn(output_type_shape),
      quickMs: quick(perRun) / 1000,
    };
  });
}

function sizesIn(list: readonly Readonly<Record<string, number[]>>[] = []): number[][] {
  return list.map((one) => Object.values(one)[0] ?? []);
}

/** The time that a quarter of the executions keep. */
function quick(times: readonly number[]): number {
  const sorted = Float64Array.from(times).sort();
  return sorted[sorted.length >> 2]!;
}

function trimmedMean(times: readonly number[]): number {
  const sorted = Float64Array.from(times).sort();
  const kept = sorted.subarray(0, Math.max(1, Math.ceil(sorted.length * KEPT)));
  return kept.reduce((sum, time) => sum + time, 0) / kept.length;
}
