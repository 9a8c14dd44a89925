// How many bytes of activations are alive at once when nodes run in order and a value is freed after its last
// use. Weights are not activations; a reshaped view shares the bytes of what it views.
import { add, atLeast, type Dim, subtract } from '../graph/dim.js';
import { usedNames } from '../graph/order.js';
import { valueBytes } from '../graph/types.js';
import type { InferredGraph } from './infer.js';

/**
 * The peak, or undefined when sizes are unknown or which moment is the peak depends on them.
 *
 * @param ownsInputs false for bodies, whose inputs are values of the graph around them.
 */
export function peakActivationBytes(graph: InferredGraph, ownsInputs = true): Dim | undefined {
  const buffers = assignBuffers(graph, ownsInputs);
  const freeAfter = lastUses(graph, buffers);
  const bytesOf = (name: string): Dim | undefined => {
    const type = graph.types.get(name);
    return type && valueBytes(type);
  };

  let live: Dim | undefined = 0;
  if (ownsInputs) for (const name of graph.inputNames) live = plus(live, bytesOf(name));
  let peak = live;
  for (const [step, { node, call }] of graph.nodes.entries()) {
    for (const name of node.outputs) if (buffers.get(name) === name) live = plus(live, bytesOf(name));
    let inside: Dim | undefined = 0;
    for (const body of call.bodies) {
      inside = larger(inside, peakActivationBytes(body.graph as InferredGraph, false));
    }
    peak = larger(peak, plus(live, inside));
    if (peak === undefined || live === undefined) return undefined;
    for (const buffer of freeAfter[step] ?? []) live = subtract(live, bytesOf(buffer) ?? 0);
  }
  return peak;
}

function plus(a: Dim | undefined, b: Dim | undefined): Dim | undefined {
  return a === undefined || b === undefined ? undefined : add(a, b);
}

/** The larger of two, if it is the same one for all sizes. */
function larger(a: Dim | undefined, b: Dim | undefined): Dim | undefined {
  if (a === undefined || b === undefined) return undefined;
  return atLeast(a, b) ? a : atLeast(b, a) ? b : undefined;
}

/** For every activation the one whose bytes it lives in: itself, or for views what they view. */
function assignBuffers(graph: InferredGraph, ownsInputs: boolean): ReadonlyMap<string, string> {
  const buffers = new Map<string, string>();
  if (ownsInputs) for (const name of graph.inputNames) buffers.set(name, name);
  for (const { node, operator } of graph.nodes) {
    if (node.opType === 'Constant') continue;
    node.outputs.forEach((name, i) => {
      if (name === '') return;
      const viewed = operator?.view && i === 0 ? node.inputs[0] : undefined;
      // A view of a weight has no bytes of its own either.
      const buffer = viewed === undefined ? name : buffers.get(viewed);
      if (buffer !== undefined) buffers.set(name, buffer);
    });
  }
  return buffers;
}

/** Which buffers are free after each step. Outputs of the graph stay; what nobody uses goes at once. */
function lastUses(graph: InferredGraph, buffers: ReadonlyMap<string, string>): string[][] {
  const last = new Map<string, number>();
  graph.nodes.forEach(({ node }, step) => {
    const touch = (name: string): void => {
      const buffer = buffers.get(name);
      if (buffer !== undefined) last.set(buffer, step);
    };
    usedNames(node).forEach(touch);
    node.outputs.forEach(touch);
  });
  for (const name of graph.outputNames) {
    const buffer = buffers.get(name);
    if (buffer !== undefined) last.delete(buffer);
  }
  const freeAfter: string[][] = graph.nodes.map(() => []);
  for (const [buffer, step] of last) freeAfter[step]!.push(buffer);
  return freeAfter;
}
