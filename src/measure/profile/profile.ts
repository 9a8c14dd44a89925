// Where the time of a network goes, in the user's own nodes: the profile of the runtime, mapped back through the graph that
// it really runs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blockPath } from '../../analysis/blocks.js';
import type { NodeCost } from '../../analysis/cost.js';
import { type Node, operatorName } from '../../graph/graph.js';
import type { Network } from '../../networks/index.js';
import { readModel, writeModel } from '../../onnx/file.js';
import type { PreparedNetwork } from '../prepare.js';
import { measureInProcess, type ProcessLimits } from '../process.js';
import { OPTIMISED_FILE, type RunSettings } from '../protocol.js';
import { STOPPING } from '../stopping.js';
import { type KernelTime, readProfile } from './events.js';
import { type MappedKernel, mapKernels } from './mapping.js';
import { measureRoofs, type Roof, type Roofs, roofOf } from './roofs.js';
import { type TokenisedModel, tokenised, type UserNode } from './tokens.js';

/** What the runtime runs. */
export interface ProfiledKernel {
  readonly operator: string;
  readonly timeMs: number;
  readonly calls: number;
  readonly bytes: number;
  readonly kind: MappedKernel['kind'];
  /** The user's nodes in it, and the one that it is counted with. */
  readonly from: readonly UserNode[];
  readonly main: UserNode | undefined;
}

/** A node of the user with all kernels that are counted with it. */
export interface ProfiledNode {
  readonly name: string;
  readonly operator: string;
  readonly block: readonly string[];
  readonly timeMs: number;
  /** Of the time of all kernels. */
  readonly share: number;
  /** Nodes that are computed in the same kernel: 'Relu', 'BatchNormalization'. */
  readonly fused: readonly UserNode[];
  /** Operators of its kernels, as the runtime calls them. */
  readonly kernels: readonly string[];
  /** Of this node and those fused with it; undefined where sizes or operators are unknown. */
  readonly flops: number | undefined;
  readonly bytes: number;
  readonly roof: Roof;
  /** How much of that roof it reaches. */
  readonly reached: number;
}

export interface Profile {
  readonly runs: number;
  /** Median of a run in the profiled session, and the sum of its kernels. */
  readonly runMs: number;
  readonly kernelMs: number;
  /** Shares of the time of kernels. */
  readonly mapped: number;
  readonly inserted: number;
  readonly nodes: readonly ProfiledNode[];
  readonly kernels: readonly ProfiledKernel[];
  /** Nodes that no kernel computes. */
  readonly removed: readonly UserNode[];
  readonly roofs: Roofs;
}

/** As many events as fit into a file that is read at once. */
const MOST_EVENTS = 60_000;

export async function profileNetwork(
  prepared: PreparedNetwork,
  settings: RunSettings,
  limits: ProcessLimits,
): Promise<Profile> {
  const { network, inputs } = prepared;
  const folder = mkdtempSync(join(tmpdir(), 'auspex-profile-'));
  try {
    const user = tokenised(network.model());
    const file = join(folder, 'network.onnx');
    writeModel(user.model, file);
    const mostRuns = Math.min(200, Math.max(12, Math.floor(MOST_EVENTS / user.nodes.length)));
    const rule = { ...STOPPING, leastRuns: mostRuns, mostRuns, seconds: 5, warmupSeconds: 0.05 };
    await measureInProcess({ file, inputs, settings, rule, profileFolder: folder }, limits);
    const times = readProfile(folder);
    const mapping = mapKernels(user, readModel(join(folder, OPTIMISED_FILE)));
    const kernels = timedKernels(times.kernels, mapping.kernels, user, costsOf(network));
    const kernelMs = kernels.reduce((sum, { timeMs }) => sum + timeMs, 0);
    const timeOf = (kind: MappedKernel['kind']): number =>
      kernels.reduce((sum, kernel) => sum + (kernel.kind === kind ? kernel.timeMs : 0), 0) / kernelMs;
    const roofs = await measureRoofs(settings, limits);
    return {
      runs: times.runs,
      runMs: times.runMs,
      kernelMs,
      mapped: 1 - timeOf('unmapped'),
      inserted: timeOf('inserted'),
      nodes: profiledNodes(kernels, {
        costs: costsOf(network),
        constants: network.model().graph.initializers,
        kernelMs,
        roofs,
      }),
      kernels,
      removed: mapping.removed.map((token) => user.nodes[token]!),
      roofs,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Costs = ReadonlyMap<Node, NodeCost>;

function costsOf(network: Network): Costs {
  return new Map(network.cost().nodes.map((cost) => [cost.inferred.node, cost]));
}

/** Kernels of the main graph; time in the bodies of loops and branches is part of the time of their nodes. */
function timedKernels(
  times: readonly KernelTime[],
  mapped: readonly MappedKernel[],
  user: TokenisedModel,
  costs: Costs,
): ProfiledKernel[] {
  const byName = new Map<string, KernelTime[]>();
  for (const time of times) byName.set(time.name, [...(byName.get(time.name) ?? []), time]);
  return mapped.flatMap(({ node, from, kind }): ProfiledKernel[] => {
    // Kernels without a name of their own share one: in the order of the graph.
    const time = byName.get(node.name)?.shift();
    if (time === undefined) return [];
    const { timeMs, calls, bytes } = time;
    const nodes = from.map((token) => user.nodes[token]!);
    return [
      { operator: operatorName(node), timeMs, calls, bytes, kind, from: nodes, main: mainOf(nodes, costs) },
    ];
  });
}

/** The node that most of the work is done for. */
function mainOf(nodes: readonly UserNode[], costs: Costs): UserNode | undefined {
  const count = ({ node }: UserNode, key: 'macs' | 'flops' | 'memoryAccessBytes'): number =>
    known(costs.get(node)?.[key]) ?? 0;
  const by = (key: Parameters<typeof count>[1]) => (a: UserNode, b: UserNode) =>
    count(b, key) - count(a, key);
  return nodes.toSorted((a, b) => by('macs')(a, b) || by('flops')(a, b) || by('memoryAccessBytes')(a, b))[0];
}

interface NodeContext {
  readonly costs: Costs;
  /** By name. */
  readonly constants: ReadonlyMap<string, unknown>;
  readonly kernelMs: number;
  readonly roofs: Roofs;
}

const known = (count: unknown): number | undefined => (typeof count === 'number' ? count : undefined);

function profiledNodes(
  kernels: readonly ProfiledKernel[],
  { costs, constants, kernelMs, roofs }: NodeContext,
): ProfiledNode[] {
  // Weights that are dequantised or transposed are so before the first run.
  const isConstant = ({ inputs }: Node): boolean =>
    inputs.every((name) => name === '' || constants.has(name));
  const groups = new Map<UserNode, ProfiledKernel[]>();
  for (const kernel of kernels) {
    if (kernel.main === undefined) continue;
    const group = groups.get(kernel.main);
    if (group) group.push(kernel);
    else groups.set(kernel.main, [kernel]);
  }
  return [...groups].map(([main, group]) => {
    const timeMs = group.reduce((sum, kernel) => sum + kernel.timeMs, 0);
    const bytes = group.reduce((sum, kernel) => sum + kernel.bytes, 0);
    const members = new Set(group.flatMap((kernel) => (kernel.kind === 'direct' ? kernel.from : [])));
    members.add(main);
    const counts = [...members].map(({ node }) => (isConstant(node) ? 0 : known(costs.get(node)?.flops)));
    const flops = counts.some((count) => count === undefined)
      ? undefined
      : counts.reduce((sum: number, count) => sum + count!, 0);
    const cost = costs.get(main.node);
    return {
      name: main.label,
      operator: operatorName(main.node),
      block: cost === undefined ? main.label.split('/').slice(0, -1) : blockPath(cost),
      timeMs,
      share: timeMs / kernelMs,
      fused: [...members].filter((node) => node !== main),
      kernels: group.map(({ operator }) => operator),
      flops,
      bytes,
      ...roofOf({ flops: flops ?? 0, bytes, timeMs }, roofs),
    };
  });
}
