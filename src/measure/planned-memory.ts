// The activations that ONNX Runtime keeps at once: it reuses the memory of a value that ends with an elementwise node for its
// result, and plans no memory for what is computed before the first run. Inputs belong to the caller.
import type { InferredGraph, InferredNode } from '../analysis/infer.js';
import { usedNames } from '../graph/order.js';
import { valueBytes } from '../graph/types.js';

interface Buffer {
  readonly bytes: number;
  readonly from: number;
  until: number;
}

/** Most bytes at once; undefined where a size is unknown. Bodies of loops and branches are left out. */
export function plannedActivationBytes(graph: InferredGraph): number | undefined {
  const buffers = plannedBuffers(graph);
  if (buffers === undefined) return undefined;
  const changes = new Float64Array(graph.nodes.length + 2);
  for (const { bytes, from, until } of buffers) {
    changes[from]! += bytes;
    changes[until + 1]! -= bytes;
  }
  let [live, peak] = [0, 0];
  for (const change of changes) {
    live += change;
    peak = Math.max(peak, live);
  }
  return peak;
}

function plannedBuffers(graph: InferredGraph): Buffer[] | undefined {
  const lastUse = lastUses(graph);
  const constants = new Set(graph.initializers.keys());
  const holding = new Map<string, Buffer | undefined>(graph.inputNames.map((name) => [name, undefined]));
  const buffers: Buffer[] = [];
  for (const [step, inferred] of graph.nodes.entries()) {
    const { node, operator } = inferred;
    const used = usedNames(node).filter((name) => name !== '');
    const isFolded = operator?.traits?.draws === undefined && used.every((name) => constants.has(name));
    for (const [i, name] of node.outputs.entries()) {
      if (name === '') continue;
      if (isFolded) {
        constants.add(name);
        continue;
      }
      const bytes = bytesOf(graph, name);
      if (bytes === undefined) return undefined;
      const until = lastUse.get(name) ?? step;
      const shared = i === 0 ? reused(inferred, step, bytes, holding, lastUse) : undefined;
      if (shared !== undefined) shared.until = Math.max(shared.until, until);
      const buffer = shared ?? { bytes, from: step, until };
      if (shared === undefined) buffers.push(buffer);
      holding.set(name, buffer);
    }
  }
  return buffers;
}

/** The memory that the first output takes over: that of what it views, or of an operand that ends here. */
function reused(
  { node, operator }: InferredNode,
  step: number,
  bytes: number,
  holding: ReadonlyMap<string, Buffer | undefined>,
  lastUse: ReadonlyMap<string, number>,
): Buffer | undefined {
  const { isView, isElementwise, activation, arithmetic, normalisation } = operator?.traits ?? {};
  const [first = ''] = node.inputs;
  if (isView) return holding.get(first);
  if (!(isElementwise || activation || arithmetic || normalisation === 'batch')) return undefined;
  return node.inputs
    .map((name) => (lastUse.get(name) === step ? holding.get(name) : undefined))
    .find((buffer) => buffer !== undefined && buffer.until === step && buffer.bytes === bytes);
}

/** The step of the last use of every value; outputs are used to the end. */
function lastUses(graph: InferredGraph): Map<string, number> {
  const last = new Map<string, number>();
  graph.nodes.forEach(({ node }, step) => {
    for (const name of usedNames(node)) last.set(name, step);
  });
  for (const name of graph.outputNames) last.set(name, graph.nodes.length);
  return last;
}

function bytesOf(graph: InferredGraph, name: string): number | undefined {
  const type = graph.types.get(name);
  const bytes = type && valueBytes(type);
  return typeof bytes === 'number' ? bytes : undefined;
}
