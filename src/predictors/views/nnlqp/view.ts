// Whole networks as the predictors of the NNLQP line see them: every operator with its attributes and shape, edges, and a
// few numbers for the whole. Any network whose sizes are all known.
import * as z from 'zod';
import { symbol } from '../../../graph/dim.js';
import type { Network } from '../../../networks/network.js';
import { readEach } from '../../encode.js';
import { narFormerV2Encoding } from '../../models/nar-former-v2-encoding.js';
import { notCovered, registerView, type View, whyNot } from '../view.js';
import { type Encoding, NN_FORMER_ENCODING, NNLP_ENCODING } from './encodings.js';
import { type NetworkGraph, networkGraph } from './network-graph.js';
import { NetworkSet } from './network-set.js';

const STATE = z.object({
  /** How numbers become features. */
  encoding: z.enum(['nn-former', 'nar-former-v2', 'nnlp']),
});
export type NnlqpState = z.infer<typeof STATE>;

/** What the logarithms of a whole network's numbers are told from: [batch, FLOPs, parameters, memory access]. */
const USUAL = [1, 1e9, 1e7, 1e7] as const;

const ENCODINGS: Readonly<Record<NnlqpState['encoding'], Encoding>> = {
  'nn-former': withLogarithms(NN_FORMER_ENCODING),
  'nar-former-v2': withLogarithms(narFormerV2Encoding()),
  nnlp: withLogarithms(NNLP_ENCODING),
};

const nnlqpView: View<NnlqpState> = {
  name: 'nnlqp',
  state: STATE,
  prepare: async (_, options, prior) => prior ?? (options as NnlqpState),

  covers: (network) => whyNot(() => graphOf(network)),

  inputs({ encoding }) {
    const { nodeWidth, staticWidth } = ENCODINGS[encoding];
    const [batch, n] = [symbol('batch'), symbol('nodes')];
    return {
      nodes: { type: 'float32', dims: [batch, n, nodeWidth] },
      presence: { type: 'float32', dims: [batch, n] },
      adjacency: { type: 'float32', dims: [batch, n, n] },
      statics: { type: 'float32', dims: [batch, staticWidth] },
    };
  },

  async encode(networks, { encoding }, options) {
    return new NetworkSet(await readEach(networks, graphOf, options), ENCODINGS[encoding]);
  },
};
registerView(nnlqpView);

/** The graph of a network. All sizes must be known: they are what cost depends on. */
function graphOf(network: Network): NetworkGraph {
  const graph = networkGraph(network.settled().inference());
  if (graph.unknownShapes === 0) return graph;
  throw notCovered(
    'NETWORK_SIZES',
    `needs all sizes; of ${graph.unknownShapes} of ${graph.nodes.length} values of ${network.ref} they are not known`,
    'fix the sizes of its inputs: --dim NAME=SIZE, or when it is exported',
  );
}

/**
 * An encoding with the logarithms of what is known of the whole network beside the paper's own numbers. Latencies are
 * nearly products of powers of these, which are hard to learn from few rows otherwise: sines repeat, and sizes range over
 * orders of magnitude.
 */
function withLogarithms(encoding: Encoding): Encoding {
  return {
    ...encoding,
    staticWidth: encoding.staticWidth + USUAL.length,
    writeStatic(into, at, statics) {
      encoding.writeStatic(into, at, statics);
      const { batch, nnlqpFlops, parameters, memoryAccess } = statics;
      [batch, nnlqpFlops, parameters, memoryAccess].forEach((value, i) => {
        into[at + encoding.staticWidth + i] = Math.log((1 + value) / USUAL[i]!) / 2;
      });
    },
  };
}
