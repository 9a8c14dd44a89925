// What `auspex inspect` does: everything that can be said of networks without running them, one by one.
import { type Inspection, inspectionOf } from '../analysis/inspect.js';
import type { Model } from '../graph/graph.js';
import type { Network } from '../networks/index.js';
import type { ChosenSizes } from '../transform/sizes.js';
import { AuspexError } from '../util/errors.js';
import type { NamedNetworks } from './resolve.js';

export interface InspectedNetwork {
  readonly name: string;
  readonly result: Inspected | AuspexError;
}

export interface Inspected {
  readonly model: Model;
  readonly inspection: Inspection;
  /** The network at sizes that were chosen for those that it leaves open. */
  readonly settled?: SettledInspection | undefined;
}

/** A network whose open sizes were chosen. */
export interface SettledInspection {
  readonly chosen: ChosenSizes;
  readonly inspection: Inspection;
}

/**
 * An inspection of a network at its sizes; what its parts have found out already is not found out again.
 *
 * @throws AuspexError what is wrong with the file
 */
export function inspectNetwork(network: Network): Inspection {
  return inspectionOf(network.inference(), network.cost(), network.hash());
}

/** The same with sizes chosen for all that the file leaves open; undefined if it leaves none, or none fit. */
function settledInspection(network: Network): SettledInspection | undefined {
  const chosen = network.chosenSizes();
  if (!chosen?.isChecked) return undefined;
  const settled = network.settled();
  // One structure has one hash.
  return { chosen, inspection: inspectionOf(settled.inference(), settled.cost(), network.hash()) };
}

/** What `settled` tells takes as long as all the rest: it is found out only where it is shown. */
function resultOf(network: Network): Inspected {
  let settled: SettledInspection | null | undefined;
  return {
    inspection: inspectNetwork(network),
    model: network.model(),
    get settled() {
      settled ??= settledInspection(network) ?? null;
      return settled ?? undefined;
    },
  };
}

/** Each network is judged by itself: one that cannot be read does not take the others with it. */
export function* inspectNetworks(networks: NamedNetworks): Generator<InspectedNetwork> {
  for (let row = 0; row < networks.count; row++) {
    const name = networks.name(row);
    try {
      yield { name, result: resultOf(networks.at(row)) };
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      yield { name, result: error };
    }
  }
}
