// Normalisations: y = (x − mean) / √(variance + ε) · scale + bias and its relatives. They differ in what mean
// and variance are taken over; none of them changes the shape.
//
// Taking a mean costs 1 FLOP per element, a variance 3 (difference, square, sum), normalising, scaling and
// shifting 1 each. Work per mean or variance, such as the root, is not counted.
import { type Dim, isKnown } from '../../../graph/dim.js';
import { dataTypeOfCode } from '../../../graph/dtype.js';
import { type Shape, TensorType, type ValueType } from '../../../graph/types.js';
import { expectBroadcastTo, expectShape, likeInput, positiveInt, shapeOfRankFrom } from '../../arguments.js';
import { counted, perOutput, times } from '../../cost.js';
import type { Call, Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { withVersions } from '../../versions.js';
import { batchNormalizationGradient } from './batch-normalization.gradient.js';
import { localResponseParts, meanVarianceParts, normalizationGradients } from './normalization.gradient.js';
import { normalizationVersions } from './normalization.versions.js';

/** Statistics, normalising and an affine map: 1 + 3 + 1 + 2. */
const STATISTICS_AND_AFFINE = 7;

/**
 * Whether mean and variance are those of the batch. An attribute says so since opset 14 and said the opposite
 * until 6; in between, asking for the statistics as outputs did.
 */
function isTraining(call: Call): boolean {
  if (call.opset >= 14) return call.int('training_mode', 0) !== 0;
  return call.opset < 7 ? call.int('is_test', 0) === 0 : call.outputCount > 1;
}

/** (C), or until opset 8 with `spatial` 0 one statistic per activation, (C, D1, …, Dn). */
function statisticsShape(call: Call, input: Shape | undefined): Shape | undefined {
  if (input === undefined) return undefined;
  if (call.opset < 9 && call.int('spatial', 1) === 0) return input.slice(1);
  // A single dimension is the batch, of one channel.
  return [input[1] ?? 1];
}

const BatchNormalization: Operator = {
  infer: (call) => {
    const input = shapeOfRankFrom(call, 0, 1);
    const statistics = statisticsShape(call, input);
    if (statistics) {
      ['the scale', 'the bias', 'the mean', 'the variance'].forEach((what, i) => {
        expectShape(call, i + 1, what, statistics);
      });
    }
    const dtype = call.dtype(0);
    const running = new TensorType(
      call.dtype(3) ?? (call.opset < 14 ? dtype : undefined),
      statistics ?? call.shape(3),
    );
    // Running mean and variance, and until opset 13 those of the batch.
    return [new TensorType(dtype, input), running, running, running, running];
  },
  cost: counted(
    `2 per output element, as the statistics fold into one scale and shift; ${STATISTICS_AND_AFFINE} in training`,
    (call) => perOutput(isTraining(call) ? STATISTICS_AND_AFFINE : 2).of(call),
  ),
  roles: { scale: ['scale'], bias: ['B'], mean: ['input_mean'], variance: ['input_var'] },
  gradient: batchNormalizationGradient,
  traits: { normalisation: 'batch' },
};

/** Over the spatial dimensions of every instance and channel. */
const InstanceNormalization: Operator = {
  infer: (call) => {
    const input = shapeOfRankFrom(call, 0, 2);
    expectShape(call, 1, 'the scale', [input?.[1]]);
    expectShape(call, 2, 'the bias', [input?.[1]]);
    return [new TensorType(call.dtype(0), input)];
  },
  cost: perOutput(STATISTICS_AND_AFFINE),
  roles: { scale: ['scale'], bias: ['B'] },
  gradient: normalizationGradients.InstanceNormalization,
  traits: { normalisation: 'instance' },
};

/** Over groups of channels (arXiv:1803.08494). Scale and bias were per group before opset 21. */
const GroupNormalization: Operator = {
  infer: (call) => {
    const input = shapeOfRankFrom(call, 0, 2);
    const groups = positiveInt(call, 'num_groups');
    const channels = input?.[1];
    if (isKnown(channels) && channels % groups !== 0) {
      call.fail(`${channels} channels cannot be split into ${groups} groups`);
    }
    const affine: [Dim | undefined] = [call.opset < 21 ? groups : channels];
    expectShape(call, 1, 'the scale', affine);
    expectShape(call, 2, 'the bias', affine);
    return [new TensorType(call.dtype(0), input)];
  },
  cost: perOutput(STATISTICS_AND_AFFINE),
  roles: { scale: ['scale'], bias: ['bias'] },
  gradient: normalizationGradients.GroupNormalization,
  traits: { normalisation: 'group' },
};

/** The first of the axes that are normalised together; all after it are, too. */
function firstAxis(call: Call, input: Shape | undefined): number | undefined {
  return input && call.axis(call.int('axis', -1), input.length);
}

/** Over all dimensions from `axis` on (arXiv:1607.06450). Mean and 1/deviation come out as `stash_type`. */
const LayerNormalization: Operator = {
  infer: (call): ValueType[] => {
    const { dtype, shape } = call.tensor(0);
    const first = firstAxis(call, shape);
    expectBroadcastTo(call, 1, 'the scale', shape);
    expectBroadcastTo(call, 2, 'the bias', shape);
    const statistics = new TensorType(
      dataTypeOfCode(call.int('stash_type', 1)),
      shape?.map((size, axis) => (axis < first! ? size : 1)),
    );
    return [new TensorType(dtype, shape), statistics, statistics];
  },
  cost: counted(`${STATISTICS_AND_AFFINE} per output element, 1 less without a bias`, (call) =>
    perOutput(STATISTICS_AND_AFFINE - (call.has('B') ? 0 : 1)).of(call),
  ),
  roles: { scale: ['Scale'], bias: ['B'] },
  gradient: normalizationGradients.LayerNormalization,
  traits: { normalisation: 'layer' },
};

/** x / √(mean of squares + ε) · scale over all dimensions from `axis` on (arXiv:1910.07467). */
const RMSNormalization: Operator = {
  infer: (call) => {
    const { shape } = call.tensor(0);
    firstAxis(call, shape);
    expectBroadcastTo(call, 1, 'the scale', shape);
    return [new TensorType(call.dtype(1), shape)];
  },
  cost: counted('4 per output element (square, sum, quotient, scale)', perOutput(4).of),
  roles: { scale: ['scale'] },
  gradient: normalizationGradients.RMSNormalization,
  traits: { normalisation: 'layer' },
};

const MeanVarianceNormalization: Operator = {
  infer: likeInput(0),
  cost: counted('5 per output element (mean 1, variance 3, normalising 1)', perOutput(5).of),
  decompose: meanVarianceParts,
  traits: { normalisation: 'axes', float32: true },
};

/** x / ‖x‖ₚ along one axis. */
const LpNormalization: Operator = {
  infer: (call) => {
    const { dtype, shape } = call.tensor(0);
    firstAxis(call, shape);
    return [new TensorType(dtype, shape)];
  },
  cost: counted('3 per output element (power, sum, quotient)', perOutput(3).of),
  gradient: normalizationGradients.LpNormalization,
  traits: { normalisation: 'axes' },
};

/** x / (bias + α/size · Σ x²)^β, where the sum goes over `size` neighbouring channels. */
const LRN: Operator = {
  infer: (call) => {
    positiveInt(call, 'size');
    return [new TensorType(call.dtype(0), shapeOfRankFrom(call, 0, 2))];
  },
  cost: counted(
    'size + 5 per output element (square, `size` sums, scale, bias, power, quotient)',
    (call) => ({
      otherFlops: times(call.outputSize(), positiveInt(call, 'size') + 5),
    }),
  ),
  decompose: localResponseParts,
  traits: { normalisation: 'local' },
};

export const normalizationOperators: OperatorTable = withVersions(
  {
    BatchNormalization,
    GroupNormalization,
    InstanceNormalization,
    LRN,
    LayerNormalization,
    LpNormalization,
    MeanVarianceNormalization,
    RMSNormalization,
  },
  normalizationVersions,
);
