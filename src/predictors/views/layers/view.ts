// Image classifiers as features of their layers; see layer-features.ts. It decides which networks classify images at all:
// nothing is told of detectors, embeddings, audio or text.
import * as z from 'zod';
import { isKnown, symbol } from '../../../graph/dim.js';
import { isFloat } from '../../../graph/dtype.js';
import { isTensor, type ValueType } from '../../../graph/types.js';
import type { Network } from '../../../networks/network.js';
import { traitsOf } from '../../../ops/index.js';
import type { AuspexError } from '../../../util/errors.js';
import { readEach } from '../../encode.js';
import { INPUT } from '../../feature-model.js';
import { FeatureRows } from '../feature-rows.js';
import { FeatureSet } from '../features.js';
import { notCovered, registerView, type View, whyNot } from '../view.js';
import { layerFeatures } from './layer-features.js';
import { networkParts } from './network-parts.js';

const STATE = z.object({ names: z.array(z.string()).min(1) });
type LayersState = z.infer<typeof STATE>;

/** Smaller images are not what networks for ImageNet see. */
const LEAST_SIDE = 64;
/** Fewer outputs are rarely classes of images in general. */
const LEAST_CLASSES = 10;

const layersView: View<LayersState> = {
  name: 'layers',
  state: STATE,

  async prepare(networks, _, prior) {
    if (prior !== undefined) return prior;
    let first: unknown;
    for (let row = 0; row < networks.count; row++) {
      try {
        return { names: Object.keys(featuresOf(networks.at(row))) };
      } catch (error) {
        first ??= error;
      }
    }
    throw first ?? notCovered('NO_NETWORKS', 'has no networks to learn from');
  },

  covers: (network, state) => whyNot(() => rowOf(network, state)),

  inputs: ({ names }) => ({ [INPUT]: { type: 'float32', dims: [symbol('batch'), names.length] } }),

  async encode(networks, state, options) {
    const rows = await readEach(networks, (network) => rowOf(network, state), options);
    const data = new Float32Array(rows.length * state.names.length);
    rows.forEach((row, i) => void data.set(row, i * state.names.length));
    return new FeatureSet(new FeatureRows(state.names, data));
  },
};
registerView(layersView);

function rowOf(network: Network, { names }: LayersState): number[] {
  const features = featuresOf(network);
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

function featuresOf(network: Network): Record<string, number> {
  const settled = network.settled();
  const { graph } = settled.inference();
  const refuse = (why: string): AuspexError =>
    notCovered(
      'NOT_A_CLASSIFIER',
      `predicts the accuracy of image classifiers; ${network.ref} ${why}`,
      'zero-cost scores compare networks of the same task: auspex proxy a.onnx b.onnx',
    );
  const inputs = graph.inputNames.filter((name) => !graph.initializers.has(name));
  const sizes = sizesOf(graph.types.get(inputs[0] ?? ''));
  if (inputs.length !== 1) throw refuse(`has ${inputs.length} inputs, not one image`);
  const [, a = 0, b = 0, c = 0] = sizes;
  const isImage = sizes.length === 4 && (a === 3 || c === 3);
  if (!isImage) throw refuse(`does not take a colour image; its input is ${graph.types.get(inputs[0]!)}`);
  const [height, width] = a === 3 ? [b, c] : [a, b];
  if (!(Math.min(height, width) >= LEAST_SIDE)) {
    throw refuse(
      `takes images of ${height} x ${width}; the smallest it knows are of ${LEAST_SIDE} x ${LEAST_SIDE}`,
    );
  }
  if (graph.outputNames.length !== 1)
    throw refuse(`has ${graph.outputNames.length} outputs, not one of classes`);
  const output = graph.types.get(graph.outputNames[0]!);
  const classes = classesOf(output);
  if (classes === undefined) throw refuse(`does not give one number for each class; its output is ${output}`);
  if (classes < LEAST_CLASSES)
    throw refuse(`has ${classes} outputs; classifiers have at least ${LEAST_CLASSES}`);
  const isSoftmax = graph.nodes.some(
    ({ node }) => traitsOf(node).softmax && node.outputs.includes(graph.outputNames[0]!),
  );
  if (!isSoftmax && classes >= 64 && Number.isInteger(Math.log2(classes))) {
    throw refuse(`gives ${classes} numbers: an embedding rather than classes`);
  }
  const parts = networkParts(graph);
  if (!parts.layers.some(({ positions }) => positions > 1)) throw refuse('has no layers that see an image');
  return layerFeatures(parts, { height, width });
}

/** Of (batch, classes), perhaps with axes of size 1 behind; undefined for anything else. */
function classesOf(type: ValueType | undefined): number | undefined {
  if (!isTensor(type) || !isFloat(type.dtype)) return undefined;
  const [, ...rest] = sizesOf(type);
  const large = rest.filter((size) => size !== 1);
  return large.length === 1 && (rest[0] === large[0] || rest.at(-1) === large[0]) ? large[0] : undefined;
}

function sizesOf(type: ValueType | undefined): number[] {
  return ((isTensor(type) ? type.shape : undefined) ?? []).map((size) => (isKnown(size) ? size : Number.NaN));
}
