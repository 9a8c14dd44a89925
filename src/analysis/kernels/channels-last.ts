// Which images have their channels last: those of integer convolutions, and what is computed of them element by element. Where
// another kernel reads them, or an integer convolution reads others, the runtime puts a Transpose.
import { KERNEL_NAMES } from '../../ops/microsoft/fusions.js';
import type { Step, Steps } from './steps.js';

const RANK = 4;

export class ChannelsLast {
  readonly #steps: Steps;
  readonly #last = new Set<string>();

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  has(name: string): boolean {
    return this.#last.has(name);
  }

  /** Of what a step reads, the images that are brought into the other order first. Steps are told in their order. */
  movedBy(step: Step, reads: readonly string[]): ReadonlySet<string> {
    const images = reads.filter((name) => this.#steps.sizes(name)?.length === RANK);
    const isConvolution =
      step.operator === KERNEL_NAMES.integerConv && images.length === reads.length && images.length === 1;
    const isLast = isConvolution || (followsOrder(step) && images.some((name) => this.#last.has(name)));
    if (isLast) for (const name of step.outputs) this.#last.add(name);
    return new Set(images.filter((name) => this.#last.has(name) !== isLast));
  }
}

/** Whether a step computes the same in any order of axes. */
function followsOrder({ main, operator }: Step): boolean {
  const { traits } = main.operator ?? {};
  if (operator === KERNEL_NAMES.quantise || operator === KERNEL_NAMES.dequantise) return true;
  if (traits?.pooling !== undefined) return main.call.dtype(0) !== 'float32' || operator !== main.node.opType;
  const isElementwise = traits?.isElementwise ?? traits?.activation ?? traits?.arithmetic;
  return isElementwise !== undefined || traits?.moves === 'join' || traits?.moves === 'pad';
}
