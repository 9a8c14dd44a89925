// Once-for-all, MobileNetV3 (Cai et al., ICLR 2020): the sub-networks of the supernet
// `ofa_mbv3_d234_e346_k357_w1.0`. Five stages of two to four layers, and the resolution of the image. The
// supernet `…_w1.2` has the width option 1.2.
import { conv2d } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import { printableStart } from '../../util/printable.js';
import { archError } from '../arch-error.js';
import { JsonArch } from '../arch-json.js';
import { blockAt, CHAIN_INPUT, chainCell, chainVocabulary, longestChain } from '../cells/chain-cell.js';
import { choiceOf } from '../choice.js';
import { images, writeNetwork } from '../network-builder.js';
import type { Space } from '../space.js';
import {
  countStages,
  type Depths,
  type ElasticStage,
  elasticStage,
  formatStages,
  layerCount,
  parseStages,
  sampleStages,
  stageChoices,
  stageNodes,
  stagePlaces,
  stagesOfLists,
} from './elastic-stages.js';
import { convNorm, hSwish, invertedResidual, makeDivisible, relu } from './mobile-blocks.js';

interface OfaMobileNetV3 {
  readonly resolution: number;
  readonly stages: readonly ElasticStage[];
}

const NAME = 'ofa-mobilenetv3';
const RESOLUTION = 224;
/** 128, 132 … 224. */
const RESOLUTIONS: readonly number[] = Array.from({ length: 25 }, (_, i) => 128 + 4 * i);

const STAGES = [
  { width: 24, stride: 2, activation: relu, isSqueezed: false },
  { width: 40, stride: 2, activation: relu, isSqueezed: true },
  { width: 80, stride: 2, activation: hSwish, isSqueezed: false },
  { width: 112, stride: 1, activation: hSwish, isSqueezed: true },
  { width: 160, stride: 2, activation: hSwish, isSqueezed: true },
];
const DEPTHS: Depths = STAGES.map(() => [2, 3, 4]);

const inputOf = (resolution: number): string => blockAt(CHAIN_INPUT, resolution);
const PLACES = stagePlaces(DEPTHS);

export const ofaMobileNetV3: Space<OfaMobileNetV3> = {
  name: NAME,
  title: 'OFA MobileNetV3',
  paper: 'Cai et al., ICLR 2020, arXiv:1908.09791',
  notation:
    'the resolution and the five stages joined by \'-\': r224-k3e4k5e6-…, a stage with kernel and expansion of each of its layers; or the JSON of once-for-all, {"ks": […], "e": […], "d": […], "r": 224}',
  example: 'r160-k3e4k5e6-k7e3k3e3k5e6-k3e3k3e4k3e6k7e3-k5e6k5e4-k7e6k3e3k5e4',
  size: BigInt(RESOLUTIONS.length) * countStages(DEPTHS),
  defaults: { resolution: RESOLUTION, classes: 1000, input: 'image' },
  sample: (random) => ({ resolution: random.pick(RESOLUTIONS), stages: sampleStages(DEPTHS, random) }),
  choices: (arch) => [
    choiceOf('resolution', RESOLUTIONS, arch.resolution, (resolution) => ({ ...arch, resolution })),
    ...stageChoices(arch.stages, DEPTHS, (stages) => ({ ...arch, stages })),
  ],
  sizeOf: ({ stages }) => ({ unit: 'blocks', value: layerCount(stages) }),
  parse,
  format: ({ resolution, stages }) => `r${resolution}-${formatStages(stages)}`,
  cell: ({ resolution, stages }) => chainCell(inputOf(resolution), stageNodes(stages)),
  vocabulary: chainVocabulary(RESOLUTIONS.map(inputOf), PLACES),
  largestCell: longestChain(PLACES),
  network: ({ resolution, stages }, options = {}) => {
    const { classes = 1000, seed = 0, width = 1 } = options;
    const channels = (base: number): number => makeDivisible(base * width);
    return writeNetwork(NAME, images(options, resolution), seed, (s, x) => {
      let y = convNorm(s.at('stem'), x, channels(16), { kernel: 3, stride: 2, activation: hSwish });
      const first = channels(16);
      y = invertedResidual(s.at('first'), y, { out: first, hidden: first, kernel: 3, activation: relu });
      STAGES.forEach((shape, i) => {
        y = elasticStage(s.at('stage', i), y, stages[i]!, { ...shape, width: channels(shape.width) });
      });
      y = convNorm(s.at('last'), y, channels(960), { kernel: 1, activation: hSwish });
      y = conv2d(s.at('mix'), y.mean([2, 3], true), channels(1280), { kernel: 1, bias: false });
      return linear(s.at('classifier'), hSwish(y).squeeze([2, 3]), classes);
    });
  },
};

function parse(text: string): OfaMobileNetV3 {
  const checked = (resolution: number): number => {
    if (RESOLUTIONS.includes(resolution)) return resolution;
    throw archError(NAME, text, `the resolution is ${resolution}, not one of 128, 132 … 224`);
  };
  if (!JsonArch.isMeant(text)) {
    const [first = '', ...parts] = text.trim().split('-');
    const resolution = /^r(\d+)$/.exec(first)?.[1];
    if (resolution === undefined) {
      const shown = printableStart(first, 40);
      throw archError(NAME, text, `it begins with '${shown}', not with a resolution such as r224`);
    }
    return { resolution: checked(Number(resolution)), stages: parseStages(NAME, text, parts, DEPTHS) };
  }
  const json = new JsonArch(NAME, text);
  // Of several names for the same, tables have one.
  const key = ['r', 'image_size'].find((name) => json.has(name));
  if (json.has('wid')) throw json.error("'wid' is a width: the width of a network is an option");
  const resolution = key === undefined ? RESOLUTION : checked(json.number(key));
  return { resolution, stages: stagesOfLists(json, DEPTHS) };
}
