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
} as const;

/** Domains in which kernels of the runtime are found, in this order. */
export const KERNEL_DOMAINS = ['', 'com.microsoft', 'com.microsoft.nchwc'] as const;
