// Runs training steps. The state stays in two sets of buffers that are input and output in turn: a step reads one
// and writes the other, and nothing is copied or made anew in JavaScript.
import { type Feeds, type HostTensor, hostTensor, type SessionOptions } from '../runtime/session.js';
import { SteadySession } from '../runtime/steady-session.js';
import type { StatePack, TrainingStep } from './step.js';

export class Stepper {
  readonly step: TrainingStep;
  readonly #session: SteadySession;
  readonly #state: State;

  private constructor(step: TrainingStep, session: SteadySession, state: State) {
    this.step = step;
    this.#session = session;
    this.#state = state;
  }

  /** @param state shared by the steppers of a training, one for each shape of batch. */
  static async create(step: TrainingStep, state: State, options: SessionOptions = {}): Promise<Stepper> {
    for (const pack of step.packs) await state.pack(pack);
    const session = await SteadySession.create(step.model, { memoryPattern: false, ...options });
    return new Stepper(step, session, state);
  }

  /** One step; what comes back besides the state. */
  async run(feeds: Feeds): Promise<Record<string, HostTensor>> {
    const inputs: Record<string, HostTensor> = { ...feeds };
    const outputs: Record<string, HostTensor> = {};
    for (const pack of this.step.packs) {
      inputs[pack.input] = this.#state.currentOf(pack);
      outputs[pack.output] = this.#state.nextOf(pack);
    }
    const results = await this.#session.run(inputs, outputs);
    this.#state.swap();
    return results;
  }

  async dispose(): Promise<void> {
    await this.#session.dispose();
  }
}

/** Both sides of something kept: one is read while the other is written. */
type Sides = readonly [HostTensor, HostTensor];

/** Tensors by name, in two sets. Those of a pack are parts of one tensor. */
export class State {
  readonly #tensors: Map<string, Sides>;
  readonly #packs = new Map<string, Sides>();
  #side: 0 | 1 = 0;

  private constructor(tensors: Map<string, Sides>) {
    this.#tensors = tensors;
  }

  static async of(
    values: ReadonlyMap<string, { dims: readonly number[]; data: Float32Array }>,
  ): Promise<State> {
    const tensors = new Map<string, Sides>();
    for (const [name, { dims, data }] of values) {
      tensors.set(name, [
        await hostTensor('float32', data, dims),
        await hostTensor('float32', new Float32Array(data.length), dims),
      ]);
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

  /** Puts tensors into one behind each other, if that has not been done before. */
  async pack(pack: StatePack): Promise<void> {
    if (pack.members.length === 1 || this.#packs.has(keyOf(pack))) return;
    const whole = pack.dims.reduce((n, d) => n * d, 1);
    const make = (): Promise<HostTensor> => hostTensor('float32', new Float32Array(whole), pack.dims);
    const sides: Sides = [await make(), await make()];
    let start = 0;
    for (const name of pack.members) {
      const before = this.#tensors.get(name)!;
      const { length } = before[0].data;
      const [at, end] = [start, start + length];
      const part = (side: 0 | 1): Promise<HostTensor> => {
        const data = (sides[side].data as Float32Array).subarray(at, end);
        data.set(before[side].data as Float32Array);
        return hostTensor('float32', data, before[side].dims);
      };
      this.#tensors.set(name, [await part(0), await part(1)]);
      start = end;
    }
    this.#packs.set(keyOf(pack), sides);
  }

  currentOf(pack: StatePack): HostTensor {
    return this.#sidesOf(pack)[this.#side];
  }

  nextOf(pack: StatePack): HostTensor {
    return this.#sidesOf(pack)[1 - this.#side]!;
  }

  swap(): void {
    this.#side = this.#side === 0 ? 1 : 0;
  }

  #sidesOf(pack: StatePack): Sides {
    return pack.members.length === 1 ? this.#tensors.get(pack.members[0]!)! : this.#packs.get(keyOf(pack))!;
  }
}

/** Packs do not overlap, so the first and the last member tell which it is. */
function keyOf({ members }: StatePack): string {
  return JSON.stringify([members[0], members.at(-1)]);
}
