// What running a network costs: per node, and summed. Counts are numbers, or polynomials in the sizes that
// are not fixed. What cannot be counted is listed, never guessed: totals are then lower bounds.
import { add, atLeast, type Dim, multiply, sumOfCounts } from '../graph/dim.js';
import { nodeLabel, operatorName } from '../graph/graph.js';
import { totalBytes, type ValueType } from '../graph/types.js';
import type { Body, Call } from '../ops/operator.js';
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
  const sums = sumCounts(counted(nodes));
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
  let parameters = 0;
  let weightBytes = 0;
  for (const part of parts) {
    parameters += part.parameters;
    weightBytes += part.weightBytes;
  }
  return {
    parameters,
    weightBytes,
    macs: sumOf(parts, 'macs'),
    flops: sumOf(parts, 'flops'),
    activationBytes: sumOf(parts, 'activationBytes'),
    memoryAccessBytes: sumOf(parts, 'memoryAccessBytes'),
  };
}

/** The sum of one count. */
function sumOf(
  parts: readonly Counts[],
  count: 'macs' | 'flops' | 'activationBytes' | 'memoryAccessBytes',
): Dim {
  const symbolic: Dim[] = [];
  let known = 0;
  for (const part of parts) {
    const value = part[count];
    if (typeof value === 'number') known += value;
    else symbolic.push(value);
  }
  return symbolic.length === 0 ? known : sumOfCounts([...symbolic, known]);
}

interface Setting {
  readonly path: string;
  readonly times: Dim;
  readonly perIteration: boolean;
}

const NO_CONSTANTS: readonly Constant[] = [];

/** Appends the costs of a graph's nodes, and of all that they run, to `costs`. */
function graphCosts(
  graph: InferredGraph,
  setting: Setting,
  owned: ReadonlyMap<InferredNode, readonly Constant[]>,
  costs: NodeCost[],
): void {
  graph.nodes.forEach((inferred, index) => {
    const label = nodeLabel(inferred.node, index);
    costs.push(nodeCost(inferred, `${setting.path}${label}`, setting, owned.get(inferred) ?? NO_CONSTANTS));
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

function counted(nodes: readonly NodeCost[]): readonly NodeCost[] {
  return nodes.every((n) => n.counted) ? nodes : nodes.filter((n) => n.counted);
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
  const [x, y] = [a, b].map((nodes) => sumCounts(counted(nodes))) as [Counts, Counts];
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
  const own = isContainer ? {} : operator?.cost.of(call);
  const macs = own?.macs ?? 0;
  const flops = add(multiply(macs, 2), own?.otherFlops ?? 0);
  const outputBytes = totalBytes(wantedOutputs(call));
  const movesNothing =
    isContainer || operator?.traits?.isView === true || operator?.traits?.isConstant === true;
  const memory = movesNothing ? 0 : (own?.memoryBytes ?? addKnown(totalBytes(call.inputs), outputBytes));
  let parameters = 0;
  let weightBytes = 0;
  for (let i = 0; i < constants.length; i++) {
    parameters += constants[i]!.parameters;
    weightBytes += constants[i]!.bytes;
  }
  return {
    name,
    operator: operatorName(node),
    inferred,
    outputs: call.outputs,
    times,
    perIteration,
    counted: true,
    complete: own !== undefined && outputBytes !== undefined && memory !== undefined,
    parameters,
    weightBytes,
    macs: multiply(macs, times),
    flops: multiply(flops, times),
    activationBytes: movesNothing ? 0 : multiply(outputBytes ?? 0, times),
    memoryAccessBytes: multiply(memory ?? 0, times),
  };
}

function wantedOutputs(call: Call): readonly ValueType[] {
  const { outputs } = call;
  for (let i = 0; i < outputs.length; i++) {
    if (!call.wants(i)) return outputs.filter((_, index) => call.wants(index));
  }
  return outputs;
}

function addKnown(a: Dim | undefined, b: Dim | undefined): Dim | undefined {
  return a === undefined || b === undefined ? undefined : add(a, b);
}
