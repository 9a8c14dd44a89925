// The process in which a network is measured: started by process.ts, asked once, ends with its parent. It loads nothing of
// auspex but the stopping rule, so that memory and time are those of the runtime.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-common';
import {
  type MeasuredMemory,
  OPTIMISED_FILE,
  PROFILE_PREFIX,
  type RunSettings,
  type WorkerMessage,
  type WorkerRequest,
} from './protocol.js';
import { beFirstToGo, forgetPeak, loadLibraries, peakResidentBytes, residentBytes } from './resident-set.js';
import { isEnough, isWarm } from './stopping.js';

interface Runtime {
  readonly InferenceSession: typeof InferenceSession;
  readonly Tensor: typeof Tensor;
  listSupportedBackends?(): readonly { readonly name: string }[];
}

/** An ONNX model of one Identity of a float: `y = x`. It makes the runtime load what every session needs. */
const SMALLEST = Buffer.from(
  'CAgSADo3ChAKAXgSAXkiCElkZW50aXR5EgFnWg8KAXgSCgoICAESBAoCCAFiDwoBeRIKCggIARIECgIIAUIECgAQDQ==',
  'base64',
);

/** Runs that memory is measured over; outputs of earlier ones are freed in between. */
const MEMORY_RUNS = 3;
/** What is left of starting is freed after a few. */
const COLLECTIONS = 3;
/** Results are sent this often, so that they are kept if the process is ended. */
const SEND_MS = 250;

const require = createRequire(import.meta.url);
const send = (message: WorkerMessage): void => void process.send?.(message);
const collect = (globalThis as { gc?: () => void }).gc ?? (() => undefined);

// Ctrl-C reaches all processes of a terminal; the parent decides what is kept.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(1));
beFirstToGo();
process.once(
  'message',
  (request: WorkerRequest) => void measure(request).finally(() => process.disconnect?.()),
);

async function measure(request: WorkerRequest): Promise<void> {
  const runtime = require('onnxruntime-node') as Runtime;
  const { version } = require('onnxruntime-node/package.json') as { version: string };
  const providers = runtime.listSupportedBackends?.().map(({ name }) => name) ?? ['cpu'];
  send({ kind: 'ready', runtime: `onnxruntime-node ${version}`, providers });
  let stage: 'create' | 'run' = 'create';
  try {
    const inputs: Record<string, Tensor> = {};
    for (const [name, { type, data, dims }] of Object.entries(request.inputs)) {
      inputs[name] = new runtime.Tensor(type as 'float32', data as Float32Array, dims);
    }
    await loadLibrary(runtime, request.settings);
    const memory = new MemoryUse();
    const [created, session] = await timed(() =>
      runtime.InferenceSession.create(request.file, sessionOptions(request)),
    );
    send({ kind: 'created', ...created });
    memory.sessionIsReady();
    stage = 'run';
    const [first] = await timed(() => session.run(inputs));
    memory.look();
    send({ kind: 'first', ...first });
    if (request.isForMemory) {
      for (let i = 1; i < MEMORY_RUNS; i++) {
        collect();
        await session.run(inputs);
        memory.look();
      }
      send({ kind: 'memory', memory: memory.found() });
    } else await runUntilEnough(() => session.run(inputs), request);
    if (request.profileFolder !== undefined) session.endProfiling();
    send({ kind: 'done' });
  } catch (error) {
    send({ kind: 'failed', stage, message: error instanceof Error ? error.message : String(error) });
  }
}

async function loadLibrary(runtime: Runtime, settings: RunSettings): Promise<void> {
  const session = await runtime.InferenceSession.create(SMALLEST, settingsOf(settings));
  await session.run({ x: new runtime.Tensor('float32', Float32Array.of(1), [1]) });
  await session.release();
}

function settingsOf({ threads, provider, optimization }: RunSettings): InferenceSession.SessionOptions {
  return {
    graphOptimizationLevel: optimization,
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionProviders: [provider],
    logSeverityLevel: 4,
  };
}

function sessionOptions({ settings, profileFolder }: WorkerRequest): InferenceSession.SessionOptions {
  if (profileFolder === undefined) return settingsOf(settings);
  return {
    ...settingsOf(settings),
    enableProfiling: true,
    profileFilePrefix: join(profileFolder, PROFILE_PREFIX),
    optimizedModelFilePath: join(profileFolder, OPTIMISED_FILE),
  };
}

async function runUntilEnough(run: () => Promise<unknown>, { rule }: WorkerRequest): Promise<void> {
  const warming: number[] = [];
  while (!isWarm(warming, rule)) warming.push((await timed(run))[0].wallMs);
  send({ kind: 'warm', runs: warming.length });
  const [wall, cpu]: [number[], number[]] = [[], []];
  const start = performance.now();
  let [sent, sentAt] = [0, start];
  for (let now = start; !isEnough(wall, (now - start) / 1000, rule); now = performance.now()) {
    const [{ wallMs, cpuMs }] = await timed(run);
    wall.push(wallMs);
    cpu.push(cpuMs);
    if (now - sentAt < SEND_MS) continue;
    send({ kind: 'runs', wallMs: wall.slice(sent), cpuMs: cpu.slice(sent) });
    [sent, sentAt] = [wall.length, now];
  }
  send({ kind: 'runs', wallMs: wall.slice(sent), cpuMs: cpu.slice(sent) });
}

async function timed<T>(
  work: () => Promise<T>,
): Promise<[time: { wallMs: number; cpuMs: number }, result: T]> {
  const before = process.cpuUsage();
  const start = performance.now();
  const result = await work();
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  return [{ wallMs, cpuMs: (user + system) / 1000 }, result];
}

/** The growth of the resident set from now on. */
class MemoryUse {
  readonly #before: number;
  #isExact: boolean;
  #loading = 0;
  #session = 0;
  readonly #runs: number[] = [];

  constructor() {
    loadLibraries();
    for (let i = 0; i < COLLECTIONS; i++) collect();
    this.#isExact = forgetPeak();
    this.#before = residentBytes();
  }

  sessionIsReady(): void {
    this.#loading = this.#most();
    collect();
    this.#isExact = forgetPeak() && this.#isExact;
    this.#session = residentBytes() - this.#before;
  }

  look(): void {
    this.#runs.push(this.#most());
  }

  #most(): number {
    return ((this.#isExact ? peakResidentBytes() : undefined) ?? residentBytes()) - this.#before;
  }

  found(): MeasuredMemory {
    const runningBytes = Math.max(0, this.#session, ...this.#runs);
    return {
      peakBytes: Math.max(this.#loading, runningBytes),
      runningBytes,
      loadingBytes: this.#loading,
      sessionBytes: this.#session,
      runBytes: this.#runs,
      isExact: this.#isExact,
    };
  }
}
