// SynFlow and LogSynFlow: how much flows through every weight when all are positive, no data is seen and nothing is
// normalised. Flows multiply from layer to layer and leave the range of float32, so all is computed in float64; where an
// operator (ConvTranspose, Resize) has no kernel for it, or that takes too much memory or is not wide enough either, in
// float32 and powers of two, which `details.precision` says.
import { pruned } from '../../analysis/dependence.js';
import { gradients } from '../../autodiff/gradients.js';
import { type Model, type Node, nodeLabel, operatorName } from '../../graph/graph.js';
import { elementCount, fromNumbers } from '../../graph/tensor.js';
import type { Value } from '../../ops/build.js';
import { traitsOf } from '../../ops/index.js';
import { extend, extended, rewriteNodes } from '../../transform/rewrite.js';
import { floatData } from '../../transform/tensor-data.js';
import { AuspexError } from '../../util/errors.js';
import { defineProxy, type ProxyDefinition } from '../proxy.js';
import { onesBatch } from '../subject/batch.js';
import { Compiled } from '../subject/compiled-graphs.js';
import { finished } from '../subject/finished.js';
import { inFloat64, windowBytes } from '../subject/float64.js';
import { withTotal } from '../subject/loss.js';
import { inPowersOfTwo } from '../subject/powers-of-two.js';
import { withoutNormalisation } from '../subject/statistics.js';
import { type Subject, toFeeds } from '../subject/subject.js';
import { linksOf, passedOn } from '../subject/value-links.js';

/** Gradients below count as this one. */
const LEAST = 1e-37;

interface Sums {
  /** Σ |w·∂R/∂w| / 2^exponent, by layer. */
  readonly linear: readonly number[];
  /** Σ |w|·ln(1 + |∂R/∂w|), by layer. */
  readonly logarithmic: readonly number[];
  readonly exponent: number;
}

interface Flow extends Sums {
  readonly normalisations: number;
  /** `scaled float32`: in powers of two, see powers-of-two.ts. */
  readonly precision: 'float64' | 'scaled float32';
}

/** R is the sum of the outputs of one sample of ones. */
function flowOf(subject: Subject, which: 'all' | 'batch'): Promise<Flow> {
  return subject.once(`flow without ${which} normalisations`, async (): Promise<Flow> => {
    const single = subject.single();
    const { model, count } = withoutNormalisation(positive(single), which);
    const open = withOnes(model, single);
    const sums = await wideFlow(open, single);
    if (sums) return { ...sums, normalisations: count, precision: 'float64' };
    const scaled = await scaledFlow(open, single);
    // A flow that is nothing ran against the upper bounds of rectifiers (ReLU6), which it has no need of.
    const isLost = scaled.linear.every((term) => term === 0);
    const freed = isLost ? await scaledFlow(withoutUpperBounds(open), single) : scaled;
    if (freed.linear.every((term) => term === 0)) throw noFlow();
    return { ...freed, normalisations: count, precision: 'scaled float32' };
  });
}

/** Powers of two hold all products; an exponential of them, or a division by nothing, they do not. */
function noRange(node: Node): AuspexError {
  return new AuspexError('PROXY_NOT_FINITE', 'more flows here than powers of two can hold', {
    where: { node: nodeLabel(node), operator: operatorName(node) },
    hint: 'weights without signs leave all ranges in an exponential; scores that look at data do not',
  });
}

function noFlow(): AuspexError {
  return new AuspexError('PROXY_NOT_FINITE', 'nothing flows from an input of ones to the output', {
    hint: 'a rectifier passes nothing on, or the output does not depend on the weights; try --init seeded',
  });
}

/** In float64; undefined where an operator has no kernel for it, it takes too much memory, or flows leave its range. */
async function wideFlow(open: Model, single: Subject): Promise<Sums | undefined> {
  if (windowBytes(open) > single.memory / 4) return undefined;
  try {
    const sums = await run(inFloat64(open), single);
    const total = sums.linear.reduce((a, b) => a + b, 0);
    return Number.isFinite(total) && total > 0 ? sums : undefined;
  } catch (error) {
    // Some operators only say that they have no kernel when they run.
    const isOfRun = error instanceof AuspexError && /^RUNTIME_|PROXY_MEMORY/.test(error.code);
    if (!isOfRun) throw error;
    return undefined;
  }
}

/** In float32 and powers of two: a first run finds the powers, the second has them as constants. */
async function scaledFlow(open: Model, single: Subject): Promise<Sums> {
  const first = inPowersOfTwo(open);
  const builder = extend(first.model);
  const found = first.found.map((name) => builder.value(name));
  const measuring = pruned(extended(first.model, builder, found));
  const session = await Compiled.create(measuring, single.session);
  let exponents: number[];
  try {
    const results = await session.run(await toFeeds(onesBatch(open, single)));
    exponents = first.found.map((name) => (results[name]!.data as Float32Array)[0]!);
  } finally {
    await session.dispose();
  }
  const lost = exponents.findIndex((exponent) => !Number.isFinite(exponent));
  if (lost >= 0) {
    single.checkWeights();
    throw noRange(first.layers[lost]!);
  }
  const { model, exponentOf } = inPowersOfTwo(open, exponents);
  return run(model, single, (name) => Number(exponentOf(name)));
}

/** The model with the magnitudes of all that was learned or measured. */
export function positive({ model, roles }: Subject): Model {
  const { graph } = model;
  const initializers = new Map(
    [...graph.initializers].map(([name, tensor]) => {
      if (roles.get(name)?.kind === 'setting') return [name, tensor];
      return [name, fromNumbers(name, tensor.dtype, tensor.dims, floatData(tensor).map(Math.abs))];
    }),
  );
  return { ...model, graph: { ...graph, initializers } };
}

/**
 * Ones in the place of what tokens look up and of what images are scaled to before the first layer, and logits in that of
 * their logarithmic softmax.
 */
export function withOnes(model: Model, { lookups }: Subject): Model {
  const looked = new Map(lookups.map(({ output, input }) => [output, input]));
  const scaled = preprocessed(model);
  return rewriteNodes(model, (e) => {
    const { node } = e.call;
    if (traitsOf(node).softmax === 'logarithm') return [e.input(0)];
    const from = scaled.get(node.outputs[0]!);
    // What is scaled are ones already; as constants, all behind them would be computed when the graph is compiled.
    if (from !== undefined) return [e.builder.value(from)];
    const tokens = looked.get(node.outputs[0]!);
    if (tokens === undefined) return undefined;
    const { sizes, dtype } = e.builder.value(node.outputs[0]!);
    // They depend on the tokens, as constants would not: what flows through constants is not kept near 1.
    const zero = e.builder.value(tokens).cast(dtype).reduceMax().mul(0);
    return [e.builder.full(sizes, 1, dtype).add(zero)];
  });
}

/** A mean, a deviation or a factor: one number, or one for every colour. */
const FEW = 4;

/**
 * What arithmetic with a few constants makes of inputs, with what it is made of: (x − mean) / deviation would make ones
 * negative.
 */
function preprocessed(model: Model): ReadonlyMap<string, string> {
  const { initializers, inputs, nodes } = model.graph;
  const raw = new Set(inputs.map(({ name }) => name).filter((name) => !initializers.has(name)));
  const links = linksOf(model);
  const isFew = (name: string): boolean => {
    const tensor = initializers.get(name);
    return tensor !== undefined && elementCount(tensor) <= FEW;
  };
  const found = new Map<string, string>();
  for (const node of nodes) {
    const from = passedOn(node, links);
    if (from === undefined || !raw.has(from)) continue;
    const isScaled = traitsOf(node).arithmetic !== undefined;
    if (isScaled && !node.inputs.every((name) => name === from || isFew(name))) continue;
    raw.add(node.outputs[0]!);
    if (isScaled) found.set(node.outputs[0]!, from);
  }
  return found;
}

/** Of clips there is left what lies above their lower bound. */
function withoutUpperBounds(model: Model): Model {
  return rewriteNodes(model, (e) => {
    if (traitsOf(e.call.node).activation !== 'clip') return undefined;
    const least = e.optionalInput(1);
    return [least === undefined ? e.input(0) : e.input(0).max(least)];
  });
}

/** @param exponentOf powers of two that values of the model were divided by */
async function run(
  model: Model,
  subject: Subject,
  exponentOf: (name: string) => number = () => 0,
): Promise<Sums> {
  const { layers, samples, heads } = subject;
  const names = layers.map((layer) => layer.weight);
  const exponent = Math.max(...heads.map(({ name }) => exponentOf(name)));
  const whole = withTotal(model, heads, ({ name }) => 2 ** (exponentOf(name) - exponent));
  const differentiated = gradients(whole.model, whole.total, names);
  const builder = extend(differentiated.model);
  const total = (value: Value): Value => value.cast('float64').sum().reshape([1]);
  // All samples are the same, so that one of them has this part of the gradient.
  const pairs = names.map((name): [Value, Value] => [
    builder.value(name),
    builder
      .value(differentiated.gradients.get(name)!)
      .mul(1 / samples)
      .abs(),
  ]);
  const listed = (values: readonly Value[]): Value => builder.concat(values, 0).identity();
  const linear = listed(pairs.map(([w, g]) => total(w.mul(g))));
  const logarithmic = listed(pairs.map(([w, g]) => total(w.mul(logOfOneMore(g, exponent)))));
  const compiled = finished(extended(differentiated.model, builder, [linear, logarithmic]));
  const session = await Compiled.create(compiled, subject.session);
  try {
    const found = await session.run(await toFeeds(onesBatch(model, subject)));
    const numbers = (value: Value): number[] => Array.from(found[value.name]!.data as Float64Array);
    return { linear: numbers(linear), logarithmic: numbers(logarithmic), exponent };
  } finally {
    await session.dispose();
  }
}

/** ln(1 + g·2^e), which leaves no range. */
function logOfOneMore(g: Value, exponent: number): Value {
  if (exponent === 0) return g.add(1).log();
  return g
    .max(LEAST)
    .log()
    .add(exponent * Math.LN2)
    .softplus();
}

const COMMON = {
  better: 'higher',
  needs: { weights: true, samples: 0, batches: 0, labels: false, gradients: true },
  variants: {
    'batch-norm': 'only batch normalisation is removed, as in the released code; other normalisations stay',
  },
  elsewhere:
    'weights of convolutions and matrix products are scored; normalisations become identity; ' +
    'token embeddings become ones, and so does what a network scales its input to before the first layer; an operator ' +
    'without a gradient is an error',
} satisfies Partial<ProxyDefinition>;

const normalisations = (variant: string | undefined) => (variant === 'batch-norm' ? 'batch' : 'all');

export const synflow = defineProxy({
  ...COMMON,
  name: 'synflow',
  title: 'SynFlow',
  paper:
    'Tanaka et al., NeurIPS 2020, arXiv:2006.05467; as a proxy: Abdelfattah et al., ICLR 2021, arXiv:2101.08134',
  formula: 'Σ |w·∂R/∂w|, R the sum of outputs for an input of ones and weights |w|',
  scale: 'logarithm',
  score: async (subject, variant) => {
    const flow = await flowOf(subject, normalisations(variant));
    const factor = 2 ** flow.exponent;
    const sum = flow.linear.reduce((a, b) => a + b, 0);
    const terms = flow.linear.map((term) => term * factor);
    const value = Math.log(sum) + flow.exponent * Math.LN2;
    return { value, details: { sum: sum * factor, ...detailsOf(subject, terms, flow) } };
  },
});

export const logSynflow = defineProxy({
  ...COMMON,
  name: 'logsynflow',
  title: 'LogSynFlow',
  paper: 'Cavagnero et al., WACV 2023, arXiv:2207.05135',
  formula: 'Σ |w|·ln(1 + |∂R/∂w|), R as in SynFlow',
  scale: 'raw',
  score: async (subject, variant) => {
    const { logarithmic, ...details } = await flowOf(subject, normalisations(variant));
    const value = logarithmic.reduce((a, b) => a + b, 0);
    return { value, details: detailsOf(subject, logarithmic, details) };
  },
});

function detailsOf(
  { layers }: Subject,
  terms: readonly number[],
  { normalisations, precision }: Pick<Flow, 'normalisations' | 'precision'>,
): Record<string, unknown> {
  return { layers: layers.map(({ weight }, i) => ({ weight, value: terms[i]! })), normalisations, precision };
}
