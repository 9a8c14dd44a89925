// What nodes of computation graphs have besides their sizes: kernels and biases of convolutions and products, and
// how windows move over images.
import { type Dim, isKnown } from '../../../graph/dim.js';
import { isTensor, type ValueType } from '../../../graph/types.js';
import { inputsOf, traitsOf } from '../../../ops/index.js';
import type { Call } from '../../../ops/operator.js';
import { kernelOf, type Label } from './primitive-ops.js';

type Pair = readonly [height: number, width: number];

/** What convolutions, pools and paddings have besides. */
export interface WindowDetails {
  readonly strides?: Pair;
  readonly dilations?: Pair;
  /** Of a pool. */
  readonly kernel?: Pair;
  /** `valid`: no zeros around; `same`: as many as make the sides ⌈side/stride⌉. */
  readonly padding?: 'valid' | 'same' | 'explicit';
  /** Zeros, or whatever a Pad writes, at each side. */
  readonly pads?: readonly [top: number, left: number, bottom: number, right: number];
}

/**
 * The sizes of a kernel, as it is stored. A convolution in groups has the input channels of one group; a depthwise
 * one has its channels and how many outputs each of them has. Dense layers have no k. All 0 for a product of two
 * computed matrices, which has no weights.
 */
export type KernelShape = readonly [channelsIn: number, channelsOut: number, k1: number, k2: number];

/** A size as a number, 0 where it is not known. */
export function known(size: Dim): number {
  return isKnown(size) ? size : 0;
}

export function rankOf(type: ValueType | undefined): number | undefined {
  return isTensor(type) ? type.shape?.length : undefined;
}

function knownSizes(type: ValueType | undefined): number[] {
  return isTensor(type) ? (type.shape ?? []).map(known) : [];
}

/**
 * Kernel and bias of a convolution or product; nothing of other nodes.
 *
 * @param constants which inputs are constants.
 */
export function kernelAndBias(
  call: Call,
  label: Label,
  constants: readonly number[],
): { readonly shape: KernelShape; readonly usesBias: boolean } | undefined {
  if (label === 'Conv' || label === 'Depthwise') {
    return { shape: convShape(call, label), usesBias: hasBias(call) };
  }
  if (label !== 'MatMul') return undefined;
  const isGemm = traitsOf(call.node).product === 'gemm';
  return { shape: productShape(call, constants), usesBias: isGemm && hasBias(call) };
}

function hasBias({ node, opset }: Call): boolean {
  return inputsOf(node, opset)
    .slots('bias')
    .some((slot) => (node.inputs[slot] ?? '') !== '');
}

function convShape(call: Call, label: Label): KernelShape {
  const [first = 0, second = 0, ...kernel] = knownSizes(kernelOf(call));
  const [k1, k2] = lastTwo(kernel);
  // (in, out/group, …) where it is transposed, else (out, in/group, …).
  if (traitsOf(call.node).convolution === 'transposed') return [first, second, k1, k2];
  const group = call.int('group', 1);
  return label === 'Depthwise' ? [group, first / group, k1, k2] : [second, first, k1, k2];
}

function productShape(call: Call, constants: readonly number[]): KernelShape {
  // Packed matrices are told by attributes.
  const [k, n] = [call.int('K'), call.int('N')];
  if (k !== undefined && n !== undefined) return [k, n, 0, 0];
  const weight = constants.find((i) => (rankOf(call.inputs[i]) ?? 0) >= 2);
  if (weight === undefined) return [0, 0, 0, 0];
  const [rows = 0, columns = 0] = knownSizes(call.inputs[weight]).slice(-2);
  // W·x has its inputs along the columns, as has a transposed matrix behind x.
  const isFirst = weight === 0;
  const isTransposed = call.int(isFirst ? 'transA' : 'transB', 0) === 1;
  return isFirst === isTransposed ? [rows, columns, 0, 0] : [columns, rows, 0, 0];
}

/** Of the last two axes; of a single one, that and 1. */
function lastTwo(list: readonly number[]): Pair {
  return list.length < 2 ? [list[0] ?? 0, 1] : [list.at(-2)!, list.at(-1)!];
}

/** How a convolution, pool or padding goes over its input; nothing of other nodes. */
export function windowDetails(call: Call, label: Label): WindowDetails {
  if (label === 'Paddings') {
    const pads = call.ints('pads') ?? call.numbers(1);
    return pads === undefined ? {} : { pads: outerPads(pads) };
  }
  const isPool = (label === 'Maxpool' || label === 'Avgpool') && call.hasAttribute('kernel_shape');
  if (!isPool && label !== 'Conv' && label !== 'Depthwise') return {};
  const strides = lastTwo(call.ints('strides') ?? [1, 1]);
  return {
    strides,
    dilations: lastTwo(call.ints('dilations') ?? [1, 1]),
    ...(isPool ? { kernel: lastTwo(call.ints('kernel_shape') ?? []) } : {}),
    ...paddingOf(call, strides),
  };
}

/** ONNX has all begins, then all ends. */
function outerPads(pads: readonly number[]): readonly [number, number, number, number] {
  const middle = pads.length / 2;
  if (middle < 2) return [pads[0] ?? 0, 0, pads[1] ?? 0, 0];
  return [pads[middle - 2]!, pads[middle - 1]!, pads.at(-2)!, pads.at(-1)!];
}

function paddingOf(call: Call, strides: Pair): WindowDetails {
  const auto = call.string('auto_pad', 'NOTSET');
  if (auto.startsWith('SAME')) return { padding: 'same' };
  const pads = outerPads(call.ints('pads') ?? []);
  if (auto === 'VALID' || pads.every((p) => p === 0)) return { padding: 'valid' };
  const [before, after] = [call.inputs[0], call.outputs[0]].map((type) => lastTwo(knownSizes(type).slice(2)));
  const isSame = [0, 1].every((i) => after![i] === Math.ceil(before![i]! / strides[i]!));
  return { padding: isSame ? 'same' : 'explicit', pads };
}
