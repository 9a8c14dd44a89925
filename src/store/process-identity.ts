// Which process wrote something, so that another can tell whether that one is still running. Numbers of processes are
// used again; when a process began tells two of the same number apart, where the system says so (Linux).
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import * as z from 'zod';

export const processIdentity = z.object({
  pid: z.int().positive(),
  host: z.string(),
  /** When the process began, in the system's own unit; empty where it does not say. */
  began: z.string(),
  /** When it was written down. */
  since: z.string(),
});
export type ProcessIdentity = z.infer<typeof processIdentity>;

export function thisProcess(): ProcessIdentity {
  return {
    pid: process.pid,
    host: hostname(),
    began: beginningOf(process.pid),
    since: new Date().toISOString(),
  };
}

/** Whether the process may still be running. Nothing is known of other machines. */
export function mayBeRunning({ pid, host, began }: ProcessIdentity): boolean {
  if (host !== hostname()) return true;
  if (!isAlive(pid)) return false;
  const now = beginningOf(pid);
  return began === '' || now === '' || began === now;
}

/** Whether a process of this number is running. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, and somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function beginningOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may have spaces; the beginning is the 22nd field of all.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie runs no more.
    return fields[0] === 'Z' ? 'ended' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
