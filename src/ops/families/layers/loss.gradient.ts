// Gradients of classification losses. With sₙ the gradient of label n's loss times the weight of its class (0 where
// it is ignored, divided by the sum of all weights in a mean), those of the scores are one hot rows times sₙ.
import { isKnown } from '../../../graph/dim.js';
import type { Value } from '../../build.js';
import type { Differentiation, GradientRule } from '../../gradient.js';

/** Where classes are in scores (N, C, d1, …, dk). */
const CLASSES = 1;

/** The weight of each label, (N, d1, …, dk); undefined where all count the same. */
function labelWeights(g: Differentiation): Value | undefined {
  const [{ dtype }, labels, ofClass] = [g.input(0), g.input(1), g.optionalInput(2)];
  const ignored = g.call.int('ignore_index');
  if (ignored === undefined) return ofClass?.gather(labels);
  const isIgnored = labels.equal(ignored);
  if (ofClass === undefined) return isIgnored.not().cast(dtype);
  // The label to ignore need not be a class.
  return g.builder.where(isIgnored, 0, ofClass.gather(g.builder.where(isIgnored, 0, labels)));
}

/** How much labels weigh together. */
function totalWeight(g: Differentiation, weights: Value | undefined): Value | number {
  if (weights) return weights.sum();
  const labels = g.input(1);
  if (labels.shape.every(isKnown)) return labels.sizes.reduce((n, d) => n * d, 1);
  return g.builder.op('Size', [labels]).cast(g.input(0).dtype);
}

/** sₙ, (N, 1, d1, …, dk), or one number if all are the same. */
function labelGradients(g: Differentiation, dy: Value): Value {
  if (g.wants(2)) g.call.fail('the class weights have no gradient', 'GRADIENT_UNSUPPORTED');
  const weights = labelWeights(g);
  const isMean = g.call.string('reduction', 'mean') === 'mean';
  const scale = isMean ? dy.div(totalWeight(g, weights)) : dy;
  const gradients = weights ? weights.mul(scale) : scale;
  return gradients.rank === 0 ? gradients : gradients.unsqueeze([CLASSES]);
}

/** `on` where the class is the label, else 0, in the shape of the scores. */
function oneHot(g: Differentiation, on: number): Value {
  const { builder } = g;
  const [scores, labels] = [g.input(0), g.input(1)];
  const depth = builder.constant(scores.length(CLASSES), 'int64');
  const values = builder.constant([0, on], 'float32');
  const axis = CLASSES;
  return builder.op('OneHot', [labels.cast('int64'), depth, values], { axis }).cast(scores.dtype);
}

/** dX = −onehot·s. */
const NegativeLogLikelihoodLoss: GradientRule = (g) => [
  oneHot(g, -1).mul(labelGradients(g, g.dy)),
  undefined,
];

/** dX = (softmax − onehot)·s, and what comes back through the log-probabilities as of LogSoftmax. */
const SoftmaxCrossEntropyLoss: GradientRule = (g) => {
  const probabilities = g.call.wants(1) ? g.output(1).exp() : g.input(0).softmax(CLASSES);
  const [dLoss, dLogs] = [g.outputGradient(0), g.outputGradient(1)];
  const parts: Value[] = [];
  if (dLoss) parts.push(probabilities.sub(oneHot(g, 1)).mul(labelGradients(g, dLoss)));
  if (dLogs) parts.push(dLogs.sub(probabilities.mul(dLogs.sum([CLASSES], true))));
  return [g.builder.sum(parts)];
};

export const lossGradients = { NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss };
