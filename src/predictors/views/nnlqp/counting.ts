// How NNLQP counts: FLOPs, parameters and memory access, as its predictors are given them. They are features, kept as
// their authors defined them, and not what `cost` says: the batch is counted in some rules and left out in others,
// a multiplication and an addition are two FLOPs less the first addition, activations and max pools cost nothing,
// statistics of normalisation are parameters, memory is in elements, and an operator without a rule has no memory
// access either.
import { isKnown } from '../../../graph/dim.js';
import { isTensor, type ValueType } from '../../../graph/types.js';
import { inputsOf } from '../../../ops/index.js';
import type { Call } from '../../../ops/operator.js';
import type { Variant } from './operators.js';

export interface Work {
  /** FLOPs as NNLQP counts them, not those of `cost`. */
  readonly nnlqpFlops: number;
  readonly parameters: number;
}

interface CountingOptions {
  readonly variant: Variant;
  /** Which inputs are constants. */
  readonly constants: readonly number[];
}

type Rule = (call: Call, options: CountingOptions) => Work;

/** Sizes of a value, 0 where one is not known. */
export function sizesOrZeros(type: ValueType | undefined): number[] {
  return isTensor(type) && type.shape !== undefined ? type.shape.map((d) => (isKnown(d) ? d : 0)) : [0];
}

export function elements(sizes: readonly number[]): number {
  return sizes.reduce((n, d) => n * d, 1);
}

const output = (call: Call): number[] => sizesOrZeros(call.outputs[0]);
/** Elements of the output for one example. */
const perExample = (call: Call): number => elements(output(call).slice(1));
/** 1 where a bias is given, else 0. */
export const biasOf = (call: Call): number =>
  Number(
    inputsOf(call.node, call.opset)
      .slots('bias')
      .some((slot) => call.has(slot)),
  );

const NOTHING: Rule = () => ({ nnlqpFlops: 0, parameters: 0 });
/** One for every element of the output, the whole batch. */
const ELEMENTWISE: Rule = (call) => ({ nnlqpFlops: elements(output(call)), parameters: 0 });

/** C_o·H_o·W_o·(2·C_i/g·k² − 1 + b). A transposed one is counted alike, by its kernel (C_i, C_o/g, …) as stored. */
const CONVOLUTION: Rule = (call) => {
  const [outer = 0, ...inner] = sizesOrZeros(call.inputs[1]);
  const bias = biasOf(call);
  return {
    nnlqpFlops: perExample(call) * (2 * elements(inner) - 1 + bias),
    parameters: outer * (elements(inner) + bias),
  };
};

/** C_o·(2·C_i − 1 + b) */
export function denseWork(channelsIn: number, channelsOut: number, bias: number): Work {
  return {
    nnlqpFlops: channelsOut * (2 * channelsIn - 1 + bias),
    parameters: channelsOut * (channelsIn + bias),
  };
}

const GEMM: Rule = (call) => {
  const [rows = 0, columns = 0] = sizesOrZeros(call.inputs[1]);
  const isTransposed = call.int('transB', 0) !== 0;
  return denseWork(isTransposed ? columns : rows, isTransposed ? rows : columns, biasOf(call));
};

/** 2K − 1 for every element of an example; a factor that is a constant is its parameters. */
const PRODUCT: Rule = (call, { constants }) => {
  const length = sizesOrZeros(call.inputs[0]).at(-1) ?? 0;
  return {
    nnlqpFlops: perExample(call) * (2 * length - 1),
    parameters: constants.reduce((sum, i) => sum + elements(sizesOrZeros(call.inputs[i])), 0),
  };
};

const AVERAGE_POOL: Rule = (call) => ({
  nnlqpFlops: perExample(call) * elements(call.ints('kernel_shape') ?? []),
  parameters: 0,
});

const GLOBAL_POOL: Rule = (call, { variant }) => {
  const window = sizesOrZeros(call.inputs[0]).slice(2);
  const counted = variant === 'released' ? window.slice(1, 2) : window;
  return { nnlqpFlops: perExample(call) * elements(counted), parameters: 0 };
};

/** n exponentials, n − 1 additions, n divisions. */
const SOFTMAX: Rule = (call, { variant }) => {
  const sizes = sizesOrZeros(call.inputs[0]);
  const n = variant === 'released' ? Math.floor(sizes.length / (sizes[0] || 1)) : elements(sizes.slice(1));
  return { nnlqpFlops: 3 * n - 1, parameters: 0 };
};

const NORMALISATION: Rule = (call) => {
  const sizes = sizesOrZeros(call.inputs[0]);
  return { nnlqpFlops: 4 * elements(sizes), parameters: 4 * (sizes[1] ?? 0) };
};

/** The rule of every operator that has a code. */
export const COUNTING: Readonly<Record<string, Rule>> = {
  Conv: CONVOLUTION,
  ConvTranspose: CONVOLUTION,
  Gemm: GEMM,
  MatMul: PRODUCT,
  AveragePool: AVERAGE_POOL,
  GlobalAveragePool: GLOBAL_POOL,
  BatchNormalization: NORMALISATION,
  Softmax: SOFTMAX,
  Add: ELEMENTWISE,
  Sub: ELEMENTWISE,
  Mul: ELEMENTWISE,
  Div: ELEMENTWISE,
  Pow: ELEMENTWISE,
  Sqrt: ELEMENTWISE,
  Sigmoid: ELEMENTWISE,
  Tanh: ELEMENTWISE,
  ReduceMean: ELEMENTWISE,
  Relu: NOTHING,
  Clip: NOTHING,
  MaxPool: NOTHING,
  Upsample: NOTHING,
  Reshape: NOTHING,
  Flatten: NOTHING,
  Transpose: NOTHING,
  Concat: NOTHING,
  Split: NOTHING,
  Slice: NOTHING,
  Cast: NOTHING,
};
