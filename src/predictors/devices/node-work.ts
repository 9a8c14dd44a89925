// What every node of a network makes a device do: arithmetic, bytes, and the sizes that its speed depends on. Nodes are told
// by traits, so that all operators are known; nodes that depend on no input are left out, as runtimes compute them once.
import { dependentValues, neededValues, valuesRead } from '../../analysis/dependence.js';
import type { InferredGraph, InferredNode } from '../../analysis/infer.js';
import { windowOf } from '../../analysis/window.js';
import { type Dim, isKnown } from '../../graph/dim.js';
import { isTensor, type ValueType } from '../../graph/types.js';
import { traitsOf } from '../../ops/index.js';

/** Kinds of work that differ in speed. */
export const WORK_KINDS = [
  'spatial',
  'pointwise',
  'depthwise',
  'grouped',
  'transposed',
  'dense',
  'product',
  'attention',
  'recurrent',
  'batchNormalisation',
  'normalisation',
  'softmax',
  'pooling',
  'reduction',
  'activation',
  'arithmetic',
  'axes',
  'part',
  'join',
  'pad',
  'lookup',
  'view',
  'other',
] as const;
export type WorkKind = (typeof WORK_KINDS)[number];

export interface NodeWork {
  readonly node: InferredNode;
  readonly kind: WorkKind;
  readonly operator: string;
  readonly macs: number;
  /** Arithmetic that is no MAC. */
  readonly otherFlops: number;
  /** Elements of inputs that were computed, and of inputs that were not. */
  readonly inputs: number;
  readonly weights: number;
  readonly outputs: number;
  /** Of convolutions and products; 1 or 0 of others. */
  readonly kernel: number;
  readonly stride: number;
  readonly groups: number;
  readonly channelsIn: number;
  readonly channelsOut: number;
  /** Pixels or rows that it gives out. */
  readonly positions: number;
  /** Runtimes can compute it while they write what the node before gives: elementwise, and nobody else reads that. */
  readonly isFusable: boolean;
  /** No output of the network needs it: some runtimes leave it out, some run it. */
  readonly isDead: boolean;
  /** How often it runs: in bodies of loops, more than once. */
  readonly times: number;
}

/** @param graph with all sizes known */
export function nodeWork(graph: InferredGraph): readonly NodeWork[] {
  return workOfGraph(graph, new Set(graph.inputNames), 1);
}

/** @param outer values that are computed outside of the graph */
function workOfGraph(graph: InferredGraph, outer: ReadonlySet<string>, times: number): readonly NodeWork[] {
  const nodes = graph.nodes.map(({ node }) => node);
  const data = dependentValues(nodes, [...outer, ...graph.inputNames], { reads: valuesRead });
  const needed = neededValues(nodes, graph.outputNames);
  const readers = new Map<string, number>();
  for (const node of nodes) for (const name of node.inputs) readers.set(name, (readers.get(name) ?? 0) + 1);
  for (const name of graph.outputNames) readers.set(name, (readers.get(name) ?? 0) + 1);
  const layers = new Set<string>();
  return graph.nodes.flatMap((inferred) => {
    const { node, call } = inferred;
    if (!valuesRead(node).some((name) => data.has(name))) return [];
    if (call.bodies.length > 0) {
      const runs = call.bodies.map((body) =>
        workOfGraph(body.graph as InferredGraph, data, times * numberOf(body.times ?? 1)),
      );
      return call.bodies.some(({ alternative }) => alternative) ? costliest(runs) : runs.flat();
    }
    const isDead = !node.outputs.some((name) => needed.has(name));
    const work = { ...workOf(inferred, data, readers, layers), node: inferred, isDead, times };
    // What can be fused to a layer: the layer itself, and elementwise nodes behind it.
    if (work.macs > 0 || work.isFusable) for (const name of node.outputs) layers.add(name);
    return [work];
  });
}

/** Of alternatives, the one with the most arithmetic. */
function costliest(runs: readonly (readonly NodeWork[])[]): readonly NodeWork[] {
  const flops = (run: readonly NodeWork[]): number =>
    run.reduce((sum, { macs, otherFlops, times }) => sum + times * (2 * macs + otherFlops), 0);
  return runs.reduce((most, run) => (flops(run) > flops(most) ? run : most));
}

function workOf(
  { node, call, operator }: InferredNode,
  data: ReadonlySet<string>,
  readers: ReadonlyMap<string, number>,
  layers: ReadonlySet<string>,
): Omit<NodeWork, 'node' | 'isDead' | 'times'> {
  const own = call.bodies.length > 0 ? {} : operator?.cost.of(call);
  const macs = numberOf(own?.macs);
  const isData = (slot: number): boolean => data.has(node.inputs[slot] ?? '');
  const sizes = call.inputs.map(sizeOf);
  const sum = (of: (slot: number) => boolean): number =>
    sizes.reduce((total, size, slot) => total + (of(slot) ? size : 0), 0);
  const outputs = sizeOf(call.outputs[0]);
  const shape = sizesOf(call.outputs[0]);
  const { kernel, stride, groups, area } = windowOf(call, 0);
  const traits = traitsOf(node);
  const weights = sum((slot) => !isData(slot));
  const isLayer = macs > 0;
  const channelsIn = isLayer ? (macs / Math.max(1, outputs) / area) * groups : 0;
  const channelsOut = isLayer ? (traits.convolution ? (shape[1] ?? 1) : (shape.at(-1) ?? 1)) : 0;
  const computed = node.inputs.flatMap((name, slot) => (isData(slot) ? [{ name, size: sizes[slot]! }] : []));
  const isElementwise =
    traits.isElementwise === true ||
    traits.activation !== undefined ||
    traits.arithmetic !== undefined ||
    traits.normalisation === 'batch';
  return {
    kind: kindOf({ node, call, operator } as InferredNode, isElementwise, {
      groups,
      channelsIn,
      kernel,
      isOfTwo: computed.length > 1,
    }),
    operator: node.opType,
    macs,
    otherFlops: numberOf(own?.otherFlops),
    inputs: sum(isData),
    weights,
    outputs: call.outputs.reduce((total, type) => total + sizeOf(type), 0),
    kernel,
    stride,
    groups,
    channelsIn,
    channelsOut,
    positions: isLayer ? outputs / Math.max(1, channelsOut) : 0,
    isFusable:
      isElementwise &&
      computed.some(({ name, size }) => size === outputs && readers.get(name) === 1 && layers.has(name)),
  };
}

interface Window {
  readonly groups: number;
  readonly channelsIn: number;
  readonly kernel: number;
  readonly isOfTwo: boolean;
}

function kindOf(
  { node }: InferredNode,
  isElementwise: boolean,
  { groups, channelsIn, kernel, isOfTwo }: Window,
): WorkKind {
  const traits = traitsOf(node);
  const { convolution, product, normalisation, moves } = traits;
  if (convolution !== undefined) {
    if (convolution === 'transposed') return 'transposed';
    if (groups > 1) return groups >= channelsIn ? 'depthwise' : 'grouped';
    return kernel > 1 ? 'spatial' : 'pointwise';
  }
  if (traits.attention) return 'attention';
  if (traits.recurrent) return 'recurrent';
  if (product !== undefined) return isOfTwo ? 'product' : 'dense';
  if (normalisation !== undefined) return normalisation === 'batch' ? 'batchNormalisation' : 'normalisation';
  if (traits.softmax !== undefined) return 'softmax';
  if (traits.pooling !== undefined) return 'pooling';
  if (traits.reduction !== undefined) return 'reduction';
  if (traits.activation !== undefined) return 'activation';
  if (isElementwise) return 'arithmetic';
  if (traits.isView || moves === 'same' || moves === 'shape' || moves === 'broadcast') return 'view';
  if (moves === 'axes' || moves === 'layout') return 'axes';
  if (moves === 'part' || moves === 'join' || moves === 'pad') return moves;
  if (moves === 'rows' || moves === 'lookup') return 'lookup';
  return 'other';
}

function sizesOf(type: ValueType | undefined): number[] {
  return ((isTensor(type) ? type.shape : undefined) ?? []).map(numberOf);
}

function sizeOf(type: ValueType | undefined): number {
  return isTensor(type) ? sizesOf(type).reduce((n, size) => n * size, 1) : 0;
}

/** 0 if it is not known. */
function numberOf(size: Dim | undefined): number {
  return size !== undefined && isKnown(size) ? size : 0;
}
