// A Python process that answers lines with numbers: the peer that a benchmark runs beside, in turn.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export class Peer {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  readonly #needs: string;

  /** @param needs the packages its Python must have, for the message when it does not start. */
  constructor(args: readonly string[], needs: string) {
    this.#process = spawn(process.env.PYTHON ?? 'python3', args);
    this.#process.stderr.pipe(process.stderr);
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
    this.#needs = needs;
  }

  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`the Python process ended: is ${this.#needs} installed? Set PYTHON`);
    return value;
  }

  /** What a line is answered with. */
  async ask(line: string): Promise<string> {
    this.#process.stdin.write(`${line}\n`);
    return this.line();
  }

  /** The number that a line is answered with. */
  async measure(line: string): Promise<number> {
    return Number(await this.ask(line));
  }

  close(): void {
    this.#process.stdin.end();
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/** Idle threads of a runtime keep a core busy for a while, waiting for work. */
const PAUSE_MS = 50;

/**
 * Two measurements taken in turn, after a few of each that do not count.
 *
 * @param besides what is measured in every turn as well, apart from both.
 */
export async function inTurn(
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
  { repeats, warmUp }: { repeats: number; warmUp: number },
  besides?: () => Promise<void>,
): Promise<{ ours: number; theirs: number; ratio: number }> {
  for (let i = 0; i < warmUp; i++) {
    await ours();
    await theirs();
  }
  const pairs: [number, number][] = [];
  for (let i = 0; i < repeats; i++) {
    pairs.push([await ours(), await theirs()]);
    if (besides === undefined) continue;
    await besides();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return {
    ours: median(pairs.map((p) => p[0])),
    theirs: median(pairs.map((p) => p[1])),
    // Of neighbours, because how fast the machine is changes with time.
    ratio: median(pairs.map((p) => p[1] / p[0])),
  };
}
