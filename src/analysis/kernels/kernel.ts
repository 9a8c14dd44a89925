// A kernel: what a runtime executes at once, an operator with what was fused into it. Its configuration, which its time depends
// on, is the operator and the sizes of what it reads and writes, as the profile of a runtime tells them.

/** Images with channels in blocks as wide as the registers of the processor, or with channels as they are. */
export type Layout = 'blocked' | 'plain';

export interface Kernel {
  /** As the runtime calls it, without its domain. */
  readonly operator: string;
  readonly layout: Layout;
  /** Sizes of inputs and outputs, weights among them; of channels in blocks, those that rounding adds are counted. */
  readonly inputs: readonly Sizes[];
  readonly outputs: readonly Sizes[];
  /** The network's nodes that it computes; none for a change of layout. */
  readonly nodes: readonly string[];
  /** Values of the network that it reads, weights left out, and that it writes; unknown for kernels of a profile. */
  readonly values?: KernelValues;
}

export interface KernelValues {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** The name of a value's copy with channels in blocks, or with channels as they were. */
export const copyOf = (name: string): string => `${name} copy`;

export type Sizes = readonly number[];

/** The same for kernels that take the same time. */
export function kernelKey({ operator, layout, inputs, outputs }: Kernel): string {
  const texts = [inputs, outputs].map((list) => list.map((sizes) => sizes.join('x')).join(','));
  return `${layout} ${operator} ${texts.join(' ')}`;
}
