// Tracing: a model is a function that computes with values and asks its scope for parameters by name. Running the
// function once writes its graph; there are no layer objects. The same function traced for another batch size,
// or for evaluation, asks for the same parameters.
import { Builder, type Value } from '../ops/build.js';
import type { Initialiser } from './initialise.js';

/** The operator set that models of this project are written in. */
const OPSETS = new Map([['', 21]]);

export interface ParameterSpec {
  readonly name: string;
  readonly dims: readonly number[];
  readonly initialise: Initialiser;
  /** False for what is kept from step to step but not trained: running statistics. */
  readonly isTrained: boolean;
}

/** Random numbers that a step needs; they come from outside, so that a step is a function of its inputs. */
export interface NoiseSite {
  readonly noise: Noise;
  readonly count: number;
}

export type Noise =
  /** 1/(1 − rate) with probability 1 − rate, else 0. */
  { readonly kind: 'keep'; readonly rate: number } | { readonly kind: 'normal' };

/** The name of the graph input that holds a table of such noise. */
export function noiseInput(noise: Noise): string {
  return noise.kind === 'keep' ? `noise.keep.${noise.rate}` : 'noise.normal';
}

/** The graph input that says where in its table the noise of each site begins. */
export const NOISE_OFFSETS = 'noise.offsets';

/** What a trace has collected. */
export class Trace {
  readonly builder: Builder;
  readonly isTraining: boolean;
  readonly parameters = new Map<string, ParameterSpec>();
  /** New values of parameters that are not trained. */
  readonly updates = new Map<string, Value>();
  readonly noise: NoiseSite[] = [];

  /** @param domains whose operators the model has beside ONNX's own, with their versions */
  constructor(isTraining: boolean, domains: Iterable<readonly [string, number]> = []) {
    this.builder = new Builder({ opsets: new Map([...OPSETS, ...domains]) });
    this.isTraining = isTraining;
  }

  get scope(): Scope {
    return new Scope(this, '');
  }
}

/** A place in a model: where names of parameters begin. */
export class Scope {
  readonly trace: Trace;
  /** With a dot at its end, unless it is the model itself. */
  readonly path: string;
  /** Whether dropout drops and normalisations use the batch: in training, unless it is switched off. */
  readonly isTraining: boolean;
  readonly #frozen: readonly string[];

  /** @param frozen beginnings of names of parameters that are not trained */
  constructor(trace: Trace, path: string, frozen: readonly string[] = [], isTraining = trace.isTraining) {
    this.trace = trace;
    this.path = path;
    this.#frozen = frozen;
    this.isTraining = isTraining;
  }

  /** The same place, where parameters whose full names begin so are kept as they are. */
  freezing(prefixes: readonly string[]): Scope {
    return new Scope(this.trace, this.path, [...this.#frozen, ...prefixes], this.isTraining);
  }

  /** The same place, where layers behave as in evaluation; parameters are trained as before. */
  evaluating(): Scope {
    return new Scope(this.trace, this.path, this.#frozen, false);
  }

  get builder(): Builder {
    return this.trace.builder;
  }

  /** The scope of a part: `s.at('block', 3)` is `block.3.`. */
  at(...names: (string | number)[]): Scope {
    return new Scope(this.trace, `${this.path}${names.join('.')}.`, this.#frozen, this.isTraining);
  }

  /** A trained parameter, (…dims). Asked for twice under one name, it is the same one. */
  parameter(name: string, dims: readonly number[], initialise: Initialiser): Value {
    const full = `${this.path}${name}`;
    return this.#state(name, dims, initialise, !this.#frozen.some((prefix) => full.startsWith(prefix)));
  }

  /** A tensor that is kept but not trained; see `update`. */
  buffer(name: string, dims: readonly number[], initialise: Initialiser): Value {
    return this.#state(name, dims, initialise, false);
  }

  #state(name: string, dims: readonly number[], initialise: Initialiser, isTrained: boolean): Value {
    const full = `${this.path}${name}`;
    const known = this.trace.parameters.get(full);
    if (known === undefined) {
      this.trace.parameters.set(full, { name: full, dims, initialise, isTrained });
      return this.builder.input(full, 'float32', dims);
    }
    if (String(known.dims) !== String(dims)) {
      throw new Error(`parameter '${full}' has shape [${known.dims}], not [${dims}]`);
    }
    return this.builder.value(full);
  }

  /** Gives a buffer its value after this step. */
  update(name: string, value: Value): void {
    this.trace.updates.set(`${this.path}${name}`, value);
  }

  /** Random numbers of a shape, different at every place that asks and in every step. */
  noise(noise: Noise, dims: readonly number[]): Value {
    const { builder, trace } = this;
    const count = dims.reduce((n, d) => n * d, 1);
    const site = trace.noise.length;
    const name = noiseInput(noise);
    const table = builder.types.has(name)
      ? builder.value(name)
      : builder.input(name, 'float32', builder.sizesNamed([name]));
    const offsets = builder.types.has(NOISE_OFFSETS)
      ? builder.value(NOISE_OFFSETS)
      : builder.input(NOISE_OFFSETS, 'int64', builder.sizesNamed([NOISE_OFFSETS]));
    trace.noise.push({ noise, count });
    const start = offsets.slice([site], [site + 1], [0]);
    return builder.op('Slice', [table, start, start.add(count), builder.ints([0])]).reshape(dims);
  }
}
