// Quantisation in floats: to integers and back is a value within what the integers can say.
import type { Value } from '../../build.js';
import type { Dequantisation, FloatRule } from '../../float.js';

/** The axis of lists of scales; vectors have one only. */
const DEFAULT_AXIS = 1;

export const quantizeLinearFloat: FloatRule = (node) => {
  const { call } = node;
  const parameters = {
    scale: node.input(1),
    zeroPoint: node.optionalInput(2),
    axis: call.int('axis', DEFAULT_AXIS),
    blockSize: call.int('block_size', 0),
  };
  const [type] = call.outputs;
  const dtype = type?.kind === 'tensor' ? type.dtype : undefined;
  // Blocks are for weights, which are constants of the integers' type.
  if (dtype === undefined || parameters.blockSize !== 0) return undefined;
  return [node.quantised(node.input(0), parameters, dtype)];
};

export const dequantizeLinearFloat: FloatRule = (node) => {
  const { call } = node;
  return [
    node.real(node.input(0), {
      scale: node.input(1),
      zeroPoint: node.optionalInput(2),
      axis: call.int('axis', DEFAULT_AXIS),
      blockSize: call.int('block_size', 0),
    }),
  ];
};

/** The scale is chosen so that all numbers fit: any scale says the same of the numbers themselves, and so does 1. */
export const dynamicQuantizeLinearFloat: FloatRule = (node) => [
  { real: node.network.rounding === 'straight-through' ? dynamicallyRounded(node) : node.input(0) },
  node.builder.constant(1, 'float32'),
  node.builder.constant(0, 'uint8'),
];

/** Steps from 0 to the highest uint8. */
const STEPS = 255;

/** In 255 steps between the lowest and the highest number; 0 is one of them. */
function dynamicallyRounded(node: Dequantisation): Value {
  const { builder } = node;
  const x = node.input(0);
  const lowest = x.reduceMin().min(0);
  const span = x.reduceMax().max(0).sub(lowest);
  const step = builder.where(span.equal(0), 1, span.div(STEPS));
  const below = builder.op('Round', [lowest.neg().div(step)]);
  return node.rounded(x, step, (whole) => whole.max(below.neg()).min(below.neg().add(STEPS)));
}
