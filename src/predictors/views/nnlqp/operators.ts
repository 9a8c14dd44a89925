// What the latency predictors of the NNLQP line know of ONNX operators: their codes, and which of their attributes
// become numbers.
import type { Call } from '../../../ops/operator.js';
import { biasOf } from './counting.js';

/** An attribute as the predictors see it: one number, of a list the first. */
export type AttributeName =
  | 'kernel_shape'
  | 'strides'
  | 'pads'
  | 'dilations'
  | 'group'
  | 'bias'
  | 'perm'
  | 'output_padding';

/** Most attribute numbers that a node has. */
export const MAX_ATTRIBUTES = 8;
/** Width of one-hot codes. */
export const CODES = 32;

const POOL: readonly AttributeName[] = ['kernel_shape', 'strides', 'pads'];
const CONVOLUTION: readonly AttributeName[] = [...POOL, 'dilations', 'group', 'bias'];
const PERMUTATION: readonly AttributeName[] = Array.from({ length: MAX_ATTRIBUTES }, () => 'perm');
const NONE: readonly AttributeName[] = [];

/** The operators that have a code, in the order of their codes from 1 on, and what is told of each. */
const VOCABULARY: readonly (readonly [operator: string, attributes: readonly AttributeName[]])[] = [
  ['Conv', CONVOLUTION],
  ['Relu', NONE],
  ['Add', NONE],
  ['Sigmoid', NONE],
  ['Reshape', NONE],
  ['MaxPool', POOL],
  ['Split', NONE],
  ['GlobalAveragePool', NONE],
  ['Gemm', ['bias']],
  ['Transpose', PERMUTATION],
  ['Upsample', NONE],
  ['BatchNormalization', NONE],
  ['Mul', NONE],
  ['Concat', NONE],
  ['Flatten', NONE],
  ['AveragePool', POOL],
  ['Cast', NONE],
  ['MatMul', NONE],
  ['ReduceMean', NONE],
  ['Pow', NONE],
  ['Slice', NONE],
  ['Div', NONE],
  ['Sub', NONE],
  ['Sqrt', NONE],
  ['Clip', NONE],
  ['Softmax', NONE],
  ['Tanh', NONE],
  ['ConvTranspose', [...CONVOLUTION, 'output_padding']],
];

const CODE_OF: ReadonlyMap<string, number> = new Map(VOCABULARY.map(([name], i) => [name, i + 1]));

/**
 * `released`: as the authors' code counts. Its table says `Matmul` where ONNX says `MatMul`, so a product of matrices
 * has no code, no FLOPs and no memory access; a global pool counts the width of its window only; a Softmax counts
 * the number of axes instead of the elements. `meant`: without these slips.
 */
export type Variant = 'meant' | 'released';

/** 1 … 28, 0 for an operator without a code and for inputs. */
export function codeOf(operator: string, variant: Variant): number {
  return variant === 'released' && operator === 'MatMul' ? 0 : (CODE_OF.get(operator) ?? 0);
}

/** Which attributes the numbers of a node stand for. */
export function attributesOf(code: number): readonly AttributeName[] {
  return VOCABULARY[code - 1]?.[1] ?? NONE;
}

/** The attribute numbers of a node, in the order of its operator; a permutation is filled up with zeros. */
export function attributeNumbers(call: Call, code: number): number[] {
  return attributesOf(code).map((name, i) => NUMBERS[name](call, i));
}

const first =
  (name: AttributeName, fallback: number) =>
  (call: Call): number =>
    call.ints(name)?.[0] ?? fallback;

const NUMBERS: Readonly<Record<AttributeName, (call: Call, place: number) => number>> = {
  kernel_shape: (call) => call.ints('kernel_shape')?.[0] ?? sizeAt(call, 1, 2),
  strides: first('strides', 1),
  pads: first('pads', 0),
  dilations: first('dilations', 1),
  group: (call) => call.int('group', 1),
  bias: biasOf,
  perm: (call, place) => {
    const rank = call.shape(0)?.length ?? 0;
    return (call.ints('perm') ?? Array.from({ length: rank }, (_, i) => rank - 1 - i))[place] ?? 0;
  },
  output_padding: first('output_padding', 0),
};

/** A size of an input, 0 where it is not known. */
function sizeAt(call: Call, input: number, axis: number): number {
  const size = call.shape(input)?.[axis];
  return typeof size === 'number' ? size : 0;
}
