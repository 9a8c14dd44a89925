// One file, scored by the command line in a process of its own, under a limit of address space and of time.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { type CorpusResult, SCORES } from './results.js';

export interface Limits {
  readonly memoryGb: number;
  readonly timeoutS: number;
}

const CLI = resolve(import.meta.dirname, '../../../dist/cli/main.js');
const MEGABYTE = 1e6;

interface Document {
  readonly networks: readonly {
    readonly scores: Readonly<Record<string, number | null>>;
    readonly errors?: CorpusResult['reasons'];
    readonly error?: CorpusResult['reasons'][string];
  }[];
}

/** Scores a file; a process that is killed, or says nothing, is a reason for every score. */
export async function scoreFile(path: string, { memoryGb, timeoutS }: Limits): Promise<CorpusResult> {
  const folder = mkdtempSync(join(tmpdir(), 'auspex-corpus-'));
  const statusFile = join(folder, 'peak');
  try {
    const started = performance.now();
    // The shell reads the peak of all processes from /proc. The command gives up a little earlier than it is killed.
    const script = [
      `ulimit -v ${Math.round(memoryGb * 1e6)}`,
      'timeout -k 5 "$1" "$2" "$3" proxy "$4" --proxies "$5" --threads 2 --timeout "$7" --json & child=$!',
      'most=0',
      'while kill -0 $child 2>/dev/null; do',
      '  own=$(pgrep -P $child)',
      '  for pid in $own $(for p in $own; do pgrep -P $p; done); do',
      "    now=$(awk '/VmHWM/ { print $2 }' /proc/$pid/status 2>/dev/null)",
      '    [ "0$now" -gt "$most" ] && most=$now && echo "$most kB" >"$6"',
      '  done',
      '  sleep 0.1',
      'done',
      'wait $child',
    ].join('\n');
    const args = [String(timeoutS), process.execPath, CLI, path, SCORES.join(','), statusFile];
    args.push(String(Math.max(1, timeoutS - 10)));
    const { code, stdout, stderr } = await run('bash', ['-c', script, 'bash', ...args]);
    const seconds = (performance.now() - started) / 1000;
    return { file: basename(path), ...outcome(code, stdout, stderr), peakMb: peakOf(statusFile), seconds };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function outcome(code: number, stdout: string, stderr: string): Pick<CorpusResult, 'scores' | 'reasons'> {
  const network = documentIn(stdout)?.networks[0];
  const ended = code === 124 || code === 137 ? 'it took too long or was killed' : `exit code ${code}`;
  const lost = network?.error ?? { code: 'ENDED', message: `${ended}: ${stderr.slice(-300)}` };
  const scores: Record<string, number> = {};
  const reasons: CorpusResult['reasons'] = {};
  for (const name of SCORES) {
    const value = network?.scores[name];
    if (typeof value === 'number') scores[name] = value;
    else reasons[name] = network?.errors?.[name] ?? lost;
  }
  return { scores, reasons };
}

function documentIn(stdout: string): Document | undefined {
  try {
    return JSON.parse(stdout) as Document;
  } catch {
    return undefined;
  }
}

function peakOf(statusFile: string): number {
  try {
    const kilobytes = /(\d+) kB/.exec(readFileSync(statusFile, 'utf8'))?.[1] ?? '0';
    return Math.round((Number(kilobytes) * 1024) / MEGABYTE);
  } catch {
    return 0;
  }
}

function run(command: string, args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    execFile(command, args, { maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error ? 1 : 0;
      done({ code, stdout, stderr });
    });
  });
}
