// What the machine did while something was measured: how much a process used, and how much all the others.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** In cores: 0.5 is half of one core all the time. */
export interface Load {
  readonly own: number;
  readonly others: number;
}

/** Clock ticks in a second, of `/proc/PID/stat` on all Linux systems in use. */
const TICKS = 100;

/**
 * Begins to watch; what it gives tells the load since then. Undefined where the system does not say.
 *
 * @param beside a process that is there on purpose, and none of the others
 */
export function watchLoad(pid: number, beside?: number): () => Load | undefined {
  const seen = () => ({
    at: performance.now(),
    own: secondsOf(pid),
    beside: beside === undefined ? 0 : secondsOf(beside),
    all: busySeconds(),
  });
  const before = seen();
  return () => {
    const after = seen();
    const seconds = (after.at - before.at) / 1000;
    if (after.own === undefined || before.own === undefined) return undefined;
    const own = after.own - before.own;
    const others = after.all - before.all - own - ((after.beside ?? 0) - (before.beside ?? 0));
    return { own: own / seconds, others: Math.max(0, others) / seconds };
  };
}

/** Of all cores since the machine was started. */
function busySeconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1000;
}

/** Processor time of a process and its threads. */
function secondsOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, which may hold anything, is in brackets; user and system time are fields 14 and 15.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    return undefined;
  }
}
