// Builds one network after another and scores it: what every worker of `auspex proxy` does. Whatever goes wrong with a
// network becomes its result.
import type { Model } from '../graph/graph.js';
import { readModel } from '../onnx/file.js';
import { requestNamed, Subject, type SubjectOptions, scoreNetwork } from '../proxies/index.js';
import { spaceNamed } from '../spaces/index.js';
import { AuspexError, type Where } from '../util/errors.js';
import { printableStart } from '../util/printable.js';
import { GivenSamples } from './proxy-inputs.js';
import { BATCH, type ScoringPlan } from './proxy-plan.js';

/** An error as logs and JSON have it. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly where?: Where;
  readonly hint?: string;
  /** Not what was given is at fault. */
  readonly isFailure?: true;
}

/** What came of a network: scores by the names of the plan, and why others are missing. */
export interface NetworkResult {
  readonly scores: Readonly<Record<string, number>>;
  readonly errors?: Readonly<Record<string, Problem>>;
  /** The network itself could not be had. */
  readonly error?: Problem;
}

export class NetworkScorer {
  readonly #plan: ScoringPlan;
  readonly #threads: number | undefined;
  readonly #samples: GivenSamples;

  /** Reads the samples that are given. */
  constructor(plan: ScoringPlan, threads?: number) {
    this.#plan = plan;
    this.#threads = threads;
    this.#samples = new GivenSamples(plan);
  }

  /** A network as it is scored. @param network a path, or a text of the space. */
  subject(network: string): Subject {
    const model = this.#model(network);
    return Subject.of(model, this.#options(model));
  }

  /** Samples at once; undefined where nobody says how many. */
  get #samplesAtOnce(): number | undefined {
    return this.#plan.batch ?? (this.#samples.count || undefined);
  }

  #model(network: string): Model {
    const { space, seed, resolution, width, classes } = this.#plan;
    if (space === null) return readModel(network);
    const of = spaceNamed(space);
    const sizes = given({ resolution, width, classes });
    return of.network(of.parse(network), { ...sizes, batch: this.#samplesAtOnce ?? BATCH, seed });
  }

  /** The sizes that a file leaves open. */
  get #sizes(): Pick<SubjectOptions, 'dims' | 'shapes' | 'batch'> {
    const { space, batch, dims, shapes } = this.#plan;
    return { ...given({ dims, shapes }), ...(space !== null || batch === undefined ? {} : { batch }) };
  }

  #options(model: Model): SubjectOptions {
    const { seed, init, logits, weights, features, vocabulary, statistics } = this.#plan;
    return {
      seed,
      initialise: init === 'file' ? 'file' : 'default',
      ...given({ weights, features, vocabulary, statistics, output: logits }),
      ...this.#sizes,
      ...this.#samples.options(model, this.#samplesAtOnce),
      ...(this.#threads === undefined ? {} : { session: { threads: this.#threads } }),
    };
  }

  async score(network: string): Promise<NetworkResult> {
    try {
      const model = this.#model(network);
      const requests = this.#plan.proxies.map(requestNamed);
      const outcomes = await scoreNetwork(model, requests, () => this.#options(model), this.#sizes);
      const [first] = outcomes;
      const isNothing = outcomes.every((outcome) => 'error' in outcome && outcome.isOfPreparation);
      if (first && 'error' in first && isNothing) throw first.error;
      const scores: Record<string, number> = {};
      const errors: Record<string, Problem> = {};
      outcomes.forEach((outcome, i) => {
        const name = this.#plan.proxies[i]!;
        if ('score' in outcome) scores[name] = outcome.score.value;
        else errors[name] = problemOf(outcome.error);
      });
      return Object.keys(errors).length === 0 ? { scores } : { scores, errors };
    } catch (error) {
      return { scores: {}, error: problemOf(error) };
    }
  }
}

/** Anything that is thrown; a defect of auspex or a lack of memory must not stop the other networks. */
export function problemOf(error: unknown): Problem {
  if (error instanceof AuspexError) {
    const { code, message, where, hint, kind } = error;
    const place = Object.keys(where).length === 0 ? {} : { where };
    const blame = kind === 'failure' ? { isFailure: true as const } : {};
    return { code, message, ...place, ...(hint === undefined ? {} : { hint }), ...blame };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { code: 'UNEXPECTED', message: printableStart(message, 500), isFailure: true };
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** The fields that have a value. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
