// Runs training steps. The state stays in two sets of buffers that are input and output in turn: a step reads one
// and writes the other, and nothing is copied or made anew in JavaScript.
import { type Feeds, type HostTensor, hostTensor, Session, type SessionOptions } from '../runtime/session.js';
import type { TrainingStep } from './step.js';

export class Stepper {
  readonly step: TrainingStep;
  readonly #session: Session;
  readonly #state: State;

  private constructor(step: TrainingStep, session: Session, state: State) {
    this.step = step;
    this.#session = session;
    this.#state = state;
  }

  /** @param state shared by the steppers of a training, one for each shape of batch. */
  static async create(step: TrainingStep, state: State, options: SessionOptions = {}): Promise<Stepper> {
    return new Stepper(step, await Session.create(step.model, { memoryPattern: false, ...options }), state);
  }

  /** One step; what comes back besides the state. */
  async run(feeds: Feeds): Promise<Record<string, HostTensor>> {
    const inputs: Record<string, HostTensor> = { ...feeds };
    const outputs: Record<string, HostTensor> = {};
    for (const { name, input, output } of this.step.state) {
      inputs[input] = this.#state.current(name);
      outputs[output] = this.#state.next(name);
    }
    const results = await this.#session.run(inputs, outputs);
    this.#state.swap();
    return results;
  }

  async dispose(): Promise<void> {
    await this.#session.dispose();
  }
}

/** Tensors by name, in two sets. */
export class State {
  readonly #tensors: ReadonlyMap<string, readonly [HostTensor, HostTensor]>;
  #side: 0 | 1 = 0;

  private constructor(tensors: ReadonlyMap<string, readonly [HostTensor, HostTensor]>) {
    this.#tensors = tensors;
  }

  static async of(
    values: ReadonlyMap<string, { dims: readonly number[]; data: Float32Array }>,
  ): Promise<State> {
    const tensors = new Map<string, readonly [HostTensor, HostTensor]>();
    for (const [name, { dims, data }] of values) {
      const pair = [data, new Float32Array(data.length)].map((d) => hostTensor('float32', d, dims));
      tensors.set(name, (await Promise.all(pair)) as [HostTensor, HostTensor]);
    }
    return new State(tensors);
  }

  get names(): Iterable<string> {
    return this.#tensors.keys();
  }

  has(name: string): boolean {
    return this.#tensors.has(name);
  }

  current(name: string): HostTensor {
    return this.#tensors.get(name)![this.#side];
  }

  next(name: string): HostTensor {
    return this.#tensors.get(name)![1 - this.#side]!;
  }

  swap(): void {
    this.#side = this.#side === 0 ? 1 : 0;
  }
}
