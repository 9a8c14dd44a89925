// Scores one network after another: what every lane of a pool does. Whatever goes wrong with a network becomes its
// result.
import { type Inference, inferShapes } from '../../analysis/infer.js';
import type { Model } from '../../graph/graph.js';
import { type Network, ONNX } from '../../networks/index.js';
import {
  type Explanation,
  explainSubject,
  requestNamed,
  Subject,
  type SubjectOptions,
  scoreNetwork,
} from '../../proxies/index.js';
import { withKnownSizes } from '../../proxies/subject/normalise.js';
import { attempt } from '../../util/attempt.js';
import { AuspexError } from '../../util/errors.js';
import { type Problem, problemOf } from '../problem.js';
import { BATCH, type ScoringPlan } from './plan.js';
import { isScored, type NetworkResult } from './record.js';

interface ScorerOptions {
  /** Threads of ONNX Runtime; all by default. */
  readonly threads?: number | undefined;
  /** Also says what was found in networks. */
  readonly explains?: boolean | undefined;
  /** Bytes that graphs of a network may take. */
  readonly memory?: number | undefined;
  /** Bytes that they may take where the smallest part of a batch needs more. */
  readonly mostMemory?: number | undefined;
}

/** Takes a score as soon as it is found, or why there is none. */
export type ScoreReport = (name: string, found: number | Problem) => void;

/** What networks are scored on, where that is given. */
export interface Samples {
  /** How many there are; 0 where they are drawn. */
  readonly count: number;
  options(model: Model, wanted: number | undefined): Pick<SubjectOptions, 'batches' | 'labels'>;
}

/** Numbers that are drawn. */
const DRAWN: Samples = { count: 0, options: () => ({}) };

export class NetworkScorer {
  readonly plan: ScoringPlan;
  readonly options: ScorerOptions;
  readonly #samples: Samples;

  /** @param samples of the plan; `GivenSamples` reads them from files */
  constructor(plan: ScoringPlan, options: ScorerOptions = {}, samples: Samples = DRAWN) {
    this.plan = plan;
    this.options = options;
    this.#samples = samples;
  }

  /** @param proxies some of those of the plan; all by default */
  async score(
    network: Network,
    report?: ScoreReport,
    proxies: readonly string[] = this.plan.proxies,
  ): Promise<NetworkResult> {
    try {
      const built = this.#built(network);
      const { model, ...sized } = built;
      let subject: Subject | undefined;
      const outcomes = await scoreNetwork(
        model,
        proxies.map(requestNamed),
        async () => {
          subject = await this.#subject(built);
          return subject;
        },
        { ...this.#sizes, ...sized },
        (outcome, i) =>
          report?.(proxies[i]!, 'score' in outcome ? outcome.score.value : problemOf(outcome.error)),
      );
      const [first] = outcomes;
      const isNothing = outcomes.every((outcome) => 'error' in outcome && outcome.isOfPreparation);
      if (first && 'error' in first && isNothing) throw first.error;
      const scores: Record<string, number> = {};
      const errors: Record<string, Problem> = {};
      outcomes.forEach((outcome, i) => {
        const name = proxies[i]!;
        if ('score' in outcome) scores[name] = outcome.score.value;
        else errors[name] = problemOf(outcome.error);
      });
      const sizes = this.#chosenSizes(built, subject);
      const found = {
        scores,
        ...(Object.keys(errors).length === 0 ? {} : { errors }),
        ...(sizes.length === 0 ? {} : { sizes }),
      };
      return this.options.explains
        ? withExplanation(found, async () => explainSubject(subject ?? (await this.#subject(built))))
        : found;
    } catch (error) {
      return { scores: {}, error: problemOf(error) };
    }
  }

  /** Sizes that were chosen, with the flags that change them; also of a network of which only the cost was asked for. */
  #chosenSizes({ model, ...sized }: Built, subject: Subject | undefined): readonly string[] {
    // What a space builds leaves no size open.
    const isBuilt = sized.infer === undefined;
    const changes =
      subject?.changes ??
      (isBuilt ? [] : attempt(() => withKnownSizes(model, this.#subjectOptions(model, sized)).changes)) ??
      [];
    return changes.flatMap(({ transform, what }) => (transform === 'sizes' ? [what] : []));
  }

  /** What was found in a network; it is not run. */
  explain(network: Network): Explanation {
    const { model, ...sized } = this.#built(network);
    return explainSubject(Subject.of(model, this.#subjectOptions(model, sized)));
  }

  /** What was found in a network that has been scored before, which runs once more if its sizes depend on the data. */
  async explainScored(network: Network): Promise<Explanation> {
    return explainSubject(await this.#subject(this.#built(network)));
  }

  /** Undefined where nobody says how many. */
  get #samplesAtOnce(): number | undefined {
    return this.plan.batch ?? (this.#samples.count || undefined);
  }

  /** The sizes that a file leaves open. */
  get #sizes(): Pick<SubjectOptions, 'dims' | 'shapes'> {
    const { dims, shapes } = this.plan;
    return given({ dims, shapes });
  }

  /** A network as it is scored. */
  #subject({ model, ...sized }: Built): Promise<Subject> {
    return Subject.measured(model, this.#subjectOptions(model, sized));
  }

  #subjectOptions(model: Model, sized: Omit<Built, 'model'>): SubjectOptions {
    const { seed, init, weights, features, vocabulary, statistics, logits, loss } = this.plan;
    const { threads, memory, mostMemory } = this.options;
    return {
      seed,
      initialise: init === 'file' ? 'file' : 'default',
      ...this.#sizes,
      ...sized,
      ...given({ weights, features, vocabulary, statistics, output: logits, loss }),
      ...this.#samples.options(model, this.#samplesAtOnce),
      ...given({ memory, mostMemory }),
      ...(threads === undefined ? {} : { session: { threads } }),
    };
  }

  /** The model of a network, and what is left for the subject to fix: a file is read as it is. */
  #built(network: Network): Built {
    const samples = this.#samplesAtOnce;
    const { seed, batch, resolution, width, classes } = this.plan;
    const sizes = given({ resolution, width, classes });
    const { arch, file } = network;
    if (arch && file === undefined) {
      // What a space builds has classes.
      const model = network.at({ ...sizes, batch: samples ?? BATCH, seed }).model();
      return { model, loss: 'cross-entropy' };
    }
    const ofBatch = { ...(batch === undefined ? {} : { batch }), isBounded: true };
    if (arch?.space.name === ONNX) return { model: editedModel(network.at(sizes), samples), ...ofBatch };
    const sized = network.at(sizes);
    const model = sized.model();
    // What a network has inferred of its own model is not inferred again.
    const known = new Map<string, Inference>();
    const infer: SubjectOptions['infer'] = (of, options) => {
      if (of !== model) return inferShapes(of, options);
      const key = JSON.stringify(options);
      const found = known.get(key) ?? sized.at(options).inference();
      known.set(key, found);
      return found;
    };
    return { model, infer, ...ofBatch };
  }
}

/** What was found in a network, or why that cannot be said; a network with scores keeps them. */
export async function withExplanation<T extends NetworkResult>(
  found: T,
  explain: () => Promise<Explanation>,
): Promise<T> {
  try {
    return { ...found, explanation: await explain() };
  } catch (error) {
    return { ...found, [isScored(found) ? 'unexplained' : 'error']: problemOf(error) };
  }
}

interface Built extends Pick<SubjectOptions, 'infer' | 'batch' | 'loss' | 'isBounded'> {
  readonly model: Model;
}

/** An edit of a file for a batch, if the file does not fix another. */
function editedModel(network: Network, samples = BATCH): Model {
  try {
    return network.at({ batch: samples }).model();
  } catch (error) {
    if (error instanceof AuspexError && error.code === 'SIZE_FIXED') return network.model();
    throw error;
  }
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that have a value. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
