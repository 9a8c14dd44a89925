// A process that answers lines with numbers: one side of a comparison, ours or a peer in Python. It prints a line when it
// is ready. A number is milliseconds; a peer may answer with an object that has them as `ms`.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** What it needs to be installed, for the message when it does not start. */
  readonly needs: string;
}

/** A script in Python; `PYTHON` names one that has the packages. */
export function python(args: readonly string[], needs: string): Command {
  return { command: process.env.PYTHON ?? 'python3', args, needs };
}

export class Answerer {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #needs: string;

  private constructor({ command, args, needs }: Command) {
    this.#process = spawn(command, args);
    this.#process.stderr.pipe(process.stderr);
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
    this.#needs = needs;
  }

  /** Starts a process and waits until it is ready; `version` is what it said then. */
  static async start(command: Command): Promise<{ answerer: Answerer; version: string }> {
    const answerer = new Answerer(command);
    return { answerer, version: await answerer.#line() };
  }

  get pid(): number {
    return this.#process.pid!;
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`the process ended: is ${this.#needs} installed? PYTHON names another Python`);
    return value;
  }

  /** What a line is answered with. */
  ask(line: string): Promise<string> {
    this.#process.stdin.write(`${line}\n`);
    return this.#line();
  }

  /** The milliseconds that a line is answered with. */
  async measure(line: string): Promise<number> {
    const answer: unknown = JSON.parse(await this.ask(line));
    return typeof answer === 'number' ? answer : (answer as { ms: number }).ms;
  }

  /** When it has ended. */
  async close(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.stdin.end();
    await ended;
  }
}
