// The gradients of the loss, in one graph that is compiled once for a network: forward, cross-entropy, backward, and
// for every layer the few numbers that proxies are made of. Only those numbers leave the graph.
import { inferShapes } from '../analysis/infer.js';
import { gradients } from '../autodiff/gradients.js';
import type { Model } from '../graph/graph.js';
import { foldTranspositions, MICROSOFT } from '../nn/fold.js';
import { crossEntropy } from '../nn/losses.js';
import { Builder, type Value } from '../ops/build.js';
import { type HostTensor, hostTensor, Session } from '../runtime/session.js';
import { AuspexError } from '../util/errors.js';
import { extend, extended } from './rewrite.js';
import type { Logits, Quantity, Subject } from './subject.js';

const LABELS = 'auspex.labels';

/** Numbers by layer. */
export interface Saliency {
  /** Σ w·g */
  readonly plain: readonly number[];
  /** Σ |w·g| */
  readonly snip: readonly number[];
  /** ‖g‖₂ */
  readonly norm: readonly number[];
}

/** What each quantity is. */
export interface Measured {
  readonly saliency: Saliency;
  /** Σ over channels of ½·mean_n (Σ a·∂L/∂a)², by layer. */
  readonly fisher: readonly number[];
  /** Σ w·(H g), by layer. */
  readonly curvature: readonly number[];
}

/** A quantity of the subject's first batch; all that are wanted are computed with the first that is asked for. */
export function measured<Q extends Quantity>(subject: Subject, quantity: Q): Promise<Measured[Q]> {
  subject.wanted.add(quantity);
  const key = (q: Quantity): string => `gradient pass: ${q}`;
  return subject.once(key(quantity), () => {
    const wanted = [...subject.wanted];
    const pass = run(subject, new Set(wanted));
    for (const other of wanted) {
      if (other === quantity) continue;
      const later = pass.then((found) => quantityOf(found, other));
      // It may never be asked for.
      later.catch(() => undefined);
      subject.once(key(other), () => later);
    }
    return pass.then((found) => quantityOf(found, quantity));
  });
}

type Found = { readonly [Q in Quantity]?: Measured[Q] | AuspexError };

function quantityOf<Q extends Quantity>(found: Found, quantity: Q): Measured[Q] {
  const value = found[quantity];
  if (value instanceof AuspexError) throw value;
  return value as Measured[Q];
}

async function run(subject: Subject, wanted: ReadonlySet<Quantity>): Promise<Found> {
  const { model, outputs, failed } = passModel(subject, wanted);
  const results = await runOnce(subject, model, 0);
  const numbers = (value: Value): number[] => Array.from(results[value.name]!.data as Float64Array);
  const { plain, snip, norm, fisher, curvature } = outputs;
  return {
    ...(plain && { saliency: { plain: numbers(plain), snip: numbers(snip!), norm: numbers(norm!) } }),
    ...(wanted.has('fisher') && { fisher: perLayer(subject, fisher ? numbers(fisher) : []) }),
    ...(failed ? { curvature: failed } : curvature && { curvature: numbers(curvature) }),
  };
}

/** Sums of what was found use by use. */
function perLayer({ layers }: Subject, byUse: readonly number[]): number[] {
  let at = 0;
  return layers.map(({ uses }) => uses.reduce((sum) => sum + byUse[at++]!, 0));
}

interface PassModel {
  readonly model: Model;
  readonly outputs: Partial<Record<'plain' | 'snip' | 'norm' | 'fisher' | 'curvature', Value>>;
  /** Why the Hessian could not be written: some operators have a gradient, but not one of a gradient. */
  readonly failed: AuspexError | undefined;
}

function passModel(subject: Subject, wanted: ReadonlySet<Quantity>): PassModel {
  const { layers } = subject;
  const weights = layers.map((layer) => layer.weight);
  const uses = wanted.has('fisher') ? layers.flatMap((layer) => layer.uses) : [];
  const { model: withLoss, loss } = lossModel(subject);
  const first = gradients(withLoss, loss, [...new Set([...weights, ...uses.map((use) => use.output)])]);
  const hessian = wanted.has('curvature') ? hessianProduct(first, weights) : undefined;
  const failed = hessian instanceof AuspexError ? hessian : undefined;
  const second = hessian instanceof AuspexError ? undefined : hessian;

  const builder = extend(second?.model ?? first.model);
  const pairs = (found: ReadonlyMap<string, string>): Value[][] =>
    weights.map((name) => [builder.value(name), builder.value(found.get(name)!)]);
  // In float64, as terms of both signs cancel.
  const total = (value: Value): Value => value.cast('float64').sum().reshape([1]);
  const listed = (values: readonly Value[]): Value => builder.concat(values, 0).identity();
  const outputs: PassModel['outputs'] = {
    ...(wanted.has('saliency') && {
      plain: listed(pairs(first.gradients).map(([w, g]) => total(w!.mul(g!)))),
      snip: listed(pairs(first.gradients).map(([w, g]) => total(w!.mul(g!).abs()))),
      norm: listed(pairs(first.gradients).map(([, g]) => total(g!.cast('float64').square()).sqrt())),
    }),
    ...(uses.length > 0 && {
      fisher: listed(
        uses.map(({ output, channelAxis }) => {
          const [a, g] = [builder.value(output), builder.value(first.gradients.get(output)!)];
          return total(channelFisher(a, g, channelAxis, subject.samples));
        }),
      ),
    }),
    ...(second && { curvature: listed(pairs(second.gradients).map(([w, h]) => total(w!.mul(h!)))) }),
  };
  return {
    model: finished(extended(second?.model ?? first.model, builder, Object.values(outputs))),
    outputs,
    failed,
  };
}

/** Hg as the gradient of ½‖g‖². */
function hessianProduct(first: ReturnType<typeof gradients>, weights: readonly string[]) {
  const builder = extend(first.model);
  const squares = weights.map((name) => builder.value(first.gradients.get(name)!).square().sum());
  const energy = builder.sum(squares).mul(0.5);
  try {
    return gradients(extended(first.model, builder, [energy]), energy.name, weights);
  } catch (error) {
    if (error instanceof AuspexError) return error;
    throw error;
  }
}

/** ½·mean_n (Σ_positions a·g)² for every channel, of values (N, …) with channels along one axis. */
function channelFisher(a: Value, g: Value, channelAxis: number, samples: number): Value {
  let product = a.mul(g);
  const { sizes } = product;
  let axis = channelAxis;
  // Tokens or windows of a sample that were made rows of their own come together again.
  if (sizes[0] !== samples && sizes[0]! % samples === 0) {
    product = product.reshape([samples, sizes[0]! / samples, ...sizes.slice(1)]);
    axis++;
  }
  const positions = product.sizes.map((_, i) => i).filter((i) => i !== 0 && i !== axis);
  return product.sum(positions).square().mean([0]).mul(0.5);
}

/** The model with the cross-entropy of its logits and the labels. */
export function lossModel(subject: Subject): { model: Model; loss: string } {
  const model = subject.trained;
  const builder = extend(model);
  const { logits } = subject;
  const labels = builder.input(LABELS, 'int64', [logits.rows]);
  const loss = builder.within('auspex.loss', () =>
    crossEntropy(rowsOf(builder.value(logits.name), logits), labels),
  );
  return { model: extended(model, builder, [loss]), loss: loss.name };
}

/** Logits (rows, classes). */
function rowsOf(value: Value, { axis, rows, classes }: Logits): Value {
  const order = [...value.sizes.keys()].filter((i) => i !== axis);
  return value.transpose([...order, axis]).reshape([rows, classes]);
}

/** Ready to be compiled: transpositions are read through by the products behind them. */
export function finished(model: Model): Model {
  const { graph } = model;
  const builder = new Builder({ opsets: model.opsetImports, types: inferShapes(model).graph.types });
  const kept = new Set(graph.outputs.map((output) => output.name));
  return {
    ...model,
    graph: { ...graph, nodes: foldTranspositions(graph.nodes, (name) => builder.value(name), kept) },
    opsetImports: new Map([...model.opsetImports, [MICROSOFT, 1]]),
  };
}

/** Runs a model that takes the subject's inputs and labels. */
async function runOnce(subject: Subject, model: Model, index: number): Promise<Record<string, HostTensor>> {
  const session = await Session.create(model, subject.sessionFor(model));
  try {
    return await session.run(await lossFeeds(subject, index));
  } finally {
    await session.dispose();
  }
}

/** Inputs and labels of a batch. */
export async function lossFeeds(subject: Subject, index: number): Promise<Record<string, HostTensor>> {
  const labels = subject.labels(index);
  return { ...(await subject.feeds(index)), [LABELS]: await hostTensor('int64', labels, [labels.length]) };
}
