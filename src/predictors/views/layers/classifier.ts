// Which networks classify images, and what is assumed of those that do not say so themselves. Nothing is told of detectors,
// embeddings, regressors, audio or text.
import { dependentValues, neededValues } from '../../../analysis/dependence.js';
import type { InferredGraph } from '../../../analysis/infer.js';
import { isKnown } from '../../../graph/dim.js';
import { isFloat } from '../../../graph/dtype.js';
import { isTensor, type ValueType } from '../../../graph/types.js';
import { isQuantised } from '../../../ops/float.js';
import { operatorFor, traitsOf } from '../../../ops/index.js';
import type { AuspexError } from '../../../util/errors.js';
import { notCovered } from '../view.js';
import type { ImageSize } from './layer-features.js';
import { type NetworkParts, networkParts } from './network-parts.js';

export interface ImageClassifier {
  readonly parts: NetworkParts;
  /** What the first layer sees: after resizing inside the network. */
  readonly image: ImageSize;
  readonly classes: number;
  /** Sentences on what the file does not say. */
  readonly assumed: readonly string[];
}

export interface ClassifierLimits {
  /** Sides of images, in pixels. */
  readonly leastSide: number;
  readonly largestSide: number;
  readonly leastClasses: number;
}

/** Smaller images are not what networks for ImageNet see; fewer outputs are rarely classes of images in general. */
const IMAGENET_LIMITS: ClassifierLimits = {
  leastSide: 64,
  largestSide: Number.POSITIVE_INFINITY,
  leastClasses: 10,
};
/** With and without a class for the background. */
const IMAGENET = [1000, 1001];
/** Names of outputs that are classes, and of outputs that are something else. */
const CLASS_NAMES = /logit|class|prob|softmax|label/i;
const OTHER_NAMES = /landmark|keypoint|kpt|coord|pose|box|embed|feature|latent|depth|offset|angle/i;

/**
 * @param graph without functions and control flow
 * @throws AuspexError NOT_A_CLASSIFIER, whose message is a predicate
 */
export function imageClassifier(
  ref: string,
  graph: InferredGraph,
  limits: ClassifierLimits = IMAGENET_LIMITS,
): ImageClassifier {
  const { leastSide, largestSide } = limits;
  const isBounded = Number.isFinite(largestSide);
  const refuse = (why: string): AuspexError =>
    notCovered(
      'NOT_A_CLASSIFIER',
      `predicts image classifiers only; ${ref} ${why}`,
      'zero-cost scores compare networks of the same task: auspex proxy a.onnx b.onnx',
    );
  const inputs = graph.inputNames.filter((name) => !graph.initializers.has(name));
  if (inputs.length !== 1) throw refuse(`has ${inputs.length} inputs, not one image`);
  const given = imageOf(graph.types.get(inputs[0]!));
  if (given === undefined) {
    throw refuse(`takes ${graph.types.get(inputs[0]!)}, not a colour image`);
  }
  const nodes = graph.nodes.map(({ node }) => node);
  const seen = dependentValues(nodes, inputs);
  const outputs = graph.outputNames.filter((name) => seen.has(name));
  if (outputs.length === 0) throw refuse('has no path from its input to an output');
  const { name: output, classes } = classOutput(graph, outputs, limits, refuse);
  const parts = networkParts(graph);
  if (!parts.layers.some(({ positions }) => positions > 1)) throw refuse('has no layers that see an image');
  if (parts.layers.some(({ macs }) => !Number.isFinite(macs))) {
    throw refuse('has sizes that only running it tells');
  }
  const image = parts.image ?? given;
  const [smaller, larger] = [image.height, image.width].sort((a, b) => a - b) as [number, number];
  if (larger > largestSide || !(smaller >= leastSide)) {
    const known = isBounded ? `${leastSide} to ${largestSide}` : `${leastSide} or more`;
    throw refuse(`takes images of ${image.height} x ${image.width} pixels, not of ${known}`);
  }
  const isResized = image.height !== given.height || image.width !== given.width;
  const quantised = nodes.some((node) => isQuantised(operatorFor(node)));
  return {
    parts,
    image,
    classes,
    assumed: [
      ...(graph.outputNames.length > 1 ? [`the output '${output}' has the classes`] : []),
      ...(IMAGENET.includes(classes)
        ? []
        : [`its ${classes} outputs are classes, and it would have 1,000 of them for ImageNet`]),
      ...(isResized ? [`its first layer sees images of ${image.height} x ${image.width}`] : []),
      ...(quantised ? ['the accuracy is that before quantisation'] : []),
    ],
  };
}

/** The output that has a number for each class. */
function classOutput(
  graph: InferredGraph,
  outputs: readonly string[],
  { leastClasses }: ClassifierLimits,
  refuse: (why: string) => AuspexError,
): { readonly name: string; readonly classes: number } {
  const found = outputs.flatMap((name) => {
    const classes = classesOf(graph.types.get(name));
    return classes === undefined || OTHER_NAMES.test(name) ? [] : [{ name, classes }];
  });
  // Features on the way to the classes are usually given before them.
  const first =
    found.find(({ name }) => CLASS_NAMES.test(name)) ??
    found.find(({ classes }) => IMAGENET.includes(classes)) ??
    found.at(-1);
  if (first === undefined) {
    const others = outputs.length > 1 ? ` and ${outputs.length - 1} more` : '';
    throw refuse(`gives ${graph.types.get(outputs[0]!)}${others}, not one number for each class`);
  }
  const { name, classes } = first;
  if (classes < leastClasses) {
    throw refuse(`gives ${classes} numbers, fewer than the ${leastClasses} classes of those it knows`);
  }
  // Other outputs may be on the way to the classes, made of them, or ImageNet's classes of a side branch; boxes and
  // several heads (angles, attributes) are none of it.
  const nodes = graph.nodes.map(({ node }) => node);
  const [before, after] = [neededValues(nodes, [name]), dependentValues(nodes, [name])];
  const isSide = (other: string): boolean =>
    IMAGENET.includes(classes) && classesOf(graph.types.get(other)) === classes;
  const foreign = outputs.find((other) => !before.has(other) && !after.has(other) && !isSide(other));
  if (foreign !== undefined) {
    throw refuse(`has outputs besides classes: '${foreign}' ${graph.types.get(foreign)}`);
  }
  const isSoftmax = nodes.some((node) => traitsOf(node).softmax && node.outputs.includes(name));
  const isPower = classes >= 64 && Number.isInteger(Math.log2(classes));
  if (isPower && !isSoftmax && !CLASS_NAMES.test(name)) {
    throw refuse(`gives ${classes} numbers: an embedding rather than classes`);
  }
  return first;
}

/** (batch, classes), or with height and width of 1: channels first or last. */
function classesOf(type: ValueType | undefined): number | undefined {
  if (!isTensor(type) || !isFloat(type.dtype)) return undefined;
  const [, ...rest] = sizesOf(type);
  const large = rest.filter((size) => size !== 1);
  const isVector = rest.length === 1 || rest.length === 3;
  return isVector && large.length === 1 && rest[1] !== large[0] ? large[0] : undefined;
}

/** A colour image, channels first or last, perhaps without a batch. */
function imageOf(type: ValueType | undefined): ImageSize | undefined {
  const sizes = sizesOf(type);
  const [a = 0, b = 0, c = 0] = sizes.length === 4 ? sizes.slice(1) : sizes;
  if (sizes.length !== 3 && sizes.length !== 4) return undefined;
  if (a === 3) return { height: b, width: c };
  return c === 3 ? { height: a, width: b } : undefined;
}

function sizesOf(type: ValueType | undefined): number[] {
  return ((isTensor(type) ? type.shape : undefined) ?? []).map((size) => (isKnown(size) ? size : Number.NaN));
}
