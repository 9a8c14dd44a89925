// Measures a prepared network: one process after another, each a block of runs. Medians of blocks tell how far processes
// differ, which runs of one process cannot.
import type { AuspexError } from '../util/errors.js';
import { type Noise, noiseOf } from './noise.js';
import type { PreparedNetwork } from './prepare.js';
import { measureInProcess, type ProcessLimits, type ProcessRecord } from './process.js';
import type { MeasuredMemory, RunSettings, Time } from './protocol.js';
import { median, type Summary, summarise } from './statistics.js';
import type { StoppingRule } from './stopping.js';

/** The runs of one process. */
export interface Block {
  readonly runs: number;
  /** Medians. */
  readonly wallMs: number;
  /** Undefined where only the clock was read. */
  readonly cpuMs: number | undefined;
}

/** What is known of a network in one case. */
export interface Measurement {
  readonly wallMs: Summary;
  readonly cpuMs: Summary | undefined;
  readonly blocks: readonly Block[];
  readonly warmupRuns: number;
  /** Of the first process: time to make the session, and of its first run. */
  readonly created: Time | undefined;
  readonly first: Time | undefined;
  readonly memory: MeasuredMemory | undefined;
  readonly noise: Noise;
  readonly runtime: string | undefined;
  /** Why it was stopped before it had run often enough. */
  readonly stopped: AuspexError | undefined;
}

export interface BlockRequest {
  readonly prepared: PreparedNetwork;
  readonly settings: RunSettings;
  readonly rule: StoppingRule;
  readonly limits: ProcessLimits;
}

/** One block. Throws what `measureInProcess` throws. */
export function measureBlock({ prepared, settings, rule, limits }: BlockRequest): Promise<ProcessRecord> {
  const { file, inputs } = prepared;
  return measureInProcess({ file, inputs, settings, rule }, limits);
}

/** Memory, in a process of its own. Throws what `measureInProcess` throws. */
export async function measureMemory(request: BlockRequest): Promise<MeasuredMemory | undefined> {
  const { prepared, settings, rule, limits } = request;
  const { file, inputs } = prepared;
  return (await measureInProcess({ file, inputs, settings, rule, isForMemory: true }, limits)).memory;
}

/** @param blocks at least one, each with at least one run */
export function combined(
  blocks: readonly ProcessRecord[],
  threads: number,
  memory?: MeasuredMemory,
): Measurement {
  const [first] = blocks;
  const wallMs = blocks.flatMap((block) => block.wallMs);
  const cpuMs = blocks.flatMap((block) => block.cpuMs);
  return {
    wallMs: summarise(wallMs),
    cpuMs: cpuMs.length === 0 ? undefined : summarise(cpuMs),
    blocks: blocks.map((block) => ({
      runs: block.wallMs.length,
      wallMs: median(block.wallMs),
      cpuMs: block.cpuMs.length === 0 ? undefined : median(block.cpuMs),
    })),
    warmupRuns: blocks.reduce((sum, block) => sum + block.warmupRuns, 0),
    created: first!.created,
    first: first!.first,
    memory,
    noise: noiseOf(wallMs, cpuMs, threads),
    runtime: first!.runtime,
    stopped: blocks.find(({ stopped }) => stopped !== undefined)?.stopped,
  };
}
