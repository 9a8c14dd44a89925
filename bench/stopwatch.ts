// Time of the clock and of the processor, and where it goes: what sessions take to be compiled and to run.
import { Session } from '../src/runtime/session.js';

export interface Spent {
  readonly ms: number;
  /** Of all threads. */
  readonly cpuMs: number;
}

function now(): Spent {
  const { user, system } = process.cpuUsage();
  return { ms: performance.now(), cpuMs: (user + system) / 1000 };
}

export async function timed(work: () => Promise<unknown>): Promise<Spent> {
  const start = now();
  await work();
  const end = now();
  return { ms: end.ms - start.ms, cpuMs: end.cpuMs - start.cpuMs };
}

/** Milliseconds of the processor that sessions took since the last time someone asked. */
const spent = { compile: 0, run: 0 };

/** Watches all sessions from now on. */
export function watchSessions(): void {
  const { create } = Session;
  const { run } = Session.prototype;
  const watched =
    <A extends unknown[], R>(part: keyof typeof spent, work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const start = now().cpuMs;
      try {
        return await work(...args);
      } finally {
        spent[part] += now().cpuMs - start;
      }
    };
  Session.create = watched('compile', (...args: Parameters<typeof create>) => create.apply(Session, args));
  Session.prototype.run = function (...args) {
    return watched('run', () => run.apply(this, args))();
  };
}

/** What sessions took since this was asked last. */
export function sessionsSpent(): { compile: number; run: number } {
  const found = { ...spent };
  spent.compile = 0;
  spent.run = 0;
  return found;
}
