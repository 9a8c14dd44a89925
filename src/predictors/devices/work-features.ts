// A network as a row of numbers that its latency follows from, on any device: how much there is to compute and to move, in
// how many kernels, by which kinds of work, and how well such work fits to wide units. Values are of one run at the sizes
// the network has.
import type { Network } from '../../networks/network.js';
import { type NodeWork, nodeWork, WORK_KINDS, type WorkKind } from './node-work.js';

/** Kinds whose speed depends on their shape. */
const SHAPED: readonly WorkKind[] = ['spatial', 'pointwise', 'depthwise', 'grouped', 'dense', 'product'];

/** MACs that take as long as moving one element, on different devices. */
const BALANCES = [4, 16, 64, 256];

/** Channels below which units are not filled. */
const WIDE = 64;
/** Of powers of 2 of MACs for each number moved, from 4; of powers of 4 of numbers moved, from 1,024. */
const INTENSITIES = 6;
const KERNEL_SIZES = 7;
/** So that a network of which nothing is live has features, too. */
const LEAST_LIVE = 0.02;
/** Positions below which products are slow. */
const FEW_POSITIONS = 196;

export interface WorkFeatures {
  /** By name; those of operators that the network lacks are missing, and 0. */
  readonly values: Readonly<Record<string, number>>;
  /** Operators of the network that compute or move something. */
  readonly operators: readonly string[];
}

const kept = new WeakMap<Network, WorkFeatures>();

/** @param network with all sizes known */
export function workFeatures(network: Network): WorkFeatures {
  let found = kept.get(network);
  if (found === undefined) {
    const work = nodeWork(network.inference().graph);
    const { parameters, peakActivationBytes } = network.cost().totals;
    found = {
      values: featuresOf(work, Number(parameters), Number(peakActivationBytes ?? 0)),
      operators: [
        ...new Set(work.flatMap(({ kind, operator }) => (kind === 'view' ? [] : [operator]))),
      ].sort(),
    };
    kept.set(network, found);
  }
  return found;
}

function featuresOf(
  work: readonly NodeWork[],
  parameters: number,
  peakBytes: number,
): Record<string, number> {
  const moving = work.filter(({ kind }) => kind !== 'view');
  const kernels = moving.filter(({ isFusable }) => !isFusable);
  const layers = work.filter(({ macs }) => macs > 0);
  const macs = total(work, ({ macs }) => macs);
  const moved = total(moving, elements);
  const features: Record<string, number> = {
    logParameters: log(parameters),
    logMacs: log(macs),
    logFlops: log(2 * macs + total(work, ({ otherFlops }) => otherFlops)),
    logOutputs: log(total(moving, ({ outputs }) => outputs)),
    logMoved: log(moved),
    logKernelMoved: log(total(kernels, elements)),
    logPeak: log(peakBytes),
    logNodes: log(count(work)),
    logKernels: log(count(kernels)),
    intensity: log(macs) - log(moved),
    macsByLayer: log(macs) - log(count(layers)),
  };
  for (const balance of BALANCES) {
    const roof = (some: readonly NodeWork[]): number =>
      log(total(some, (node) => Math.max(node.macs, balance * elements(node)))) - log(macs);
    features[`roof.${balance}`] = roof(moving);
    features[`kernelRoof.${balance}`] = roof(kernels);
  }
  Object.assign(features, liveFeatures(work), sizeFeatures(layers, kernels, macs, moved));
  for (const kind of WORK_KINDS) Object.assign(features, kindFeatures(kind, work, macs, moved));
  const means: Readonly<Record<string, (node: NodeWork) => number>> = {
    channelsIn: ({ channelsIn }) => log(channelsIn),
    channelsOut: ({ channelsOut }) => log(channelsOut),
    positions: ({ positions }) => log(positions),
  };
  for (const [name, of] of Object.entries(means)) {
    features[`mean.${name}`] = share(
      total(layers, (node) => node.macs * of(node)),
      macs,
    );
    features[`plainMean.${name}`] = share(total(layers, of), count(layers));
  }
  for (const operator of new Set(work.map((node) => node.operator))) {
    features[`operator.${operator}`] = Math.log1p(count(work.filter((node) => node.operator === operator)));
  }
  return features;
}

/** Without what no output needs: PyTorch runs that, runtimes for graphs do not. */
function liveFeatures(work: readonly NodeWork[]): Record<string, number> {
  const live = work.filter(({ isDead }) => !isDead);
  const part = (of: (node: NodeWork) => number): number => {
    const all = total(work, of);
    return all > 0 ? Math.log((total(live, of) + LEAST_LIVE * all) / ((1 + LEAST_LIVE) * all)) : 0;
  };
  return { 'live.macs': part(({ macs }) => macs), 'live.moved': part(elements), 'live.nodes': part(() => 1) };
}

/** How MACs are spread over layers by what they compute for each number they move, and numbers over kernels by their size. */
function sizeFeatures(
  layers: readonly NodeWork[],
  kernels: readonly NodeWork[],
  macs: number,
  moved: number,
): Record<string, number> {
  const found: Record<string, number> = {};
  const intensity = (node: NodeWork): number =>
    bucket(Math.log2(node.macs / elements(node)) - 1, INTENSITIES);
  const size = (node: NodeWork): number => bucket(Math.log2(elements(node)) / 2 - 4, KERNEL_SIZES);
  for (let at = 0; at < INTENSITIES; at++) {
    const own = layers.filter((node) => intensity(node) === at);
    found[`byIntensity.${at}`] = share(
      total(own, (node) => node.macs),
      macs,
    );
  }
  for (let at = 0; at < KERNEL_SIZES; at++) {
    const own = kernels.filter((node) => size(node) === at);
    found[`bySize.${at}`] = share(total(own, elements), moved);
    found[`kernelsBySize.${at}`] = Math.log1p(count(own));
  }
  return found;
}

/** From 0 to one less than the number of buckets. */
function bucket(at: number, buckets: number): number {
  return Number.isNaN(at) ? 0 : Math.min(buckets - 1, Math.max(0, Math.floor(at)));
}

function kindFeatures(
  kind: WorkKind,
  work: readonly NodeWork[],
  macs: number,
  moved: number,
): Record<string, number> {
  const own = work.filter((node) => node.kind === kind);
  const kernels = own.filter(({ isFusable }) => !isFusable);
  const found: Record<string, number> = {
    [`nodes.${kind}`]: Math.log1p(count(own)),
    [`kernels.${kind}`]: Math.log1p(count(kernels)),
    [`macs.${kind}`]: share(
      total(own, ({ macs }) => macs),
      macs,
    ),
    [`moved.${kind}`]: share(total(own, elements), moved),
    [`logMoved.${kind}`]: Math.log1p(total(kernels, elements)),
    [`logMacs.${kind}`]: Math.log1p(total(own, ({ macs }) => macs)),
  };
  if (!SHAPED.includes(kind)) return found;
  const of = (what: (node: NodeWork) => number): number =>
    share(
      total(own, (node) => node.macs * what(node)),
      macs,
    );
  return {
    ...found,
    [`narrow.${kind}`]: of((node) => Math.max(1, WIDE / Math.max(1, narrowest(node)))),
    [`fewPositions.${kind}`]: of(({ positions }) => Number(positions < FEW_POSITIONS)),
    [`largeKernel.${kind}`]: of(({ kernel }) => Number(kernel > 3)),
    [`strided.${kind}`]: of(({ stride }) => Number(stride > 1)),
  };
}

/** The fewer of input and output channels; eight times those of a group. */
function narrowest({ channelsIn, channelsOut, groups }: NodeWork): number {
  const of = (channels: number): number => (groups > 1 ? (8 * channels) / groups : channels);
  return Math.min(of(channelsIn), of(channelsOut));
}

type Moved = Pick<NodeWork, 'inputs' | 'weights' | 'outputs'>;

/** Numbers that are read and written. */
export function elements({ inputs, weights, outputs }: Moved): number {
  return inputs + weights + outputs;
}

function total(work: readonly NodeWork[], of: (node: NodeWork) => number): number {
  return work.reduce((sum, node) => sum + node.times * of(node), 0);
}

function count(work: readonly NodeWork[]): number {
  return total(work, () => 1);
}

function share(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}

/** Of nothing, as of 1. */
function log(x: number): number {
  return Math.log(Math.max(1, x));
}

/** Features outside of any family of names that matter by themselves; the others are sizes. */
const ALONE = ['logParameters', 'logPeak', 'logNodes', 'logKernels', 'intensity', 'macsByLayer'];

/** Places of features by group: those of a group share a length scale. */
export function workGroups(names: readonly string[]): readonly (readonly number[])[] {
  const groups = new Map<string, number[]>();
  names.forEach((name, place) => {
    const [start, ...rest] = name.split('.');
    const group = rest.length > 0 || ALONE.includes(name) ? start! : 'sizes';
    const places = groups.get(group);
    if (places === undefined) groups.set(group, [place]);
    else places.push(place);
  });
  return [...groups.values()];
}
