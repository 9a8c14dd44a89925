// The memory that runs of a network take beyond its session: the first run takes buffers one by one, later ones take a single block
// in which the first run's buffers are laid out.
import { Arena, type Chunk } from './arena.js';
import type { Buffer } from './buffers.js';

export interface RunMemory {
  /** Bytes touched after the first run, and after the second. */
  readonly firstBytes: number;
  readonly laterBytes: number;
  /** Most bytes of buffers at once. */
  readonly activationBytes: number;
}

/** @param packed bytes of each weight that the session keeps in the pool */
export function runMemory(buffers: readonly Buffer[], packed: readonly number[] = []): RunMemory {
  const arena = new Arena();
  for (const bytes of packed) arena.touch(arena.take(bytes), 0, bytes);
  const session = arena.touchedBytes;
  const layout = laidOut(buffers.filter(({ isOutput }) => !isOutput));
  firstRun(arena, buffers);
  const firstBytes = arena.touchedBytes - session;
  laterRun(arena, buffers, layout);
  return { firstBytes, laterBytes: arena.touchedBytes - session, activationBytes: mostAtOnce(buffers) };
}

function firstRun(arena: Arena, buffers: readonly Buffer[]): void {
  const held: { readonly until: number; readonly chunk: Chunk }[] = [];
  for (const { bytes, from, until, isOutput } of buffers) {
    giveUntil(arena, held, from);
    const chunk = arena.take(bytes);
    arena.touch(chunk, 0, bytes);
    held.push({ until: isOutput ? Number.POSITIVE_INFINITY : until, chunk });
  }
  // The caller still has the outputs while the next run begins.
  for (const { until, chunk } of held) if (until < Number.POSITIVE_INFINITY) arena.give(chunk);
}

/** Gives back what was last used before a kernel, in the order of the kernels. */
function giveUntil(arena: Arena, held: { until: number; chunk: Chunk }[], from: number): void {
  const ended = held.filter(({ until }) => until < from).sort((a, b) => a.until - b.until);
  for (const one of ended) {
    arena.give(one.chunk);
    held.splice(held.indexOf(one), 1);
  }
}

interface Laid {
  readonly start: number;
  readonly bytes: number;
}

function laterRun(arena: Arena, buffers: readonly Buffer[], layout: readonly Laid[]): void {
  const size = layout.reduce((most, { start, bytes }) => Math.max(most, start + bytes), 0);
  const chunks: Chunk[] = [];
  if (size > 0) {
    const block = arena.take(size);
    for (const { start, bytes } of layout) arena.touch(block, start, bytes);
    chunks.push(block);
  }
  for (const { bytes, isOutput } of buffers) {
    if (!isOutput) continue;
    const chunk = arena.take(bytes);
    arena.touch(chunk, 0, bytes);
    chunks.push(chunk);
  }
  for (const chunk of chunks) arena.give(chunk);
}

const ALIGNMENT = 256;

/** Where buffers lie in one block: each in the smallest gap that holds it, up to where the block ends so far; else at the end. */
function laidOut(buffers: readonly Buffer[]): Laid[] {
  const live: (Laid & { readonly until: number })[] = [];
  let size = 0;
  return buffers.map(({ bytes: exact, from, until }) => {
    const bytes = Math.ceil(exact / ALIGNMENT) * ALIGNMENT;
    for (let i = live.length - 1; i >= 0; i--) if (live[i]!.until < from) live.splice(i, 1);
    let [at, start, waste, end] = [live.length, 0, Number.POSITIVE_INFINITY, 0];
    for (const [i, one] of live.entries()) {
      const gap = one.start - end;
      if (gap >= bytes && gap - bytes < waste) [at, start, waste] = [i, end, gap - bytes];
      end = Math.max(end, one.start + one.bytes);
    }
    const rest = size - end;
    if (waste === Number.POSITIVE_INFINITY || (rest >= bytes && rest - bytes < waste))
      [at, start] = [live.length, end];
    size = Math.max(size, start + bytes);
    live.splice(at, 0, { start, bytes, until });
    return { start, bytes };
  });
}

function mostAtOnce(buffers: readonly Buffer[]): number {
  const changes: [at: number, bytes: number][] = buffers.flatMap(({ bytes, from, until, isOutput }) => [
    [from, bytes],
    ...(isOutput ? [] : [[until + 0.5, -bytes] as [number, number]]),
  ]);
  changes.sort(([a], [b]) => a - b);
  let [live, peak] = [0, 0];
  for (const [, bytes] of changes) {
    live += bytes;
    peak = Math.max(peak, live);
  }
  return peak;
}
