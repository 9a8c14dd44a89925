// What running a network costs: per node, and summed. Counts are numbers, or polynomials in the sizes that
// are not fixed. What cannot be counted is listed, never guessed: totals are then lower bounds.
import { add, atLeast, type Dim, multiply, sum } from '../graph/dim.js';
import { nodeLabel, operatorName } from '../graph/graph.js';
import { totalBytes, type ValueType } from '../graph/types.js';
import type { Body } from '../ops/operator.js';
import { type Constant, findConstants } from './constants.js';
import type { Inference, InferredGraph, InferredNode } from './infer.js';
import { peakActivationBytes } from './liveness.js';

/** Sums of any set of nodes. */
export interface Counts {
  /** Trained parameters: neither running statistics nor shapes and other settings. */
  parameters: number;
  /** Bytes of all constants as stored, parameters or not. */
  weightBytes: number;
  /** Multiply-accumulates of convolutions, matrix products, attention and recurrence. */
  macs: Dim;
  /** 2 × macs, plus all other arithmetic. */
  flops: Dim;
  /** Bytes of all values that nodes produce; reshapes produce none. */
  activationBytes: Dim;
  /** Bytes read and written when every node reads its inputs and writes its outputs once. */
  memoryAccessBytes: Dim;
}

export interface NodeCost extends Counts {
  /** The node's name; nodes of subgraphs and functions carry the names of the nodes around them in front. */
  readonly name: string;
  readonly operator: string;
  readonly inferred: InferredNode;
  readonly outputs: readonly ValueType[];
  /** How often it runs; the counts are for all runs together. */
  readonly times: Dim;
  /** Inside a loop whose number of iterations is unknown: the counts are for one iteration. */
  readonly perIteration: boolean;
  /** False in the cheaper branch of an If, which is not part of the totals. */
  readonly counted: boolean;
  /** False when a size that is needed is unknown, so that something is missing from the counts. */
  readonly complete: boolean;
}

export interface CostReport {
  readonly totals: Counts & {
    /** Most bytes of activations alive at once, in the order of the file. Undefined when it depends on sizes. */
    readonly peakActivationBytes: Dim | undefined;
    /** flops / memoryAccessBytes, when both are numbers. */
    readonly arithmeticIntensity: number | undefined;
  };
  readonly nodes: readonly NodeCost[];
  readonly constants: readonly Constant[];
}

/**
 * Counts what a network costs.
 *
 * @example
 * const { totals } = cost(inferShapes(readModel('resnet18.onnx')));
 * console.log(totals.parameters, totals.macs);
 */
export function cost(inference: Inference): CostReport {
  const constants = findConstants(inference);
  const owned = new Map<InferredNode, Constant[]>();
  for (const constant of constants) {
    if (constant.owner === undefined) continue;
    const list = owned.get(constant.owner);
    if (list) list.push(constant);
    else owned.set(constant.owner, [constant]);
  }
  const nodes: NodeCost[] = [];
  graphCosts(inference.graph, { path: '', times: 1, perIteration: false }, owned, nodes);
  const sums = sumCounts(nodes.filter((n) => n.counted));
  const { flops, memoryAccessBytes } = sums;
  return {
    totals: {
      ...sums,
      // Constants of branches that are not counted, or that nobody uses, are part of the file all the same.
      parameters: constants.reduce((n, c) => n + c.parameters, 0),
      weightBytes: constants.reduce((n, c) => n + c.bytes, 0),
      peakActivationBytes: peakActivationBytes(inference.graph),
      arithmeticIntensity:
        typeof flops === 'number' && typeof memoryAccessBytes === 'number' && memoryAccessBytes > 0
          ? flops / memoryAccessBytes
          : undefined,
    },
    nodes,
    constants,
  };
}

export function sumCounts(parts: readonly Counts[]): Counts {
  return {
    parameters: parts.reduce((n, part) => n + part.parameters, 0),
    weightBytes: parts.reduce((n, part) => n + part.weightBytes, 0),
    macs: sum(parts.map((part) => part.macs)),
    flops: sum(parts.map((part) => part.flops)),
    activationBytes: sum(parts.map((part) => part.activationBytes)),
    memoryAccessBytes: sum(parts.map((part) => part.memoryAccessBytes)),
  };
}

interface Setting {
  readonly path: string;
  readonly times: Dim;
  readonly perIteration: boolean;
}

/** Appends the costs of a graph's nodes, and of all that they run, to `costs`. */
function graphCosts(
  graph: InferredGraph,
  setting: Setting,
  owned: ReadonlyMap<InferredNode, readonly Constant[]>,
  costs: NodeCost[],
): void {
  graph.nodes.forEach((inferred, index) => {
    const label = nodeLabel(inferred.node, index);
    costs.push(nodeCost(inferred, `${setting.path}${label}`, setting, owned.get(inferred) ?? []));
    const { bodies } = inferred.call;
    if (bodies.length === 0) return;
    const ranges = bodies.map((body): Range => {
      const start = costs.length;
      graphCosts(body.graph as InferredGraph, settingOf(body, label, setting), owned, costs);
      return [start, costs.length];
    });
    leaveOutCheaper(bodies, ranges, costs);
  });
}

/** Positions in the list of costs: those of one body. */
type Range = readonly [start: number, end: number];

function settingOf(body: Body, label: string, { path, times, perIteration }: Setting): Setting {
  return {
    path: shortened(`${path}${label}${body.alternative || body.times !== 1 ? `.${body.name}` : ''}/`),
    times: multiply(times, body.times ?? 1),
    perIteration: perIteration || body.times === undefined,
  };
}

const MAX_PATH = 2000;

/** Every node in a body carries the path of the body in its name, so that must not be of any length. */
function shortened(path: string): string {
  return path.length <= MAX_PATH ? path : `${path.slice(0, MAX_PATH)}…/`;
}

/** Of alternatives only the costliest counts: by MACs, then FLOPs, then the number of nodes. */
function leaveOutCheaper(bodies: readonly Body[], ranges: readonly Range[], costs: NodeCost[]): void {
  const alternatives = ranges.filter((_, i) => bodies[i]!.alternative);
  if (alternatives.length < 2) return;
  const nodesOf = ([start, end]: Range): NodeCost[] => costs.slice(start, end);
  let best = alternatives[0]!;
  for (const range of alternatives.slice(1)) if (costlier(nodesOf(range), nodesOf(best))) best = range;
  for (const range of alternatives) {
    if (range === best) continue;
    for (let i = range[0]; i < range[1]; i++) costs[i] = { ...costs[i]!, counted: false };
  }
}

function costlier(a: readonly NodeCost[], b: readonly NodeCost[]): boolean {
  const [x, y] = [a, b].map((nodes) => sumCounts(nodes.filter((n) => n.counted))) as [Counts, Counts];
  for (const key of ['macs', 'flops'] as const) {
    if (String(x[key]) === String(y[key])) continue;
    return atLeast(x[key], y[key]);
  }
  return a.length > b.length;
}

function nodeCost(
  inferred: InferredNode,
  name: string,
  { times, perIteration }: Setting,
  constants: readonly Constant[],
): NodeCost {
  const { call, operator, node } = inferred;
  const isContainer = call.bodies.length > 0;
  const counted = isContainer ? {} : operator?.cost.of(call);
  const macs = counted?.macs ?? 0;
  const flops = add(multiply(macs, 2), counted?.otherFlops ?? 0);
  const outputBytes = totalBytes(call.outputs.filter((_, i) => call.wants(i)));
  const inputBytes = totalBytes(call.inputs);
  const movesNothing = isContainer || operator?.view === true || node.opType === 'Constant';
  const memory = movesNothing ? 0 : (counted?.memoryBytes ?? addKnown(inputBytes, outputBytes));
  return {
    name,
    operator: operatorName(node),
    inferred,
    outputs: call.outputs,
    times,
    perIteration,
    counted: true,
    complete: counted !== undefined && outputBytes !== undefined && memory !== undefined,
    parameters: constants.reduce((n, c) => n + c.parameters, 0),
    weightBytes: constants.reduce((n, c) => n + c.bytes, 0),
    macs: multiply(macs, times),
    flops: multiply(flops, times),
    activationBytes: movesNothing ? 0 : multiply(outputBytes ?? 0, times),
    memoryAccessBytes: multiply(memory ?? 0, times),
  };
}

function addKnown(a: Dim | undefined, b: Dim | undefined): Dim | undefined {
  return a === undefined || b === undefined ? undefined : add(a, b);
}
