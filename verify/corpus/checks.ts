// The checks of one file, as a new user would make them, with no options: the commands inspect, predict and proxy, and the
// transformations of convert. Each has a process of its own.
import { join, resolve } from 'node:path';
import { type Ended, type Limits, runBounded } from './bounded.js';
import { type Check, type CorpusResult, type Reason, SCORES, transformResult } from './results.js';

const CLI = resolve(import.meta.dirname, '../../../dist/cli/main.js');
const WORKER = join(import.meta.dirname, 'transform-worker.js');

export interface CheckOptions extends Limits {
  readonly threads: number;
}

/** What of a result comes from the process. */
type Answer = Omit<CorpusResult, 'file' | 'check' | 'peakMb' | 'seconds' | 'cpuSeconds'>;

/** Checks a file; `name` is what it is called in the results. */
export async function checkFile(
  name: string,
  path: string,
  check: Check,
  options: CheckOptions,
): Promise<CorpusResult> {
  const ended = await runBounded([process.execPath, ...argumentsOf(check, path, options)], options);
  const { peakMb, seconds, cpuSeconds } = ended;
  return { file: name, check, ...answerOf(check, ended), peakMb, seconds, cpuSeconds };
}

function argumentsOf(check: Check, path: string, { threads, timeoutS }: CheckOptions): string[] {
  if (check === 'inspect' || check === 'predict') return [CLI, check, path, '--json'];
  if (check !== 'scores') return [WORKER, path, check];
  // The command gives up a little earlier than it is killed, and keeps what it has.
  const timeout = String(Math.max(1, timeoutS - 10));
  const options = ['--proxies', SCORES.join(','), '--threads', String(threads), '--timeout', timeout];
  return [CLI, 'proxy', path, ...options, '--json'];
}

function answerOf(check: Check, ended: Ended): Answer {
  const document = documentIn(ended.stdout);
  const lost = { code: 'ENDED', message: howItEnded(ended) };
  if (check === 'scores') return scoresIn(document, lost);
  if (document === undefined) return { error: lost };
  const { error } = document as { error?: Reason };
  if (error !== undefined) return { error: { code: error.code, message: error.message } };
  if (check === 'inspect') return { facts: factsIn(document as unknown as InspectFacts) };
  return check === 'predict' ? {} : { transform: transformResult.parse(document) };
}

interface InspectFacts {
  readonly model: { readonly opsets: Readonly<Record<string, number>> };
  readonly nodes: readonly unknown[];
}

function factsIn({ model, nodes }: InspectFacts): CorpusResult['facts'] {
  return { opset: model.opsets['ai.onnx'] ?? model.opsets[''] ?? null, nodes: nodes.length };
}

interface ProxyFacts {
  readonly networks?: readonly {
    readonly scores: Readonly<Record<string, number | null>>;
    readonly errors?: Readonly<Record<string, Reason>>;
    readonly error?: Reason;
  }[];
  readonly error?: Reason;
}

function scoresIn(document: ProxyFacts | undefined, ended: Reason): Answer {
  const network = document?.networks?.[0];
  const lost = network?.error ?? document?.error ?? ended;
  const scores: Record<string, number> = {};
  const reasons: Record<string, Reason> = {};
  for (const name of SCORES) {
    const value = network?.scores[name];
    const { code, message } = network?.errors?.[name] ?? lost;
    if (typeof value === 'number') scores[name] = value;
    else reasons[name] = { code, message };
  }
  return { scores, reasons };
}

function documentIn(stdout: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(stdout) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function howItEnded({ isOutOfTime, code, stderr }: Ended): string {
  if (isOutOfTime) return 'it took too long';
  return `exit code ${code}: ${stderr.trim().slice(-300)}`;
}
