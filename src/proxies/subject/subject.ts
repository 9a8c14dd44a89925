// A network that is to be scored: its graph with all sizes known, the weights that count, the batch and labels it is
// scored on. Proxies of one subject share what they compute.

import { cost } from '../../analysis/cost.js';
import { inferShapes } from '../../analysis/infer.js';
import { isKnown } from '../../graph/dim.js';
import type { Model } from '../../graph/graph.js';
import { isTensor, type TensorType, type ValueType } from '../../graph/types.js';
import { streamFor } from '../../nn/stream.js';
import { traitsOf } from '../../ops/index.js';
import { channelBlock } from '../../runtime/channel-block.js';
import { type Feeds, type HostTensor, hostTensor, type SessionOptions } from '../../runtime/session.js';
import { forBatch } from '../../spaces/network-builder.js';
import { floatData } from '../../transform/tensor-data.js';
import type { Change } from '../../transform/transform.js';
import { AuspexError } from '../../util/errors.js';
import { poolsAsProducts } from './average-pools.js';
import { drawBatch, findLookups, type InputBatch, type Lookup } from './batch.js';
import type { GraphOptions } from './compiled-graphs.js';
import type { WritingOptions } from './finished.js';
import type { LossKind } from './head-evidence.js';
import { findHeads, type Head } from './heads.js';
import { withMeasuredValues } from './measured-values.js';
import { NetworkCounts } from './network-counts.js';
import { type Normalised, normalise, type StepProblem } from './normalise.js';
import { constantsOf, type Prepared, type PrepareOptions, prepare } from './prepare.js';
import { type Initialisation, reinitialise } from './reinitialise.js';
import { withBatchStatistics } from './statistics.js';
import { foldingChanges, unfolded } from './unfold.js';
import { product } from './value-links.js';
import { findWeights, type Layer, type Role } from './weights.js';

/** What gradients give; see gradient-pass.ts. */
export type Quantity = 'saliency' | 'fisher' | 'curvature' | 'jacobian';

export interface SubjectOptions extends PrepareOptions {
  /** Seeds weights, inputs and labels. */
  readonly seed?: number;
  /** `file`: as they are in the model. Otherwise drawn anew. */
  readonly initialise?: 'file' | Initialisation;
  /** Labels of those batches: a class for every row of the logits. Random ones unless given. */
  readonly labels?: readonly (readonly number[])[];
  /** How many different tokens an integer input has, where it cannot be seen from an embedding. */
  readonly vocabulary?: number;
  /** `batch`: batch normalisation takes the batch's own statistics. `frozen`: the running ones of the model. */
  readonly statistics?: 'batch' | 'frozen';
  /** The loss of all heads; `auto` by default: what fits each, see head-evidence.ts. */
  readonly loss?: LossKind | 'auto';
  /** Names of the weights that count, instead of those that are found. */
  readonly weights?: readonly string[];
  /** The value that is taken for the output of the last block; found from the graph unless told, see features.ts. */
  readonly features?: string;
  /** Bytes that a graph of the network may take; without end by default. */
  readonly memory?: number;
  /** Bytes that it may take where not even the smallest part of a batch fits into `memory`. */
  readonly mostMemory?: number;
  /** A batch is split into its smallest parts at once, not into the largest that fit. */
  readonly isFrugal?: boolean;
  /** Estimates of large networks take fewer steps. */
  readonly isBounded?: boolean;
  /** How graphs are run. */
  readonly session?: SessionOptions;
}

const DEFAULTS = { seed: 0, initialise: 'file', statistics: 'batch' } as const;

/** Multiply-accumulates of a batch from which on a graph takes longer to be run than to be compiled. */
const LARGE_MACS = 2e9;

/**
 * Those of convolutions, for every node of a graph that runs once, from which on it pays to let ONNX Runtime rewrite it:
 * gradients of gradients of NAS-Bench-201's networks are 7,000 nodes, which take 1.3 seconds longer to compile then. It
 * lays out images otherwise, which saves convolutions a third of their time; transformers gain next to nothing.
 */
const REWRITTEN_MACS_PER_NODE = 1e6;

/** How many are compared of a network that takes one at a time. */
const SINGLE_SAMPLES = 4;

export class Subject {
  /** Without functions, all sizes known, constants as initializers. */
  readonly model: Model;
  readonly types: ReadonlyMap<string, ValueType>;
  /** What count as weights, in the order they are used. */
  readonly layers: readonly Layer[];
  /** What every constant is to the network. */
  readonly roles: ReadonlyMap<string, Role>;
  /** Where tokens are looked up. */
  readonly lookups: readonly Lookup[];
  /** What a loss compares, the head with most layers before it first. */
  readonly heads: readonly [Head, ...Head[]];
  /** Samples of a batch: the first dimension of the first input. */
  readonly samples: number;
  /** Trained parameters of every constant that holds some. */
  readonly parameters: ReadonlyMap<string, number>;
  /** What could not be done to the network before it is scored. */
  readonly problems: readonly StepProblem[];
  readonly seed: number;
  /** Quantities that will be asked for, so that one graph may give them. */
  readonly wanted = new Set<Quantity>();
  /** Whether gradients of two batches will be asked for, so that the first need not be computed apart. */
  wantsTwoBatches = false;
  readonly #options: SubjectOptions;
  readonly #shared = new Map<string, unknown>();
  readonly #changes: readonly Change[];
  #smallerBatch: number | undefined;
  /** What this one was made from, which says what was done. */
  #origin: Subject | undefined;

  readonly #source: Model;

  private constructor(
    source: Model,
    prepared: Prepared,
    { changes, problems, samples }: Normalised,
    options: SubjectOptions,
  ) {
    this.#source = source;
    this.#changes = [...changes, ...foldingChanges(prepared.model)];
    this.problems = problems;
    const { seed = DEFAULTS.seed, initialise = DEFAULTS.initialise } = options;
    this.#options = options;
    this.seed = seed;
    const { model, constants } = initialise === 'file' ? prepared : unfolded(prepared);
    const { types } = inferShapes(model).graph;
    this.types = types;
    const known = [...model.graph.initializers].flatMap(([name, { data }]) => {
      const constant = constants.get(data);
      return constant ? [[name, constant] as const] : [];
    });
    this.parameters = new Map(known.map(([name, constant]) => [name, constant.parameters]));
    const found = findWeights(model, types, new Map(known.map(([name, { kind }]) => [name, kind])));
    this.roles = found.roles;
    this.layers = chosenLayers(found.layers, options.weights, model);
    this.model = initialise === 'file' ? model : reinitialise(model, found.roles, { seed, how: initialise });
    this.lookups = findLookups(model, types);
    this.heads = findHeads(model, types, {
      loss: options.loss,
      isNamed: options.output !== undefined,
      hasLabels: options.labels !== undefined,
    });
    this.samples = samples ?? samplesOf(model);
  }

  /**
   * A network to score.
   *
   * @example
   * const subject = Subject.of(nasBench201.network(arch, { batch: 64 }), { seed: 1 });
   */
  static of(model: Model, options: SubjectOptions = {}): Subject {
    const normalised = normalise(model, options);
    try {
      const isSame = normalised.model === model;
      const left = normalised.isSized ? withoutSizes(options) : options;
      const told = isSame ? undefined : constantsOf(model, options);
      return new Subject(model, prepare(normalised.model, left, told), normalised, options);
    } catch (error) {
      // What could not be made of the network is why it cannot be scored.
      const first = normalised.problems.find(({ step }) => step !== 'batch');
      throw first !== undefined && error instanceof AuspexError ? first.error : error;
    }
  }

  /**
   * As `of`. A network whose sizes depend on the data runs once, one sample at a time, and is scored with the sizes of
   * that run.
   */
  static async measured(model: Model, options: SubjectOptions = {}): Promise<Subject> {
    try {
      return Subject.of(model, options);
    } catch (error) {
      if (!(error instanceof AuspexError) || error.code !== 'PROXY_SHAPES') throw error;
      return Subject.#ofRun(model, options).catch((problem: unknown) => {
        // Why it cannot be scored says more than why it cannot be run.
        throw problem instanceof AuspexError ? error : problem;
      });
    }
  }

  static async #ofRun(model: Model, options: SubjectOptions): Promise<Subject> {
    const one = normalise(model, { ...options, batch: 1 });
    const { seed = DEFAULTS.seed, vocabulary, session, batches } = options;
    const inputs = batches?.[0] ?? drawBatch(one.model, { seed, ...(vocabulary && { vocabulary }) });
    const fixed = await withMeasuredValues(one.model, inputs, session);
    const left = { ...withoutSizes(options), isBatchFixed: true };
    // What is fixed now may lead to bytes that become floats only later.
    const { model: last, changes, problems, ...rest } = normalise(fixed.model, left);
    const found = {
      ...rest,
      model: last,
      changes: [...one.changes, ...fixed.changes, ...changes],
      problems: [...one.problems, ...problems],
    };
    return new Subject(fixed.model, prepare(last, left, constantsOf(model, options)), found, left);
  }

  /** The same network with a batch of one, for what looks at no data; itself where its nodes fix the batch. */
  single(): Subject {
    return this.ofSamples(1);
  }

  /** The same network with another batch and drawn samples; itself where its nodes fix the batch. */
  ofSamples(count: number): Subject {
    if (this.samples === count) return this;
    return this.once(`of ${count} samples`, () => {
      const { batches: _, labels: __, dims = {}, ...options } = this.#options;
      const [input] = this.#source.graph.inputs;
      const size = isTensor(input?.type) ? String(input.type.shape?.[0]) : '';
      const free = Object.fromEntries(Object.entries(dims).filter(([name]) => name !== size));
      try {
        const source = (options.shapes === undefined && forBatch(this.#source, count)) || this.#source;
        const found = Subject.of(source, { ...options, dims: free, batch: count });
        return found.samples === count ? found : this;
      } catch (error) {
        if (error instanceof AuspexError) return this;
        throw error;
      }
    });
  }

  /** Says that some scores are of fewer samples than the batch has. */
  noteBatch(samples: number): void {
    this.#smallerBatch = Math.min(samples, this.#smallerBatch ?? samples);
    this.#origin?.noteBatch(samples);
  }

  /** The same network with more memory, used in the smallest parts; undefined where there is no more to be had. */
  frugal(): Subject | undefined {
    const { mostMemory = 0, ...options } = this.#options;
    if (mostMemory <= this.memory) return undefined;
    return this.once('frugal', () => {
      const found = Subject.of(this.#source, { ...options, memory: mostMemory, isFrugal: true });
      found.#origin = this;
      return found;
    });
  }

  /** What was done to the network before it was scored. */
  get changes(): readonly Change[] {
    if (this.#smallerBatch === undefined) return this.#changes;
    const what = `some scores are of ${this.#smallerBatch} instead of ${this.samples} samples, which would not fit into memory`;
    return [...this.#changes, { transform: 'memory', what }];
  }

  /**
   * The same network with weights drawn anew, and drawn inputs, for what looks at neither those of the file nor data.
   *
   * @param draw draws of different numbers are independent of each other.
   */
  redrawn(how: Initialisation, draw = 0): Subject {
    return this.once(`redrawn ${how} ${draw}`, () => {
      const { batches, labels: _, ...options } = this.#options;
      const shapes = Object.fromEntries(
        this.model.graph.inputs.map(({ name, type }) => [
          name,
          (type as TensorType).shape as readonly number[],
        ]),
      );
      const seed = streamFor(this.seed, 'redrawn', draw).uint32();
      const found = Subject.of(this.#source, {
        ...options,
        ...(batches && { shapes }),
        initialise: how,
        seed: draw === 0 ? this.seed : seed,
      });
      found.#origin = this;
      return found;
    });
  }

  /** The head with most layers before it: the logits of a classifier. */
  get logits(): Head {
    return this.heads[0];
  }

  /** The value that was named as the output of the last block. */
  get features(): string | undefined {
    return this.#options.features;
  }

  /** What is counted of the network as it was given. */
  get counts(): NetworkCounts {
    return this.once('counts', () => new NetworkCounts(this.#source, this.#options));
  }

  get isFrugal(): boolean {
    return this.#options.isFrugal ?? false;
  }

  get isBounded(): boolean {
    return this.#options.isBounded ?? false;
  }

  /** Multiply-accumulates of a batch; without end where they are not known. */
  get macs(): number {
    return this.#macs.all;
  }

  /** Bytes that one of its graphs may take. */
  get memory(): number {
    return this.#options.memory ?? Number.POSITIVE_INFINITY;
  }

  /** How its graphs are run. */
  get session(): GraphOptions {
    return this.#session(LARGE_MACS);
  }

  /** How a graph of its gradients is run. What is written in blocks need not be laid out otherwise. */
  sessionFor({ graph }: Model, { channelBlock }: WritingOptions): GraphOptions {
    if (channelBlock !== undefined) return this.#session(Number.POSITIVE_INFINITY);
    return this.#session(Math.max(LARGE_MACS, REWRITTEN_MACS_PER_NODE * graph.nodes.length));
  }

  #session(leastMacs: number): GraphOptions {
    const isRewritten = Number.isFinite(leastMacs) && this.#macs.convolutions >= leastMacs;
    const optimization = isRewritten ? 'all' : 'disabled';
    const { memory } = this;
    // Most graphs run once, for which a plan of all memory, like weights in another order, takes longer than it saves.
    const [prepacking, memoryPattern] = [isRewritten, isRewritten];
    return { seed: this.seed, optimization, prepacking, memoryPattern, memory, ...this.#options.session };
  }

  /** How graphs of gradients are written: with blocked kernels where the runtime has them. */
  async writing(): Promise<WritingOptions> {
    return { runsOnce: this.runsOnce, channelBlock: await channelBlock(this.#options.session) };
  }

  /** Whether its graphs take longer to be compiled than to be run, so that they should have few nodes. */
  get runsOnce(): boolean {
    return this.#macs.all < LARGE_MACS;
  }

  /** Of a batch; without end where they are not known. */
  get #macs(): { readonly all: number; readonly convolutions: number } {
    return this.once('macs', () => {
      const { totals, nodes } = cost(inferShapes(this.model));
      if (!isKnown(totals.macs))
        return { all: Number.POSITIVE_INFINITY, convolutions: Number.POSITIVE_INFINITY };
      const convolutions = nodes
        .filter(({ inferred }) => traitsOf(inferred.node).convolution !== undefined)
        .map(({ macs }) => Number(macs));
      return { all: totals.macs, convolutions: convolutions.reduce((a, b) => a + b, 0) };
    });
  }

  /** Samples that can be compared: those of a batch, or single ones one after another unless a batch of one is asked for. */
  get comparable(): number {
    const isAsked = this.samples > 1 || this.#options.batch === 1;
    return isAsked ? this.samples : Math.min(this.batchCount, SINGLE_SAMPLES);
  }

  /** How many batches there are to be had; synthetic ones have no end. */
  get batchCount(): number {
    return this.#options.batches?.length ?? Number.POSITIVE_INFINITY;
  }

  /** The model as its gradients are taken: batch normalisation with the statistics of the batch, unless frozen. */
  get trained(): Model {
    const { statistics = DEFAULTS.statistics } = this.#options;
    if (statistics === 'frozen') return this.model;
    return this.once('trained', () => poolsAsProducts(withBatchStatistics(this.model)));
  }

  /** Inputs, given or drawn. */
  inputs(index = 0): InputBatch {
    const given = this.#options.batches?.[index];
    if (given) return this.#checked(given);
    const { seed, lookups } = this;
    const vocabulary = this.#options.vocabulary ?? this.logits.classes;
    return drawBatch(this.model, { seed, index, vocabulary, lookups });
  }

  /** Classes of the rows of a head, given for the first or drawn. */
  labels(index = 0, position = 0): BigInt64Array {
    const given = position === 0 ? this.#options.labels?.[index] : undefined;
    const { rows, classes } = this.heads[position]!;
    if (given === undefined) {
      const random = streamFor(this.seed, position === 0 ? 'labels' : `labels ${position}`, index);
      return BigInt64Array.from({ length: rows }, () => BigInt(random.below(classes)));
    }
    const isFit = given.length === rows && given.every((l) => Number.isInteger(l) && l >= 0 && l < classes);
    if (!isFit) {
      throw new AuspexError('PROXY_LABELS', `the labels must be ${rows} numbers from 0 to ${classes - 1}`, {
        hint: 'give one label per row of the output',
      });
    }
    return BigInt64Array.from(given, BigInt);
  }

  /** What a head is compared with: classes of its rows, or a number for every element. */
  targets(index = 0, position = 0): Promise<HostTensor> {
    const { loss, dims } = this.heads[position]!;
    if (loss === 'cross-entropy') {
      const labels = this.labels(index, position);
      return hostTensor('int64', labels, [labels.length]);
    }
    const random = streamFor(this.seed, `targets ${position}`, index);
    const draw = loss === 'binary' ? () => random.below(2) : () => random.normal();
    return hostTensor('float32', Float32Array.from({ length: product(dims) }, draw), dims);
  }

  /** The inputs as sessions take them. */
  async feeds(index = 0): Promise<Feeds> {
    return toFeeds(this.inputs(index));
  }

  #checked(given: InputBatch): InputBatch {
    for (const { name, type } of this.model.graph.inputs) {
      const { dtype, shape } = type as TensorType;
      const tensor = given[name];
      if (tensor && tensor.type === dtype && String(tensor.dims) === String(shape)) continue;
      const what = tensor ? `${tensor.type}[${tensor.dims}]` : 'missing';
      throw new AuspexError('PROXY_INPUT', `input '${name}' must be ${type}, not ${what}`);
    }
    return given;
  }

  /** Something computed once, however many proxies ask. */
  once<T>(key: string, compute: () => T): T {
    if (!this.#shared.has(key)) this.#shared.set(key, compute());
    return this.#shared.get(key) as T;
  }

  weight(name: string): Float32Array | Float64Array {
    return floatData(this.model.graph.initializers.get(name)!);
  }

  /** Throws if a weight that counts is no number. */
  checkWeights(): void {
    for (const { weight } of this.layers) {
      const at = this.weight(weight).findIndex((x) => !Number.isFinite(x));
      if (at < 0) continue;
      throw new AuspexError(
        'WEIGHTS_NOT_FINITE',
        `weight '${weight}' has NaN or infinite elements (at ${at})`,
        {
          where: { path: `tensor '${weight}'` },
          hint: 'the file is broken or its training diverged; try --init seeded',
        },
      );
    }
  }

  /** Throws unless the output is of classes. */
  checkClasses(): void {
    const { output, dims, loss, why } = this.logits;
    if (loss === 'cross-entropy') return;
    throw new AuspexError('PROXY_CLASSES', `output '${output}' [${dims}] has no classes: ${why}`, {
      hint: 'if it has, say so with --loss cross-entropy, or name the output that holds logits with --logits',
    });
  }

  /** Which weights count and what the other constants are taken for. */
  explain(): {
    readonly name: string;
    readonly dims: readonly number[];
    readonly role: string;
    readonly counts: boolean;
  }[] {
    const counted = new Set(this.layers.map((layer) => layer.weight));
    return [...this.model.graph.initializers.values()]
      .filter(({ name }) => this.roles.get(name)!.kind !== 'setting')
      .map(({ name, dims }) => ({ name, dims, role: this.roles.get(name)!.kind, counts: counted.has(name) }));
  }
}

export async function toFeeds(batch: InputBatch): Promise<Feeds> {
  const entries = Object.entries(batch).map(
    async ([name, { type, dims, data }]) => [name, await hostTensor(type, data, dims)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** For a network that has its sizes. */
function withoutSizes({ dims: _, shapes: __, batch: ___, ...options }: SubjectOptions): SubjectOptions {
  return options;
}

function chosenLayers(
  found: readonly Layer[],
  wanted: readonly string[] | undefined,
  { graph }: Model,
): readonly Layer[] {
  if (wanted === undefined) return found;
  return wanted.map((name) => {
    const layer = found.find((l) => l.weight === name);
    if (layer) return layer;
    const tensor = graph.initializers.get(name);
    if (tensor && /float/.test(tensor.dtype)) return { weight: name, dims: tensor.dims, fanIn: 1, uses: [] };
    throw new AuspexError('PROXY_WEIGHT', `the network has no float constant called '${name}'`, {
      hint: '--explain lists them',
    });
  });
}

function samplesOf({ graph }: Model): number {
  const type = graph.inputs[0]?.type;
  return isTensor(type) ? ((type.shape?.[0] as number | undefined) ?? 1) : 1;
}
