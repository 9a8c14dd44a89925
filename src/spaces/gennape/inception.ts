// Inception (Mills et al., AAAI 2023, "GENNAPE"): stages of equal blocks, each block up to four paths of operators
// side by side that share its channels. CIFAR-10.
//
// Sizes and probabilities are those of the authors' generator. Their paper says otherwise in places: three stages
// instead of four, all of which reduce, of 2 to 4 instead of 2 to 6 blocks, and up to 4 operators in any path.
import { globalAveragePool } from '../../nn/convolution.js';
import { linear } from '../../nn/linear.js';
import type { Random } from '../../util/random.js';
import { archError } from '../arch-error.js';
import { choiceOf } from '../choice.js';
import { images, scaledWidth, writeNetwork } from '../network-builder.js';
import type { Choice, NetworkOptions, Space } from '../space.js';
import { drawList, operatorChoices, problemOfList, shuffled } from './blocks.js';
import {
  changesChannels,
  type InceptionOp,
  KINDS,
  outerConv,
  type SizedPath,
  writeBlock,
} from './inception-network.js';

/** What the channels between a path's first and last operator that can change them are to those it gives. */
const INNER = { r2: 1 / 2, same: 1, e2: 2 } as const;
type Inner = keyof typeof INNER;
const INNER_PROBABILITIES: readonly (readonly [Inner, number])[] = [
  ['r2', 0.3],
  ['same', 0.6],
  ['e2', 0.1],
];

interface InceptionPath {
  readonly ops: readonly InceptionOp[];
  readonly inner: Inner;
}

interface InceptionStage {
  /** How many blocks there are; they are all alike. */
  readonly blocks: number;
  /** Of three paths the first one gives half of the channels, the others a quarter; else they give equal parts. */
  readonly paths: readonly InceptionPath[];
}

type Inception = readonly InceptionStage[];

/** How the channels are shared, and how many operators there are, by the number of paths. */
const PATHS = [
  { shares: [1], leastOps: 1, mostOpsOfBlock: 3 },
  { shares: [1 / 2, 1 / 2], leastOps: 1, mostOpsOfBlock: 4 },
  { shares: [1 / 2, 1 / 4, 1 / 4], leastOps: 2, mostOpsOfBlock: 8 },
  { shares: [1 / 4, 1 / 4, 1 / 4, 1 / 4], leastOps: 2, mostOpsOfBlock: 10 },
] as const;

/** Every stage but the first halves the sides in its first block. */
const STAGE_WIDTHS = [32, 64, 128, 256];
const BLOCKS = { least: 2, most: 6 };
const LEAST_WIDTH = 16;
const LAST_WIDTH = 512;
const NAME = 'inception';

export const inception: Space<Inception> = {
  name: NAME,
  title: 'Inception',
  paper: 'Mills et al., AAAI 2023, arXiv:2211.17226',
  notation:
    `four stages joined by '/', each the number of its blocks (${BLOCKS.least} to ${BLOCKS.most}), ':', and one ` +
    `to four paths joined by ',', each of operators joined by '+', with ':r2' or ':e2' after it if the channels ` +
    `inside are halved or doubled. Of three paths the first is the widest. A path has at least one of ` +
    `${KINDS.convs.join(', ')} and at most one of ${KINDS.supplements.join(', ')}`,
  example:
    '2:conv3x3/3:conv3x3+conv1x1,inception_s5x5/2:depthwise5x5+conv3x3:e2,conv1x1+conv3x3,maxpool3x3+inception_p3x3/4:conv5x5+conv3x3:r2',
  // Counted when it is asked for: it takes longer than loading the space.
  get size() {
    return STAGE_WIDTHS.reduce((n, width) => n * stageCount(width), 1n);
  },
  defaults: { resolution: 32, classes: 10, input: 'image' },
  sample: (random) =>
    STAGE_WIDTHS.map((width) => {
      const blocks = random.between(BLOCKS.least, BLOCKS.most);
      return { blocks, paths: drawPaths(width, random) };
    }),
  choices: (arch) =>
    arch.flatMap((stage, i) =>
      stageChoices(stage, STAGE_WIDTHS[i]!, `stage ${i + 1}`, (changed) => {
        const made = arch.with(i, changed);
        return problem(made) === undefined ? made : undefined;
      }),
    ),
  parse,
  format,
  hash: (arch) =>
    format(arch.map((stage, i) => ({ ...stage, paths: sorted(stage.paths, STAGE_WIDTHS[i]!) }))),
  network: (arch, options = {}) => {
    const { classes = 10, seed = 0 } = options;
    return writeNetwork(NAME, images(options, 32), seed, (s, x) => {
      let y = outerConv(s.at('stem'), x, stageWidth(0, options));
      arch.forEach(({ blocks, paths }, stage) => {
        const out = stageWidth(stage, options);
        const sized = sizedPaths(paths, out, options);
        for (let i = 0; i < blocks; i++) {
          const stride = i === 0 && stage > 0 ? 2 : 1;
          y = writeBlock(s.at('stage', stage, 'block', i), y, sized, { out, stride });
        }
      });
      const last = outerConv(s.at('last'), y, scaledWidth(LAST_WIDTH, options));
      return linear(s.at('classifier'), globalAveragePool(last), classes);
    });
  },
};

/** A multiple of 4, so that four paths can share it. */
function stageWidth(stage: number, options: NetworkOptions): number {
  return scaledWidth(STAGE_WIDTHS[stage]!, options, 4);
}

/** The channels that each of a number of paths gives. */
function pathWidths(width: number, paths: number, least = LEAST_WIDTH): number[] {
  return PATHS[paths - 1]!.shares.map((share) => Math.max(width * share, least));
}

function sizedPaths(paths: readonly InceptionPath[], width: number, options: NetworkOptions): SizedPath[] {
  const least = scaledWidth(LEAST_WIDTH, options, 2);
  return pathWidths(width, paths.length, least).map((out, i) => {
    const { ops, inner } = paths[i]!;
    return { ops, out, inner: Math.max(Math.floor(out * INNER[inner]), least) };
  });
}

/** The channels inside a path can differ if two operators can change them, and never are fewer than the least. */
function innerChoices(ops: readonly InceptionOp[], width: number): readonly Inner[] {
  if (ops.filter(changesChannels).length < 2) return ['same'];
  return width * INNER.r2 < LEAST_WIDTH ? ['same', 'e2'] : ['r2', 'same', 'e2'];
}

/** How many different stages there are: choices of blocks times those of paths. */
function stageCount(width: number): bigint {
  let count = 0n;
  for (const { shares, leastOps, mostOpsOfBlock } of PATHS) {
    // ways[n]: the paths so far, of n operators together.
    let ways = new Map([[0, 1n]]);
    for (const pathWidth of pathWidths(width, shares.length)) {
      const next = new Map<number, bigint>();
      for (const [used, n] of ways) {
        for (let ops = leastOps; used + ops <= mostOpsOfBlock; ops++) {
          next.set(used + ops, (next.get(used + ops) ?? 0n) + n * pathCount(ops, pathWidth));
        }
      }
      ways = next;
    }
    for (const n of ways.values()) count += n;
  }
  return count * BigInt(BLOCKS.most - BLOCKS.least + 1);
}

/** Paths of n operators: lists of convolutions, or with one supplement in one of n places; times inner channels. */
function pathCount(n: number, width: number): bigint {
  const choices = (list: readonly InceptionOp[]): bigint => BigInt(innerChoices(list, width).length);
  const convs = BigInt(KINDS.convs.length);
  const otherConvs: InceptionOp[] = Array.from({ length: n - 1 }, () => 'conv3x3');
  let count = convs ** BigInt(n) * choices(['conv3x3', ...otherConvs]);
  if (n === 1) return count;
  for (const op of KINDS.supplements)
    count += BigInt(n) * convs ** BigInt(n - 1) * choices([op, ...otherConvs]);
  return count;
}

function drawPaths(width: number, random: Random): InceptionPath[] {
  const { shares, leastOps, mostOpsOfBlock } = random.pick(PATHS);
  let left: number = mostOpsOfBlock;
  const order = shuffled([...shares.keys()], random);
  const drawn = order.map((place, i) => {
    const count = random.between(leastOps, left - leastOps * (shares.length - i - 1));
    left -= count;
    return { place, path: drawPath(count, pathWidths(width, shares.length)[place]!, random) };
  });
  return drawn.sort((a, b) => a.place - b.place).map(({ path }) => path);
}

function drawPath(count: number, width: number, random: Random): InceptionPath {
  const ops = drawList(KINDS, count, random);
  let left = random.float();
  const drawn = INNER_PROBABILITIES.find(([, probability]) => {
    left -= probability;
    return left < 0;
  });
  return settled({ ops, inner: drawn?.[0] ?? 'same' }, width);
}

/** A path with the channels inside it as they are outside, where what it asks for cannot be. */
function settled(path: InceptionPath, width: number): InceptionPath {
  return innerChoices(path.ops, width).includes(path.inner) ? path : { ...path, inner: 'same' };
}

const BLOCK_COUNTS = Array.from({ length: BLOCKS.most - BLOCKS.least + 1 }, (_, i) => BLOCKS.least + i);
const PATH_COUNTS = PATHS.map((_, i) => i + 1);

/** How many blocks and paths, the operators of each path and the channels inside it. What is set may break the rules. */
function stageChoices<A>(
  stage: InceptionStage,
  width: number,
  place: string,
  set: (stage: InceptionStage) => A | undefined,
): Choice<A>[] {
  const { blocks, paths } = stage;
  const { leastOps, mostOpsOfBlock } = PATHS[paths.length - 1]!;
  const widths = pathWidths(width, paths.length);
  const most = mostOpsOfBlock - leastOps * (paths.length - 1);
  const counts = Array.from({ length: most - leastOps + 1 }, (_, i) => leastOps + i);
  const withPath = (j: number, path: InceptionPath): A | undefined =>
    set({ blocks, paths: paths.with(j, settled(path, widths[j]!)) });
  return [
    choiceOf(`${place} blocks`, BLOCK_COUNTS, blocks, (count) => set({ blocks: count, paths })),
    choiceOf(`${place} paths`, PATH_COUNTS, paths.length, (count) =>
      set({ blocks, paths: withPaths(paths, count, width) }),
    ),
    ...paths.flatMap((path, j) => {
      const site = `${place} path ${j + 1}`;
      return [
        ...operatorChoices(KINDS, counts, path.ops, site, (ops) => withPath(j, { ...path, ops })),
        choiceOf(`${site} inner channels`, innerChoices(path.ops, widths[j]!), path.inner, (inner) =>
          withPath(j, { ...path, inner }),
        ),
      ];
    }),
  ];
}

/** Without the last paths, or with more of as few operators as there may be. */
function withPaths(paths: readonly InceptionPath[], count: number, width: number): InceptionPath[] {
  const ops = Array.from({ length: PATHS[count - 1]!.leastOps }, () => KINDS.convs[0]!);
  return pathWidths(width, count).map((own, j) => settled(paths[j] ?? { ops, inner: 'same' }, own));
}

function problem(arch: Inception): string | undefined {
  if (arch.length !== STAGE_WIDTHS.length) {
    return `it has ${arch.length} stages joined by '/', not ${STAGE_WIDTHS.length}`;
  }
  for (const [i, { blocks, paths }] of arch.entries()) {
    const stage = `stage ${i + 1}`;
    if (!(blocks >= BLOCKS.least && blocks <= BLOCKS.most)) {
      return `${stage} must begin with its number of blocks, ${BLOCKS.least} to ${BLOCKS.most}, and ':'`;
    }
    const rules = PATHS[paths.length - 1];
    if (rules === undefined)
      return `${stage} has ${paths.length} paths joined by ',', not 1 to ${PATHS.length}`;
    const { leastOps, mostOpsOfBlock } = rules;
    const ops = paths.reduce((n, path) => n + path.ops.length, 0);
    if (ops > mostOpsOfBlock || paths.some((path) => path.ops.length < leastOps)) {
      return (
        `${stage} has ${paths.length} paths of ${paths.map((path) => path.ops.length).join(', ')} operators, not ` +
        `${leastOps} or more each and ${mostOpsOfBlock} at most together`
      );
    }
    const widths = pathWidths(STAGE_WIDTHS[i]!, paths.length);
    for (const [j, path] of paths.entries()) {
      const wrong = problemOfList(KINDS, path.ops);
      if (wrong !== undefined) return wrong;
      const choices = innerChoices(path.ops, widths[j]!);
      if (choices.includes(path.inner)) continue;
      return `the ${widths[j]} channels of '${formatPath(path)}' in ${stage} cannot change inside it`;
    }
  }
  return undefined;
}

function parse(text: string): Inception {
  const arch = text
    .trim()
    .split('/')
    .map((stage) => {
      const [, blocks, rest] = /^(?:(\d):)?(.*)$/s.exec(stage)!;
      return {
        blocks: Number(blocks ?? 0),
        paths: rest!.split(',').map((path): InceptionPath => {
          const [, ops, inner = 'same'] = /^(.*?)(?::(r2|e2))?$/s.exec(path)!;
          return { ops: ops!.split('+') as InceptionOp[], inner: inner as Inner };
        }),
      };
    });
  const wrong = problem(arch);
  if (wrong !== undefined) throw archError(NAME, text, wrong);
  return arch;
}

function formatPath({ ops, inner }: InceptionPath): string {
  return `${ops.join('+')}${inner === 'same' ? '' : `:${inner}`}`;
}

function format(arch: Inception): string {
  return arch.map(({ blocks, paths }) => `${blocks}:${paths.map(formatPath).join(',')}`).join('/');
}

/** Paths of one width in the order of their texts. */
function sorted(paths: readonly InceptionPath[], width: number): InceptionPath[] {
  const widths = pathWidths(width, paths.length);
  return paths
    .map((path, i) => ({ path, width: widths[i]!, text: formatPath(path) }))
    .sort((a, b) => b.width - a.width || (a.text < b.text ? -1 : 1))
    .map(({ path }) => path);
}
