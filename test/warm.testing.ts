// The built command line without its start: one process runs many commands, each as `auspex` would run it. Tests of
// signals, of standard input, of what happens at the end of a process, and one of each command start it as users do.
import { join, resolve } from 'node:path';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

const CLI = join(resolve(import.meta.dirname, '..'), 'dist/cli/main.js');

interface WarmOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Whether the command believes that it prints to a terminal. */
  readonly isTerminal?: boolean;
}

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let started: { readonly port: MessageChannel['port1']; readonly flag: Int32Array } | undefined;

/** Runs `auspex …args` and waits for it, as `spawnSync` does. */
export function warmRun(args: readonly string[], options: WarmOptions = {}): Ended {
  const { cwd = process.cwd(), env = process.env, isTerminal = false } = options;
  started ??= start();
  const { port, flag } = started;
  Atomics.store(flag, 0, 0);
  port.postMessage({ cli: CLI, args, cwd, env: { ...env }, isTerminal });
  if (Atomics.wait(flag, 0, 0, 120_000) === 'timed-out')
    throw new Error(`no end of auspex ${args.join(' ')}`);
  return receiveMessageOnPort(port)!.message as Ended;
}

function start(): NonNullable<typeof started> {
  const { port1: port, port2 } = new MessageChannel();
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('warm-worker.js', import.meta.url), {
    workerData: { port: port2, flag },
    transferList: [port2],
  });
  // Neither keeps a finished test alive; the process ends with the worker's channel to it.
  worker.unref();
  port.unref();
  return { port, flag };
}
