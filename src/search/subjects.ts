// From the texts of a search to networks: a candidate that is checked, scored and evaluated is parsed once.
import { ArchNetwork, type Network } from '../networks/index.js';
import type { AnySpace } from '../spaces/space.js';
import type { TextConstraint } from './candidates.js';
import type { Constraint } from './contract.js';
import { isTableSpace } from './table-space.js';

/** Makes the network of a canonical text. */
export type MakeNetwork = (text: string) => Network;

/** Networks that are kept, each with the parts that were asked of it; the oldest are forgotten. */
const MOST_KEPT = 256;

export class Subjects {
  readonly #make: MakeNetwork;
  readonly #kept = new Map<string, Network>();

  constructor(make: MakeNetwork) {
    this.#make = make;
  }

  network(text: string): Network {
    const known = this.#kept.get(text);
    if (known !== undefined) return known;
    const network = this.#make(text);
    if (this.#kept.size >= MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(text, network);
    return network;
  }

  networks(texts: readonly string[]): Network[] {
    return texts.map((text) => this.network(text));
  }

  /** Constraints on networks as constraints on texts. */
  limits(constraints: readonly Constraint[], signal?: AbortSignal): TextConstraint[] {
    return constraints.map((constraint) => ({
      name: constraint.name,
      allows: (texts) => constraint.allows(this.networks(texts), signal),
    }));
  }
}

/** The networks of a space at its own sizes. */
export function networksOf(space: AnySpace): MakeNetwork {
  const base: AnySpace = isTableSpace(space) ? space.base : space;
  return (text) => new ArchNetwork(base, base.parse(text));
}
