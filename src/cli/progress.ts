// Progress of long work, on standard error: one line that changes on a terminal, a line every tenth elsewhere.
import { fit, terminalWidth } from './text/format.js';

export interface ProgressLine {
  /** @param part of the work that is done, 0 to 1 */
  report(part: number, note: string): void;
  /** Clears the line. */
  end(): void;
}

const EVERY_MS = 500;

export function progressLine(title: string): ProgressLine {
  const start = performance.now();
  const isTerminal = process.stderr.isTTY === true;
  /** Where this run began: what a run before it did took no time now. */
  let first: number | undefined;
  let shownAt = Number.NEGATIVE_INFINITY;
  let tenths = 0;
  return {
    report(part, note) {
      first ??= part;
      const now = performance.now();
      const isDue = isTerminal ? now - shownAt >= EVERY_MS : Math.floor(part * 10) > tenths;
      if (!isDue) return;
      shownAt = now;
      tenths = Math.floor(part * 10);
      const done = part - first;
      const left = done > 0 ? ((now - start) / 1000) * ((1 - part) / done) : undefined;
      const percent = `${Math.floor(part * 100)}%`.padStart(4);
      const eta = left === undefined ? '' : `, ${duration(left)} left`;
      const line = `${title} ${percent}${eta}${note === '' ? '' : `, ${note}`}`;
      // A full line would move the cursor to the next one.
      process.stderr.write(
        isTerminal ? `\r\x1b[K${fit(line, terminalWidth(process.stderr) - 1)}` : `${line}\n`,
      );
    },
    end() {
      if (isTerminal) process.stderr.write('\r\x1b[K');
    },
  };
}

/** Seconds as people say them: 12 s, 3 min 20 s, 2 h 5 min. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
