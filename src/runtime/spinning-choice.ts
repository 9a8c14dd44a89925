// Whether threads of a session that runs again and again keep their cores busy while they wait for work. On a machine of one's own
// that is up to a fifth faster; where other programs want the cores, a waiting thread takes them from the one it waits for, and two
// threads take nearly twice as long as one. How often a core was taken away tells which of the two it is: more than 80 times a second
// beside other programs, fewer than 5 times alone.

/** Times a second. */
const SHARED = 40;
const ALONE = 15;
/** Run time that is looked at together. */
const WINDOW_MS = 1500;
/** A change needs a new session, so each is followed by twice as long without one. */
const LONGEST_MS = 60_000;

export class SpinningChoice {
  isSpinning = true;
  #ms = 0;
  #preemptions = 0;
  #sinceChange = 0;
  #leastMs: number;

  /** @param changeMs what a new session takes */
  constructor(changeMs: number) {
    this.#leastMs = Math.max(WINDOW_MS, changeMs);
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
    const isWrong = this.isSpinning ? perSecond > SHARED : perSecond < ALONE;
    if (!isWrong || this.#sinceChange < this.#leastMs) return false;
    this.isSpinning = !this.isSpinning;
    this.#sinceChange = 0;
    this.#leastMs = Math.min(LONGEST_MS, 2 * this.#leastMs);
    return true;
  }
}

/** How often a core has been taken from this process; undefined where the system does not tell. */
export function preemptions(): number | undefined {
  const { process } = globalThis as { process?: Partial<Pick<NodeJS.Process, 'resourceUsage'>> };
  return process?.resourceUsage?.().involuntaryContextSwitches;
}
