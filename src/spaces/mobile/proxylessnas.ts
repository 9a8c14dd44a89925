// ProxylessNAS (Cai et al., ICLR 2019) as the supernet of once-for-all has it,
// `ofa_proxyless_d234_e346_k357_w1.3`: five stages of two to four layers and a last layer, all 1.3 times as
// wide as ProxylessNAS, with ReLU6 and without squeeze-and-excitation. GENNAPE's family PN is drawn from it.
import { globalAveragePool } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import { JsonArch } from '../arch-json.js';
import { CHAIN_INPUT, chainCell, chainVocabulary, longestChain } from '../cells/chain-cell.js';
import { images, writeNetwork } from '../network-builder.js';
import type { Space } from '../space.js';
import * as elastic from './elastic-stages.js';
import { convNorm, invertedResidual, makeDivisible, relu6 } from './mobile-blocks.js';

/** Five stages, and the last layer as a stage of its own. */
type ProxylessNas = readonly elastic.ElasticStage[];

const NAME = 'proxylessnas';
const RESOLUTION = 224;
const WIDTH = 1.3;
const NORM = { epsilon: 1e-3 };

/** Widths before they are multiplied by 1.3. */
const STAGES = [
  { width: 24, stride: 2 },
  { width: 40, stride: 2 },
  { width: 80, stride: 2 },
  { width: 96, stride: 1 },
  { width: 192, stride: 2 },
  { width: 320, stride: 1 },
];
const DEPTHS: elastic.Depths = STAGES.map((_, i) => (i < 5 ? [2, 3, 4] : [1]));
const PLACES = elastic.stagePlaces(DEPTHS);

export const proxylessNas: Space<ProxylessNas> = {
  name: NAME,
  title: 'ProxylessNAS',
  paper: 'Cai et al., ICLR 2019, arXiv:1812.00332; the supernet: Cai et al., ICLR 2020, arXiv:1908.09791',
  notation:
    'the five stages and the last layer joined by \'-\': k3e4k5e6-…-k3e6, kernel and expansion of each layer; or the JSON of once-for-all, {"ks": […], "e": […], "d": […]}',
  example: 'k3e3k3e3-k5e6k5e3-k7e3k3e3k7e4-k7e4k5e4k3e3k7e4-k3e6k5e6k5e4k3e6-k3e4',
  size: elastic.countStages(DEPTHS),
  defaults: { resolution: RESOLUTION, classes: 1000, input: 'image' },
  sample: (random) => elastic.sampleStages(DEPTHS, random),
  choices: (arch) => elastic.stageChoices(arch, DEPTHS, (stages) => stages),
  sizeOf: (arch) => ({ unit: 'blocks', value: elastic.layerCount(arch) }),
  parse,
  format: elastic.formatStages,
  cell: (arch) => chainCell(CHAIN_INPUT, elastic.stageNodes(arch)),
  vocabulary: chainVocabulary([CHAIN_INPUT], PLACES),
  largestCell: longestChain(PLACES),
  network: (arch, options = {}) => {
    const { classes = 1000, seed = 0, width = 1 } = options;
    const channels = (base: number): number => makeDivisible(base * WIDTH * width);
    return writeNetwork(NAME, images(options, RESOLUTION), seed, (s, x) => {
      const [activation, norm] = [relu6, NORM];
      let y = convNorm(s.at('stem'), x, channels(32), { kernel: 3, stride: 2, activation, norm });
      y = invertedResidual(s.at('first'), y, {
        out: channels(16),
        hidden: channels(32),
        kernel: 3,
        activation,
        norm,
        isResidual: false,
      });
      STAGES.forEach(({ width, stride }, i) => {
        const shape = { width: channels(width), stride, activation, norm };
        y = elastic.elasticStage(s.at('stage', i), y, arch[i]!, shape);
      });
      y = convNorm(s.at('mix'), y, channels(1280), { kernel: 1, activation, norm });
      return linear(s.at('classifier'), globalAveragePool(y), classes);
    });
  },
};

function parse(text: string): ProxylessNas {
  if (!JsonArch.isMeant(text)) return elastic.parseStages(NAME, text, text.trim().split('-'), DEPTHS);
  const json = new JsonArch(NAME, text);
  for (const key of ['r', 'image_size']) {
    if (json.has(key) && json.number(key) !== RESOLUTION) {
      throw json.error(`'${key}' is ${json.number(key)}: the resolution of a network is an option`);
    }
  }
  if (json.has('wid')) throw json.error("'wid' is a width: the width of a network is an option");
  return elastic.stagesOfLists(json, DEPTHS);
}
