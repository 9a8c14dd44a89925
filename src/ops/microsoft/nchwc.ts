// The domain com.microsoft.nchwc: what ONNX Runtime turns convolutional networks into at its highest level of
// optimisation. Images are (N, C, D1, …, Dn) by their shape, but C is rounded up to the width of the processor's
// registers and stored in blocks of that many channels. The operators do what those of ai.onnx do.
import { multiply } from '../../graph/dim.js';
import { TensorType } from '../../graph/types.js';
import { positiveInt, shapeOfRank } from '../arguments.js';
import { FREE, perOutput } from '../cost.js';
import { poolOperators } from '../families/layers/pool.js';
import type { Call, Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { channelsFirst, channelsLast } from './channels-last.js';
import { convVariants } from './conv.js';
import { standard, withoutGradient } from './standard.js';

function isChannelsLast(call: Call): boolean {
  return call.int('channels_last', 0) !== 0;
}

/** Into blocks. How wide they are only the processor knows; the weights that follow tell. */
const ReorderInput: Operator = {
  infer: (call) => {
    const shape = shapeOfRank(call, 0, 4);
    const image = isChannelsLast(call) ? channelsFirst(shape) : shape;
    return [new TensorType(call.dtype(0), image?.with(1, call.unknownSize(0, 1)))];
  },
  cost: FREE,
  traits: { moves: 'layout' },
};

/** Out of blocks, without the channels that rounding added. */
const ReorderOutput: Operator = {
  infer: (call) => {
    const image = shapeOfRank(call, 0, 4)?.with(1, positiveInt(call, 'channels'));
    return [new TensorType(call.dtype(0), isChannelsLast(call) ? channelsLast(image) : image)];
  },
  cost: FREE,
  traits: { moves: 'layout' },
};

/** Larger by whole factors. */
const Upsample: Operator = {
  infer: (call) => {
    const image = shapeOfRank(call, 0, 4);
    const scales = call.ints('scales') ?? [1, 1, 1, 1];
    if (scales.length !== 4 || !scales.every((s) => Number.isSafeInteger(s) && s > 0)) {
      call.fail(`scales cannot be [${scales}]`, 'OP_ATTRIBUTE');
    }
    return [
      new TensorType(
        call.dtype(0),
        image?.map((size, axis) => multiply(size, scales[axis]!)),
      ),
    ];
  },
  cost: perOutput(4),
};

/** Gradients are written for channels that are not in blocks. */
function blocked(opType: string, opset: number): Operator {
  return withoutGradient(standard(poolOperators, opType, opset));
}

export const nchwcOperators: OperatorTable = {
  AveragePool: blocked('AveragePool', 11),
  Conv: { ...withoutGradient(convVariants.FusedConv!), inputs: ['X', 'W', 'B', 'Sum'] },
  GlobalAveragePool: blocked('GlobalAveragePool', 1),
  GlobalMaxPool: blocked('GlobalMaxPool', 1),
  MaxPool: blocked('MaxPool', 11),
  ReorderInput,
  ReorderOutput,
  Upsample,
};
