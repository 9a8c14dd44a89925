// Two-Path (Mills et al., AAAI 2023, "GENNAPE"): two paths of blocks side by side, each block a short list of
// operators; light networks for CIFAR-10. Sizes and probabilities are those of the authors' generator.
import { globalAveragePool } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import type { Random } from '../../util/random.js';
import { archError } from '../arch-error.js';
import { choiceOf } from '../choice.js';
import { images, scaledWidth, writeNetwork } from '../network-builder.js';
import type { Choice, Space } from '../space.js';
import {
  averagePoolNorm,
  convNormRelu6,
  drawList,
  inceptionS,
  maxPoolNorm,
  type OperatorKinds,
  operatorChoices,
  problemOfList,
  shuffled,
  twoConvs,
} from './blocks.js';

type Layer = (s: Scope, x: Value, out: number, stride: number) => Value;

const conv =
  (kernel: number): Layer =>
  (s, x, out, stride) =>
    convNormRelu6(s, x, out, { kernel, stride });
const inception =
  (kernel: number): Layer =>
  (s, x, out, stride) =>
    inceptionS(s, x, out, { kernel, strides: [stride, 1] });
/** Two convolutions; between them the input's channels times a factor. */
const bottleneck =
  (factor: number, kernel: number): Layer =>
  (s, x, out, stride) =>
    twoConvs(s, x, [Math.max(1, Math.floor(x.length(1) * factor)), out], { kernel, stride });

const CONVS = {
  conv3x3: conv(3),
  double3x3: bottleneck(1, 3),
  conv5x5: conv(5),
  'bottleneck-r2-k3': bottleneck(1 / 2, 3),
  'bottleneck-r4-k3': bottleneck(1 / 4, 3),
  'bottleneck-e2-k3': bottleneck(2, 3),
  inception_s3x3: inception(3),
  inception_s5x5: inception(5),
} satisfies Record<string, Layer>;

const SUPPLEMENTS = {
  conv1x1: conv(1),
  'bottleneck-r2-k1': bottleneck(1 / 2, 1),
  'bottleneck-e2-k1': bottleneck(2, 1),
  avgpool3x3: averagePoolNorm,
  maxpool3x3: maxPoolNorm,
} satisfies Record<string, Layer>;

type Op = keyof typeof CONVS | keyof typeof SUPPLEMENTS;
const LAYERS: Record<Op, Layer> = { ...CONVS, ...SUPPLEMENTS };

const KINDS: OperatorKinds<Op> = {
  convs: Object.keys(CONVS) as Op[],
  supplements: Object.keys(SUPPLEMENTS) as Op[],
};

interface TwoPathBlock {
  readonly ops: readonly Op[];
  /** Halves the sides and doubles the channels, in its first convolution of a kernel above 1. */
  readonly reduces: boolean;
}
type Path = readonly TwoPathBlock[];
type TwoPath = readonly [Path, Path];

const OPS = { least: 1, most: 3 };
const BLOCKS = { least: 2, most: 4 };
const REDUCTIONS = 2;
const STEM_WIDTH = 32;
const LAST_WIDTH = 512;
const NAME = 'two-path';

export const twoPath: Space<TwoPath> = {
  name: NAME,
  title: 'Two-Path',
  paper: 'Mills et al., AAAI 2023, arXiv:2211.17226',
  notation:
    `two paths joined by '/', each of ${BLOCKS.least} to ${BLOCKS.most} blocks joined by ',', each of ` +
    `${OPS.least} to ${OPS.most} operators joined by '+'; ':2' after the ${REDUCTIONS} blocks of a path that ` +
    `stride. A block has at least one of ${KINDS.convs.join(', ')} and at most one of ${KINDS.supplements.join(', ')}`,
  example: 'conv3x3+maxpool3x3:2,bottleneck-r2-k3,double3x3:2/inception_s5x5:2,conv1x1+conv5x5+conv3x3:2',
  size: pathCount() ** 2n,
  defaults: { resolution: 32, classes: 10, input: 'image' },
  sample: (random) => [drawPath(random), drawPath(random)],
  choices: (arch) =>
    arch.flatMap((path, side) =>
      pathChoices(path, `path ${side + 1}`, (changed) => {
        const made = arch.with(side, changed) as unknown as TwoPath;
        return problem(made) === undefined ? made : undefined;
      }),
    ),
  parse,
  format,
  hash: (arch) => arch.map(formatPath).sort().join('/'),
  network: (arch, options = {}) => {
    const { classes = 10, seed = 0 } = options;
    return writeNetwork(NAME, images(options, 32), seed, (s, x) => {
      const width = scaledWidth(STEM_WIDTH, options);
      const stem = convNormRelu6(s.at('stem', 0), x, width, { kernel: 3 });
      const y = convNormRelu6(s.at('stem', 1), stem, width, { kernel: 3, stride: 2 });
      const ends = arch.map((path, i) => path.reduce((z, b, j) => block(s.at('path', i, j), z, b), y));
      const last = convNormRelu6(s.at('last'), s.builder.concat(ends, 1), scaledWidth(LAST_WIDTH, options), {
        kernel: 3,
      });
      return linear(s.at('classifier'), globalAveragePool(last), classes);
    });
  },
};

/** Lists of n operators: all convolutions, or one supplement in one of n places. */
function pathCount(): bigint {
  const convs = BigInt(KINDS.convs.length);
  let blocks = 0n;
  for (let n = BigInt(OPS.least); n <= OPS.most; n++) {
    const withSupplement = n * BigInt(KINDS.supplements.length) * convs ** (n - 1n);
    blocks += convs ** n + (n > 1n ? withSupplement : 0n);
  }
  let paths = 0n;
  for (let n = BigInt(BLOCKS.least); n <= BLOCKS.most; n++) {
    const placesOfTwo = (n * (n - 1n)) / 2n;
    paths += placesOfTwo * blocks ** n;
  }
  return paths;
}

function drawBlock(random: Random, reduces: boolean): TwoPathBlock {
  return { ops: drawList(KINDS, random.between(OPS.least, OPS.most), random), reduces };
}

function drawPath(random: Random): Path {
  const length = random.between(BLOCKS.least, BLOCKS.most);
  const reduces = shuffled(
    Array.from({ length }, (_, i) => i < REDUCTIONS),
    random,
  );
  return reduces.map((r) => drawBlock(random, r));
}

const LENGTHS = [2, 3, 4] as const;
const OP_COUNTS = [1, 2, 3] as const;

/** How many blocks, which of them stride, and the operators of each. What is set may break the rules. */
function pathChoices<A>(path: Path, place: string, set: (path: Path) => A | undefined): Choice<A>[] {
  return [
    choiceOf<A, number>(`${place} blocks`, LENGTHS, path.length, (length) => set(withBlocks(path, length))),
    choiceOf(`${place} reductions`, pairsBelow(path.length), reductionsOf(path), (pair) =>
      set(path.map((block, i) => ({ ...block, reduces: pair.split(',').includes(String(i + 1)) }))),
    ),
    ...path.flatMap((block, i) =>
      operatorChoices(KINDS, OP_COUNTS, block.ops, `${place} block ${i + 1}`, (ops) =>
        set(path.with(i, { ...block, ops })),
      ),
    ),
  ];
}

/** Without the last blocks that do not stride, or with the last one again and again. */
function withBlocks(path: Path, length: number): Path {
  const kept = [...path];
  while (kept.length > length)
    kept.splice(
      kept.findLastIndex(({ reduces }) => !reduces),
      1,
    );
  while (kept.length < length) kept.push({ ...kept.at(-1)!, reduces: false });
  return kept;
}

/** The places of the blocks that stride, from 1. */
function reductionsOf(path: Path): string {
  return path.flatMap(({ reduces }, i) => (reduces ? [i + 1] : [])).join(',');
}

function pairsBelow(count: number): string[] {
  const places = Array.from({ length: count }, (_, i) => i + 1);
  return places.flatMap((i) => places.slice(i).map((j) => `${i},${j}`));
}

function problem(arch: readonly Path[]): string | undefined {
  if (arch.length !== 2) return `it has ${arch.length} paths joined by '/', not 2`;
  for (const path of arch) {
    if (path.length < BLOCKS.least || path.length > BLOCKS.most) {
      return `a path has ${path.length} blocks joined by ',', not ${BLOCKS.least} to ${BLOCKS.most}`;
    }
    for (const { ops } of path) {
      if (ops.length < OPS.least || ops.length > OPS.most) {
        return `a block has ${ops.length} operators joined by '+', not ${OPS.least} to ${OPS.most}`;
      }
      const wrong = problemOfList(KINDS, ops);
      if (wrong !== undefined) return wrong;
    }
    const reductions = path.filter(({ reduces }) => reduces).length;
    if (reductions !== REDUCTIONS) return `${reductions} blocks of a path end in ':2', not ${REDUCTIONS}`;
  }
  return undefined;
}

function parse(text: string): TwoPath {
  const arch = text
    .trim()
    .split('/')
    .map((path) =>
      path.split(',').map((block) => ({
        ops: block.replace(/:2$/, '').split('+') as Op[],
        reduces: block.endsWith(':2'),
      })),
    );
  const wrong = problem(arch);
  if (wrong !== undefined) throw archError(NAME, text, wrong);
  return arch as unknown as TwoPath;
}

function formatPath(path: Path): string {
  return path.map(({ ops, reduces }) => `${ops.join('+')}${reduces ? ':2' : ''}`).join(',');
}

function format(arch: TwoPath): string {
  return arch.map(formatPath).join('/');
}

/** (B, C, H, W) → the same, with the input added, or (B, 2C, H/2, W/2). */
function block(s: Scope, x: Value, { ops, reduces }: TwoPathBlock): Value {
  const firstConv = ops.findIndex((op) => KINDS.convs.includes(op));
  const y = ops.reduce((z, op, i) => {
    const isReduction = reduces && i === firstConv;
    return LAYERS[op](s.at(i), z, z.length(1) * (isReduction ? 2 : 1), isReduction ? 2 : 1);
  }, x);
  return reduces ? y : y.add(x);
}
