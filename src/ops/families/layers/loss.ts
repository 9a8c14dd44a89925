// Classification losses: scores (N, C, d1, …, dk) of C classes against labels (N, d1, …, dk), with an optional
// weight per class. The loss per label, or one number.
import { add, multiply } from '../../../graph/dim.js';
import { bitsOf } from '../../../graph/dtype.js';
import { type Shape, TensorType, totalBytes } from '../../../graph/types.js';
import { expectShape, shapeOfRankFrom } from '../../arguments.js';
import { counted, times, total } from '../../cost.js';
import { type Call, expectInteger, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { lossGradients } from './loss.gradient.js';

const REDUCTIONS: ReadonlySet<string> = new Set(['none', 'sum', 'mean']);

/** Checks scores, labels and class weights, and gives the shape of the loss. */
function lossShape(call: Call): Shape | undefined {
  const reduction = call.string('reduction', 'mean');
  if (!REDUCTIONS.has(reduction)) call.fail(`reduction '${reduction}' does not exist`, 'OP_ATTRIBUTE');
  const scores = shapeOfRankFrom(call, 0, 2);
  const labels = scores && [scores[0]!, ...scores.slice(2)];
  expectInteger(call, 1);
  if (labels) expectShape(call, 1, 'the labels', labels);
  expectShape(call, 2, 'the class weights', [scores?.[1]]);
  return reduction === 'none' ? (labels ?? call.shape(1)) : [];
}

/** Picks the log-probability of every label. */
const NegativeLogLikelihoodLoss: Operator = {
  infer: (call) => [new TensorType(call.dtype(0), lossShape(call))],
  cost: counted('2 per label (weight or sign, sum)', (call) => {
    const dtype = call.dtype(0);
    const picked = times(call.inputSize(1), dtype && bitsOf(dtype) / 8);
    const others = totalBytes([...call.inputs.slice(1), call.outputs[0]]);
    return { otherFlops: times(call.inputSize(1), 2), memoryBytes: total(picked, others) };
  }),
  roles: { setting: ['weight'] },
  gradient: lossGradients.NegativeLogLikelihoodLoss,
};

/** LogSoftmax over the classes, which comes out as the second output, then the loss above. */
const SoftmaxCrossEntropyLoss: Operator = {
  infer: (call) => {
    const dtype = call.dtype(0);
    return [new TensorType(dtype, lossShape(call)), new TensorType(dtype, call.shape(0))];
  },
  cost: counted('5 per score for the log-softmax, 2 per label', (call) => {
    const [scores, labels] = [call.inputSize(0), call.inputSize(1)];
    if (scores === undefined || labels === undefined) return undefined;
    return { otherFlops: add(multiply(scores, 5), multiply(labels, 2)) };
  }),
  roles: { setting: ['weights'] },
  gradient: lossGradients.SoftmaxCrossEntropyLoss,
};

export const lossOperators: OperatorTable = { NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss };
