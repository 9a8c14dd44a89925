// Runs a network in a process of its own, and stops it if it takes too much memory or time. What it measured until then is
// kept.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AuspexError } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import type { MeasuredMemory, Time, WorkerMessage, WorkerRequest } from './protocol.js';
import { availableBytes, residentBytesOf } from './resident-set.js';

/** What a process measured. Fields that it did not get to are undefined. */
export interface ProcessRecord {
  runtime: string | undefined;
  /** Time to make the session, and of its first run. */
  created: Time | undefined;
  first: Time | undefined;
  memory: MeasuredMemory | undefined;
  warmupRuns: number;
  /** Milliseconds of each run after warm-up. */
  readonly wallMs: number[];
  readonly cpuMs: number[];
  /** Why it did not get to its end. */
  stopped: AuspexError | undefined;
}

export interface ProcessLimits {
  /** Seconds from its start; it is ended after them. */
  readonly seconds: number;
  /** Bytes that it may hold; nine tenths of what is available by default. */
  readonly bytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called when runs arrive, with their number so far. */
  readonly onRuns?: ((runs: number) => void) | undefined;
}

/** From sources, the built one: a process cannot load TypeScript. */
const WORKER = new URL(workerPath(import.meta.url), import.meta.url);

function workerPath(own: string): string {
  if (own.endsWith('.ts')) return '../../dist/measure/worker.js';
  return /\/measure\/process\.js$/.test(own) ? './worker.js' : '../measure/worker.js';
}

/**
 * Lets glibc give large blocks back as they are freed. By default it keeps some of them, and how many differs from process to
 * process: one file took 36 MB or 44 MB. Time is measured without, as every run would ask the kernel for its blocks anew.
 */
const GIVE_BACK = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

const WATCH_MS = 50;
const OF_AVAILABLE = 0.9;

/**
 * Measures a file in a new process.
 *
 * @throws AuspexError RUNTIME_REFUSED, RUNTIME_FAILED, MEASURE_PROVIDER if the runtime has no such provider; MEASURE_MEMORY,
 * MEASURE_TIMEOUT, MEASURE_ENDED and the signal's reason if it ended before its first measured run
 */
export async function measureInProcess(
  request: WorkerRequest,
  limits: ProcessLimits,
): Promise<ProcessRecord> {
  limits.signal?.throwIfAborted();
  const child = fork(fileURLToPath(WORKER), {
    serialization: 'advanced',
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: request.isForMemory ? { ...process.env, ...GIVE_BACK } : process.env,
  });
  const record = await recorded(child, request, limits);
  if (record.stopped !== undefined && record.wallMs.length === 0 && record.memory === undefined)
    throw record.stopped;
  return record;
}

async function recorded(
  child: ChildProcess,
  request: WorkerRequest,
  { seconds, bytes, signal, onRuns }: ProcessLimits,
): Promise<ProcessRecord> {
  const record: ProcessRecord = {
    runtime: undefined,
    created: undefined,
    first: undefined,
    memory: undefined,
    warmupRuns: 0,
    wallMs: [],
    cpuMs: [],
    stopped: undefined,
  };
  const end = (reason: AuspexError): void => {
    record.stopped ??= reason;
    child.kill('SIGKILL');
  };
  const limit = bytes ?? (availableBytes() ?? Number.POSITIVE_INFINITY) * OF_AVAILABLE;
  const watch = setInterval(() => {
    const held = residentBytesOf(child.pid!) ?? 0;
    if (held > limit) end(outOfMemory(held, limit));
  }, WATCH_MS);
  const timer = setTimeout(() => end(tooLong(seconds, record)), seconds * 1000);
  const onAbort = (): void => end(signal!.reason as AuspexError);
  signal?.addEventListener('abort', onAbort, { once: true });
  let isDone = false;
  child.on('message', (message: WorkerMessage) => {
    if (message.kind === 'ready' && !message.providers.includes(request.settings.provider)) {
      end(noProvider(request.settings.provider, message.providers));
    } else if (message.kind === 'failed') record.stopped ??= refused(message);
    else if (message.kind === 'done') isDone = true;
    else take(record, message, onRuns);
  });
  const complaints = endOf(child.stderr!);
  child.send(request);
  try {
    const [code, killedBy] = await new Promise<[number | null, string | null]>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (...ended) => resolve(ended));
    });
    if (!isDone && record.stopped === undefined) {
      record.stopped = ended(killedBy ?? `exit code ${code}`, complaints());
    }
    return record;
  } finally {
    clearInterval(watch);
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

function take(record: ProcessRecord, message: WorkerMessage, onRuns: ProcessLimits['onRuns']): void {
  switch (message.kind) {
    case 'ready':
      record.runtime = message.runtime;
      break;
    case 'created':
    case 'first':
      record[message.kind] = { wallMs: message.wallMs, cpuMs: message.cpuMs };
      break;
    case 'memory':
      record.memory = message.memory;
      break;
    case 'warm':
      record.warmupRuns = message.runs;
      break;
    case 'runs':
      record.wallMs.push(...message.wallMs);
      record.cpuMs.push(...message.cpuMs);
      onRuns?.(record.wallMs.length);
  }
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

function outOfMemory(held: number, limit: number): AuspexError {
  return new AuspexError(
    'MEASURE_MEMORY',
    `the process that ran it held ${megabytes(held)} and was ended; it may hold ${megabytes(limit)}`,
    { kind: 'failure', hint: 'give a smaller --batch or --shape, or more with --memory' },
  );
}

function tooLong(seconds: number, { first, wallMs }: ProcessRecord): AuspexError {
  const state =
    wallMs.length > 0 ? '' : first === undefined ? '; its first run had not ended' : '; it was warming up';
  return new AuspexError('MEASURE_TIMEOUT', `it was ended after ${seconds} seconds${state}`, {
    kind: 'failure',
    hint: 'give a smaller --batch or --shape, or a longer --timeout',
  });
}

function noProvider(wanted: string, providers: readonly string[]): AuspexError {
  return new AuspexError('MEASURE_PROVIDER', `the installed ONNX Runtime has no provider '${wanted}'`, {
    hint: `give one that it has: --provider ${providers.join(' or ')}`,
  });
}

function refused({ stage, message }: WorkerMessage & { kind: 'failed' }): AuspexError {
  const isCreating = stage === 'create';
  return new AuspexError(
    isCreating ? 'RUNTIME_REFUSED' : 'RUNTIME_FAILED',
    `ONNX Runtime ${isCreating ? 'does not take the model' : 'could not run the model'}: ${message}`,
    {
      kind: 'failure',
      ...(isCreating ? {} : { hint: 'other sizes may fit: give --dim, --shape or --feed' }),
    },
  );
}

function ended(how: string, complaints: string): AuspexError {
  const words = complaints.trim() === '' ? '' : `: ${printableStart(complaints.trim(), 300)}`;
  return new AuspexError('MEASURE_ENDED', `the process that ran it ended with ${how}${words}`, {
    kind: 'failure',
    hint: 'it may have run out of memory: give a smaller --batch or --shape',
  });
}

const KEPT_CHARACTERS = 4000;

function endOf(stream: NodeJS.ReadableStream): () => string {
  let kept = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    kept = (kept + text).slice(-KEPT_CHARACTERS);
  });
  return () => kept;
}
