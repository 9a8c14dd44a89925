// What a benchmark found, as JSON of a version, and as text for people.
import { arch, cpus, totalmem } from 'node:os';
import * as z from 'zod';
import { BUSY, type Compared, type Counts } from './blocks.js';

const SIDE = z.object({
  ms: z.number(),
  starts: z.array(z.number()),
  cores: z.number().optional(),
  version: z.string(),
});

export const BENCH_DOCUMENT = z.object({
  schema: z.literal('auspex.bench/1'),
  benchmark: z.string(),
  date: z.string(),
  machine: z.object({
    cpu: z.string(),
    cores: z.int(),
    memoryGb: z.int(),
    architecture: z.string(),
    node: z.string(),
  }),
  options: z.record(z.string(), z.unknown()),
  counts: z.object({ starts: z.int(), repeats: z.int(), warmUp: z.int() }),
  rows: z.array(
    z.object({
      name: z.string(),
      ours: SIDE,
      peer: SIDE,
      /** Left out when the machine was busy. */
      ratio: z.number().optional(),
      others: z.number().optional(),
      mmacs: z.number().optional(),
    }),
  ),
});
export type BenchDocument = z.infer<typeof BENCH_DOCUMENT>;

export function documentOf(
  benchmark: string,
  options: Record<string, unknown>,
  counts: Counts,
  rows: readonly Compared[],
): BenchDocument {
  const [first] = cpus();
  return BENCH_DOCUMENT.parse({
    schema: 'auspex.bench/1',
    benchmark,
    date: new Date().toISOString().slice(0, 10),
    machine: {
      cpu: first?.model.trim() || 'unknown',
      cores: cpus().length,
      memoryGb: Math.round(totalmem() / 2 ** 30),
      architecture: arch(),
      node: process.version,
    },
    options,
    counts,
    rows,
  });
}

/** `12.3 ms`, `1.23 s`: three digits that count. */
export function time(ms: number): string {
  return ms >= 10_000 ? `${(ms / 1000).toPrecision(3)} s` : `${trimmed(ms)} ms`;
}

function trimmed(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** `1.07 ×`, or that the machine was busy. */
export function ratioText({
  ratio,
  others,
}: {
  ratio?: number | undefined;
  others?: number | undefined;
}): string {
  return ratio === undefined ? `busy (${others!.toFixed(1)} cores)` : `${ratio.toFixed(2)} ×`;
}

/** `9.1–10.2`: the fastest and the slowest start. */
export function spread(starts: readonly number[]): string {
  return `${trimmed(Math.min(...starts))}–${trimmed(Math.max(...starts))}`;
}

const COLUMNS = [11, 17, 11, 17, 18] as const;

export function heading(counts: Counts, width: number): string {
  const { starts, repeats, warmUp } = counts;
  const titles = ['auspex', 'starts, ms', 'peer', 'starts, ms', 'ratio'];
  return (
    `Each side alone in a new process, in turn: ${starts} starts, medians of ${repeats} runs after ${warmUp}.\n` +
    `There is no ratio when others use more than ${BUSY} cores.\n\n` +
    `${''.padEnd(width)}${titles.map((title, i) => title.padStart(COLUMNS[i]!)).join('')}`
  );
}

export function lineOf(row: Compared, width: number): string {
  const { ours, peer, mmacs } = row;
  const speed = mmacs === undefined ? '' : `  ${((2 * mmacs) / ours.ms).toFixed(0)} GFLOP/s`;
  const cells = [time(ours.ms), spread(ours.starts), time(peer.ms), spread(peer.starts), ratioText(row)];
  return `${row.name.padEnd(width)}${cells.map((cell, i) => cell.padStart(COLUMNS[i]!)).join('')}${speed}`;
}
