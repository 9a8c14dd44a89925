// Zero-cost proxies by layer, as shares of their sum: the library's own proxies, run by onnxruntime-web.
import type { InferredNode } from '../../../src/analysis/infer.js';
import type { Network } from '../../../src/networks/index.js';
import { type Outcome, requestNamed, scoreNetwork } from '../../../src/proxies/index.js';
import { AuspexError } from '../../../src/util/errors.js';
import type { LayerProxy, NodeShares } from './protocol.js';

const TITLES: Readonly<Record<LayerProxy, string>> = {
  synflow: 'SynFlow: Σ|w·∂R/∂w| of each layer, R the sum of outputs for an input of ones',
  snip: 'SNIP: Σ|w·∂L/∂w| of each layer, for a random sample and label',
};

interface LayerTerm {
  readonly weight: string;
  readonly value: number;
}

/** @param network with all sizes known */
export async function layerScores(network: Network, proxy: LayerProxy): Promise<NodeShares> {
  const score = async (initialise: 'file' | 'default'): Promise<Outcome> => {
    const session = { threads: 1 };
    const [outcome] = await scoreNetwork(network.model(), [requestNamed(proxy)], () => ({
      ...{ batch: 1, seed: 0, initialise, session },
    }));
    return outcome!;
  };
  // What a space describes has no weights yet.
  let isDrawn = network.file === undefined;
  let outcome = await score(isDrawn ? 'default' : 'file');
  if ('error' in outcome && outcome.error.code === 'DATA_MISSING') {
    isDrawn = true;
    outcome = await score('default');
  }
  if ('error' in outcome) throw outcome.error;
  const layers = outcome.score.details.layers as readonly LayerTerm[];
  const sum = layers.reduce((total, { value }) => total + value, 0);
  if (!(Number.isFinite(sum) && sum > 0)) {
    throw new AuspexError('PROXY_NOT_FINITE', `${proxy} of single layers leaves the range of numbers`, {
      hint: 'choose the other proxy',
    });
  }
  const { values, placed } = sharesByRow(network, layers, sum);
  const weights = isDrawn
    ? 'random weights (seed 0), as those of the file are not there'
    : 'the weights of the file';
  const missing =
    placed === layers.length ? '' : `; ${layers.length - placed} of ${layers.length} layers are not drawn`;
  return { values, how: `${TITLES[proxy]}, as a share of all; ${weights}${missing}` };
}

function sharesByRow(
  network: Network,
  layers: readonly LayerTerm[],
  sum: number,
): { values: Float64Array; placed: number } {
  const { nodes } = network.cost();
  const values = new Float64Array(nodes.length);
  const rowOf = new Map(nodes.map(({ inferred }, row) => [inferred, row]));
  const readers = new Map<string, InferredNode[]>();
  for (const { inferred } of nodes) {
    for (const name of inferred.node.inputs) {
      const list = readers.get(name);
      if (list === undefined) readers.set(name, [inferred]);
      else list.push(inferred);
    }
  }
  let placed = 0;
  for (const { weight, value } of layers) {
    const reader = layerOf(weight, readers, (node) => Number(nodes[rowOf.get(node)!]!.macs) > 0);
    if (reader === undefined) continue;
    values[rowOf.get(reader)!]! += value / sum;
    placed++;
  }
  return { values, placed };
}

/** Weights may be cast or transposed before their layer. */
const MOST_STEPS = 4;

/** The first node with MACs that a weight reaches. */
function layerOf(
  weight: string,
  readers: ReadonlyMap<string, readonly InferredNode[]>,
  isLayer: (node: InferredNode) => boolean,
): InferredNode | undefined {
  let names: readonly string[] = [weight];
  for (let step = 0; step < MOST_STEPS; step++) {
    const found = names.flatMap((name) => readers.get(name) ?? []);
    const layer = found.find(isLayer);
    if (layer !== undefined) return layer;
    names = found.flatMap(({ node }) => node.outputs);
  }
  return undefined;
}
