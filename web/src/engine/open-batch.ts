// Files that were written for one batch, for any: sizes and places inside of them are corrected too, so that every sample
// gives what it gave alone. Changing the input alone would count another network, or none.

import { symbolsIn } from '../../../src/graph/dim.js';
import { isTensor } from '../../../src/graph/types.js';
import { type Network, OpenedModel } from '../../../src/networks/index.js';
import { withBatch } from '../../../src/transform/batch.js';
import { AuspexError } from '../../../src/util/errors.js';

export interface OpenBatch {
  readonly network: Network;
  /** The name of the batch, which is open. */
  readonly name: string;
}

const kept = new WeakMap<Network, OpenBatch>();

/** @throws AuspexError BATCH_FIXED with the node that prevents it, BATCH_NONE */
export function withOpenBatch(network: Network): OpenBatch {
  let found = kept.get(network);
  if (found === undefined) {
    const { model, axes } = withBatch(network.model(), 'dynamic');
    found = {
      network: new OpenedModel(network.ref, network.file, () => model).at({}),
      name: batchName(model.graph.inputs, axes),
    };
    kept.set(network, found);
  }
  return found;
}

type Inputs = ReturnType<Network['model']>['graph']['inputs'];

function batchName(inputs: Inputs, axes: ReadonlyMap<string, number>): string {
  for (const { name, type } of inputs) {
    const axis = axes.get(name);
    const dim = axis !== undefined && isTensor(type) ? type.shape?.[axis] : undefined;
    const [symbol] = dim === undefined ? [] : symbolsIn(dim);
    if (symbol !== undefined) return symbol;
  }
  throw new AuspexError('BATCH_NONE', 'no input of the network has a batch');
}
