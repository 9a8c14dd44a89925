// What `auspex inspect` does: everything that can be said of networks without running them, one by one.
import { type Inspection, inspectionOf } from '../analysis/inspect.js';
import type { Model } from '../graph/graph.js';
import type { Network } from '../networks/index.js';
import { AuspexError } from '../util/errors.js';
import type { NamedNetworks } from './resolve.js';

export interface InspectedNetwork {
  readonly name: string;
  readonly result: { readonly model: Model; readonly inspection: Inspection } | AuspexError;
}

/**
 * An inspection of a network at its sizes; what its parts have found out already is not found out again.
 *
 * @throws AuspexError what is wrong with the file
 */
export function inspectNetwork(network: Network): Inspection {
  return inspectionOf(network.inference(), network.cost(), network.hash());
}

/** Each network is judged by itself: one that cannot be read does not take the others with it. */
export function* inspectNetworks(networks: NamedNetworks): Generator<InspectedNetwork> {
  for (let row = 0; row < networks.count; row++) {
    const name = networks.name(row);
    try {
      const network = networks.at(row);
      yield { name, result: { model: network.model(), inspection: inspectNetwork(network) } };
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      yield { name, result: error };
    }
  }
}
