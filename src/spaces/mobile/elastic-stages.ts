// Elastic stages, what once-for-all networks of inverted residuals are made of (Cai et al., ICLR 2020): every
// stage has a number of layers, every layer a kernel and an expansion. The choices, their texts, and the
// blocks they become; which stages there are is said by the spaces.
import type { BatchNormOptions } from '../../nn/normalise.js';
import type { Scope } from '../../nn/scope.js';
import type { Value } from '../../ops/build.js';
import { printableStart } from '../../util/printable.js';
import type { Random } from '../../util/random.js';
import { archError } from '../arch-error.js';
import type { JsonArch } from '../arch-json.js';
import { blockAt } from '../cells/chain-cell.js';
import { choiceOf, resized } from '../choice.js';
import type { Choice } from '../space.js';
import { type Activation, invertedResidual, makeDivisible } from './mobile-blocks.js';

const KERNELS: readonly number[] = [3, 5, 7];
const EXPANSIONS: readonly number[] = [3, 4, 6];

interface ElasticLayer {
  readonly kernel: number;
  readonly expansion: number;
}

export type ElasticStage = readonly ElasticLayer[];

/** The numbers of layers that every stage may have. */
export type Depths = readonly (readonly number[])[];

/** How many choices of stages there are. */
export function countStages(depths: Depths): bigint {
  const layers = BigInt(KERNELS.length * EXPANSIONS.length);
  return depths.reduce((n, options) => n * options.reduce((m, d) => m + layers ** BigInt(d), 0n), 1n);
}

const sampleLayer = (random: Random): ElasticLayer => ({
  kernel: random.pick(KERNELS),
  expansion: random.pick(EXPANSIONS),
});

/** Every choice evenly: a depth for each stage, a kernel and an expansion for each layer. */
export function sampleStages(depths: Depths, random: Random): ElasticStage[] {
  return depths.map((options) => Array.from({ length: random.pick(options) }, () => sampleLayer(random)));
}

/** The choices of stages: how many layers each has, and the kernel and the expansion of every layer. */
export function stageChoices<A>(
  stages: readonly ElasticStage[],
  depths: Depths,
  set: (stages: readonly ElasticStage[]) => A,
): Choice<A>[] {
  return stages.flatMap((stage, i) => {
    const place = `stage ${i + 1}`;
    const layers = stage.flatMap((layer, j) => {
      const site = (what: string): string => `${place} layer ${j + 1} ${what}`;
      const changed = (change: Partial<ElasticLayer>): A =>
        set(stages.with(i, stage.with(j, { ...layer, ...change })));
      return [
        choiceOf(site('kernel'), KERNELS, layer.kernel, (kernel) => changed({ kernel })),
        choiceOf(site('expansion'), EXPANSIONS, layer.expansion, (expansion) => changed({ expansion })),
      ];
    });
    if (depths[i]!.length === 1) return layers;
    const depth = choiceOf(`${place} layers`, depths[i]!, stage.length, (length) =>
      set(stages.with(i, resized(stage, length))),
    );
    return [depth, ...layers];
  });
}

/** How many layers there are. */
export function layerCount(stages: readonly ElasticStage[]): number {
  return stages.reduce((sum, stage) => sum + stage.length, 0);
}

/** `k3e4k5e6-k7e3k3e3`: a stage has the kernel and the expansion of each of its layers. */
export function formatStages(stages: readonly ElasticStage[]): string {
  return stages
    .map((stage) => stage.map(({ kernel, expansion }) => `k${kernel}e${expansion}`).join(''))
    .join('-');
}

/** What `formatStages` wrote, already split into stages. */
export function parseStages(
  space: string,
  text: string,
  parts: readonly string[],
  depths: Depths,
): ElasticStage[] {
  if (parts.length !== depths.length) {
    throw archError(space, text, `it has ${parts.length} stages joined by '-', not ${depths.length}`);
  }
  return parts.map((part, i) => {
    if (!/^(k\d+e\d+)+$/.test(part)) {
      const shown = printableStart(part, 40);
      throw archError(space, text, `stage ${i + 1}, '${shown}', is not of the form k3e4k5e6`);
    }
    const layers = [...part.matchAll(/k(\d+)e(\d+)/g)].map(([, kernel, expansion]) => ({
      kernel: Number(kernel),
      expansion: Number(expansion),
    }));
    return checkedStage(i, layers, depths[i]!, (problem) => archError(space, text, problem));
  });
}

/**
 * Stages of the lists of the once-for-all code: `d` has their depths, `ks` and `e` have the kernels and
 * expansions of as many layers as there can be. What stands for layers beyond the depth of a stage does not
 * matter.
 */
export function stagesOfLists(json: JsonArch, depths: Depths): ElasticStage[] {
  const most = depths.map((options) => Math.max(...options));
  const count = most.reduce((a, b) => a + b, 0);
  const [kernels, expansions] = [json.numbers('ks', count), json.numbers('e', count)];
  const wanted = json.numbers('d', depths.length);
  let start = 0;
  return depths.map((options, i) => {
    // The last stage of ProxylessNAS has one layer, whatever the list says.
    const depth = options.length === 1 ? options[0]! : wanted[i]!;
    if (!options.includes(depth)) throw json.error(wrongDepth(i, depth, options));
    const first = start;
    start += most[i]!;
    const layers = Array.from({ length: depth }, (_, j) => ({
      kernel: kernels[first + j]!,
      expansion: expansions[first + j]!,
    }));
    return checkedStage(i, layers, options, (problem) => json.error(problem));
  });
}

const wrongDepth = (stage: number, depth: number, options: readonly number[]): string =>
  `stage ${stage + 1} has ${depth} layers, not ${options.join(' or ')}`;

function checkedStage(
  stage: number,
  layers: ElasticStage,
  options: readonly number[],
  error: (problem: string) => Error,
): ElasticStage {
  if (!options.includes(layers.length)) throw error(wrongDepth(stage, layers.length, options));
  layers.forEach(({ kernel, expansion }, j) => {
    const where = `stage ${stage + 1}, layer ${j + 1}`;
    if (!KERNELS.includes(kernel)) {
      throw error(`${where}: the kernel is ${kernel}, not ${KERNELS.join(' or ')}`);
    }
    if (!EXPANSIONS.includes(expansion)) {
      throw error(`${where}: the expansion is ${expansion}, not ${EXPANSIONS.join(' or ')}`);
    }
  });
  return layers;
}

/** The layers as nodes of a cell: `k5_e4@2.3` is the third of stage 2. */
export function stageNodes(stages: readonly ElasticStage[]): string[] {
  return stages.flatMap((stage, i) => stage.map((layer, j) => nodeName(layer, i, j)));
}

/** All names that `stageNodes` can give, for each layer that there can be. */
export function stagePlaces(depths: Depths): string[][] {
  const layers = KERNELS.flatMap((kernel) => EXPANSIONS.map((expansion) => ({ kernel, expansion })));
  return depths.flatMap((options, i) =>
    Array.from({ length: Math.max(...options) }, (_, j) => layers.map((layer) => nodeName(layer, i, j))),
  );
}

function nodeName({ kernel, expansion }: ElasticLayer, stage: number, layer: number): string {
  return blockAt(`k${kernel}_e${expansion}`, stage + 1, layer + 1);
}

/** What the layers of a stage have in common. */
interface StageShape {
  /** Channels that come out of every layer. */
  readonly width: number;
  /** Of the first layer; those behind it have 1. */
  readonly stride: number;
  readonly activation: Activation;
  /** Whether there is squeeze-and-excitation, through a quarter of the hidden channels. */
  readonly isSqueezed?: boolean;
  readonly norm?: BatchNormOptions;
}

/** (B, C, H, W) → (B, width, ⌈H/stride⌉, ⌈W/stride⌉), one inverted residual after another. */
export function elasticStage(
  s: Scope,
  x: Value,
  layers: ElasticStage,
  { width, stride, activation, isSqueezed = false, norm }: StageShape,
): Value {
  return layers.reduce((y, { kernel, expansion }, j) => {
    const hidden = makeDivisible(y.length(1) * expansion);
    const squeeze = { channels: makeDivisible(Math.floor(hidden / 4)) };
    return invertedResidual(s.at('layer', j), y, {
      out: width,
      hidden,
      kernel,
      stride: j === 0 ? stride : 1,
      activation,
      norm,
      ...(isSqueezed ? { squeeze } : {}),
    });
  }, x);
}
