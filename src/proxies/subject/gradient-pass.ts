// Gradients of one batch, in one graph that is compiled once for a network: forward, loss, backward, and the few
// numbers that proxies are made of.
import { type Differentiated, gradients } from '../../autodiff/gradients.js';
import type { Model } from '../../graph/graph.js';
import type { Builder, Value } from '../../ops/build.js';
import type { HostTensor } from '../../runtime/session.js';
import { extend, extended } from '../../transform/rewrite.js';
import { AuspexError } from '../../util/errors.js';
import {
  feedsOfParts,
  firstThatFits,
  gradientsOfTwoBatches,
  isTied,
  lossGradients,
  onFewerSamples,
} from './chunks.js';
import { Compiled } from './compiled-graphs.js';
import { finished, type WritingOptions } from './finished.js';
import { lossFeeds, lossModel, targetOf, withTotal } from './loss.js';
import { isOfMemory } from './memory.js';
import type { Quantity, Subject } from './subject.js';

/** Numbers by layer. */
interface Saliency {
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
  /** J·Jᵀ (N, N), where a row of J is how the sum of all outputs changes with one sample's input, less its mean. */
  readonly jacobian: Float64Array;
}

/** A quantity of the subject's first batch; all that are wanted are computed with the first that is asked for. */
export function measured<Q extends Quantity>(subject: Subject, quantity: Q): Promise<Measured[Q]> {
  subject.wanted.add(quantity);
  const key = (q: Quantity): string => `gradient pass: ${q}`;
  return subject.once(key(quantity), () => {
    const done = subject.once('begun quantities', () => new Set<Quantity>());
    const wanted = new Set([...subject.wanted].filter((other) => !done.has(other)));
    const pass = run(subject, wanted);
    for (const other of wanted) {
      done.add(other);
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

/** Multiply-accumulates of a batch from which on it takes longer to compute gradients again than to compile a graph. */
const HEAVY_MACS = 2e10;

/** All that is wanted in one graph; each in its own where ONNX Runtime does not take that, so that some may be had. */
async function run(subject: Subject, asked: ReadonlySet<Quantity>): Promise<Found> {
  const wanted = new Set(asked);
  let found: Found = {};
  if (wanted.has('saliency') && subject.wantsTwoBatches && subject.isBounded && subject.macs > HEAVY_MACS) {
    wanted.delete('saliency');
    found = { saliency: await firstSaliency(subject) };
    if (wanted.size === 0) return found;
  }
  if (wanted.has('jacobian') && subject.samples === 1) {
    wanted.delete('jacobian');
    found = { ...found, ...(await jacobianOneByOne(subject)) };
    if (wanted.size === 0) return found;
  }
  try {
    if (!subject.isFrugal) return { ...found, ...(await runTogether(subject, wanted)) };
  } catch (error) {
    if (!(error instanceof AuspexError) || (wanted.size === 1 && !isOfMemory(error))) throw error;
  }
  for (const quantity of wanted) {
    const whole = (): Promise<Found> => runTogether(subject, new Set([quantity]));
    const own = await (subject.isFrugal ? inParts(subject, quantity) : whole())
      .catch((error: unknown) => {
        if (isOfMemory(error)) return inParts(subject, quantity);
        throw error;
      })
      .catch((error: unknown) => {
        if (!(error instanceof AuspexError)) throw error;
        return { [quantity]: error };
      });
    found = { ...found, ...own };
  }
  return found;
}

/** Of a network that takes one sample at a time. */
function jacobianOneByOne(subject: Subject): Promise<Found> {
  return gramInParts(subject, subject).then(
    (jacobian) => ({ jacobian }),
    (error: unknown) => {
      if (error instanceof AuspexError) return { jacobian: error };
      throw error;
    },
  );
}

/** Of the first of two batches whose gradients are needed anyway. */
function firstSaliency(subject: Subject): Promise<Saliency | AuspexError> {
  return gradientsOfTwoBatches(subject).then(
    ([first]) => saliencyOf(subject, first!),
    (error: unknown) => {
      if (error instanceof AuspexError) return error;
      throw error;
    },
  );
}

/** A quantity of a batch that does not fit into memory: summed over its parts where that is the same, else of fewer samples. */
async function inParts(subject: Subject, quantity: Quantity): Promise<Found> {
  if (quantity === 'saliency')
    return { saliency: saliencyOf(subject, (await lossGradients(subject, 1))[0]!) };
  if (quantity === 'jacobian' && !isTied(subject)) {
    return { jacobian: await firstThatFits(subject, (part) => gramInParts(subject, part)) };
  }
  const least = quantity === 'jacobian' ? 2 : 1;
  return onFewerSamples(subject, (part) => runTogether(part, new Set([quantity])), least);
}

function saliencyOf(subject: Subject, gradients: readonly Float32Array[]): Saliency {
  const sums = subject.layers.map(({ weight }, i) => {
    const w = subject.weight(weight);
    const sum = { plain: 0, snip: 0, square: 0 };
    gradients[i]!.forEach((g, k) => {
      const product = Math.fround(w[k]! * g);
      sum.plain += product;
      sum.snip += Math.abs(product);
      sum.square += g * g;
    });
    return sum;
  });
  return {
    plain: sums.map(({ plain }) => plain),
    snip: sums.map(({ snip }) => snip),
    norm: sums.map(({ square }) => Math.sqrt(square)),
  };
}

/** J·Jᵀ from the rows of J, part by part of the batch. */
async function gramInParts(subject: Subject, part: Subject): Promise<Float64Array> {
  const whole = withTotal(part.trained, part.heads);
  const written = await part.writing();
  const found = gradients(whole.model, whole.total, openInputs(part), written);
  const builder = extend(found.model);
  const rows = builder.concat(rowsOf(builder, found, part.samples), 1).identity();
  const model = finished(extended(found.model, builder, [rows]), written);
  const session = await Compiled.create(model, part.sessionFor(model, written));
  const all: Float32Array[] = [];
  try {
    for await (const feeds of feedsOfParts(subject, part)) {
      const results = await session.run(feeds);
      const data = results[rows.name]!.data as Float32Array;
      const size = data.length / part.samples;
      for (let i = 0; i < part.samples; i++) all.push(centred(data.slice(i * size, (i + 1) * size)));
    }
  } finally {
    await session.dispose();
  }
  return gramOfRows(all);
}

function centred(row: Float32Array): Float32Array {
  let sum = 0;
  for (const x of row) sum += x;
  const mean = sum / row.length;
  return row.map((x) => x - mean);
}

function gramOfRows(rows: readonly Float32Array[]): Float64Array {
  const n = rows.length;
  const gram = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const [a, b] = [rows[i]!, rows[j]!];
      let sum = 0;
      for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
      gram[i * n + j] = sum;
      gram[j * n + i] = sum;
    }
  }
  return gram;
}

async function runTogether(subject: Subject, wanted: ReadonlySet<Quantity>): Promise<Found> {
  const written = await subject.writing();
  const { model, outputs, failed } = passModel(subject, wanted, written);
  if (model.graph.outputs.length === 0) return failed;
  const results = await runOnce(subject, model, written);
  const data = (value: Value): HostTensor['data'] => results[value.name]!.data;
  const numbers = (value: Value): number[] => Array.from(data(value) as Float64Array);
  const { plain, snip, norm, fisher, curvature, gram } = outputs;
  return {
    ...failed,
    ...(plain && { saliency: { plain: numbers(plain), snip: numbers(snip!), norm: numbers(norm!) } }),
    ...(fisher && { fisher: perLayer(subject, numbers(fisher)) }),
    ...(curvature && { curvature: numbers(curvature) }),
    ...(gram && { jacobian: data(gram) as Float64Array }),
  };
}

/** Sums of what was found use by use. */
function perLayer({ layers }: Subject, byUse: readonly number[]): number[] {
  let at = 0;
  return layers.map(({ uses }) => uses.reduce((sum) => sum + byUse[at++]!, 0));
}

interface Outputs {
  plain?: Value;
  snip?: Value;
  norm?: Value;
  fisher?: Value;
  curvature?: Value;
  gram?: Value;
}

interface PassModel {
  readonly model: Model;
  readonly outputs: Outputs;
  /** Why a quantity could not be written: what is missing for one does not stop the others. */
  readonly failed: Partial<Record<Quantity, AuspexError>>;
}

/** What needs labels. */
const OF_LOSS: readonly Quantity[] = ['saliency', 'fisher', 'curvature'];

function passModel(subject: Subject, wanted: ReadonlySet<Quantity>, written: WritingOptions): PassModel {
  const failed: Partial<Record<Quantity, AuspexError>> = {};
  const { layers } = subject;
  const weights = layers.map((layer) => layer.weight);
  const uses = wanted.has('fisher') ? layers.flatMap((layer) => layer.uses) : [];
  // Of a network without weights that count there is nothing but the Jacobian.
  const quantities = weights.length === 0 ? [] : OF_LOSS.filter((quantity) => wanted.has(quantity));
  const ofLoss = (isDifferentiatedAgain: boolean): Differentiated => {
    const { model, loss } = lossModel(subject);
    const of = [...new Set([...weights, ...uses.map((use) => use.output)])];
    // Operators on blocks have no gradients.
    const { runsOnce = false } = written;
    return gradients(model, loss, of, isDifferentiatedAgain ? { runsOnce, isDifferentiatedAgain } : written);
  };
  const curvature = quantities.filter((quantity) => quantity === 'curvature');
  let first = attempt(quantities, failed, () => ofLoss(curvature.length > 0));
  const second = first && attempt(curvature, failed, () => hessianProduct(first!, weights, written));
  // It was not written to be run as it is.
  if (first && !second && curvature.length > 0) first = ofLoss(false);
  let model = second?.model ?? first?.model ?? subject.trained;
  const inputs = attempt(wanted.has('jacobian') ? ['jacobian'] : [], failed, () => {
    const whole = withTotal(model, subject.heads);
    return gradients(whole.model, whole.total, openInputs(subject), written);
  });
  model = inputs?.model ?? model;

  const builder = extend(model);
  const pairs = (found: Differentiated): [Value, Value][] =>
    weights.map((name) => [builder.value(name), builder.value(found.gradients.get(name)!)]);
  // In float64, as terms of both signs cancel.
  const total = (value: Value): Value => value.cast('float64').sum().reshape([1]);
  const listed = (values: readonly Value[]): Value => builder.concat(values, 0).identity();
  const outputs: Outputs = {};
  if (first && wanted.has('saliency')) {
    const products = pairs(first).map(([w, g]) => w.mul(g));
    outputs.plain = listed(products.map(total));
    outputs.snip = listed(products.map((product) => total(product.abs())));
    outputs.norm = listed(pairs(first).map(([, g]) => total(g.cast('float64').square()).sqrt()));
  }
  if (first && wanted.has('fisher')) {
    const terms = uses.map(({ output, channelAxis }) => {
      const [a, g] = [builder.value(output), builder.value(first.gradients.get(output)!)];
      return total(channelFisher(a, g, channelAxis, subject.samples));
    });
    outputs.fisher = terms.length > 0 ? listed(terms) : builder.full([0], 0, 'float64');
  }
  if (second) outputs.curvature = listed(pairs(second).map(([w, h]) => total(w.mul(h))));
  if (inputs) outputs.gram = gramOf(builder, inputs, subject.samples);
  return { model: finished(extended(model, builder, Object.values(outputs)), written), outputs, failed };
}

/** What is written for some quantities; where it cannot be, why. */
function attempt<T>(
  quantities: readonly Quantity[],
  failed: Partial<Record<Quantity, AuspexError>>,
  write: () => T,
): T | undefined {
  if (quantities.length === 0) return undefined;
  try {
    return write();
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    for (const quantity of quantities) failed[quantity] = error;
    return undefined;
  }
}

/** Float values that the input is, or becomes when it is looked up. */
function openInputs({ model, lookups }: Subject): string[] {
  const floats = model.graph.inputs.filter(({ type }) => /^float/.test(String(type)));
  const names = [...floats.map((input) => input.name), ...lookups.map((lookup) => lookup.output)];
  if (names.length > 0) return names;
  throw new AuspexError('PROXY_INPUT', 'the network has no differentiable input', {
    hint: 'its inputs are integers that are not looked up in an embedding',
  });
}

/** Gradients of the inputs, (N, features) each. */
function rowsOf(builder: Builder, found: Differentiated, samples: number): Value[] {
  return [...found.gradients.values()].map((name) => builder.value(name).reshape([samples, -1]));
}

function gramOf(builder: Builder, found: Differentiated, samples: number): Value {
  const rows = rowsOf(builder, found, samples).map((row) => row.cast('float64'));
  const j = builder.concat(rows, 1);
  const centred = j.sub(j.mean([1], true));
  return centred.matmul(centred.transpose());
}

/** Hg as the gradient of ½‖g‖². */
function hessianProduct(
  first: Differentiated,
  weights: readonly string[],
  options: WritingOptions,
): Differentiated {
  const builder = extend(first.model);
  const squares = weights.map((name) => builder.value(first.gradients.get(name)!).square().sum());
  const energy = builder.sum(squares).mul(0.5);
  return gradients(extended(first.model, builder, [energy]), energy.name, weights, options);
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

/** Runs a model that takes the subject's first inputs, and labels if it has a loss. */
async function runOnce(
  subject: Subject,
  model: Model,
  written: WritingOptions,
): Promise<Record<string, HostTensor>> {
  const session = await Compiled.create(model, subject.sessionFor(model, written));
  try {
    const hasLabels = session.inputs.includes(targetOf(0));
    return await session.run(hasLabels ? await lossFeeds(subject, 0) : await subject.feeds(0));
  } finally {
    await session.dispose();
  }
}
