// Activations with what is added around them, differentiated: those that ONNX Runtime's kernels compute at once by
// their slopes, the others by what they are made of.

import type { Value } from '../build.js';
import { geluSlope, swishSlope, tanhGeluSlope } from '../families/layers/activation.gradient.js';
import type { Decomposition, Differentiation, Expansion, GradientRule } from '../gradient.js';

/** An activation of input 0, perhaps plus a bias at input 1, given the slope at that sum. */
function biased(slope: (x: Value, y: Value, g: Differentiation) => Value): GradientRule {
  return (g) => {
    const [x, bias] = [g.input(0), g.optionalInput(1)];
    const dx = g.dy.mul(slope(bias ? x.add(bias) : x, g.output(0), g));
    return [dx, bias && g.when(1, () => dx.sumTo(bias))];
  };
}

export const activationGradients: Readonly<Record<string, GradientRule>> = {
  BiasGelu: biased(geluSlope),
  FastGelu: biased(tanhGeluSlope),
  Gelu: biased(geluSlope),
  QuickGelu: biased((x, y, { call }) => swishSlope(x, y, call.float('alpha', 1.702))),
};

/** X·Φ(X). */
function gelu(x: Value): Value {
  return x.builder.apply('Gelu', [x], {}, { domain: 'com.microsoft' })[0]!;
}

/** The left half times the activation of the right one. */
const BiasSplitGelu: Decomposition = (node) => {
  const sum = node.input(0).add(node.input(1));
  const axis = sum.rank - 1;
  const half = sum.length(axis) / 2;
  const [left, right] = sum.split([half, half], axis) as [Value, Value];
  return [left.mul(gelu(right))];
};

/** Softmax over all dimensions from `axis` on together. */
const BiasSoftmax: Decomposition = (node) => {
  const sum = node.input(0).add(node.input(1));
  const axis = node.call.axis(node.call.int('axis', 1), sum.rank);
  if (axis === sum.rank - 1) return [sum.softmax()];
  const flat = sum.reshape([...sum.sizes.slice(0, axis), -1]);
  return [flat.softmax().reshapeTo(sum)];
};

/** dropout(X + bias) + residual, and the mask. */
function dropout(node: Expansion, x: Value, residual: Value | undefined, ratio: number): Value[] {
  const settings = [node.optionalInput(ratio), node.optionalInput(ratio + 1)];
  const seed = node.call.int('seed');
  const [y, mask] = node.builder.apply('Dropout', [x, ...settings], { seed }, { outputs: 2 });
  return [residual ? y!.add(residual) : y!, mask!];
}

const BiasDropout: Decomposition = (node) =>
  dropout(node, node.input(0).add(node.input(1)), node.optionalInput(2), 3);

/** Input 0, and a bias at input 1 if there is one. */
function biasedInput(node: Expansion): Value {
  const bias = node.optionalInput(1);
  return bias ? node.input(0).add(bias) : node.input(0);
}

/** ½·x·(1 + erf(x/√2)) */
const Gelu: Decomposition = (node) => {
  const x = biasedInput(node);
  return [x.mul(x.mul(Math.SQRT1_2).erf().add(1)).mul(0.5)];
};

/** ½·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))) */
const FastGelu: Decomposition = (node) => {
  const x = biasedInput(node);
  const inner = x.add(x.mul(x).mul(x).mul(0.044715)).mul(Math.sqrt(2 / Math.PI));
  return [x.mul(inner.tanh().add(1)).mul(0.5)];
};

const QuickGelu: Decomposition = (node) => {
  const x = node.input(0);
  return [x.mul(x.mul(node.call.float('alpha', 1.702)).sigmoid())];
};

/** Those that have slopes, too, are differentiated by them; their parts are for who looks for biases and activations. */
export const activationDecompositions: Readonly<Record<string, Decomposition>> = {
  BiasAdd: (node) => [node.input(0).add(node.input(1)).add(node.input(2))],
  BiasDropout,
  BiasGelu: Gelu,
  BiasSoftmax,
  BiasSplitGelu,
  /** The mask, whose elements are bits, does not come out. */
  BitmaskBiasDropout: (node) => BiasDropout(node).slice(0, 1),
  BitmaskDropout: (node) => dropout(node, node.input(0), undefined, 1).slice(0, 1),
  FastGelu,
  GatedAdd: (node) => [node.input(0).add(node.input(1).mul(node.input(2)))],
  Gelu,
  QuickGelu,
};
