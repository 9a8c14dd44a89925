// How much memory this process holds, and the most that it held since it was asked to forget (Linux; elsewhere what it holds
// now).
import { readFileSync, writeFileSync } from 'node:fs';

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
