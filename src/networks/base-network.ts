// What all networks share: every part is made when it is asked for, and once; an error names the network's file.
import { type CostReport, cost } from '../analysis/cost.js';
import { structureHash } from '../analysis/hash.js';
import type { Inference } from '../analysis/infer.js';
import type { Model } from '../graph/graph.js';
import { describeInference, type NetworkDescription } from '../spaces/describe.js';
import type { Cell } from '../spaces/space.js';
import type { ChosenSizes } from '../transform/sizes.js';
import { AuspexError } from '../util/errors.js';
import type { Architecture, CellForm, Network } from './network.js';
import type { Sizes } from './sizes.js';

/** Does something with the network of a file; an error names the file. */
export function withinFile<T>(file: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (file !== undefined && error instanceof AuspexError) throw error.within({ file });
    throw error;
  }
}

export abstract class BaseNetwork implements Network {
  abstract readonly ref: string;
  abstract readonly file: string | undefined;
  abstract readonly arch: Architecture | undefined;
  abstract readonly sizes: Sizes;
  #model: Model | undefined;
  #inference: Inference | undefined;
  #cost: CostReport | undefined;
  #counts: NetworkDescription | undefined;
  #hash: string | undefined;

  abstract at(sizes: Sizes): Network;
  abstract settled(): Network;
  abstract chosenSizes(): ChosenSizes | undefined;
  abstract key(): string;
  protected abstract makeModel(): Model;
  protected abstract makeInference(): Inference;

  model(): Model {
    this.#model ??= this.#within(() => this.makeModel());
    return this.#model;
  }

  inference(): Inference {
    this.#inference ??= this.#within(() => this.makeInference());
    return this.#inference;
  }

  cost(): CostReport {
    this.#cost ??= this.#within(() => cost(this.inference()));
    return this.#cost;
  }

  counts(): NetworkDescription {
    this.#counts ??= this.#within(() => describeInference(this.inference(), () => this.cost()));
    return this.#counts;
  }

  hash(): string {
    this.#hash ??= this.#within(() => structureHash(this.inference()));
    return this.#hash;
  }

  cell(form: CellForm = 'whole'): Cell | undefined {
    if (this.arch === undefined) return undefined;
    const { space, value } = this.arch;
    return form === 'pruned' && space.prunedCell ? space.prunedCell(value) : space.cell?.(value);
  }

  #within<T>(work: () => T): T {
    return withinFile(this.file, work);
  }
}
