// Poolings: windows over X (N, C, D1, …, Dn) that keep a maximum, a mean or a norm of what they see, and what
// undoes them; poolings of regions given as boxes.
import { isKnown } from '../../../graph/dim.js';
import { type Shape, TensorType } from '../../../graph/types.js';
import { expectShape, positiveInt, shapeOfRank, shapeOfRankFrom } from '../../arguments.js';
import { counted, FREE, perInput, perOutput, times } from '../../cost.js';
import { type Call, expectInteger, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import type { Pooling } from '../../traits.js';
import { withVersions } from '../../versions.js';
import {
  averagePoolGradient,
  globalAveragePoolGradient,
  globalLpPoolGradient,
  globalMaxPoolGradient,
  lpPoolGradient,
  maxPoolGradient,
  maxUnpoolGradient,
} from './pool.gradient.js';
import { poolVersions } from './pool.versions.js';
import { roiAlignParts } from './roi-align.gradient.js';
import { checkSpatialRank, kernelSize, slide, unslide, type Window, windowOf } from './window.js';

/** The window of a pooling, whose kernel is always an attribute. */
function poolingWindow(call: Call): Window {
  return windowOf(call, call.required(call.ints('kernel_shape'), 'kernel_shape'));
}

function pooledShape(call: Call): Shape | undefined {
  const window = poolingWindow(call);
  const input = shapeOfRankFrom(call, 0, 3);
  const rounding = call.int('ceil_mode', 0) === 0 ? 'truncate' : 'ceil';
  return input && [...input.slice(0, 2), ...slide(call, window, input.slice(2), rounding)];
}

/** @param flops per element that a window sees. */
function pooling(keeps: Pooling['keeps'], flops: number): Operator {
  return {
    infer: (call) => {
      const shape = pooledShape(call);
      // The second output is MaxPool's alone: where in the input the maximum was.
      return [new TensorType(call.dtype(0), shape), new TensorType('int64', shape)];
    },
    cost: counted(`${flops} per output and kernel element`, (call) => ({
      otherFlops: times(call.outputSize(), kernelSize(poolingWindow(call)), flops),
    })),
    traits: { pooling: { keeps, over: 'window' } },
  };
}

/** One window over everything: (N, C, 1, …, 1). */
function globalPooling(keeps: Pooling['keeps'], flops: number): Operator {
  return {
    infer: (call) => {
      const shape = shapeOfRankFrom(call, 0, 2);
      return [
        new TensorType(
          call.dtype(0),
          shape?.map((size, axis) => (axis < 2 ? size : 1)),
        ),
      ];
    },
    cost: perInput(flops),
    traits: { pooling: { keeps, over: 'image' } },
  };
}

/** Puts values back to where MaxPool found them. The output size that pooling lost can be given as input 2. */
const MaxUnpool: Operator = {
  infer: (call) => {
    const window = poolingWindow(call);
    const input = shapeOfRankFrom(call, 0, 3);
    expectInteger(call, 1);
    expectInteger(call, 2);
    if (input) expectShape(call, 1, 'the indices', input);
    return [new TensorType(call.dtype(0), input && unpooledShape(call, input, window))];
  },
  cost: FREE,
  roles: { setting: ['output_shape'] },
  gradient: maxUnpoolGradient,
  traits: { knowsPlaces: 'all' },
};

function unpooledShape(call: Call, input: Shape, window: Window): Shape {
  if (!call.has('output_shape')) return [...input.slice(0, 2), ...unslide(call, window, input.slice(2))];
  const sizes = call.elements(2);
  if (sizes === undefined) return input.map((size, axis) => (axis < 2 ? size : call.unknownSize(0, axis)));
  if (sizes.length !== input.length || sizes.some((size) => isKnown(size) && !(size >= 0))) {
    call.fail(`output_shape cannot be [${sizes}] for an input of shape [${input}]`);
  }
  return sizes;
}

/** (regions, C, …): a maximum over every part of every region of rois (regions, 5). */
const MaxRoiPool: Operator = {
  infer: (call) => {
    const pooled = call.required(call.ints('pooled_shape'), 'pooled_shape');
    checkSpatialRank(call, pooled.length);
    if (pooled.some((size) => size < 1)) call.fail(`pooled_shape cannot be [${pooled}]`, 'OP_ATTRIBUTE');
    const input = shapeOfRank(call, 0, pooled.length + 2);
    expectShape(call, 1, 'the regions', [undefined, 5]);
    return [new TensorType(call.dtype(0), regionShape(call, input, pooled))];
  },
  cost: counted('1 per output element; the sizes of the regions depend on the data', perOutput(1).of),
};

const RoiAlign: Operator = {
  infer: (call) => {
    const input = shapeOfRank(call, 0, 4);
    const pooled = [positiveInt(call, 'output_height'), positiveInt(call, 'output_width')];
    expectInteger(call, 2);
    expectShape(call, 1, 'the regions', [undefined, 4]);
    expectShape(call, 2, 'the batch indices', [call.shape(1)?.[0]]);
    return [new TensorType(call.dtype(0), regionShape(call, input, pooled))];
  },
  cost: counted(
    '8 per sampling point (7 to interpolate, 1 to pool), sampling_ratio² points per output element; 2 × 2 points ' +
      'are assumed if their number depends on the size of the regions',
    (call) => {
      const ratio = call.int('sampling_ratio', 0);
      return { otherFlops: times(call.outputSize(), 8, (ratio > 0 ? ratio : 2) ** 2) };
    },
  ),
  roles: { setting: ['batch_indices'] },
  decompose: roiAlignParts,
};

function regionShape(call: Call, input: Shape | undefined, pooled: readonly number[]): Shape | undefined {
  const regions = call.shape(1)?.[0];
  if (input === undefined && regions === undefined) return undefined;
  return [regions ?? call.unknownSize(0, 0), input?.[1] ?? call.unknownSize(0, 1), ...pooled];
}

export const poolOperators: OperatorTable = withVersions(
  {
    AveragePool: { ...pooling('average', 1), gradient: averagePoolGradient },
    GlobalAveragePool: { ...globalPooling('average', 1), gradient: globalAveragePoolGradient },
    GlobalLpPool: { ...globalPooling('norm', 2), gradient: globalLpPoolGradient },
    GlobalMaxPool: { ...globalPooling('maximum', 1), gradient: globalMaxPoolGradient },
    LpPool: { ...pooling('norm', 2), gradient: lpPoolGradient },
    MaxPool: { ...pooling('maximum', 1), gradient: maxPoolGradient },
    MaxRoiPool,
    MaxUnpool,
    RoiAlign,
  },
  poolVersions,
);
