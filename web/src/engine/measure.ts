// Times in the page, with onnxruntime-web: of a whole network, and of every operator by itself.
import type { NodeCost } from '../../../src/analysis/cost.js';
import { constantsByName } from '../../../src/analysis/match.js';
import type { Model, Node } from '../../../src/graph/graph.js';
import { makeGraph } from '../../../src/graph/graph.js';
import type { Tensor } from '../../../src/graph/tensor.js';
import { formatType, isTensor, type ValueType } from '../../../src/graph/types.js';
import { drawInputs } from '../../../src/inputs/drawn.js';
import { feedsOf } from '../../../src/inputs/trial.js';
import type { Network } from '../../../src/networks/index.js';
import { traitsOf } from '../../../src/ops/index.js';
import { Session } from '../../../src/runtime/session.js';
import { AuspexError } from '../../../src/util/errors.js';
import { type MeasuredHere, type NodeTimes, PROVIDER_TITLES, type Provider } from './protocol.js';

/** Runs until the time is over, or so many times. */
const WHOLE = { seconds: 3, least: 5, most: 200 };
const NODE = { seconds: 0.05, least: 3, most: 50 };

interface Timed {
  readonly first: number;
  /** Of all runs but the first, in order of size. */
  readonly sorted: readonly number[];
}

async function timed(model: Model, rule: typeof WHOLE, provider: Provider): Promise<Timed> {
  const session = await Session.create(model, { threads: 1, providers: [provider] });
  try {
    const feeds = await feedsOf(drawInputs(model, { seed: 0 }));
    const times: number[] = [];
    const end = performance.now() + 1000 * rule.seconds;
    while (times.length <= rule.least || (performance.now() < end && times.length < rule.most)) {
      const start = performance.now();
      await session.run(feeds);
      times.push(performance.now() - start);
    }
    const [first = 0, ...others] = times;
    return { first, sorted: others.sort((a, b) => a - b) };
  } finally {
    await session.dispose();
  }
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;

/** Latency of a network whose sizes are known. */
export async function measureNetwork(network: Network, provider: Provider): Promise<MeasuredHere> {
  const { first, sorted } = await timed(network.model(), WHOLE, provider);
  return {
    provider,
    runs: sorted.length,
    medianMs: quantile(sorted, 0.5),
    lowMs: quantile(sorted, 0.05),
    highMs: quantile(sorted, 0.95),
    firstMs: first,
  };
}

/**
 * The time of every operator, each run by itself on made-up inputs; equal ones are measured once. What a runtime fuses is
 * not faster here.
 */
export async function measureNodes(
  network: Network,
  name: string,
  seconds: number,
  provider: Provider,
): Promise<NodeTimes & { measured: number; all: number }> {
  const { model, graph } = network.inference();
  const constants = constantsByName(graph);
  const known = new Map<string, number>();
  const times: Record<string, number> = {};
  const end = performance.now() + 1000 * seconds;
  const candidates = network
    .cost()
    .nodes.filter(
      ({ inferred, counted }) =>
        counted && !traitsOf(inferred.node).isConstant && inferred.call.bodies.length === 0,
    )
    .sort((a, b) => sizeOf(b) - sizeOf(a));
  let measured = 0;
  for (const cost of candidates) {
    const key = keyOf(cost, constants);
    let time = known.get(key);
    if (time === undefined) {
      if (performance.now() > end) continue;
      const single = aloneOf(model, cost, constants);
      time = single === undefined ? undefined : await timeOf(single, provider);
      if (time === undefined) continue;
      known.set(key, time);
    }
    times[cost.name] = time;
    measured++;
  }
  return {
    title: `measured here (${PROVIDER_TITLES[provider]}), each operator by itself`,
    network: name,
    times,
    measured,
    all: candidates.length,
  };
}

function sizeOf({ flops, memoryAccessBytes }: NodeCost): number {
  return Number(flops) + Number(memoryAccessBytes);
}

async function timeOf(model: Model, provider: Provider): Promise<number | undefined> {
  try {
    return quantile((await timed(model, NODE, provider)).sorted, 0.5);
  } catch (error) {
    // The runtime does not have the operator, or not for these types.
    if (error instanceof AuspexError) return undefined;
    throw error;
  }
}

/** Equal for nodes that take equally long. */
function keyOf({ inferred: { node, call } }: NodeCost, constants: ReadonlyMap<string, Tensor>): string {
  const attributes = [...node.attributes].map(
    ([name, { type, value }]) => `${name}=${type}${type === 'tensor' ? '' : String(value)}`,
  );
  const inputs = node.inputs.map(
    (input, slot) => `${constants.has(input) ? 'c' : 'v'}${formatType(call.inputs[slot])}`,
  );
  return [node.domain, node.opType, ...attributes, ...inputs].join('|');
}

/** A model of one node: constants stay, other values become inputs. */
function aloneOf(
  model: Model,
  { inferred: { node, call } }: NodeCost,
  constants: ReadonlyMap<string, Tensor>,
): Model | undefined {
  const used = node.inputs.filter((name) => name !== '');
  const initializers = new Map(
    used.flatMap((name) => (constants.has(name) ? [[name, constants.get(name)!] as const] : [])),
  );
  const typeOf = new Map<string, ValueType | undefined>(
    node.inputs.map((name, slot) => [name, call.inputs[slot]]),
  );
  const inputs = [...new Set(used)]
    .filter((name) => !initializers.has(name))
    .map((name) => ({ name, type: typeOf.get(name)! }));
  const outputs = outputsOf(node, call.outputs);
  if (
    ![...inputs, ...outputs].every(
      ({ type }) => isTensor(type) && type.shape?.every((dim) => typeof dim === 'number'),
    )
  ) {
    return undefined;
  }
  return {
    ...model,
    functions: model.functions,
    graph: makeGraph({ nodes: [node], inputs, outputs, initializers }),
  };
}

function outputsOf({ outputs }: Node, types: readonly ValueType[]): { name: string; type: ValueType }[] {
  return outputs.flatMap((name, i) => (name === '' ? [] : [{ name, type: types[i]! }]));
}
