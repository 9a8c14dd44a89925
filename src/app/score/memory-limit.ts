// How much memory graphs of networks may take: most of what the machine, its container or the shell allows.
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';

/** The rest is for other programs, and for what prediction leaves out. */
const SHARE = 0.6;

/** What graphs take at once where nothing is said: enough for most, on most machines, so that scores do not depend on them. */
const USUAL = 2.5e9;

export interface MemoryLimits {
  readonly memory: number;
  /** Where the smallest part of a batch needs more than `memory`. */
  readonly mostMemory?: number;
}

/**
 * Of one of several processes, all of which take no more than was given, or than the share.
 *
 * @param given bytes that were asked for @param workers processes that share the memory
 */
export function memoryLimits(given: number | undefined, workers: number): MemoryLimits {
  if (given !== undefined) return { memory: given / workers };
  const most = usableMemory(workers);
  return { memory: Math.min(USUAL, most), mostMemory: most };
}

/** @param workers processes that share it */
function usableMemory(workers = 1): number {
  const constrained = process.constrainedMemory();
  const machine = constrained > 0 ? Math.min(totalmem(), constrained) : totalmem();
  return Math.min((SHARE * machine) / workers, SHARE * addressSpaceLeft());
}

/** Of this process; without end where it is not limited. */
function addressSpaceLeft(): number {
  try {
    const limit = /address space\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    const used = /VmSize:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    if (limit === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(0, Number(limit) - Number(used ?? 0) * 1024);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
