// What is shown of the networks that won: their files, their cost, what they are made of.
import { magnitude } from '../../analysis/inspect.js';
import type { Model } from '../../graph/graph.js';
import type { Network } from '../../networks/index.js';
import type { SearchWinner } from '../../report/pages/search-report.js';
import { objectiveValues, type Valued } from '../../search/contract.js';
import { ARCH_KEY } from '../../spaces/network-builder.js';
import { inspectNetwork } from '../inspect.js';

/** A network's model with its text, as `auspex space export` writes it. */
export function exportedModel(network: Network): Model {
  const model = network.model();
  if (network.arch === undefined) return model;
  return { ...model, metadata: new Map([...(model.metadata ?? []), [ARCH_KEY, network.arch.text]]) };
}

/** What the report says of a trial's network. */
export function winnerOf(network: Network, trial: Valued): SearchWinner {
  const { cost, operators } = inspectNetwork(network);
  const cell = network.cell();
  return {
    trial: trial.index,
    arch: trial.arch,
    values: objectiveValues(trial),
    parameters: magnitude(cost.totals.parameters),
    macs: magnitude(cost.totals.macs),
    operators: operators.map(({ operator, nodes, macs }) => ({
      name: operator,
      count: nodes,
      macs: magnitude(macs),
    })),
    ...(cell ? { cell } : {}),
  };
}
