// Whether threads of a session that runs again and again keep their cores busy while they wait for work. On a machine of one's own
// that is up to a fifth faster; where other programs want the cores, a waiting thread takes them from the one it waits for, and two
// threads take nearly twice as long as one. How often a core was taken away tells which of the two it is: more than 80 times a second
// beside other programs, at most 3 times alone.

/** Times a second. */
const SHARED = 25;
const ALONE = 15;
/** Run time that is looked at together. */
const WINDOW_MS = 1500;
/** Threads that sleep are seldom interrupted, so it is tried from time to time whether they may spin again; less and less often. */
const LONGEST_MS = 120_000;

export class SpinningChoice {
  isSpinning = true;
  #ms = 0;
  #preemptions = 0;
  #sinceChange = 0;
  /** How long threads sleep before it is tried again. */
  #sleepMs: number;
  readonly #changeMs: number;

  /** @param changeMs what a change takes, as it needs another session */
  constructor(changeMs: number) {
    this.#changeMs = changeMs;
    this.#sleepMs = this.#firstSleepMs;
  }

  /**
   * Takes a run in.
   *
   * @param preemptions how often a core was taken from the process meanwhile
   * @returns whether that changed the choice
   */
  ran(ms: number, preemptions: number): boolean {
    this.#ms += ms;
    this.#sinceChange += ms;
    this.#preemptions += preemptions;
    if (this.#ms < WINDOW_MS) return false;
    const perSecond = (1000 * this.#preemptions) / this.#ms;
    this.#ms = 0;
    this.#preemptions = 0;
    const isWrong = this.isSpinning
      ? perSecond > SHARED && this.#sinceChange >= this.#changeMs
      : perSecond < ALONE && this.#sinceChange >= this.#sleepMs;
    if (!isWrong) return false;
    if (!this.isSpinning) this.#sleepMs = Math.min(LONGEST_MS, 2 * this.#sleepMs);
    else if (this.#sinceChange >= LONGEST_MS) this.#sleepMs = this.#firstSleepMs;
    this.isSpinning = !this.isSpinning;
    this.#sinceChange = 0;
    return true;
  }

  get #firstSleepMs(): number {
    return Math.min(LONGEST_MS, Math.max(2 * WINDOW_MS, 10 * this.#changeMs));
  }
}

/** How often a core has been taken from this process; undefined where the system does not tell. */
export function preemptions(): number | undefined {
  const { process } = globalThis as { process?: Partial<Pick<NodeJS.Process, 'resourceUsage'>> };
  return process?.resourceUsage?.().involuntaryContextSwitches;
}
