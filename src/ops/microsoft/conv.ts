// Convolutions and poolings that ONNX Runtime fuses with what follows, or runs with channels last.
import { add, type Dim, isKnown, subtract } from '../../graph/dim.js';
import { type Shape, TensorType, type ValueType } from '../../graph/types.js';
import { expectBroadcastTo, mayEqual, positiveInt, shapeOfRank, shapeOfRankFrom } from '../arguments.js';
import { counted, times, total } from '../cost.js';
import { convOperators } from '../families/layers/conv.js';
import { poolOperators } from '../families/layers/pool.js';
import type { Call, Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { activationCost } from './activation.js';
import { withLast } from './arguments.js';
import {
  ALWAYS,
  BY_ATTRIBUTE,
  channelsFirst,
  image,
  inLayout,
  type Layout,
  NEVER,
  reshaped,
  withLayout,
} from './channels-last.js';
import { fusedConvParts } from './conv.gradient.js';
import { firstOutput, standard } from './standard.js';

/** The weights as (M, C/group, k1, …, kn), whichever way an operator stores them. */
type WeightLayout = (call: Call) => ValueType | undefined;

/**
 * NhwcConv is documented to take weights (M, C/group, k1, …, kn), but ONNX Runtime reads (M, k1, …, kn, C/group).
 * The input's channels tell which; in doubt it is the latter.
 */
const eitherLayout: WeightLayout = (call) => {
  const weights = shapeOfRankFrom(call, 1, 3);
  const channels = call.shape(0)?.at(-1);
  if (weights === undefined) return call.input(1);
  const group = positiveInt(call, 'group');
  const fits = (size: Dim) => isKnown(size) && isKnown(channels) && size * group === channels;
  const documented = fits(weights[1]!) && !fits(weights.at(-1)!);
  return documented ? call.input(1) : reshaped(call.input(1), channelsFirst);
};

const asGiven: WeightLayout = (call) => call.input(1);

/** Conv, then Z added, then an activation. */
function fusedConv(layout: Layout, weights: WeightLayout): Operator {
  const Conv = standard(convOperators, 'Conv', 11, (call) => [
    image(call, layout),
    weights(call),
    call.input(2),
  ]);
  return {
    infer: (call) => {
      const type = inLayout(call, layout, firstOutput(Conv, call));
      expectBroadcastTo(call, 3, 'Z', type.shape);
      return [type];
    },
    cost: counted(
      'MACs output elements · C/group · kernel elements; 1 FLOP per output element for the bias, 1 for Z, and those of the activation',
      (call) => {
        const cost = Conv.cost.of(call);
        return {
          macs: cost?.macs,
          otherFlops: total(cost?.otherFlops, call.has(3) ? call.outputSize() : 0, activationCost(call)),
        };
      },
    ),
    roles: { weight: ['W'], bias: ['B'] },
    traits: { convolution: 'plain' },
  };
}

const UnpaddedTranspose = standard(convOperators, 'ConvTranspose', 11, (call) => [
  call.input('X'),
  call.input('W'),
  call.input('B'),
]);

/** Padding comes as an input, before the bias. */
const ConvTransposeWithDynamicPads: Operator = {
  infer: (call) => {
    const { dtype, shape } = firstOutput(UnpaddedTranspose, call);
    return [new TensorType(dtype, shape && cropped(call, shape))];
  },
  cost: UnpaddedTranspose.cost,
  roles: { weight: ['W'], bias: ['B'], setting: ['Pads'] },
  traits: { convolution: 'transposed' },
};

/** The padding of a transposed convolution is cut off what it gives. */
function cropped(call: Call, shape: Shape): Shape {
  const mode = call.string('auto_pad', 'NOTSET');
  if (!call.has('Pads') || mode !== 'NOTSET') return shape;
  const rank = shape.length - 2;
  const pads = call.elements('Pads');
  if (pads === undefined) return shape.map((size, axis) => (axis < 2 ? size : call.unknownSize(0, axis)));
  if (pads.length !== 2 * rank)
    call.fail(`${pads.length} pads are given for ${rank} spatial axes`, 'OP_INPUT');
  return shape.map((size, axis) =>
    axis < 2 ? size : subtract(size, total(pads[axis - 2], pads[rank + axis - 2])!),
  );
}

/** Words (…, L) of character ids, each embedded by C (chars, e), to the maximum of a convolution: (…, M). */
const WordConvEmbedding: Operator = {
  infer: (call) => {
    const words = shapeOfRankFrom(call, 0, 1);
    const weights = shapeOfRank(call, 1, 4);
    const given = call.int('embedding_size');
    if (given !== undefined && !mayEqual(given, weights?.[0])) {
      call.fail(`embedding_size is ${given}, but the weights have ${weights?.[0]} filters`, 'OP_ATTRIBUTE');
    }
    const positions = words && weights && windowPositions(words, weights);
    if (isKnown(positions) && positions < 1) {
      call.fail(`words of shape [${words}] are shorter than the window of weights [${weights}]`);
    }
    return [new TensorType(call.dtype(1), words && weights && withLast(words, weights[0]!))];
  },
  cost: counted(
    'MACs words · positions of the window · elements of the weights; per filter and position 3 (bias, tanh, maximum)',
    (call) => {
      const words = shapeOfRankFrom(call, 0, 1);
      const weights = shapeOfRank(call, 1, 4);
      if (words === undefined || weights === undefined) return undefined;
      const positions = times(...words.slice(0, -1), windowPositions(words, weights));
      return { macs: times(positions, ...weights), otherFlops: times(positions, weights[0], 3) };
    },
  ),
  roles: { weight: ['W', 'C'], bias: ['B'] },
};

/** Where a window over characters can be in a word: L − window + 1. */
function windowPositions(words: Shape, weights: Shape): Dim {
  return add(subtract(words.at(-1)!, weights[2]!), 1);
}

export const convVariants: OperatorTable = {
  ConvTransposeWithDynamicPads,
  FusedConv: { ...fusedConv(NEVER, asGiven), decompose: fusedConvParts },
  MaxpoolWithMask: withLayout(poolOperators, 'MaxPool', 8, NEVER),
  NhwcConv: fusedConv(ALWAYS, eitherLayout),
  NhwcFusedConv: fusedConv(ALWAYS, asGiven),
  NhwcMaxPool: withLayout(poolOperators, 'MaxPool', 12, ALWAYS),
  QLinearConv: withLayout(convOperators, 'QLinearConv', 10, BY_ATTRIBUTE),
  WordConvEmbedding,
};
