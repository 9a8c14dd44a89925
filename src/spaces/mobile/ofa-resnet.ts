// Once-for-all, ResNet-50 (Cai et al., ICLR 2020): the sub-networks of the supernet `ofa_resnet50`, a
// ResNet-50-D whose stem, widths, depths, expansions and resolution are chosen.
import { globalAveragePool, maxPool2d } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { printableStart } from '../../util/printable.js';
import { archError } from '../arch-error.js';
import { JsonArch } from '../arch-json.js';
import { blockAt, CHAIN_INPUT, chainCell, chainVocabulary, longestChain } from '../cells/chain-cell.js';
import { choiceOf, elementChoices, resized, switchOf } from '../choice.js';
import { images, writeNetwork } from '../network-builder.js';
import type { Choice, Space } from '../space.js';
import { convNorm, makeDivisible, relu } from './mobile-blocks.js';

/** All widths and expansions in percent. */
interface OfaResNet {
  readonly resolution: number;
  /** Of the first convolution: 65 or 100. Both 65 and 80 % of 32 channels are rounded to 24. */
  readonly stem: number;
  /** Whether the stem has a second convolution, x + conv(x). */
  readonly isStemDeep: boolean;
  /** Of the last convolution of the stem. */
  readonly stemOut: number;
  readonly stages: readonly ResNetStage[];
}

interface ResNetStage {
  readonly width: number;
  /** Channels within a block as a part of those that come out; one number for each block. */
  readonly expansions: readonly number[];
}

const NAME = 'ofa-resnet';
const RESOLUTION = 224;
/** Those of the accuracy predictor that comes with the supernet. */
const RESOLUTIONS: readonly number[] = [128, 144, 160, 176, 192, 224, 240, 256];
const WIDTHS: readonly number[] = [65, 80, 100];
const STEM_WIDTHS: readonly number[] = [65, 100];
const EXPANSIONS: readonly number[] = [20, 25, 35];
/** A stage has its least depth and up to this many blocks more. */
const MORE_BLOCKS = 2;

const STEM_CHANNELS = 64;
const STAGES = [
  { channels: 256, leastDepth: 2, stride: 1 },
  { channels: 512, leastDepth: 2, stride: 2 },
  { channels: 1024, leastDepth: 4, stride: 2 },
  { channels: 2048, leastDepth: 2, stride: 2 },
];
const DEPTHS = STAGES.map(({ leastDepth: d }) => Array.from({ length: MORE_BLOCKS + 1 }, (_, i) => d + i));

/** Names in cells; those of the stem's convolutions, of which the second may be missing, then those of blocks. */
const NODES = {
  input: (resolution: number): string => blockAt(CHAIN_INPUT, resolution),
  stem: (width: number): string => blockAt(`w${width}`, 'stem.1'),
  deepStem: blockAt('residual', 'stem.2'),
  stemOut: (width: number): string => blockAt(`w${width}`, 'stem.3'),
  block: (width: number, expansion: number, stage: number, block: number): string =>
    blockAt(`w${width}_e${expansion}`, stage + 1, block + 1),
};
const PLACES: readonly (readonly string[])[] = [
  STEM_WIDTHS.map(NODES.stem),
  [NODES.deepStem],
  WIDTHS.map(NODES.stemOut),
  ...DEPTHS.flatMap((depths, i) =>
    Array.from({ length: Math.max(...depths) }, (_, j) =>
      WIDTHS.flatMap((width) => EXPANSIONS.map((expansion) => NODES.block(width, expansion, i, j))),
    ),
  ),
];

export const ofaResNet: Space<OfaResNet> = {
  name: NAME,
  title: 'OFA ResNet-50',
  paper: 'Cai et al., ICLR 2020, arXiv:1908.09791',
  notation:
    'resolution, stem and four stages joined by \'-\': r224-w65+100-w80e25e35-…; widths (w) and expansions (e, one for each block) in percent; in the stem the widths of its first and last convolution, \'+\' between them where there is a second one and \',\' where there is none; or the JSON of once-for-all, {"d": […], "e": […], "w": […], "image_size": 224}',
  example: 'r176-w65+80-w100e25e20-w80e35e20e25-w65e20e25e35e25e20-w100e35e35e25e20',
  size: size(),
  defaults: { resolution: RESOLUTION, classes: 1000, input: 'image' },
  sample: (random) => ({
    resolution: random.pick(RESOLUTIONS),
    stem: random.pick(STEM_WIDTHS),
    isStemDeep: random.chance(0.5),
    stemOut: random.pick(WIDTHS),
    stages: DEPTHS.map((depths) => ({
      width: random.pick(WIDTHS),
      expansions: Array.from({ length: random.pick(depths) }, () => random.pick(EXPANSIONS)),
    })),
  }),
  choices,
  parse,
  format: ({ resolution, stem, isStemDeep, stemOut, stages }) =>
    [
      `r${resolution}`,
      `w${stem}${isStemDeep ? '+' : ','}${stemOut}`,
      ...stages.map(({ width, expansions }) => `w${width}${expansions.map((e) => `e${e}`).join('')}`),
    ].join('-'),
  cell: ({ resolution, stem, isStemDeep, stemOut, stages }) =>
    chainCell(NODES.input(resolution), [
      NODES.stem(stem),
      ...(isStemDeep ? [NODES.deepStem] : []),
      NODES.stemOut(stemOut),
      ...stages.flatMap(({ width, expansions }, i) =>
        expansions.map((expansion, j) => NODES.block(width, expansion, i, j)),
      ),
    ]),
  vocabulary: chainVocabulary(RESOLUTIONS.map(NODES.input), PLACES),
  largestCell: longestChain(PLACES),
  network: (arch, options = {}) => {
    const { classes = 1000, seed = 0, width = 1 } = options;
    const channels = (base: number, percent: number): number => makeDivisible((base * percent * width) / 100);
    return writeNetwork(NAME, images(options, arch.resolution), seed, (s, x) => {
      const activation = relu;
      const stem = makeDivisible(Math.floor(channels(STEM_CHANNELS, arch.stem) / 2));
      let y = convNorm(s.at('stem', 0), x, stem, { kernel: 3, stride: 2, activation });
      if (arch.isStemDeep) y = convNorm(s.at('stem', 1), y, stem, { kernel: 3, activation }).add(y);
      y = convNorm(s.at('stem', 2), y, channels(STEM_CHANNELS, arch.stemOut), { kernel: 3, activation });
      y = maxPool2d(y, { kernel: 3, stride: 2, padding: 1 });
      arch.stages.forEach(({ width, expansions }, i) => {
        const out = channels(STAGES[i]!.channels, width);
        expansions.forEach((expansion, j) => {
          // Rounded to whole channels first, as the supernet has it.
          const hidden = makeDivisible(Math.round((out * expansion) / 100));
          const stride = j === 0 ? STAGES[i]!.stride : 1;
          y = bottleneck(s.at('stage', i, 'block', j), y, { hidden, out, stride, isFirst: j === 0 });
        });
      });
      return linear(s.at('classifier'), globalAveragePool(y), classes);
    });
  },
};

function size(): bigint {
  const stem = RESOLUTIONS.length * STEM_WIDTHS.length * 2 * WIDTHS.length;
  const expansions = BigInt(EXPANSIONS.length);
  return DEPTHS.reduce(
    (n, depths) => n * BigInt(WIDTHS.length) * depths.reduce((m, d) => m + expansions ** BigInt(d), 0n),
    BigInt(stem),
  );
}

interface Bottleneck {
  readonly hidden: number;
  readonly out: number;
  readonly stride: number;
  /** The first of a stage has a convolution beside it, behind a mean over the stride (ResNet-D). */
  readonly isFirst: boolean;
}

/** (B, C, H, W) → (B, out, ⌈H/stride⌉, ⌈W/stride⌉). */
function bottleneck(s: Scope, x: Value, { hidden, out, stride, isFirst }: Bottleneck): Value {
  let y = convNorm(s.at('reduce'), x, hidden, { kernel: 1, activation: relu });
  y = convNorm(s.at('conv'), y, hidden, { kernel: 3, stride, activation: relu });
  y = convNorm(s.at('expand'), y, out, { kernel: 1 });
  const shortcut = isFirst ? convNorm(s.at('shortcut'), halved(x, stride), out, { kernel: 1 }) : x;
  return y.add(shortcut).relu();
}

/** Means of squares of `stride`; those at the far edges may be cut off, so that ⌈H/stride⌉ are left. */
function halved(x: Value, stride: number): Value {
  if (stride === 1) return x;
  return x.builder.op('AveragePool', [x], {
    kernel_shape: [stride, stride],
    strides: [stride, stride],
    ceil_mode: 1,
  });
}

function choices(arch: OfaResNet): readonly Choice<OfaResNet>[] {
  const { resolution, stem, isStemDeep, stemOut, stages } = arch;
  return [
    choiceOf('resolution', RESOLUTIONS, resolution, (r) => ({ ...arch, resolution: r })),
    choiceOf('stem width', STEM_WIDTHS, stem, (width) => ({ ...arch, stem: width })),
    switchOf('stem residual', isStemDeep, (isDeep) => ({ ...arch, isStemDeep: isDeep })),
    choiceOf('stem output width', WIDTHS, stemOut, (width) => ({ ...arch, stemOut: width })),
    ...stages.flatMap((stage, i) => {
      const { expansions } = stage;
      const place = `stage ${i + 1}`;
      const changed = (change: Partial<ResNetStage>): OfaResNet => ({
        ...arch,
        stages: stages.with(i, { ...stage, ...change }),
      });
      return [
        choiceOf(`${place} width`, WIDTHS, stage.width, (width) => changed({ width })),
        choiceOf(`${place} blocks`, DEPTHS[i]!, expansions.length, (depth) =>
          changed({ expansions: resized(expansions, depth) }),
        ),
        ...elementChoices(
          (j) => `${place} block ${j + 1} expansion`,
          EXPANSIONS,
          expansions,
          (list) => changed({ expansions: list }),
        ),
      ];
    }),
  ];
}

function parse(text: string): OfaResNet {
  return checked(JsonArch.isMeant(text) ? ofLists(new JsonArch(NAME, text)) : ofText(text), text);
}

function ofText(text: string): OfaResNet {
  const shown = (part: string): string => `'${printableStart(part, 40)}'`;
  const [first = '', stem = '', ...parts] = text.trim().split('-');
  const resolution = /^r(\d+)$/.exec(first);
  if (!resolution) {
    throw archError(NAME, text, `it begins with ${shown(first)}, not with a resolution such as r224`);
  }
  const widths = /^w(\d+)([+,])(\d+)$/.exec(stem);
  if (!widths) throw archError(NAME, text, `the stem, ${shown(stem)}, is not of the form w65+100 or w65,100`);
  if (parts.length !== STAGES.length) {
    throw archError(NAME, text, `it has ${parts.length} stages after the stem, not ${STAGES.length}`);
  }
  return {
    resolution: Number(resolution[1]),
    stem: Number(widths[1]),
    isStemDeep: widths[2] === '+',
    stemOut: Number(widths[3]),
    stages: parts.map((part, i) => {
      const stage = /^w(\d+)((?:e\d+)+)$/.exec(part);
      if (!stage) throw archError(NAME, text, `stage ${i + 1}, ${shown(part)}, is not of the form w80e25e35`);
      return { width: Number(stage[1]), expansions: stage[2]!.slice(1).split('e').map(Number) };
    }),
  };
}

/**
 * The lists of the once-for-all code: `d` has 2 for a deep stem and the blocks of every stage beyond the
 * least, `w` numbers of widths (0, 1, 2) for the first and last convolution of the stem and the stages, `e`
 * expansions of as many blocks as there can be. What stands for blocks beyond the depth of a stage does not
 * matter.
 */
function ofLists(json: JsonArch): OfaResNet {
  const [stemDepth = 0, ...more] = json.numbers('d', STAGES.length + 1);
  const [stem = 0, stemOut = 0, ...widths] = json.numbers('w', STAGES.length + 2).map((index) => {
    const width = WIDTHS[index];
    if (width === undefined) throw json.error(`'w' has ${index}, which is not 0, 1 or 2`);
    return width;
  });
  const most = STAGES.map(({ leastDepth }) => leastDepth + MORE_BLOCKS);
  const all = json.numbers(
    'e',
    most.reduce((a, b) => a + b, 0),
  );
  const key = ['r', 'image_size'].find((name) => json.has(name));
  let start = 0;
  return {
    resolution: key === undefined ? RESOLUTION : json.number(key),
    stem,
    isStemDeep: stemDepth === MORE_BLOCKS,
    stemOut,
    stages: STAGES.map(({ leastDepth }, i) => {
      const added = more[i]!;
      if (![0, 1, 2].includes(added)) throw json.error(`'d' has ${added}, which is not 0, 1 or 2`);
      const expansions = all.slice(start, start + leastDepth + added).map((e) => Math.round(e * 100));
      start += most[i]!;
      return { width: widths[i]!, expansions };
    }),
  };
}

function checked(arch: OfaResNet, text: string): OfaResNet {
  const check = (what: string, value: number, options: readonly number[]): void => {
    if (options.includes(value)) return;
    throw archError(NAME, text, `the ${what} is ${value}, not ${options.join(' or ')}`);
  };
  check('resolution', arch.resolution, RESOLUTIONS);
  check("width of the stem's first convolution", arch.stem, WIDTHS);
  check("width of the stem's last convolution", arch.stemOut, WIDTHS);
  arch.stages.forEach(({ width, expansions }, i) => {
    const where = `of stage ${i + 1}`;
    check(`width ${where}`, width, WIDTHS);
    check(`number of blocks ${where}`, expansions.length, DEPTHS[i]!);
    expansions.forEach((e, j) => void check(`expansion ${where}, block ${j + 1}`, e, EXPANSIONS));
  });
  return { ...arch, stem: arch.stem === 80 ? 65 : arch.stem };
}
