// What the families of inverted residuals share: rows of blocks, the genes they have, and writing them. Images are
// (B, C, H, W).
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { type Activation, invertedResidual, type SqueezeOptions } from '../mobile/mobile-blocks.js';
import { type Gene, gene, type Layers, WIDTHS } from './family.js';

/** One inverted residual of a base network. */
export interface Block {
  readonly at: string;
  readonly out: number;
  readonly kernel: number;
  readonly stride: number;
  /** What its gene `e` is in the base network. */
  readonly expansion: number;
}

/** A stage of a paper's table: expansion, kernel, stride of its first block, width, blocks. */
export type Stage = readonly [expansion: number, kernel: number, stride: number, out: number, count: number];

export function blocksOf(stages: readonly Stage[]): Block[] {
  return stages.flatMap(([expansion, kernel, stride, out, count], i) =>
    Array.from({ length: count }, (_, j) => ({
      at: `block${i + 1}_${j + 1}`,
      out,
      kernel,
      stride: j === 0 ? stride : 1,
      expansion,
    })),
  );
}

/** Whether a block has a width of its own; others add to what comes in, so that the width stays. */
function setsWidth(blocks: readonly Block[], index: number, widthBefore: number): boolean {
  const { stride, out } = blocks[index]!;
  return stride !== 1 || out !== (blocks[index - 1]?.out ?? widthBefore);
}

/** Blocks whose width varies. */
export function widthPlaces(blocks: readonly Block[], widthBefore: number): string[] {
  return blocks.flatMap(({ at }, i) => (setsWidth(blocks, i, widthBefore) ? [at] : []));
}

/** A width for every place, a kernel and an expansion for every block. */
export function blockGenes(
  blocks: readonly Block[],
  options: {
    readonly widths: readonly string[];
    readonly kernels: readonly number[];
    readonly expansions: readonly number[];
  },
): Gene[] {
  return [
    ...options.widths.map((at) => gene('w', at, 1, WIDTHS)),
    ...blocks.map(({ at, kernel }) => gene('k', at, kernel, options.kernels)),
    ...blocks.map(({ at, expansion }) => gene('e', at, expansion, options.expansions)),
  ];
}

/** What nn-Meter varies of MnasNet. */
export function mnasGenes(blocks: readonly Block[], widthBefore: number): Gene[] {
  return blockGenes(blocks, {
    widths: widthPlaces(blocks, widthBefore),
    kernels: [3, 5, 7],
    expansions: [3, 4, 6],
  });
}

interface WriteOptions<B extends Block> {
  /** The base network's width of what comes in. */
  readonly widthBefore: number;
  readonly activation: (block: B) => Activation;
  /** Channels of the depthwise convolution; by default those that come in, times the expansion. */
  readonly hidden?: (block: B, expansion: number) => number;
  readonly squeeze?: (block: B, hidden: number, before: number) => SqueezeOptions | undefined;
}

/** (B, C, H, W) → (B, the last block's width, H', W') */
export function writeBlocks<B extends Block>(
  s: Scope,
  x: Value,
  blocks: readonly B[],
  layers: Layers,
  options: WriteOptions<B>,
): Value {
  return blocks.reduce((y, block, i) => {
    const { at, stride, out } = block;
    const before = y.length(1);
    const expansion = layers.of('e', at);
    const hidden = options.hidden?.(block, expansion) ?? before * expansion;
    const squeeze = options.squeeze?.(block, hidden, before);
    return invertedResidual(s.at(at), y, {
      out: setsWidth(blocks, i, options.widthBefore) ? layers.channels(out, at) : before,
      hidden,
      kernel: layers.of('k', at),
      stride,
      activation: options.activation(block),
      ...(squeeze && { squeeze }),
    });
  }, x);
}
