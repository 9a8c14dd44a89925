// Operators on 8-bit numbers, in floats: what their inputs stand for, the plain operator, and its result within what
// 8 bits can say.
import type { Value } from '../build.js';
import { channelsFirst, channelsLast } from '../families/layers/conv.float.js';
import type { Dequantisation, FloatRule, Quantised } from '../float.js';

/** The names of a tensor, its scale and its zero point. */
type Triple = readonly [tensor: string, scale: string, zeroPoint: string];

function realOf(node: Dequantisation, [tensor, scale, zeroPoint]: Triple): Value {
  return node.real(node.required(tensor), { scale: node.required(scale), zeroPoint: node.named(zeroPoint) });
}

function resultOf(node: Dequantisation, real: Value, scale: string, zeroPoint: string): Quantised {
  const [type] = node.call.outputs;
  const dtype = (type?.kind === 'tensor' ? type.dtype : undefined) ?? 'uint8';
  return node.quantised(real, { scale: node.required(scale), zeroPoint: node.named(zeroPoint) }, dtype);
}

/** The names of an operator's tensors, and those of the scale and zero point of its result. */
interface Signature {
  readonly of: readonly Triple[];
  readonly scale: string;
  readonly zeroPoint: string;
}

/** A rule that applies a plain operator to real numbers. */
function plain(
  { of, scale, zeroPoint }: Signature,
  write: (node: Dequantisation, x: Value[]) => Value,
): FloatRule {
  return (node) => {
    const inputs = of.map((triple) => realOf(node, triple));
    return [resultOf(node, write(node, inputs), scale, zeroPoint)];
  };
}

const PAIR: Signature = {
  of: [
    ['A', 'A_scale', 'A_zero_point'],
    ['B', 'B_scale', 'B_zero_point'],
  ],
  scale: 'C_scale',
  zeroPoint: 'C_zero_point',
};
const CAPITAL: Signature = {
  of: [['X', 'X_scale', 'X_zero_point']],
  scale: 'Y_scale',
  zeroPoint: 'Y_zero_point',
};
const IMAGE: Signature = {
  of: [['X', 'x_scale', 'x_zero_point']],
  scale: 'y_scale',
  zeroPoint: 'y_zero_point',
};
const LOGITS: Signature = {
  of: [['X', 'X_scale', 'x_zero_point']],
  scale: 'y_scale',
  zeroPoint: 'y_zero_point',
};
const REDUCED: Signature = {
  of: [['data', 'data_scale', 'data_zero_point']],
  scale: 'reduced_scale',
  zeroPoint: 'reduced_zero_point',
};
const CHOSEN: Signature = {
  of: [
    ['X', 'x_scale', 'x_zero_point'],
    ['Y', 'y_scale', 'y_zero_point'],
  ],
  scale: 'z_scale',
  zeroPoint: 'z_zero_point',
};

/** An operator on images, which may have their channels last. */
function pooled(opType: string, attributes: readonly string[]): FloatRule {
  return plain(IMAGE, (node, [x]) => {
    const given = Object.fromEntries(attributes.map((name) => [name, node.call.node.attributes.get(name)]));
    const isLast = node.call.int('channels_last', 0) !== 0;
    const y = node.builder.op(opType, [isLast ? channelsFirst(x!) : x!], given);
    return isLast ? channelsLast(y) : y;
  });
}

const qLinearConcat: FloatRule = (node) => {
  const parts: Value[] = [];
  for (let i = 2; i < node.inputCount; i += 3) {
    parts.push(node.real(node.input(i), { scale: node.input(i + 1), zeroPoint: node.optionalInput(i + 2) }));
  }
  const axis = node.call.required(node.call.int('axis'), 'axis');
  return [resultOf(node, node.builder.concat(parts, axis), 'Y_scale', 'Y_zero_point')];
};

/** By operator of com.microsoft. */
export const quantizedFloats: Readonly<Record<string, FloatRule>> = {
  QLinearAdd: plain(PAIR, (_, [a, b]) => a!.add(b!)),
  QLinearMul: plain(PAIR, (_, [a, b]) => a!.mul(b!)),
  QLinearSigmoid: plain(CAPITAL, (_, [x]) => x!.sigmoid()),
  QLinearLeakyRelu: plain(CAPITAL, (node, [x]) =>
    node.builder.op('LeakyRelu', [x], { alpha: node.call.float('alpha', 0.01) }),
  ),
  QLinearAveragePool: pooled('AveragePool', [
    'auto_pad',
    'ceil_mode',
    'count_include_pad',
    'kernel_shape',
    'pads',
    'strides',
  ]),
  QLinearGlobalAveragePool: pooled('GlobalAveragePool', []),
  QLinearReduceMean: plain(REDUCED, (node, [x]) =>
    x!.mean(node.call.ints('axes'), node.call.int('keepdims', 1) !== 0),
  ),
  QLinearSoftmax: plain(LOGITS, (node, [x]) => {
    const axis = node.call.axis(node.call.int('axis', -1), x!.rank);
    if (node.call.int('opset', 13) >= 13) return x!.softmax(axis);
    // Until opset 13 all axes from this one on were one.
    const flat = node.builder.op('Flatten', [x], { axis });
    return flat.softmax(1).reshapeTo(x!);
  }),
  QLinearWhere: plain(CHOSEN, (node, [x, y]) => node.builder.where(node.required('condition'), x!, y!)),
  QLinearConcat: qLinearConcat,
};
