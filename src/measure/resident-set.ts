// How much memory this process holds, and the most that it held since it was asked to forget (Linux; elsewhere what it holds
// now).
import { closeSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';

export function residentBytes(): number {
  return statusBytes('VmRSS') ?? process.memoryUsage.rss();
}

/** The most since `forgetPeak`; undefined where the kernel does not tell. */
export function peakResidentBytes(): number | undefined {
  return statusBytes('VmHWM');
}

/** Whether the kernel forgot. */
export function forgetPeak(): boolean {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
    return true;
  } catch {
    return false;
  }
}

const PAGE = 4096;
/** A readable part of a library in the list of what is mapped: its first and last address, and its path. */
const LIBRARY = /^([0-9a-f]+)-([0-9a-f]+) r\S+ \S+ \S+ \S+ +(\/.*\.(?:so|node)[.\d]*)$/gm;

/**
 * Brings all pages of the loaded libraries into memory. Otherwise those that a network is the first to use count as its own:
 * one to two megabytes, more or fewer as other programs use them too.
 */
export function loadLibraries(): void {
  try {
    const maps = readFileSync('/proc/self/maps', 'utf8');
    const memory = openSync('/proc/self/mem', 'r');
    const page = new Uint8Array(PAGE);
    for (const [, first, last] of maps.matchAll(LIBRARY)) {
      const end = Number.parseInt(last!, 16);
      for (let at = Number.parseInt(first!, 16); at < end; at += PAGE) readSync(memory, page, 0, PAGE, at);
    }
    closeSync(memory);
  } catch {
    // Other systems do not have these files, and some do not let them be read.
  }
}

/** Of another process; undefined if it has ended, or where the kernel does not tell. */
export function residentBytesOf(pid: number): number | undefined {
  return statusBytes('VmRSS', String(pid));
}

/** Bytes that processes may still take: of the machine, and of the container they run in. */
export function availableBytes(): number | undefined {
  const [machine] = numbersIn('/proc/meminfo', /^MemAvailable:\s+(\d+) kB/m);
  const [most] = numbersIn('/sys/fs/cgroup/memory.max', /^(\d+)$/m);
  const [used] = numbersIn('/sys/fs/cgroup/memory.current', /^(\d+)$/m);
  const amounts = [
    ...(machine === undefined ? [] : [machine * 1024]),
    ...(most === undefined || used === undefined ? [] : [most - used]),
  ];
  return amounts.length === 0 ? undefined : Math.min(...amounts);
}

/** Lets the kernel end this process first if memory runs out. */
export function beFirstToGo(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Other systems choose themselves.
  }
}

function statusBytes(name: string, process = 'self'): number | undefined {
  const [kilobytes] = numbersIn(`/proc/${process}/status`, new RegExp(`^${name}:\\s+(\\d+) kB`, 'm'));
  return kilobytes === undefined ? undefined : kilobytes * 1024;
}

function numbersIn(path: string, pattern: RegExp): number[] {
  try {
    return (pattern.exec(readFileSync(path, 'utf8'))?.slice(1) ?? []).map(Number);
  } catch {
    return [];
  }
}
