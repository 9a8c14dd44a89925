// A session for what runs again and again for long, such as training steps. Whether its threads spin while they wait follows the
// machine (spinning-choice.ts); results do not depend on it.
import type { Model } from '../graph/graph.js';
import { type Feeds, type HostTensor, Session, type SessionOptions } from './session.js';
import { preemptions, SpinningChoice } from './spinning-choice.js';

export class SteadySession {
  readonly #model: Model;
  readonly #options: SessionOptions;
  readonly #choice: SpinningChoice | undefined;
  readonly #preemptions: () => number | undefined;
  #session: Session;

  private constructor(
    model: Model,
    options: SessionOptions,
    session: Session,
    choice: SpinningChoice | undefined,
    count: () => number | undefined,
  ) {
    this.#model = model;
    this.#options = options;
    this.#session = session;
    this.#choice = choice;
    this.#preemptions = count;
  }

  /**
   * Compiles a model. Options that say whether threads spin are kept to.
   *
   * @param count how often a core has been taken from this process
   */
  static async create(
    model: Model,
    options: SessionOptions = {},
    count: () => number | undefined = preemptions,
  ): Promise<SteadySession> {
    const start = performance.now();
    const session = await Session.create(model, options);
    const { threads, spinning, isApart = false } = options;
    const canChoose = threads !== 1 && spinning === undefined && !isApart && count() !== undefined;
    const choice = canChoose ? new SpinningChoice(performance.now() - start) : undefined;
    return new SteadySession(model, options, session, choice, count);
  }

  /** As `Session.run`. */
  async run(feeds: Feeds, into?: Feeds): Promise<Record<string, HostTensor>> {
    const choice = this.#choice;
    if (choice === undefined) return this.#session.run(feeds, into);
    const [start, before] = [performance.now(), this.#preemptions() ?? 0];
    const results = await this.#session.run(feeds, into);
    if (choice.ran(performance.now() - start, (this.#preemptions() ?? 0) - before)) {
      await this.#session.dispose();
      this.#session = await Session.create(this.#model, { ...this.#options, spinning: choice.isSpinning });
    }
    return results;
  }

  async dispose(): Promise<void> {
    await this.#session.dispose();
  }
}
