// Comparisons in blocks: one side alone in a fresh process, then the other, in turn. Idle threads of one side never share
// the cores with the other, and a process that happens to be slow is one of several.
import { spawn } from 'node:child_process';
import { Answerer, type Command } from './answerer.js';
import { type Load, watchLoad } from './load.js';

export interface Line {
  readonly side: Command;
  /** What it is asked. */
  readonly line: string;
}

export interface Row {
  readonly name: string;
  readonly ours: Line;
  /** Ways in which the peer can do the same; the one that takes the least time counts. */
  readonly peers: readonly [Line, ...Line[]];
  /** What a run does, in millions of multiply-adds, where it is known. */
  readonly mmacs?: number;
  readonly repeats?: number;
  /** Whether another program keeps one core busy while either side runs. */
  readonly isShared?: boolean;
}

export interface Counts {
  readonly starts: number;
  readonly repeats: number;
  readonly warmUp: number;
}

/** One process: the median of its runs, and what it and others used of the machine meanwhile. */
interface Block {
  readonly ms: number;
  readonly load: Load | undefined;
  readonly version: string;
}

/** What the blocks of a side gave. */
export interface Side {
  /** The median of the blocks' medians. */
  readonly ms: number;
  /** Each block's median, in order. */
  readonly starts: readonly number[];
  /** Cores it used, the median. */
  readonly cores?: number;
  readonly version: string;
}

export interface Compared {
  readonly name: string;
  readonly ours: Side;
  readonly peer: Side;
  /** How many times as fast as the peer; left out when the machine was busy. */
  readonly ratio?: number;
  /** Cores that others used, the largest of all blocks; unknown on systems that do not tell. */
  readonly others?: number;
  readonly mmacs?: number;
}

/** More than this of a core is used by others: the machine is busy. */
export const BUSY = 0.15;

/** Shorter blocks would tell nothing of the load: the system counts in hundredths of a second. */
const LEAST_MS = 1000;
const MOST_RUNS = 5000;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

async function block(
  { side, line }: Line,
  { repeats, warmUp }: Counts,
  isShared: boolean | undefined,
): Promise<Block> {
  const { answerer, version } = await Answerer.start(side);
  const beside = isShared ? spawn(process.execPath, ['-e', 'for (;;);']) : undefined;
  try {
    for (let i = 0; i < warmUp; i++) await answerer.measure(line);
    const load = watchLoad(answerer.pid, beside?.pid);
    const times: number[] = [];
    const end = performance.now() + LEAST_MS;
    while (times.length < repeats || (performance.now() < end && times.length < MOST_RUNS)) {
      times.push(await answerer.measure(line));
    }
    return { ms: median(times), load: load(), version };
  } finally {
    beside?.kill();
    await answerer.close();
  }
}

/** Runs a row's blocks. @param onBlock is told after each */
export async function compared(
  row: Row,
  given: Counts,
  onBlock: (done: number, all: number) => void = () => {},
): Promise<Compared> {
  const counts = { ...given, repeats: row.repeats ?? given.repeats };
  const ours: Block[] = [];
  const peers: Block[][] = row.peers.map(() => []);
  const all = counts.starts * (1 + row.peers.length);
  let done = 0;
  for (let i = 0; i < counts.starts; i++) {
    ours.push(await block(row.ours, counts, row.isShared));
    onBlock(++done, all);
    for (const [way, peer] of row.peers.entries()) {
      peers[way]!.push(await block(peer, counts, row.isShared));
      onBlock(++done, all);
    }
  }
  const mine = sideOf(ours);
  const theirs = peers.map(sideOf).reduce((best, one) => (one.ms < best.ms ? one : best));
  const others = [...ours, ...peers.flat()].map(({ load }) => load?.others);
  const most = others.includes(undefined) ? undefined : Math.max(...(others as number[]));
  return {
    name: row.name,
    ours: mine,
    peer: theirs,
    ...(most !== undefined && most > BUSY ? {} : { ratio: theirs.ms / mine.ms }),
    ...(most === undefined ? {} : { others: most }),
    ...(row.mmacs === undefined ? {} : { mmacs: row.mmacs }),
  };
}

function sideOf(blocks: readonly Block[]): Side {
  const cores = blocks.map(({ load }) => load?.own);
  return {
    ms: median(blocks.map(({ ms }) => ms)),
    starts: blocks.map(({ ms }) => ms),
    ...(cores.includes(undefined) ? {} : { cores: median(cores as number[]) }),
    version: blocks[0]!.version,
  };
}
