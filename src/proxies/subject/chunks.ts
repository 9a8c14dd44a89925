// A batch in parts, for networks whose whole batch does not fit into memory. Where samples do not see each other, the sum
// over parts is that of the batch. Batch normalisation with the statistics of the batch ties samples together: such a
// network is scored on a smaller batch, which is said.
import { gradients } from '../../autodiff/gradients.js';
import type { TensorType } from '../../graph/types.js';
import { traitsOf } from '../../ops/index.js';
import { type Feeds, type HostTensor, hostTensor, type TypedArray } from '../../runtime/session.js';
import { Compiled } from './compiled-graphs.js';
import { finished } from './finished.js';
import { lossFeeds, lossModel } from './loss.js';
import { isOfMemory } from './memory.js';
import type { Subject } from './subject.js';

/** Whether samples of a batch see each other. */
export function isTied({ trained }: Subject): boolean {
  return trained.graph.nodes.some(
    (node) => traitsOf(node).normalisation === 'batch' && node.outputs.length > 1,
  );
}

/**
 * The first that fits of the whole batch, and halves of it down to one sample.
 *
 * @param attempt throws PROXY_MEMORY where a part does not fit
 * @param least samples that a part must have
 */
export async function firstThatFits<T>(
  subject: Subject,
  attempt: (part: Subject) => Promise<T>,
  least = 1,
): Promise<T> {
  for (let part = subject.isFrugal ? smallestPart(subject, least) : subject; ; ) {
    try {
      return await attempt(part);
    } catch (error) {
      const half = part.samples % 2 === 0 ? part.samples / 2 : 0;
      const smaller = isOfMemory(error) && half >= least ? subject.ofSamples(half) : undefined;
      if (smaller === undefined || smaller.samples !== half) throw error;
      part = smaller;
    }
  }
}

/** What halving a batch leads to. */
function smallestPart(subject: Subject, least: number): Subject {
  let { samples } = subject;
  while (samples % 2 === 0 && samples / 2 >= least) samples /= 2;
  return subject.ofSamples(samples);
}

/** On a smaller batch where the whole does not fit. */
export function onFewerSamples<T>(
  subject: Subject,
  attempt: (part: Subject) => Promise<T>,
  least = 2,
): Promise<T> {
  return firstThatFits(
    subject,
    async (part) => {
      const found = await attempt(part);
      if (part !== subject) subject.noteBatch(part.samples);
      return found;
    },
    least,
  );
}

/** Feeds of a part of the batch, cut along the axis in which the inputs of the part differ. */
export async function partOf(feeds: Feeds, whole: Subject, part: Subject, start: number): Promise<Feeds> {
  if (part === whole) return feeds;
  const inputs = new Map(
    part.model.graph.inputs.map(({ name, type }) => [name, (type as TensorType).shape!]),
  );
  const entries = Object.entries(feeds).map(async ([name, tensor]) => {
    const { dims } = tensor;
    const own = inputs.get(name);
    const axis = own === undefined ? 0 : dims.findIndex((d, i) => d !== own[i]);
    if (axis < 0) return [name, tensor] as const;
    const each = dims[axis]! / whole.samples;
    return [name, await sliced(tensor, axis, start * each, part.samples * each)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

async function sliced(
  { type, dims, data }: HostTensor,
  axis: number,
  from: number,
  count: number,
): Promise<HostTensor> {
  const inner = dims.slice(axis + 1).reduce((n, d) => n * d, 1);
  const outer = dims.slice(0, axis).reduce((n, d) => n * d, 1);
  const Elements = data.constructor as new (length: number) => TypedArray;
  const found = new Elements(outer * count * inner);
  for (let o = 0; o < outer; o++) {
    const at = (o * dims[axis]! + from) * inner;
    (found as Float32Array).set((data as Float32Array).subarray(at, at + count * inner), o * count * inner);
  }
  return hostTensor(type, found, dims.with(axis, count));
}

/** Starts of the parts of a batch. */
function startsOf(whole: Subject, part: Subject): number[] {
  return Array.from({ length: whole.samples / part.samples }, (_, i) => i * part.samples);
}

/** Feeds of the parts of the first batch; of a network that takes one sample at a time, of one sample after another. */
export async function* feedsOfParts(whole: Subject, part: Subject): AsyncGenerator<Feeds> {
  if (whole.samples === 1) {
    for (let i = 0; i < whole.comparable; i++) yield await whole.feeds(i);
    return;
  }
  const feeds = await whole.feeds(0);
  for (const start of startsOf(whole, part)) yield await partOf(feeds, whole, part, start);
}

/** Those of two batches, computed once. */
export function gradientsOfTwoBatches(subject: Subject): Promise<Float32Array[][]> {
  return subject.once('gradients of two batches', () => lossGradients(subject, 2));
}

/**
 * Gradients of the loss with respect to all layers, for some batches: of the whole batch, or the mean of those of its
 * parts.
 */
export async function lossGradients(subject: Subject, batches: number): Promise<Float32Array[][]> {
  const find = (part: Subject): Promise<Float32Array[][]> => gradientsBy(subject, part, batches);
  return isTied(subject)
    ? onFewerSamples(subject, (part) => gradientsBy(part, part, batches), 1)
    : firstThatFits(subject, find);
}

async function gradientsBy(whole: Subject, part: Subject, batches: number): Promise<Float32Array[][]> {
  const { model, loss } = lossModel(part);
  const names = part.layers.map((layer) => layer.weight);
  const written = await part.writing();
  const differentiated = gradients(model, loss, names, written);
  const { graph } = differentiated.model;
  const found = names.map((name) => differentiated.gradients.get(name)!);
  const outputs = graph.outputs.filter((output) => found.includes(output.name));
  const ready = finished({ ...differentiated.model, graph: { ...graph, outputs } }, written);
  const session = await Compiled.create(ready, part.sessionFor(ready, written));
  try {
    const all: Float32Array[][] = [];
    for (let b = 0; b < batches; b++) {
      const feeds = await lossFeeds(whole, b);
      let sums: Float32Array[] | undefined;
      const starts = startsOf(whole, part);
      for (const start of starts) {
        const results = await session.run(await partOf(feeds, whole, part, start));
        const own = found.map((name) => results[name]!.data as Float32Array);
        if (sums === undefined) sums = own;
        else for (const [i, sum] of sums.entries()) addTo(sum, own[i]!);
      }
      if (starts.length > 1)
        for (const sum of sums!) for (let k = 0; k < sum.length; k++) sum[k]! /= starts.length;
      all.push(sums!);
    }
    return all;
  } finally {
    await session.dispose();
  }
}

function addTo(sum: Float32Array, other: Float32Array): void {
  for (let k = 0; k < sum.length; k++) sum[k]! += other[k]!;
}
