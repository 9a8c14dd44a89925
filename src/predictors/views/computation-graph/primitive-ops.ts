// The primitive operations of GENNAPE's computation graphs, and what ONNX operators are called there.
import { type Dim, isKnown } from '../../../graph/dim.js';
import type { ValueType } from '../../../graph/types.js';
import { inputsOf, traitsOf } from '../../../ops/index.js';
import type { Call } from '../../../ops/operator.js';
import type { OperatorKey } from '../../../ops/registry.js';
import type { Movement } from '../../../ops/traits.js';

/** The 32 labels; a label's index is its operation's, 0 for what is out of the vocabulary. */
export const LABELS = [
  'OOV',
  'Input',
  'Output',
  'Conv',
  'Depthwise',
  'BatchNorm',
  'ReLU',
  'ReLU6',
  'MatMul',
  'Add',
  'Mul',
  'Concat',
  'Maxpool',
  'Avgpool',
  'Sigmoid',
  'Tanh',
  'Swish',
  'GeLU',
  'Paddings',
  'Mean',
  'SpacetoBatchND',
  'BatchtoSpaceND',
  'SpacetoDepthND',
  'DepthtoSpaceND',
  'Global',
  'Identity',
  'Zero',
  'Reserved1',
  'Reserved2',
  'Reserved3',
  'Reserved4',
  'Reserved5',
] as const;
export type Label = (typeof LABELS)[number];

const BY_LENGTH = LABELS.slice(1).toSorted((a, b) => b.length - a.length);

/**
 * Operators whose names do not say it. The mean over an image is `Mean` under any name: that is what the authors'
 * graphs hold, made by Keras, whose global pooling is a plain mean. A difference is a sum, and a quotient, a power
 * or a root a product: they differ in a constant sign or exponent, and constants are not part of the graph.
 */
const NAMED: Readonly<Record<string, Label>> = {
  AveragePool: 'Avgpool',
  GlobalAveragePool: 'Mean',
  Gemm: 'MatMul',
  FusedGemm: 'MatMul',
  Pad: 'Paddings',
  Sum: 'Add',
  Sub: 'Add',
  Div: 'Mul',
  Pow: 'Mul',
  Sqrt: 'Mul',
  Reciprocal: 'Mul',
  Neg: 'Mul',
  SpaceToDepth: 'SpacetoDepthND',
  DepthToSpace: 'DepthtoSpaceND',
  // x·σ(αx), whatever it is called.
  QuickGelu: 'Swish',
  // Not what their names have in them.
  Multinomial: 'OOV',
  NonZero: 'OOV',
  MeanVarianceNormalization: 'OOV',
};

const labelsByName = new Map<string, Label>();

/**
 * The label of an operator by its name: as `NAMED` has it, else the longest label its name contains, in any case;
 * `OOV` if there is none.
 */
export function labelOfOperator(opType: string): Label {
  const known = labelsByName.get(opType);
  if (known !== undefined) return known;
  const name = opType.toLowerCase();
  const label = Object.hasOwn(NAMED, opType)
    ? NAMED[opType]!
    : (BY_LENGTH.find((base) => name.includes(base.toLowerCase())) ?? 'OOV');
  labelsByName.set(opType, label);
  return label;
}

/** The label of one application: what is bounded by 0 and 6 is ReLU6, a convolution of single channels Depthwise. */
export function labelOf(call: Call): Label {
  if (traitsOf(call.node).activation === 'clip') {
    return boundedLabel(call.scalar(1) ?? call.float('min'), call.scalar(2) ?? call.float('max'));
  }
  const label = labelOfOperator(call.node.opType);
  return label === 'Conv' && isDepthwise(call) ? 'Depthwise' : label;
}

const INFINITE = 1e38;

export function boundedLabel(low: Dim | undefined, high: Dim | undefined): Label {
  if (low !== 0) return 'OOV';
  if (high === undefined || (isKnown(high) && high > INFINITE)) return 'ReLU';
  return high === 6 ? 'ReLU6' : 'OOV';
}

/** The kernel of a convolution. */
export function kernelOf(call: Call): ValueType | undefined {
  return call.inputs[inputsOf(call.node, call.opset).slots('weight')[0] ?? 1];
}

/** As many groups as channels, and more than one of them. */
function isDepthwise(call: Call): boolean {
  const group = call.int('group', 1);
  const weight = kernelOf(call);
  const perGroup = weight?.kind === 'tensor' ? weight.shape?.[1] : undefined;
  const isTransposed = traitsOf(call.node).convolution === 'transposed';
  const input = call.input(0);
  const channels = input?.kind === 'tensor' ? input.shape?.[1] : undefined;
  return group > 1 && (isTransposed ? channels === group : perGroup === 1);
}

/** They give what they get under another shape, type or order: left out, and every element is still there. */
const VIEWS: ReadonlySet<Movement | undefined> = new Set([
  ...(['same', 'type', 'shape', 'axes', 'layout', 'broadcast', 'quantisation'] as const),
]);

/** They give a part of what they get, or repeat it: left out, too. */
const PARTS: ReadonlySet<Movement | undefined> = new Set(['part', 'rows', 'lookup', 'repeat']);

/** An Identity is an operation of its own. */
export function isView(node: OperatorKey): boolean {
  return VIEWS.has(traitsOf(node).moves) && labelOfOperator(node.opType) !== 'Identity';
}

export function isPart(node: OperatorKey): boolean {
  return PARTS.has(traitsOf(node).moves);
}

/**
 * f(x) that makes x·f(x) an activation of its own, constants aside: x·σ(x) and x·ReLU6(x + 3)/6 are Swish (the
 * second its "hard" form), x·(1 + erf(x/√2))/2 and its approximation x·(1 + tanh(…))/2 are GeLU.
 */
export const GATES: Readonly<Record<string, Label>> = {
  Sigmoid: 'Swish',
  ReLU6: 'Swish',
  Erf: 'GeLU',
  Tanh: 'GeLU',
};
