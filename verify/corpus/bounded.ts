// A command in a process of its own, under limits of address space and time, with the largest memory it used.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Limits {
  readonly memoryGb: number;
  readonly timeoutS: number;
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly isOutOfTime: boolean;
  /** The largest resident set of one process. */
  readonly peakMb: number;
  readonly seconds: number;
  /** Of processors, which does not depend on what else the machine does. */
  readonly cpuSeconds: number;
}

const MEGABYTE = 1e6;
const TIMED_OUT = 124;
const KILLED = 137;

/** The shell watches the peak of the command and of the processes it starts in /proc. */
const SCRIPT = `
ulimit -v "$1"
limit=$2 peak=$3
shift 3
timeout -k 5 "$limit" "$@" & child=$!
most=0
while kill -0 $child 2>/dev/null; do
  own=$(pgrep -P $child)
  for pid in $own $(for p in $own; do pgrep -P $p; done); do
    now=$(awk '/VmHWM/ { print $2 }' /proc/$pid/status 2>/dev/null)
    [ "0$now" -gt "$most" ] && most=$now && echo "$most" >"$peak"
  done
  sleep 0.1
done
wait $child
code=$?
times >"$peak.times"
exit $code
`;

export async function runBounded(command: readonly string[], { memoryGb, timeoutS }: Limits): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'auspex-corpus-'));
  const peakFile = join(folder, 'peak');
  try {
    const started = performance.now();
    const limits = [String(Math.round(memoryGb * 1e6)), String(timeoutS), peakFile];
    const { code, stdout, stderr } = await run('bash', ['-c', SCRIPT, 'bash', ...limits, ...command]);
    const seconds = (performance.now() - started) / 1000;
    const isOutOfTime = code === TIMED_OUT || (code === KILLED && seconds >= timeoutS);
    const cpuSeconds = cpuIn(`${peakFile}.times`);
    return { code, stdout, stderr, isOutOfTime, peakMb: peakIn(peakFile), seconds, cpuSeconds };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function peakIn(file: string): number {
  try {
    return Math.round((Number(readFileSync(file, 'utf8')) * 1024) / MEGABYTE);
  } catch {
    // It ended before the shell looked.
    return 0;
  }
}

/** The second line is of the processes that the shell started: user and system time as 1m2.345s. */
function cpuIn(file: string): number {
  const [, line = ''] = readFileSync(file, 'utf8').split('\n');
  const parts = [...line.matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0);
}

function run(command: string, args: string[]): Promise<Pick<Ended, 'code' | 'stdout' | 'stderr'>> {
  return new Promise((done) => {
    execFile(command, args, { maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error ? 1 : 0;
      done({ code, stdout, stderr });
    });
  });
}
