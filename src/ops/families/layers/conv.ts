// Convolutions over X (N, C, D1, …, Dn) with weights W (M, C/group, k1, …, kn) and a bias (M):
//
//   Y (N, M, …): every output element is a sum over C/group · k1 · … · kn products.
//
// Transposed ones take W (C, M/group, k1, …, kn), and every *input* element meets M/group · k1 · … · kn weights.
import { type Dim, isKnown, multiply, product } from '../../../graph/dim.js';
import type { DataType } from '../../../graph/dtype.js';
import { isTensor, type Shape, TensorType } from '../../../graph/types.js';
import { expectShape, mayEqual, positiveInt, shapeOfRankFrom } from '../../arguments.js';
import { counted, times, total } from '../../cost.js';
import { type Call, commonDtype, type InputRoles, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { convIntegerFloat, qLinearConvFloat } from './conv.float.js';
import { convGradient, convTransposeGradient } from './conv.gradient.js';
import {
  checkSpatialRank,
  kernelOf,
  kernelSize,
  perAxis,
  slide,
  unslide,
  type Window,
  windowOf,
} from './window.js';

/** Which inputs of an operator are what. */
interface ConvInputs {
  readonly data: number;
  readonly weights: number;
  readonly bias?: number;
}

/** Weights, window and group of one convolution. */
interface Convolution {
  readonly input: Shape | undefined;
  readonly weights: Shape | undefined;
  /** Undefined when neither the weights nor an attribute tell the kernel. */
  readonly window: Window | undefined;
  readonly group: number;
}

function readConvolution(call: Call, { data, weights }: ConvInputs): Convolution {
  const input = shapeOfRankFrom(call, data, 3);
  const weightShape = shapeOfRankFrom(call, weights, 3);
  const kernel = kernelOf(call, weightShape);
  if (input) checkSpatialRank(call, input.length - 2);
  return {
    input,
    weights: weightShape,
    window: kernel && windowOf(call, kernel),
    group: positiveInt(call, 'group'),
  };
}

function checkChannels(
  call: Call,
  channels: Dim | undefined,
  expected: Dim | undefined,
  conv: Convolution,
): void {
  if (mayEqual(channels, expected)) return;
  call.fail(
    `an input of shape [${conv.input}] does not fit weights of shape [${conv.weights}] with group ${conv.group}`,
  );
}

/** Y (N, M, …). Where the input is unknown, the weights still tell the channels. */
function outputType(
  call: Call,
  dtype: DataType | undefined,
  conv: Convolution,
  channels: Dim | undefined,
  spatial: (window: Window, sizes: Shape) => readonly Dim[],
): TensorType[] {
  const { input, window } = conv;
  const rank = input?.length ?? (window && window.length + 2);
  if (rank === undefined) return [new TensorType(dtype, undefined)];
  const sizes =
    input && window
      ? spatial(window, input.slice(2))
      : Array.from({ length: rank - 2 }, (_, i) => call.unknownSize(0, i + 2));
  const shape = [input?.[0] ?? call.unknownSize(0, 0), channels ?? call.unknownSize(0, 1), ...sizes];
  return [new TensorType(dtype, shape)];
}

function inferConv(
  call: Call,
  inputs: ConvInputs,
  dtypeOf: (call: Call) => DataType | undefined,
): TensorType[] {
  const conv = readConvolution(call, inputs);
  const channels = conv.weights?.[0];
  const perGroup = conv.weights?.[1];
  checkChannels(call, conv.input?.[1], perGroup && multiply(perGroup, conv.group), conv);
  if (isKnown(channels) && channels % conv.group !== 0) {
    call.fail(`${channels} output channels cannot be split into ${conv.group} groups`);
  }
  if (inputs.bias !== undefined) expectShape(call, inputs.bias, 'the bias', [channels]);
  return outputType(call, dtypeOf(call), conv, channels, (window, sizes) => slide(call, window, sizes));
}

/** Products per output element, or transposed per input element: the weights' second size times the kernel. */
function productsPerElement(call: Call, inputs: ConvInputs): Dim | undefined {
  const { weights, window } = readConvolution(call, inputs);
  return times(weights?.[1], window && kernelSize(window));
}

/** Additions of the bias, one per output element, where there is one. */
function biasFlops(call: Call, bias: number | undefined): Dim | undefined {
  return bias !== undefined && call.has(bias) ? call.outputSize() : 0;
}

interface ConvRule {
  readonly inputs: ConvInputs;
  readonly dtype: (call: Call) => DataType | undefined;
  readonly roles: InputRoles;
  /** FLOPs per output element to scale it back to a quantised type. */
  readonly rescaleFlops?: number;
}

function convolution({ inputs, dtype, roles, rescaleFlops = 0 }: ConvRule): Operator {
  const rescaling = rescaleFlops > 0 ? `, ${rescaleFlops} to rescale it` : '';
  const adding = inputs.bias === undefined ? '' : '; 1 FLOP per output element for the bias';
  return {
    infer: (call) => inferConv(call, inputs, dtype),
    cost: counted(`MACs output elements · C/group · kernel elements${adding}${rescaling}`, (call) => ({
      macs: times(call.outputSize(), productsPerElement(call, inputs)),
      otherFlops: total(biasFlops(call, inputs.bias), times(call.outputSize(), rescaleFlops)),
    })),
    roles,
    traits: { convolution: 'plain' },
  };
}

const inputAndWeightDtype = (call: Call): DataType | undefined =>
  commonDtype(call, [call.tensor(0), call.tensor(1)]);

const Conv = convolution({
  inputs: { data: 0, weights: 1, bias: 2 },
  dtype: inputAndWeightDtype,
  roles: { weight: ['W'], bias: ['B'] },
});

const ConvInteger = convolution({
  inputs: { data: 0, weights: 1 },
  dtype: () => 'int32',
  roles: { weight: ['w'], setting: ['x_zero_point', 'w_zero_point'] },
});

const QLinearConv = convolution({
  inputs: { data: 0, weights: 3, bias: 8 },
  dtype: (call) => call.dtype(7),
  roles: { data: ['x'], weight: ['w'], bias: ['B'], others: 'setting' },
  rescaleFlops: 2,
});

/** The spatial part of `output_shape`, which some exporters write with batch and channels before it. */
function explicitOutput(call: Call, rank: number): readonly number[] | undefined {
  const sizes = call.ints('output_shape');
  if (sizes === undefined || sizes.length === 0) return undefined;
  if (sizes.length !== rank && sizes.length !== rank + 2) {
    call.fail(`attribute 'output_shape' has ${sizes.length} values for ${rank} spatial axes`, 'OP_ATTRIBUTE');
  }
  const spatial = sizes.slice(-rank);
  if (spatial.some((size) => size < 1)) call.fail(`output_shape cannot be [${sizes}]`, 'OP_ATTRIBUTE');
  return spatial;
}

const TRANSPOSED: ConvInputs = { data: 0, weights: 1, bias: 2 };

const ConvTranspose: Operator = {
  infer: (call) => {
    const conv = readConvolution(call, TRANSPOSED);
    const { weights, group } = conv;
    checkChannels(call, conv.input?.[1], weights?.[0], conv);
    if (isKnown(weights?.[0]) && weights[0] % group !== 0) {
      call.fail(`${weights[0]} input channels cannot be split into ${group} groups`);
    }
    const channels = times(weights?.[1], group);
    expectShape(call, 2, 'the bias', [channels]);
    return outputType(call, inputAndWeightDtype(call), conv, channels, (window, sizes) => {
      const extra = perAxis(call, 'output_padding', sizes.length, 0);
      return explicitOutput(call, sizes.length) ?? unslide(call, window, sizes, (axis) => extra[axis]!);
    });
  },
  cost: counted(
    'MACs input elements · M/group · kernel elements; 1 FLOP per output element for the bias',
    (call) => ({
      macs: times(call.inputSize(), productsPerElement(call, TRANSPOSED)),
      otherFlops: biasFlops(call, 2),
    }),
  ),
  roles: { weight: ['W'], bias: ['B'] },
  traits: { convolution: 'transposed' },
  gradient: convTransposeGradient,
};

const DEFORMED: ConvInputs = { data: 0, weights: 1, bias: 3 };

/** Deformable convolution (arXiv:1811.11168): where a kernel looks is moved by `offset`, scaled by `mask`. */
const DeformConv: Operator = {
  infer: (call) => {
    const [output] = inferConv(call, DEFORMED, inputAndWeightDtype);
    const { input, window } = readConvolution(call, DEFORMED);
    const groups = positiveInt(call, 'offset_group');
    if (isKnown(input?.[1]) && input[1] % groups !== 0) {
      call.fail(`${input[1]} channels cannot be split into ${groups} offset groups`);
    }
    if (input && window && output?.shape) {
      const positions = multiply(kernelSize(window), groups);
      const [batch, , ...sizes] = output.shape;
      expectShape(call, 2, 'the offsets', [batch, multiply(positions, window.length), ...sizes]);
      expectShape(call, 4, 'the mask', [batch, positions, ...sizes]);
    }
    return [output!];
  },
  cost: counted(
    'MACs output elements · C/group · kernel elements; for every input channel, kernel element and output ' +
      'position 2^(n+1) − 1 FLOPs to interpolate in n dimensions and 1 for the mask; 1 per output element for the bias',
    (call) => {
      const { input, window } = readConvolution(call, DEFORMED);
      const [output] = call.outputs;
      if (!input || !window || !isTensor(output) || !output.shape) return undefined;
      const [batch, , ...sizes] = output.shape;
      const samples = product([batch!, input[1]!, kernelSize(window), ...sizes]);
      const perSample = 2 ** (window.length + 1) - 1 + (call.has('mask') ? 1 : 0);
      return {
        macs: times(call.outputSize(), productsPerElement(call, DEFORMED)),
        otherFlops: total(multiply(samples, perSample), biasFlops(call, DEFORMED.bias)),
      };
    },
  ),
  roles: { weight: ['W'], bias: ['B'] },
  traits: { convolution: 'deformable' },
};

export const convOperators: OperatorTable = {
  Conv: { ...Conv, gradient: convGradient },
  ConvInteger: { ...ConvInteger, float: convIntegerFloat },
  ConvTranspose,
  DeformConv,
  QLinearConv: { ...QLinearConv, float: qLinearConvFloat },
};
