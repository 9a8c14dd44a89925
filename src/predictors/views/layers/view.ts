// Image classifiers as features of their layers; see layer-features.ts, and classifier.ts for which networks are covered.
import * as z from 'zod';
import { symbol } from '../../../graph/dim.js';
import type { Network } from '../../../networks/network.js';
import { readEach } from '../../encode.js';
import { INPUT } from '../../feature-model.js';
import { FeatureRows } from '../feature-rows.js';
import { FeatureSet } from '../features.js';
import { notCovered, registerView, type View, whyNot } from '../view.js';
import { type ImageClassifier, imageClassifier } from './classifier.js';
import { layerFeatures } from './layer-features.js';

const STATE = z.object({ names: z.array(z.string()).min(1) });
type LayersState = z.infer<typeof STATE>;

/** Of a batch: all features are compared with those of all rows of the training at once. */
const MOST_ROWS = 32;

const layersView: View<LayersState> = {
  name: 'layers',
  state: STATE,

  async prepare(networks, _, prior) {
    if (prior !== undefined) return prior;
    let first: unknown;
    for (let row = 0; row < networks.count; row++) {
      try {
        return { names: Object.keys(seenOf(networks.at(row)).features) };
      } catch (error) {
        first ??= error;
      }
    }
    throw first ?? notCovered('NO_NETWORKS', 'has no networks to learn from');
  },

  covers: (network, state) => whyNot(() => rowOf(network, state)),

  assumes: (network) => seenOf(network).assumed,

  inputs: ({ names }) => ({ [INPUT]: { type: 'float32', dims: [symbol('batch'), names.length] } }),

  async encode(networks, state, options) {
    const rows = await readEach(networks, (network) => rowOf(network, state), options);
    const data = new Float32Array(rows.length * state.names.length);
    rows.forEach((row, i) => void data.set(row, i * state.names.length));
    return new FeatureSet(new FeatureRows(state.names, data), MOST_ROWS);
  },
};
registerView(layersView);

function rowOf(network: Network, { names }: LayersState): number[] {
  const { features } = seenOf(network);
  return names.map((name) => {
    const value = features[name];
    if (value === undefined) {
      throw notCovered(
        'FEATURES_OTHER',
        'was fitted to features that auspex no longer computes',
        'train it again',
      );
    }
    if (Number.isFinite(value)) return value;
    throw notCovered(
      'FEATURES_NOT_FINITE',
      `cannot use ${network.ref}: its '${name}' is not known`,
      'fix sizes that are open: --dim NAME=SIZE, or when it is exported',
    );
  });
}

interface Seen extends Pick<ImageClassifier, 'assumed'> {
  readonly features: Readonly<Record<string, number>>;
}

/** Networks are asked for several times: whether they are covered, then what they are like. */
const seen = new WeakMap<Network, Seen>();

function seenOf(network: Network): Seen {
  let found = seen.get(network);
  if (found === undefined) {
    const { parts, image, assumed } = imageClassifier(network.ref, network.settled().inference().graph);
    found = { features: layerFeatures(parts, image), assumed };
    seen.set(network, found);
  }
  return found;
}
