// View `computation-graph`: any network as the graph of GENNAPE, packed. See computation-graph.ts for what nodes and edges
// are, graph-set.ts for how batches are laid out.
import * as z from 'zod';
import { symbol } from '../../../graph/dim.js';
import { isFloat } from '../../../graph/dtype.js';
import { isTensor } from '../../../graph/types.js';
import type { Network } from '../../../networks/network.js';
import { readEach } from '../../encode.js';
import { type InputShapes, notCovered, registerView, type View, whyNot } from '../view.js';
import { type ComputationGraph, computationGraph } from './computation-graph.js';
import { PackedSet } from './graph-set.js';
import { PackedGraphs, SIZES } from './packed-graphs.js';
import { VOCABULARIES, VOCABULARY_NAMES } from './vocabulary.js';

/** What sizes are divided by, and the largest kernel that has an embedding: the authors' constants for classification. */
export const SCALES = { side: 256, channels: 512, kernel: 7 } as const;

const OPTIONS = z.object({
  vocabulary: z.enum(VOCABULARY_NAMES).default('gennape'),
  /** Divided by scales, as the authors do; or their logarithms. */
  sizes: z.enum(['linear', 'log']).default('linear'),
  /** Rows of the blocks that nodes of a graph are also given in, for models that look at all of a graph; 0 for none. */
  blocks: z.int().min(0).max(256).default(0),
});
export type ComputationGraphOptions = z.input<typeof OPTIONS>;

const STATE = OPTIONS.extend({
  /** Of the vocabulary, so that a file tells what its numbers mean. */
  labels: z.array(z.string()).min(1).max(256),
  scales: z.object({ side: z.number().positive(), channels: z.number().positive(), kernel: z.int().min(1) }),
}).required();
export type ComputationGraphState = z.output<typeof STATE>;

export const computationGraphView: View<ComputationGraphState> = {
  name: 'computation-graph',
  state: STATE,

  async prepare(_, options, prior) {
    if (prior !== undefined) return prior;
    const chosen = OPTIONS.parse(options);
    return { ...chosen, labels: [...VOCABULARIES[chosen.vocabulary].labels], scales: { ...SCALES } };
  },

  covers: (network, state) => whyNot(() => graphOf(network, state)),

  inputs({ blocks: size }): InputShapes {
    const [batch, weighted, regular] = [symbol('batch'), symbol('weighted'), symbol('regular')];
    const [edges, nodes, blocks] = [symbol('edges'), symbol('nodes'), symbol('blocks')];
    return {
      counts: { type: 'float32', dims: [batch, 1] },
      weightedOps: { type: 'int32', dims: [weighted] },
      weightedSizes: { type: 'float32', dims: [weighted, SIZES] },
      kernels: { type: 'int32', dims: [weighted, 2] },
      bias: { type: 'float32', dims: [weighted, 2] },
      regularOps: { type: 'int32', dims: [regular] },
      regularSizes: { type: 'float32', dims: [regular, SIZES] },
      from: { type: 'int32', dims: [edges] },
      to: { type: 'int32', dims: [edges] },
      graph: { type: 'int32', dims: [nodes] },
      ...(size > 0
        ? {
            blockNodes: { type: 'int32' as const, dims: [blocks, size] },
            presence: { type: 'float32' as const, dims: [blocks, size] },
            blockGraph: { type: 'int32' as const, dims: [blocks] },
          }
        : {}),
    };
  },

  async encode(networks, state, options) {
    const graphs = new PackedGraphs(state);
    await readEach(networks, (network) => graphs.add(graphOf(network, state)), options);
    return new PackedSet(graphs, state);
  },
};
registerView(computationGraphView);

/** The graph of a network that computes with floats. */
function graphOf(network: Network, { vocabulary }: ComputationGraphState): ComputationGraph {
  const inference = network.settled().inference();
  const graph = computationGraph(inference, VOCABULARIES[vocabulary]);
  if (!graph.isConnected) {
    throw notCovered(
      'GRAPH_DISCONNECTED',
      `needs a path from an input to an output; ${network.ref} has none`,
      'export the network with inputs that its outputs depend on',
    );
  }
  for (const type of inference.graph.types.values()) {
    if (isTensor(type) && isFloat(type.dtype)) return graph;
  }
  throw notCovered(
    'NETWORK_WITHOUT_FLOATS',
    `needs a network that computes with floats; all values of ${network.ref} are of other types`,
    'give the network that was quantised or compiled, not what prepares its inputs',
  );
}
