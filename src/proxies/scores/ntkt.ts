// NTKT, the trainability term of ETAS: the trace of the neural tangent kernel of the last block's output, averaged over
// tokens. Hutchinson's estimator: for v of random signs, E‖∇_w⟨v, z⟩‖² is the sum of ‖∇_w z_i‖² over all elements of z.
// One gradient graph is compiled; v and the sample are its inputs. What does not depend on v, such as all that goes
// forward, is computed once a sample. Of a product x·W with fewer rows than columns of x the gradient xᵀ·g is not
// written: ‖xᵀ·g‖² = Σ (x·xᵀ)∘(g·gᵀ).

import { pruned } from '../../analysis/dependence.js';
import { gradients } from '../../autodiff/gradients.js';
import { isDefaultDomain, type Node } from '../../graph/graph.js';
import { streamFor } from '../../nn/stream.js';
import type { Builder, Value } from '../../ops/build.js';
import { traitsOf } from '../../ops/index.js';
import { type Feeds, hostTensor } from '../../runtime/session.js';
import { extend, extended } from '../../transform/rewrite.js';
import { AuspexError } from '../../util/errors.js';
import type { Random } from '../../util/random.js';
import { defineProxy, type Score } from '../proxy.js';
import type { InputBatch } from '../subject/batch.js';
import { linksIn } from '../subject/blocks.js';
import { isTied, onFewerSamples, partOf } from '../subject/chunks.js';
import { type Features, featuresOf } from '../subject/features.js';
import { finished } from '../subject/finished.js';
import { type Subject, toFeeds } from '../subject/subject.js';
import { Staged } from '../subject/two-stages.js';
import { product } from '../subject/value-links.js';
import type { Layer } from '../subject/weights.js';

/** Probes of every sample. */
const PROBES = 8;
const LEAST_PROBES = 2;
/** Multiply-accumulates of a network whose effort is bounded, for all probes. */
const MOST_MACS = 4e10;
/** Gradients that an exact trace may take. */
const MOST_GRADIENTS = 50_000;
const PROBE = 'auspex.probe';

/**
 * With z (T, d) the output of the last block for one of M samples. Eq. 12, the trace of the kernel's mean over pairs of
 * tokens, also has the terms of different tokens; Eq. 13, which the paper computes, has not.
 */
export const ntkt = defineProxy({
  name: 'ntkt',
  title: 'NTKT',
  paper: 'ETAS: zero-shot transformer architecture search via network trainability and expressivity, Eq. 13',
  formula: '(1/T²)·Σ_samples Σ_tokens Σ_channels ‖∇_w z‖², estimated with 8 random-sign probes per sample',
  better: 'higher',
  scale: 'raw',
  needs: { weights: true, samples: 1, batches: 1, labels: false, gradients: true },
  variants: {
    eq12: 'Σ_samples Σ_channels ‖∇_w mean_tokens z‖²: Eq. 12, including terms of different tokens',
    exact: 'Eq. 13 with every element of z as a probe, for small networks',
    'eq12-exact': 'Eq. 12 with every channel as a probe, for small networks',
  },
  elsewhere:
    'weights of convolutions and matrix products before z are scored, and token embeddings; without ' +
    'attention, z is the input of the last layer, with pixels as tokens; an operator without a gradient is an error',
  score: async (subject, variant) => {
    const isMean = variant?.startsWith('eq12') ?? false;
    if (variant?.endsWith('exact')) return exactTrace(subject, isMean);
    // Where samples are tied together, all of them are in one graph.
    if (isTied(subject)) return onFewerSamples(subject, (part) => estimate(part, isMean), 1);
    return estimate(subject, isMean);
  },
});

export interface TraceEstimate {
  readonly value: number;
  /** Of the value: the variance over probes divided by their number. */
  readonly variance: number;
  readonly standardError: number;
  /** What every probe gives, all samples summed. */
  readonly probes: readonly number[];
}

async function estimate(subject: Subject, isMean: boolean): Promise<Score> {
  const pass = await TangentPass.create(subject);
  try {
    const random = streamFor(subject.seed, 'probes', 0);
    const count = probesOf(subject);
    const probes = new Array<number>(count).fill(0);
    const draw = (): Probe => signs(pass.features, random, isMean);
    const all = PROBES * subject.samples * subject.macs;
    if (subject.isBounded && !pass.isSingle && all > MOST_MACS) {
      for (let p = 0; p < count; p++) probes[p] = await pass.squaredNormOfAll(draw);
    } else {
      for (let sample = 0; sample < subject.samples; sample++) {
        for (let p = 0; p < count; p++) probes[p]! += await pass.squaredNorm(sample, draw());
      }
    }
    const found = estimateOf(probes);
    const { name, positions, channels } = pass.features;
    return {
      value: found.value,
      details: { ...found, output: name, tokens: positions, channels, weights: pass.weights },
    };
  } finally {
    await pass.dispose();
  }
}

/** Fewer of networks that take long, where that is allowed: the estimate stays that of the same trace. */
function probesOf(subject: Subject): number {
  if (!subject.isBounded) return PROBES;
  const fitting = Math.floor(MOST_MACS / subject.macs);
  return Math.max(LEAST_PROBES, Math.min(PROBES, fitting));
}

function estimateOf(probes: readonly number[]): TraceEstimate {
  const n = probes.length;
  const value = probes.reduce((sum, x) => sum + x, 0) / n;
  const variance = probes.reduce((sum, x) => sum + (x - value) ** 2, 0) / (n * (n - 1));
  return { value, variance, standardError: Math.sqrt(variance), probes };
}

async function exactTrace(subject: Subject, isMean: boolean): Promise<Score> {
  const { positions, channels } = featuresOf(subject);
  const count = (isMean ? 1 : positions) * channels;
  const all = count * subject.samples;
  if (all > MOST_GRADIENTS) {
    throw new AuspexError(
      'PROXY_TOO_LARGE',
      `the exact trace needs ${all} gradients; the limit is ${MOST_GRADIENTS}`,
      {
        hint: 'use the estimate, or fewer samples',
      },
    );
  }
  const pass = await TangentPass.create(subject);
  try {
    let value = 0;
    for (let sample = 0; sample < subject.samples; sample++) {
      for (let i = 0; i < count; i++) {
        value += await pass.squaredNorm(sample, unit(pass.features, i, isMean));
      }
    }
    return { value, details: { gradients: all, tokens: positions, channels, weights: pass.weights } };
  } finally {
    await pass.dispose();
  }
}

/** A probe: what z of one sample is multiplied with, by token and channel. The factor is that of 1/T² in the formulas. */
type Probe = (token: number, channel: number) => number;

/** Eq. 13: a sign for every element. Eq. 12: one for every channel, of the mean over tokens. */
function signs({ positions, channels }: Features, random: Random, isMean: boolean): Probe {
  const count = isMean ? channels : positions * channels;
  const drawn = Float32Array.from({ length: count }, () => (random.chance(0.5) ? 1 : -1) / positions);
  return (token, channel) => drawn[isMean ? channel : token * channels + channel]!;
}

/** The probe of one element, or of one channel's mean over tokens. */
function unit({ positions, channels }: Features, index: number, isMean: boolean): Probe {
  return (token, channel) => {
    const own = isMean ? channel : token * channels + channel;
    return own === index ? 1 / positions : 0;
  };
}

/** The compiled graph of ‖∇_w⟨v, z⟩‖², with v and the inputs of a sample going in. */
class TangentPass {
  readonly features: Features;
  /** What gradients are taken of. */
  readonly weights: readonly string[];
  readonly #graph: Staged;
  readonly #output: string;
  /** Whether samples go in one by one; otherwise the whole batch does, all but one with a probe of zeros. */
  readonly isSingle: boolean;
  readonly #batch: InputBatch;
  readonly #whole: Subject;
  #fed: { readonly sample: number; readonly feeds: Feeds } | undefined;

  private constructor(
    whole: Subject,
    isSingle: boolean,
    compiled: { features: Features; weights: readonly string[]; graph: Staged; output: string },
  ) {
    this.features = compiled.features;
    this.weights = compiled.weights;
    this.#graph = compiled.graph;
    this.#output = compiled.output;
    this.isSingle = isSingle;
    this.#batch = whole.inputs(0);
    this.#whole = whole;
  }

  static async create(whole: Subject): Promise<TangentPass> {
    // Statistics of a batch tie its samples together, so they must stay together.
    const single = isTied(whole) ? whole : whole.single();
    const isSingle = single.samples === 1;
    const subject = isSingle ? single : whole;
    const features = featuresOf(subject);
    const before = linksIn(subject).ancestors(features.name);
    const layers = subject.layers.filter((layer) => before.has(layer.weight));
    const tables = embeddings(subject, before);
    if (layers.length + tables.length === 0) {
      throw new AuspexError('PROXY_NO_WEIGHTS', `no scored weight comes before '${features.name}'`, {
        hint: 'name the output of the last block with --features',
      });
    }

    const start = extend(subject.trained);
    const z = start.value(features.name);
    const probe = start.input(PROBE, z.dtype, z.sizes);
    const open = extended(subject.trained, start, [z]);
    const factors = layers.map((layer) => factorsOf(layer, start));
    const of = layers.map((layer, i) => factors[i]?.output ?? layer.weight);
    const differentiated = gradients(open, z.name, [...of, ...tables.map((t) => t.output)], {
      seed: probe.name,
    });
    const builder = extend(differentiated.model);
    const gradientOf = (name: string): Value => builder.value(differentiated.gradients.get(name)!);
    const squares = of.map((name, i) => {
      const factor = factors[i];
      return factor ? productSquare(builder.value(factor.input), gradientOf(name)) : square(gradientOf(name));
    });
    const looked = tables.map((table) => tableSquare(builder, gradientOf(table.output), table.ids));
    const total = builder.sum([...squares, ...looked]).identity();
    const model = pruned(finished(extended(differentiated.model, builder, [total])));
    const graph = await Staged.create(model, probe.name, subject.session);
    const weights = [...layers.map((layer) => layer.weight), ...tables.map((table) => table.name)];
    return new TangentPass(whole, isSingle, { features, weights, graph, output: total.name });
  }

  squaredNorm(sample: number, probe: Probe): Promise<number> {
    const data = new Float32Array(product(this.features.dims));
    this.#write(data, sample, probe);
    return this.#run(sample, data);
  }

  /**
   * Of all samples at once, for a batch that must stay together: signs of different samples are independent, so that the
   * expectation is the sum over samples.
   */
  async squaredNormOfAll(draw: () => Probe): Promise<number> {
    const { dims } = this.features;
    const data = new Float32Array(product(dims));
    for (let sample = 0; sample < this.#whole.samples; sample++) this.#write(data, sample, draw());
    return this.#run(0, data);
  }

  async #inputs(sample: number): Promise<Feeds> {
    const key = this.isSingle ? sample : 0;
    if (this.#fed?.sample !== key) {
      const feeds = await toFeeds(this.#batch);
      const own = this.isSingle ? await partOf(feeds, this.#whole, this.#whole.single(), sample) : feeds;
      this.#fed = { sample: key, feeds: own };
    }
    return this.#fed.feeds;
  }

  async #run(sample: number, probe: Float32Array): Promise<number> {
    const varied = { [PROBE]: await hostTensor('float32', probe, this.features.dims) };
    const found = await this.#graph.run(await this.#inputs(sample), varied);
    return (found[this.#output]!.data as Float64Array)[0]!;
  }

  /** The probe of a sample in the layout of z. */
  #write(data: Float32Array, sample: number, probe: Probe): void {
    const { dims, channelAxis, channels, positions } = this.features;
    const size = positions * channels;
    const offset = this.isSingle ? 0 : sample * size;
    // Behind the axis of channels: positions that run faster than channels do.
    const inner = product(dims.slice(channelAxis + 1));
    for (let i = 0; i < size; i++) {
      const channel = Math.floor(i / inner) % channels;
      const token = Math.floor(i / (inner * channels)) * inner + (i % inner);
      data[offset + i] = probe(token, channel);
    }
  }

  dispose(): Promise<void> {
    return this.#graph.dispose();
  }
}

/** What a weight is multiplied with and gives, where its gradient is larger than both products with themselves. */
function factorsOf({ weight, dims, uses }: Layer, builder: Builder): Factors | undefined {
  const [use, ...others] = uses;
  if (others.length > 0 || use === undefined || !isPlainProduct(use.node)) return undefined;
  const [input, second] = use.node.inputs as [string, string];
  if (second !== weight || dims.length !== 2) return undefined;
  const rows = product(builder.value(input).sizes) / dims[0]!;
  return rows < Math.min(...dims) ? { input, output: use.node.outputs[0]! } : undefined;
}

/** x·W as they are, no factor transposed. */
function isPlainProduct(node: Node): boolean {
  return traitsOf(node).product === 'matmul' && isDefaultDomain(node.domain);
}

interface Factors {
  readonly input: string;
  readonly output: string;
}

/** Σ g², in float64 along columns, where many rows meet. */
function square(g: Value): Value {
  return g
    .square()
    .sum([g.rank - 1])
    .cast('float64')
    .sum();
}

/** ‖xᵀ·g‖² for rows x and g. */
function productSquare(x: Value, g: Value): Value {
  const [a, b] = [x, g].map((rows) => {
    const flat = rows.reshape([-1, rows.length(-1)]);
    return flat.matmul(flat.transpose()).cast('float64');
  }) as [Value, Value];
  return a.mul(b).sum();
}

interface Table {
  readonly name: string;
  /** What was read of it, and by which ids. */
  readonly output: string;
  readonly ids: string;
}

/** Tables that tokens are looked up in, row by row. */
function embeddings({ model, lookups }: Subject, before: ReadonlySet<string>): Table[] {
  const looked = new Set(lookups.filter(({ table }) => table !== undefined).map(({ output }) => output));
  return model.graph.nodes.flatMap((node): Table[] => {
    const [output] = node.outputs as [string];
    const axis = node.attributes.get('axis');
    const isRows = axis === undefined || (axis.type === 'int' && Number(axis.value) === 0);
    if (!looked.has(output) || !before.has(output) || !isRows) return [];
    return [{ name: node.inputs[0]!, output, ids: node.inputs[1]! }];
  });
}

/**
 * ‖∂/∂table‖² from the gradient g of the rows that were read: rows of the same token are summed first. With
 * E_st = [id_s = id_t] it is Σ g·(E·g), and the table, which may be large, is never written.
 */
function tableSquare(builder: Builder, g: Value, idsName: string): Value {
  const width = g.length(-1);
  const rows = g.reshape([-1, width]).cast('float64');
  const ids = builder.value(idsName).cast('int64');
  const count = rows.length(0);
  const same = ids
    .reshape([count, 1])
    .equal(ids.reshape([1, count]))
    .cast('float64');
  return same.matmul(rows).mul(rows).sum();
}
