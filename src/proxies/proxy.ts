// The contract of a zero-cost proxy: a network goes in, a number comes out, nothing is trained. One file for each
// family, one conformance suite (`conformance.testing.ts`) for all of them.
import { isInteger } from '../graph/dtype.js';
import type { Model } from '../graph/graph.js';
import { tensorByteLength } from '../graph/tensor.js';
import { MAX_MESSAGE_BYTES } from '../onnx/write.js';
import { AuspexError } from '../util/errors.js';
import { isOfMemory } from './subject/memory.js';
import { NetworkCounts } from './subject/network-counts.js';
import type { PrepareOptions } from './subject/prepare.js';
import { type Quantity, Subject, type SubjectOptions } from './subject/subject.js';

export interface ProxyOptions {
  /** One of the proxy's variants; its own meaning, that of the paper, unless told. */
  readonly variant?: string;
}

/** What a proxy says of a network. */
export interface Score {
  readonly value: number;
  /** What it was made of, such as the terms of single layers: for those who ask why. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** What a network must have, or be given, to be scored. */
export interface ProxyNeeds {
  /** Weights of convolutions or matrix products. */
  readonly weights: boolean;
  /** The least number of samples in a batch; 0 where no data is looked at. */
  readonly samples: number;
  /** Whether samples may come one by one, from a network that takes no more at once. */
  readonly oneByOne?: true;
  /** How many batches. */
  readonly batches: number;
  /** A loss: classes, or targets, of samples. */
  readonly labels: boolean;
  /** Whether the output must be of classes. */
  readonly classes?: true;
  /** Whether gradients are taken, so that every operator on their way needs a rule for them. */
  readonly gradients: boolean;
}

/**
 * A zero-cost proxy.
 *
 * @example
 * const subject = Subject.of(readModel('net.onnx'), { batch: 16, seed: 0 });
 * const { value } = await snip.score(subject);
 */
export interface ZeroCostProxy {
  /** As commands take it, such as `grad_norm`. */
  readonly name: string;
  /** As people write it. */
  readonly title: string;
  /** Where it was published. */
  readonly paper: string;
  /** In one line. */
  readonly formula: string;
  /** Whether a higher score promises a better network. */
  readonly better: 'higher' | 'lower';
  /** `logarithm`: the natural logarithm of what the formula gives is what `score` returns. */
  readonly scale: 'raw' | 'logarithm';
  readonly needs: ProxyNeeds;
  /** Other readings of it by name, such as what released code does where it differs from the paper. */
  readonly variants: Readonly<Record<string, string>>;
  /** What becomes of operators that it does not apply to. */
  readonly elsewhere: string;
  /** What it measures together with others, so that one graph gives all of it. */
  readonly shares?: readonly Quantity[];
  /** Of a network as it is, before anything is prepared; undefined where a variant needs more than counts. */
  count?(network: NetworkCounts, options?: ProxyOptions): Score | undefined;
  score(subject: Subject, options?: ProxyOptions): Promise<Score>;
}

/** A proxy with the variant of it that is asked for. */
export interface ProxyRequest extends ProxyOptions {
  readonly proxy: ZeroCostProxy;
}

/** What came of scoring: one proxy that fails does not stop the others. */
export type Outcome =
  | { readonly proxy: ZeroCostProxy; readonly variant: string | undefined; readonly score: Score }
  | {
      readonly proxy: ZeroCostProxy;
      readonly variant: string | undefined;
      readonly error: AuspexError;
      /** The network could not be prepared, so that no proxy that looks at more than counts can score it. */
      readonly isOfPreparation?: true;
    };

/** Takes an outcome as soon as it is there, with its place among the requests. */
type OutcomeReport = (outcome: Outcome, index: number) => void;

/** Scores a network by several proxies; what they can share is computed once. */
export async function scoreAll(
  subject: Subject,
  requests: readonly ProxyRequest[],
  report?: OutcomeReport,
): Promise<Outcome[]> {
  for (const { proxy } of requests) {
    for (const quantity of proxy.shares ?? []) subject.wanted.add(quantity);
    if (proxy.needs.labels && proxy.needs.batches === 2) subject.wantsTwoBatches = true;
  }
  const outcomes: Outcome[] = [];
  for (const { proxy, variant } of requests) {
    const outcome = await outcomeOf(subject, { proxy, ...(variant === undefined ? {} : { variant }) });
    outcomes.push(outcome);
    report?.(outcome, outcomes.length - 1);
  }
  return outcomes;
}

async function outcomeOf(subject: Subject, { proxy, variant }: ProxyRequest): Promise<Outcome> {
  const options = variant === undefined ? {} : { variant };
  try {
    return { proxy, variant, score: await scored(subject, proxy, options) };
  } catch (error) {
    return { proxy, variant, error: asProblem(error) };
  }
}

/** With as little memory as is usual, then with as little as it takes. */
async function scored(subject: Subject, proxy: ZeroCostProxy, options: ProxyOptions): Promise<Score> {
  try {
    return await proxy.score(subject, options);
  } catch (error) {
    const frugal = isOfMemory(error) ? subject.frugal() : undefined;
    if (frugal === undefined) throw error;
    return proxy.score(frugal, options);
  }
}

/** A defect, or a lack of memory, is one proxy's own, too. */
function asProblem(error: unknown): AuspexError {
  if (error instanceof AuspexError) return error;
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new AuspexError('UNEXPECTED', message, { kind: 'failure', cause: error });
}

/**
 * Scores a network by several proxies. Those that only count look at the network as it is given; for the others it is
 * prepared, and where that fails they fail, but not the counts.
 *
 * @param options how the network is prepared, or the network prepared; called only if it has to be.
 *
 * @example
 * const [size, noise] = await scoreNetwork(model, [{ proxy: params }, { proxy: snip }], () => ({ batch: 16 }));
 */
export async function scoreNetwork(
  model: Model,
  requests: readonly ProxyRequest[],
  options: () => SubjectOptions | Promise<Subject> = () => ({}),
  sizes: PrepareOptions = {},
  report?: OutcomeReport,
): Promise<Outcome[]> {
  let network: NetworkCounts | undefined;
  const counted = requests.map(({ proxy, variant }): Outcome | undefined => {
    if (proxy.count === undefined) return undefined;
    try {
      network ??= new NetworkCounts(model, sizes);
      const score = proxy.count(network, variant === undefined ? {} : { variant });
      return score && { proxy, variant, score };
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      return { proxy, variant, error };
    }
  });
  for (const [i, outcome] of counted.entries()) {
    if (outcome && 'error' in outcome && outcome.error.code === 'PROXY_SHAPES') {
      counted[i] = await countedByRun(model, requests[i]!, sizes, outcome);
    }
  }
  const places = requests.flatMap((_, i) => (counted[i] === undefined ? [i] : []));
  counted.forEach((outcome, i) => {
    if (outcome) report?.(outcome, i);
  });
  const others = places.map((i) => requests[i]!);
  const later: OutcomeReport = (outcome, i) => report?.(outcome, places[i]!);
  const scored = others.length === 0 ? [] : await prepared(model, others, options, later);
  return counted.map((outcome) => outcome ?? scored.shift()!);
}

/** Of a network whose sizes depend on the data: it runs once. */
async function countedByRun(
  model: Model,
  { proxy, variant }: ProxyRequest,
  sizes: PrepareOptions,
  before: Outcome,
): Promise<Outcome> {
  try {
    const network = await runCounts(model, sizes);
    const score = proxy.count!(network, variant === undefined ? {} : { variant });
    return score ? { proxy, variant, score } : before;
  } catch (error) {
    // Why it cannot be counted says more than why it cannot be run.
    if (error instanceof AuspexError) return before;
    throw error;
  }
}

const measuredCounts = new WeakMap<Model, Promise<NetworkCounts>>();

function runCounts(model: Model, sizes: PrepareOptions): Promise<NetworkCounts> {
  const found = measuredCounts.get(model) ?? NetworkCounts.measured(model, sizes);
  measuredCounts.set(model, found);
  return found;
}

async function prepared(
  model: Model,
  requests: readonly ProxyRequest[],
  options: () => SubjectOptions | Promise<Subject>,
  report: OutcomeReport,
): Promise<Outcome[]> {
  let subject: Subject;
  try {
    const given = options();
    subject = await (given instanceof Promise ? given : Subject.measured(model, given));
  } catch (error) {
    const problem = asProblem(error);
    return requests.map(({ proxy, variant }) => ({ proxy, variant, error: problem, isOfPreparation: true }));
  }
  return scoreAll(subject, requests, report);
}

/** What a proxy is written as, without the checks that all of them make: by what it counts, by what it scores, or both. */
export type ProxyDefinition = Omit<ZeroCostProxy, 'count' | 'score'> & {
  count?(network: NetworkCounts, variant: string | undefined): Score | undefined;
  score?(subject: Subject, variant: string | undefined): Promise<Score>;
};

/**
 * A proxy that checks its options, what the network has, and that what comes out is a number.
 *
 * @example
 * const depth = defineProxy({
 *   name: 'square-parameters',
 *   title: 'Parameters, squared',
 *   paper: 'none',
 *   formula: 'P²',
 *   better: 'higher',
 *   scale: 'raw',
 *   needs: { weights: false, samples: 0, batches: 0, labels: false, gradients: false },
 *   variants: {},
 *   elsewhere: 'all parameters count',
 *   count: ({ parameters }) => ({ value: parameters ** 2, details: {} }),
 * });
 * depth.title; // 'Parameters, squared'
 */
export function defineProxy(definition: ProxyDefinition): ZeroCostProxy {
  const { name, needs, variants, count, score, ...rest } = definition;
  const checkVariant = (variant: string | undefined): void => {
    if (variant === undefined || Object.hasOwn(variants, variant)) return;
    const known = Object.keys(variants);
    throw new AuspexError('PROXY_VARIANT', `${name} has no variant '${variant}'`, {
      hint: known.length === 0 ? 'it has none' : `there is ${known.map((v) => `'${v}'`).join(', ')}`,
    });
  };
  return {
    ...rest,
    ...{ name, needs, variants },
    ...(count && {
      count: (network: NetworkCounts, { variant }: ProxyOptions = {}) => {
        checkVariant(variant);
        return count(network, variant);
      },
    }),
    score: async (subject, { variant } = {}) => {
      checkVariant(variant);
      checkNeeds(subject, name, needs);
      const found =
        count?.(subject.counts, variant) ??
        (await score!(subject, variant).catch((error: unknown) => {
          throw withoutWeights(subject, name, error);
        }));
      if (Number.isFinite(found.value)) return found;
      subject.checkWeights();
      throw new AuspexError('PROXY_NOT_FINITE', `${name} is ${found.value} for this network`, {
        hint: 'values overflow or there is nothing to compare; try --init seeded, or other inputs',
      });
    },
  };
}

/** Of a network without weights some proxies are not defined: that is no failure of theirs. */
function withoutWeights({ layers }: Subject, name: string, error: unknown): unknown {
  const isIts = error instanceof AuspexError && /^(PROXY_NOT_FINITE|GRADIENT_MISSING)$/.test(error.code);
  if (layers.length > 0 || !isIts) return error;
  return new AuspexError(
    'PROXY_MEANINGLESS',
    `${name} is not meaningful for a network without weights: ${error.message}`,
    {
      hint: 'weights of convolutions and matrix products count; name others with --weights',
      where: error.where,
      cause: error,
    },
  );
}

function checkNeeds(subject: Subject, name: string, needs: ProxyNeeds): void {
  if (needs.weights && subject.layers.length === 0) {
    const { initializers } = subject.model.graph;
    const isQuantised = [...subject.parameters.keys()].some((weight) =>
      isInteger(initializers.get(weight)!.dtype),
    );
    throw new AuspexError(
      'PROXY_NO_WEIGHTS',
      `${name} scores weights, and this network has none that count`,
      {
        hint: isQuantised
          ? 'the weights are quantised; score the float network instead'
          : 'weights of convolutions and matrix products count; name others with --weights',
      },
    );
  }
  const samples = needs.oneByOne ? subject.comparable : subject.samples;
  if (needs.samples > 0 && samples < needs.samples) {
    const why = subject.problems.find(({ step }) => step === 'batch')?.error;
    throw new AuspexError(
      'PROXY_BATCH',
      `${name} needs a batch of at least ${needs.samples} samples; this network takes ${subject.samples}${why ? `: ${why.message}` : ''}`,
      { hint: 'give a larger --batch', ...(why && { where: why.where, cause: why }) },
    );
  }
  if (needs.batches > subject.batchCount) {
    throw new AuspexError(
      'PROXY_BATCH',
      `${name} needs ${needs.batches} batches; there is ${subject.batchCount}`,
      {
        hint: 'give more samples, or none to use random ones',
      },
    );
  }
  if (needs.classes) subject.checkClasses();
  if (needs.samples > 0 || needs.gradients) checkSize(subject, name);
}

/** ONNX Runtime gets a network as one message, which must not pass 2 GiB. */
function checkSize({ model }: Subject, name: string): void {
  let bytes = 0;
  for (const tensor of model.graph.initializers.values()) bytes += tensorByteLength(tensor);
  if (bytes <= MAX_MESSAGE_BYTES) return;
  const size = `${(bytes / 1e9).toFixed(1)} GB`;
  throw new AuspexError('PROXY_TOO_LARGE', `${name} runs the network, but its weights take ${size}`, {
    hint: 'networks over 2 GiB cannot be run; use proxies that only count: params, macs, flops, sept',
  });
}

/** A score that is the sum of one number per layer. */
export function byLayer({ layers }: Subject, terms: readonly number[], sign = 1): Score {
  return {
    value: terms.reduce((sum, term) => sum + sign * term, 0),
    details: { layers: layers.map(({ weight }, i) => ({ weight, value: sign * terms[i]! })) },
  };
}
