// How many bytes of activations are alive at once when nodes run in order and a value is freed after its last
// use. Weights are not activations; a reshaped view shares the bytes of what it views.
import { add, atLeast, type Dim, isKnown, subtract } from '../graph/dim.js';
import { usedNames } from '../graph/order.js';
import { valueBytes } from '../graph/types.js';
import type { Body } from '../ops/operator.js';
import type { InferredGraph } from './infer.js';

/** Memory that holds a value, and the views of it. */
interface Buffer {
  readonly bytes: Dim | undefined;
  /** The step that writes it; −1 for an input. */
  readonly from: number;
  /** The last step that touches it. */
  until: number;
}

/**
 * The peak, or undefined when sizes are unknown or which moment is the peak depends on them.
 *
 * @param ownsInputs false for bodies, whose inputs are values of the graph around them.
 */
export function peakActivationBytes(graph: InferredGraph, ownsInputs = true): Dim | undefined {
  let peak: Dim | undefined = 0;
  for (const live of liveSteps(graph, ownsInputs)) {
    peak = larger(peak, live);
    if (peak === undefined) return undefined;
  }
  return peak;
}

/** Bytes that are alive while each node of a graph runs; undefined if a size is unknown. */
export function liveActivationBytes(graph: InferredGraph): Float64Array | undefined {
  const [, ...steps] = liveSteps(graph, true);
  return steps.every(isKnown) ? Float64Array.from(steps) : undefined;
}

/** Bytes that are alive before the first node, and while each node runs. */
function* liveSteps(graph: InferredGraph, ownsInputs: boolean): Generator<Dim | undefined> {
  const buffers = assignBuffers(graph, ownsInputs);
  const steps = graph.nodes.length;
  const written = new Array<Dim>(steps + 1).fill(0);
  const freed = new Array<Dim>(steps + 1).fill(0);
  for (const { bytes, from, until } of buffers) {
    if (bytes === undefined) return yield undefined;
    // Steps are counted from 1 here: inputs are there before the first.
    written[from + 1] = add(written[from + 1]!, bytes);
    if (until < steps) freed[until + 1] = add(freed[until + 1]!, bytes);
  }
  let live: Dim = written[0]!;
  yield live;
  for (let step = 1; step <= steps; step++) {
    live = add(live, written[step]!);
    const inside = peakOfBodies(graph.nodes[step - 1]!.call.bodies);
    yield inside === undefined ? undefined : add(live, inside);
    live = subtract(live, freed[step]!);
  }
}

/** Of all that a node runs, the largest peak. */
function peakOfBodies(bodies: readonly Body[]): Dim | undefined {
  let peak: Dim | undefined = 0;
  for (let i = 0; i < bodies.length; i++) {
    peak = larger(peak, peakActivationBytes(bodies[i]!.graph as InferredGraph, false));
  }
  return peak;
}

/** The larger of two, if it is the same one for all sizes. */
function larger(a: Dim | undefined, b: Dim | undefined): Dim | undefined {
  if (a === undefined || b === undefined) return undefined;
  return atLeast(a, b) ? a : atLeast(b, a) ? b : undefined;
}

/** The memory of all activations. What the graph gives out stays to the end; what nobody uses goes at once. */
function assignBuffers(graph: InferredGraph, ownsInputs: boolean): Buffer[] {
  const buffers: Buffer[] = [];
  const holding = new Map<string, Buffer>();
  const place = (name: string, from: number): void => {
    const type = graph.types.get(name);
    const buffer = { bytes: type && valueBytes(type), from, until: from };
    buffers.push(buffer);
    holding.set(name, buffer);
  };
  if (ownsInputs) for (const name of graph.inputNames) place(name, -1);
  graph.nodes.forEach(({ node, operator }, step) => {
    if (operator?.traits?.isConstant) return;
    const used = usedNames(node);
    for (let i = 0; i < used.length; i++) {
      const buffer = holding.get(used[i]!);
      if (buffer) buffer.until = step;
    }
    for (let i = 0; i < node.outputs.length; i++) {
      const name = node.outputs[i]!;
      if (name === '') continue;
      if (operator?.traits?.isView && i === 0) {
        // A view of a weight has no bytes of its own either.
        const viewed = holding.get(node.inputs[0] ?? '');
        if (viewed) holding.set(name, viewed);
      } else place(name, step);
    }
  });
  for (const name of graph.outputNames) {
    const buffer = holding.get(name);
    if (buffer) buffer.until = graph.nodes.length;
  }
  return buffers;
}
