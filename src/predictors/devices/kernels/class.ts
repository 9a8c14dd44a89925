// What a kernel is, as numbers that its time is learned from. Kernels of one class are implemented alike; classes of one family
// have the same numbers, so that a class that was never measured can be told from the others.
import type { Kernel, Sizes } from '../../../analysis/kernels/kernel.js';
import { operatorFor } from '../../../ops/index.js';
import { KERNEL_DOMAINS } from '../../../ops/microsoft/fusions.js';
import type { Traits } from '../../../ops/traits.js';

export type KernelFamily = 'convolution' | 'product' | 'data';

export interface KernelNumbers {
  readonly class: string;
  readonly family: KernelFamily;
  /** Work that takes time at a constant rate: FLOPs, bytes read, bytes of weights, bytes written, and 1 for the call. */
  readonly work: readonly number[];
  /** Logarithms of sizes: how far the rates are reached. */
  readonly features: readonly number[];
}

const BYTES = 4;
const elements = (sizes: Sizes): number => sizes.reduce((product, size) => product * size, 1);

export function kernelNumbers(kernel: Kernel): KernelNumbers {
  const { operator, inputs, outputs } = kernel;
  const traits = traitsNamed(operator);
  const weights = inputs.slice(1).find((sizes) => sizes.length >= 3);
  const [x] = inputs;
  const [y] = outputs;
  if (traits.convolution === 'plain' && weights !== undefined && x !== undefined && y !== undefined) {
    return convolution(kernel, x, weights, y, inputs[1] === weights ? 'conv' : operator);
  }
  if (isProduct(traits) && x !== undefined && x.length > 0 && y !== undefined && y.length > 0) {
    return product(x, inputs[1], y, traits.product === 'packed' ? operator : 'product');
  }
  // What only renames sizes takes the same whatever it is called.
  return dataMovement(traits.isView ? 'view' : operator, inputs, outputs);
}

function isProduct({ product }: Traits): boolean {
  return product === 'matmul' || product === 'gemm' || product === 'packed';
}

const known = new Map<string, Traits>();

function traitsNamed(operator: string): Traits {
  let traits = known.get(operator);
  if (traits === undefined) {
    const found = KERNEL_DOMAINS.map((domain) => operatorFor({ domain, opType: operator }));
    traits = found.find((one) => one !== undefined)?.traits ?? {};
    known.set(operator, traits);
  }
  return traits;
}

function convolution(
  { layout, inputs }: Kernel,
  x: Sizes,
  weights: Sizes,
  y: Sizes,
  name: string,
): KernelNumbers {
  const [out, perGroup, ...window] = weights as [number, number, ...number[]];
  const groups = Math.max(1, Math.round((x[1] ?? perGroup) / perGroup));
  const taps = elements(window);
  const image = elements(y.slice(2));
  const step = Math.max(1, Math.round((x[2] ?? 1) / Math.max(1, y[2] ?? 1)));
  const isPlainInput = layout === 'blocked' && groups === 1 && perGroup < 16;
  const kind = groups === 1 ? (isPlainInput ? 'first ' : '') : perGroup === 1 ? 'depthwise ' : 'grouped ';
  const hasSum = inputs.length > 3 ? 1 : 0;
  const flops = 2 * elements(y) * perGroup * taps;
  const [read, stored, written] = [elements(x), elements(weights), elements(y)].map((count) => count * BYTES);
  return {
    class: `${layout === 'blocked' ? 'blocked ' : ''}${kind}${name}`,
    family: 'convolution',
    work: [flops, read!, stored!, written!, 1],
    features: [
      ...[flops, read!, stored!, written!, perGroup, out, taps, image, y.at(-1) ?? 1].map(log),
      step,
      hasSum,
      y[0] ?? 1,
      out % 16,
      perGroup % 16,
      log(flops / (read! + stored! + written!)),
      log(image * perGroup * taps),
    ],
  };
}

function product(x: Sizes, second: Sizes | undefined, y: Sizes, name: string): KernelNumbers {
  const [depth, columns] = [x.at(-1)!, y.at(-1)!];
  const rows = elements(y.slice(0, -1));
  // Weights are packed before the first run, and then are no input any more.
  const batch = second !== undefined && second.length > 2 ? elements(second.slice(0, -2)) : 1;
  const flops = 2 * rows * depth * columns;
  const [read, stored, written] = [elements(x), depth * columns * batch, elements(y)].map(
    (count) => count * BYTES,
  );
  return {
    class: name,
    family: 'product',
    work: [flops, read!, stored!, written!, 1],
    features: [
      ...[flops, read!, stored!, written!, rows, rows / batch, depth, columns, batch].map(log),
      depth % 16,
      columns % 16,
      log(flops / (read! + stored! + written!)),
    ],
  };
}

function dataMovement(operator: string, inputs: readonly Sizes[], outputs: readonly Sizes[]): KernelNumbers {
  const sizes = inputs.map(elements);
  const read = sizes.reduce((sum, count) => sum + count, 0) * BYTES;
  const written = outputs.reduce((sum, one) => sum + elements(one), 0) * BYTES;
  const x = inputs[0] ?? [];
  const y = outputs[0] ?? [];
  return {
    class: operator,
    family: 'data',
    work: [0, read, 0, written, 1],
    features: [
      ...[read, written, read + written, elements(x), elements(y.slice(2)), y[1] ?? 1, y.at(-1) ?? 1].map(
        log,
      ),
      x.at(-1) ?? 1,
      log(elements(x) / Math.max(1, elements(y))),
      inputs.length,
      log(sizes.at(-1) ?? 1),
      x.length,
    ],
  };
}

function log(x: number): number {
  return Math.log1p(Math.max(0, x));
}
