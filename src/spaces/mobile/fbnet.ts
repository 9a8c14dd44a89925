// FBNet (Wu et al., CVPR 2019) as HW-NAS-Bench (Li et al., ICLR 2021) and HELP measured it: 22 layers, each
// one of nine blocks. Their networks for CIFAR-100 (32 × 32, the default) and for ImageNet (from 64 × 64 on)
// differ in strides and in the width of the head.
import { globalAveragePool } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { digest } from '../../util/digest.js';
import { printableStart } from '../../util/printable.js';
import { archError } from '../arch-error.js';
import { blockAt, CHAIN_INPUT, chainCell, chainVocabulary, longestChain } from '../cells/chain-cell.js';
import { elementChoices } from '../choice.js';
import { images, writeNetwork } from '../network-builder.js';
import type { Space } from '../space.js';
import { convNorm, invertedResidual, makeDivisible, relu } from './mobile-blocks.js';

/** In the order of their numbers: kernel, expansion, and groups of the 1×1 convolutions. */
const BLOCKS = {
  k3_e1: { kernel: 3, expansion: 1, groups: 1 },
  k3_e1_g2: { kernel: 3, expansion: 1, groups: 2 },
  k3_e3: { kernel: 3, expansion: 3, groups: 1 },
  k3_e6: { kernel: 3, expansion: 6, groups: 1 },
  k5_e1: { kernel: 5, expansion: 1, groups: 1 },
  k5_e1_g2: { kernel: 5, expansion: 1, groups: 2 },
  k5_e3: { kernel: 5, expansion: 3, groups: 1 },
  k5_e6: { kernel: 5, expansion: 6, groups: 1 },
  skip: undefined,
} as const;
type FbNetBlock = keyof typeof BLOCKS;
export const FBNET_BLOCKS = Object.keys(BLOCKS) as readonly FbNetBlock[];

/** The block of every layer. */
type FbNet = readonly FbNetBlock[];

const STAGES = [
  { layers: 1, width: 16, stride: 1 },
  { layers: 4, width: 24, stride: 2 },
  { layers: 4, width: 32, stride: 2 },
  { layers: 4, width: 64, stride: 2 },
  { layers: 4, width: 112, stride: 1 },
  { layers: 4, width: 184, stride: 2 },
  { layers: 1, width: 352, stride: 1 },
];
const LAYERS = STAGES.reduce((n, { layers }) => n + layers, 0);
/** The names of blocks in cells, layer by layer. */
const PLACES = Array.from({ length: LAYERS }, (_, i) => FBNET_BLOCKS.map((block) => blockAt(block, i + 1)));
const STEM_WIDTH = 16;
/** The stem and the second stage keep the sides of smaller images. */
const LEAST_IMAGENET_SIDE = 64;
const HEAD_WIDTH = { cifar: 1504, imagenet: 1984 };

const NAME = 'fbnet';

export const fbNet: Space<FbNet> = {
  name: NAME,
  title: 'FBNet',
  paper: 'Wu et al., CVPR 2019, arXiv:1812.03443; HW-NAS-Bench: Li et al., ICLR 2021',
  notation: `the blocks of ${LAYERS} layers as numbers with spaces between them, or as names. Blocks from 0: ${FBNET_BLOCKS.join(', ')}`,
  example: '0 3 8 0 0 7 6 7 3 7 6 7 7 7 7 7 6 7 7 7 7 3',
  size: BigInt(FBNET_BLOCKS.length) ** BigInt(LAYERS),
  defaults: { resolution: 32, classes: 100, input: 'image' },
  sample: (random) => Array.from({ length: LAYERS }, () => random.pick(FBNET_BLOCKS)),
  choices: (arch) =>
    elementChoices(
      (i) => `layer ${i + 1} block`,
      FBNET_BLOCKS,
      arch,
      (changed) => changed,
    ),
  parse,
  format: (arch) => arch.map((block) => FBNET_BLOCKS.indexOf(block)).join(' '),
  hash,
  sizeOf: (arch) => ({
    unit: 'blocks that are not skipped',
    value: arch.filter((block) => block !== 'skip').length,
  }),
  cell: (arch) =>
    chainCell(
      CHAIN_INPUT,
      arch.map((block, i) => blockAt(block, i + 1)),
    ),
  vocabulary: chainVocabulary([CHAIN_INPUT], PLACES),
  largestCell: longestChain(PLACES),
  identities: PLACES.map((_, i) => blockAt('skip', i + 1)),
  network: (arch, options = {}) => {
    const { classes = 100, seed = 0, width = 1, resolution = 32 } = options;
    const isSmall = resolution < LEAST_IMAGENET_SIDE;
    const channels = (base: number): number => makeDivisible(base * width);
    return writeNetwork(NAME, images(options, resolution), seed, (s, x) => {
      const stemStride = isSmall ? 1 : 2;
      let y = convNorm(s.at('stem'), x, channels(STEM_WIDTH), {
        kernel: 3,
        stride: stemStride,
        activation: relu,
      });
      let layer = 0;
      STAGES.forEach(({ layers, width, stride }, i) => {
        for (let j = 0; j < layers; j++) {
          const own = j > 0 || (i === 1 && isSmall) ? 1 : stride;
          y = writeBlock(s.at('layer', layer), y, arch[layer]!, channels(width), own);
          layer++;
        }
      });
      const head = channels(isSmall ? HEAD_WIDTH.cifar : HEAD_WIDTH.imagenet);
      y = convNorm(s.at('head'), y, head, { kernel: 1, activation: relu });
      return linear(s.at('classifier'), globalAveragePool(y), classes);
    });
  },
};

/** (B, C, H, W) → (B, out, ⌈H/stride⌉, ⌈W/stride⌉). A skip between different shapes is a 1×1 convolution. */
function writeBlock(s: Scope, x: Value, block: FbNetBlock, out: number, stride: number): Value {
  const shape = BLOCKS[block];
  if (shape === undefined) {
    if (stride === 1 && out === x.length(1)) return x;
    return convNorm(s, x, out, { kernel: 1, stride, activation: relu });
  }
  const { kernel, expansion, groups } = shape;
  const hidden = x.length(1) * expansion;
  return invertedResidual(s, x, {
    out,
    hidden,
    kernel,
    stride,
    groups,
    activation: relu,
    hasExpansion: true,
  });
}

/** Skips behind the first layer of a stage do nothing: where they stand in it makes no difference. */
function hash(arch: FbNet): string {
  let start = 0;
  const stages = STAGES.map(({ layers }) => {
    const blocks = arch.slice(start, start + layers);
    start += layers;
    return blocks.filter((block, j) => j === 0 || block !== 'skip').join(' ');
  });
  return digest(stages.join('|'));
}

function parse(text: string): FbNet {
  const words = text.split(/[\s,[\]]+/).filter((word) => word !== '');
  if (words.length !== LAYERS) {
    throw archError(NAME, text, `it has ${words.length} layers, not ${LAYERS}`);
  }
  return words.map((word, i) => {
    const block = /^\d$/.test(word) ? FBNET_BLOCKS[Number(word)] : FBNET_BLOCKS.find((name) => name === word);
    if (block !== undefined) return block;
    throw archError(
      NAME,
      text,
      `layer ${i + 1}: unknown block '${printableStart(word, 40)}'`,
      `blocks are 0 to ${FBNET_BLOCKS.length - 1}: ${FBNET_BLOCKS.join(', ')}`,
    );
  });
}
