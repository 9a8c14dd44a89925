// The inputs of an operator by name, and what each is to a network. Names come from the schemas; a definition says
// which of them are not data.
import type { OperatorSchema } from './schemas.js';

/** What an input is to a network, when it is a constant. */
export type InputRole =
  /** Data that flows through; a constant here counts as a weight unless it is a mere number. */
  | 'data'
  /** Trained: a kernel, a matrix, a table. */
  | 'weight'
  /** Trained: what is added at the end. */
  | 'bias'
  /** Trained: what is multiplied with, per channel. */
  | 'scale'
  /** Measured in training but not trained: the running mean and variance of BatchNormalization. */
  | 'mean'
  | 'variance'
  /** Not learned: a shape, axes, bounds, scales of a quantisation. */
  | 'setting';

/** The names of the inputs that have each role. */
export interface InputRoles extends Readonly<Partial<Record<InputRole, readonly string[]>>> {
  /** The role of inputs that are not named. Default: `data`. */
  readonly others?: InputRole;
  /** The roles of what a variadic last input stands for, in turn. */
  readonly each?: readonly InputRole[];
}

export function isTrained(role: InputRole): boolean {
  return role === 'weight' || role === 'bias' || role === 'scale';
}

export function isStatistic(role: InputRole): boolean {
  return role === 'mean' || role === 'variance';
}

/** The first input is data, all others are settings. */
export function dataThenSettings(name: string): InputRoles {
  return { data: [name], others: 'setting' };
}

/** The inputs of one version of an operator. */
export class FormalInputs {
  readonly names: readonly string[];
  readonly #roles: readonly InputRole[];
  readonly #others: InputRole;
  readonly #each: readonly InputRole[] | undefined;
  readonly #isVariadic: boolean;

  /** @param most how many inputs a node may have. */
  constructor(names: readonly string[], roles: InputRoles = {}, most = names.length) {
    this.names = names;
    this.#others = roles.others ?? 'data';
    this.#each = roles.each;
    this.#isVariadic = most > names.length;
    const byName = new Map<string, InputRole>();
    for (const [role, named] of Object.entries(roles)) {
      if (role !== 'others' && role !== 'each') for (const name of named) byName.set(name, role as InputRole);
    }
    this.#roles = names.map((name) => byName.get(name) ?? this.#others);
  }

  /** Where an input is; -1 where this version does not have it. */
  slot(name: string): number {
    return this.names.indexOf(name);
  }

  /** The name of the input at a place; of one among many, that of all of them. */
  name(slot: number): string | undefined {
    return this.names[slot] ?? (this.#isVariadic ? this.names.at(-1) : undefined);
  }

  role(slot: number): InputRole {
    const last = this.#roles.length - 1;
    if (this.#each !== undefined && slot >= last) return this.#each[(slot - last) % this.#each.length]!;
    return this.#roles[slot] ?? (this.#isVariadic ? this.#roles[last] : undefined) ?? this.#others;
  }

  /** The places of all inputs with a role. */
  slots(role: InputRole): number[] {
    return [...this.#roles.keys()].filter((slot) => this.#roles[slot] === role);
  }
}

/** The inputs of a version that has a schema. */
export function schemaInputs({ inputNames, inputs }: OperatorSchema, roles?: InputRoles): FormalInputs {
  return new FormalInputs(inputNames, roles, inputs[1]);
}
