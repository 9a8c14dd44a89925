// The MnasNet space of Accel-NASBench (Ahmad et al. 2024): the seven blocks of EfficientNet-B0, whose
// expansions, kernels, numbers of layers and squeeze-and-excitation are chosen. Activations are ReLU, as in
// training.
import { globalAveragePool } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import { printableStart } from '../../util/printable.js';
import { archError } from '../arch-error.js';
import { JsonArch } from '../arch-json.js';
import { blockAt, CHAIN_INPUT, chainCell, chainVocabulary, longestChain } from '../cells/chain-cell.js';
import { choiceOf, switchOf } from '../choice.js';
import { images, writeNetwork } from '../network-builder.js';
import type { Space } from '../space.js';
import { convNorm, invertedResidual, makeDivisible, relu, sigmoid } from './mobile-blocks.js';

interface AccelBlock {
  readonly expansion: number;
  readonly kernel: number;
  readonly layers: number;
  readonly isSqueezed: boolean;
}

/** Seven blocks. */
type AccelMnasNet = readonly AccelBlock[];

const EXPANSIONS: readonly number[] = [1, 4, 6];
const KERNELS: readonly number[] = [3, 5];

const BLOCKS = [
  { width: 16, stride: 1, layers: [1, 2, 3] },
  { width: 24, stride: 2, layers: [1, 2, 3] },
  { width: 40, stride: 2, layers: [1, 2, 3] },
  { width: 80, stride: 2, layers: [1, 2, 3] },
  { width: 112, stride: 1, layers: [1, 2, 3] },
  { width: 192, stride: 2, layers: [1, 2, 3, 4] },
  { width: 320, stride: 1, layers: [1, 2, 3] },
];
/** Names of layers in cells, for each layer that there can be. */
const PLACES = BLOCKS.flatMap(({ layers }, i) =>
  Array.from({ length: Math.max(...layers) }, (_, j) =>
    EXPANSIONS.flatMap((expansion) =>
      KERNELS.flatMap((kernel) =>
        [false, true].map((isSqueezed) => nodeName({ expansion, kernel, isSqueezed }, i, j)),
      ),
    ),
  ),
);
const STEM_WIDTH = 32;
const HEAD_WIDTH = 1280;
const RESOLUTION = 224;
const NAME = 'accel-mnasnet';

export const accelMnasNet: Space<AccelMnasNet> = {
  name: NAME,
  title: 'Accel-NASBench MnasNet',
  paper: 'Ahmad et al. 2024, arXiv:2404.08005',
  notation:
    'seven blocks joined by \'-\', each with expansion (e), kernel (k), number of layers (l), and s for squeeze-and-excitation: e6k3l1-e4k5l2s-…; or the JSON of Accel-NASBench, {"block0_e": 6, "block0_k": 3, "block0_l": 1, "block0_se": false, …}',
  example: 'e1k3l1s-e6k3l2s-e6k5l2s-e6k3l3s-e6k5l3s-e6k5l4s-e6k3l1s',
  size: BLOCKS.reduce(
    (n, { layers }) => n * BigInt(EXPANSIONS.length * KERNELS.length * layers.length * 2),
    1n,
  ),
  defaults: { resolution: RESOLUTION, classes: 1000, input: 'image' },
  sample: (random) =>
    BLOCKS.map(({ layers }) => ({
      expansion: random.pick(EXPANSIONS),
      kernel: random.pick(KERNELS),
      layers: random.pick(layers),
      isSqueezed: random.chance(0.5),
    })),
  choices: (arch) =>
    arch.flatMap((block, i) => {
      const site = (what: string): string => `block ${i + 1} ${what}`;
      const changed = (change: Partial<AccelBlock>): AccelMnasNet => arch.with(i, { ...block, ...change });
      return [
        choiceOf(site('layers'), BLOCKS[i]!.layers, block.layers, (layers) => changed({ layers })),
        choiceOf(site('expansion'), EXPANSIONS, block.expansion, (expansion) => changed({ expansion })),
        choiceOf(site('kernel'), KERNELS, block.kernel, (kernel) => changed({ kernel })),
        switchOf(site('squeeze'), block.isSqueezed, (isSqueezed) => changed({ isSqueezed })),
      ];
    }),
  sizeOf: (arch) => ({ unit: 'layers', value: arch.reduce((sum, { layers }) => sum + layers, 0) }),
  parse: (text) => checked(JsonArch.isMeant(text) ? ofJson(new JsonArch(NAME, text)) : ofText(text), text),
  format: (arch) =>
    arch
      .map(({ expansion, kernel, layers, isSqueezed }) => {
        return `e${expansion}k${kernel}l${layers}${isSqueezed ? 's' : ''}`;
      })
      .join('-'),
  cell: (arch) =>
    chainCell(
      CHAIN_INPUT,
      arch.flatMap((block, i) => Array.from({ length: block.layers }, (_, j) => nodeName(block, i, j))),
    ),
  vocabulary: chainVocabulary([CHAIN_INPUT], PLACES),
  largestCell: longestChain(PLACES),
  network: (arch, options = {}) => {
    const { classes = 1000, seed = 0, width = 1 } = options;
    const channels = (base: number): number => makeDivisible(base * width);
    return writeNetwork(NAME, images(options, RESOLUTION), seed, (s, x) => {
      const activation = relu;
      let y = convNorm(s.at('stem'), x, channels(STEM_WIDTH), { kernel: 3, stride: 2, activation });
      arch.forEach(({ expansion, kernel, layers, isSqueezed }, i) => {
        for (let j = 0; j < layers; j++) {
          const width = y.length(1);
          // A quarter of what comes in, not of the hidden channels, as in EfficientNet.
          const squeeze = { channels: Math.max(1, Math.floor(width / 4)), gate: sigmoid };
          y = invertedResidual(s.at('block', i, 'layer', j), y, {
            out: channels(BLOCKS[i]!.width),
            hidden: makeDivisible(width * expansion),
            kernel,
            stride: j === 0 ? BLOCKS[i]!.stride : 1,
            activation,
            ...(isSqueezed ? { squeeze } : {}),
          });
        }
      });
      y = convNorm(s.at('head'), y, channels(HEAD_WIDTH), { kernel: 1, activation });
      return linear(s.at('classifier'), globalAveragePool(y), classes);
    });
  },
};

/** `k5_e6_s@3.2` is the second layer of block 3, with squeeze-and-excitation. */
function nodeName(
  { expansion, kernel, isSqueezed }: Omit<AccelBlock, 'layers'>,
  block: number,
  layer: number,
): string {
  return blockAt(`k${kernel}_e${expansion}${isSqueezed ? '_s' : ''}`, block + 1, layer + 1);
}

function ofText(text: string): AccelMnasNet {
  const parts = text.trim().split('-');
  if (parts.length !== BLOCKS.length) {
    throw archError(NAME, text, `it has ${parts.length} blocks joined by '-', not ${BLOCKS.length}`);
  }
  return parts.map((part, i) => {
    const found = /^e(\d+)k(\d+)l(\d+)(s?)$/.exec(part);
    if (!found) {
      const shown = printableStart(part, 40);
      throw archError(NAME, text, `block ${i + 1}, '${shown}', is not of the form e6k3l2 or e6k3l2s`);
    }
    const [expansion, kernel, layers] = found.slice(1, 4).map(Number) as [number, number, number];
    return { expansion, kernel, layers, isSqueezed: found[4] === 's' };
  });
}

function ofJson(json: JsonArch): AccelMnasNet {
  return BLOCKS.map((_, i) => ({
    expansion: json.number(`block${i}_e`),
    kernel: json.number(`block${i}_k`),
    layers: json.number(`block${i}_l`),
    isSqueezed: json.boolean(`block${i}_se`),
  }));
}

function checked(arch: AccelMnasNet, text: string): AccelMnasNet {
  arch.forEach((block, i) => {
    const check = (what: string, value: number, options: readonly number[]): void => {
      if (options.includes(value)) return;
      throw archError(NAME, text, `block ${i + 1}: the ${what} is ${value}, not ${options.join(' or ')}`);
    };
    check('expansion', block.expansion, EXPANSIONS);
    check('kernel', block.kernel, KERNELS);
    check('number of layers', block.layers, BLOCKS[i]!.layers);
  });
  return arch;
}
