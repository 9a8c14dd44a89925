// Builds one network after another and scores it: what every worker of `auspex proxy` does. Whatever goes wrong with a
// network becomes its result.
import { readModel } from '../onnx/file.js';
import { requestNamed, Subject, scoreAll } from '../proxies/index.js';
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
    const { space, seed, init, batch, resolution, width, classes, logits, ...plan } = this.#plan;
    const samples = batch ?? (this.#samples.count || undefined);
    const of = space === null ? undefined : spaceNamed(space);
    const sizes = given({ resolution, width, classes });
    const model = of
      ? of.network(of.parse(network), { ...sizes, batch: samples ?? BATCH, seed })
      : readModel(network);
    const { dims, shapes, weights, features, vocabulary, statistics } = plan;
    return Subject.of(model, {
      seed,
      initialise: init === 'file' ? 'file' : 'default',
      ...given({ dims, shapes, weights, features, vocabulary, statistics, output: logits }),
      ...(of || batch === undefined ? {} : { batch }),
      ...this.#samples.options(model, samples),
      ...(this.#threads === undefined ? {} : { session: { threads: this.#threads } }),
    });
  }

  async score(network: string): Promise<NetworkResult> {
    try {
      const outcomes = await scoreAll(this.subject(network), this.#plan.proxies.map(requestNamed));
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
