// What ONNX Runtime makes of a graph on a CPU: which operators it computes together, and what it calls the result.

/** Activations that are computed in the kernel of the layer before them. */
const FUSED = {
  /** Convolutions of images as they are. */
  plain: new Set(['Relu', 'LeakyRelu', 'Sigmoid', 'Tanh', 'HardSigmoid', 'Clip']),
  /** Convolutions of images with channels in blocks (com.microsoft.nchwc). */
  blocked: new Set(['Relu', 'LeakyRelu', 'Sigmoid', 'Tanh', 'HardSigmoid', 'Clip', 'HardSwish']),
  product: new Set(['Relu', 'LeakyRelu', 'Sigmoid', 'Tanh', 'HardSigmoid', 'Elu', 'Softplus', 'Softsign']),
};

export function isFusedActivation(opType: string, into: keyof typeof FUSED): boolean {
  return FUSED[into].has(opType);
}

/** Functions of one input that keep channels in blocks. */
const KEEPS_BLOCKS = new Set(['Relu', 'Sigmoid', 'Tanh', 'QuickGelu']);

export function keepsBlocks(opType: string): boolean {
  return KEEPS_BLOCKS.has(opType);
}

/** What an operator that has no kernel of its own is computed by, one after the other. */
export const INLINED: ReadonlyMap<string, readonly string[]> = new Map([
  ['HardSwish', ['HardSigmoid', 'Mul']],
]);

/** What an operator between DequantizeLinear and QuantizeLinear becomes: a kernel of integers. */
export const ON_INTEGERS: ReadonlyMap<string, string> = new Map([
  ['Add', 'QLinearAdd'],
  ['AveragePool', 'QLinearAveragePool'],
  ['Concat', 'QLinearConcat'],
  ['Conv', 'QLinearConv'],
  ['Gemm', 'QGemm'],
  ['GlobalAveragePool', 'QLinearGlobalAveragePool'],
  ['LeakyRelu', 'QLinearLeakyRelu'],
  ['MatMul', 'QLinearMatMul'],
  ['Mul', 'QLinearMul'],
  ['Sigmoid', 'QLinearSigmoid'],
  ['Softmax', 'QLinearSoftmax'],
  // These only move elements, or choose among them.
  ...[
    'Flatten',
    'Gather',
    'MaxPool',
    'Reshape',
    'Resize',
    'Slice',
    'Split',
    'Squeeze',
    'Transpose',
    'Unsqueeze',
  ].map((name) => [name, name] as const),
]);

/** Activations that the range of unsigned integers makes superfluous. */
export const DONE_BY_ROUNDING: ReadonlySet<string> = new Set(['Relu', 'Clip']);

/** Kernels of integers that take signed integers as well; the others take them as unsigned ones, if nothing else reads them. */
export const TAKES_SIGNED: ReadonlySet<string> = new Set([
  'QLinearConcat',
  'Transpose',
  'Reshape',
  'MaxPool',
]);

/** Kernels that may write their result over the first operand, if nothing else reads it. Sums and products do not. */
export const WRITES_OVER: ReadonlySet<string> = new Set([
  ...[
    'Cast',
    'Celu',
    'Clip',
    'Elu',
    'HardSigmoid',
    'LeakyRelu',
    'LogSoftmax',
    'Relu',
    'Selu',
    'Sigmoid',
    'Softmax',
    'Softplus',
  ],
  ...['Softsign', 'Tanh', 'ThresholdedRelu'],
]);

/** Names of kernels that no file has. */
export const KERNEL_NAMES = {
  intoBlocks: 'ReorderInput',
  outOfBlocks: 'ReorderOutput',
  blockedConv: 'Conv',
  fusedConv: 'FusedConv',
  fusedGemm: 'FusedGemm',
  gemm: 'Gemm',
  /** x · sigmoid(x). */
  gate: 'QuickGelu',
  gelu: 'Gelu',
  layerNormalisation: 'LayerNormalization',
  quantise: 'QuantizeLinear',
  dequantise: 'DequantizeLinear',
  quantiseAsItComes: 'DynamicQuantizeLinear',
  integerProduct: 'MatMulInteger',
  /** Of numbers that are quantised in the same kernel, and of numbers that several products share. */
  dynamicProduct: 'DynamicQuantizeMatMul',
  sharedProduct: 'MatMulIntegerToFloat',
  integerConv: 'QLinearConv',
  transpose: 'Transpose',
} as const;

/** Domains in which kernels of the runtime are found, in this order. */
export const KERNEL_DOMAINS = ['', 'com.microsoft', 'com.microsoft.nchwc'] as const;
