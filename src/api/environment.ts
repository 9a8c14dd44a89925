// What the library uses of the place it runs in: files, bundled predictors, threads. A page has none of these; under
// Node, `disk.ts` brings them.
import { archKeyOf, type Equality, equalRowsBy } from '../app/arch-keys.js';
import type { EqualRows } from '../app/data/split-rows.js';
import type { Family } from '../app/known-networks.js';
import type { PredictorSource } from '../app/predict.js';
import { PREFERRED_SPACES } from '../app/preferred-spaces.js';
import { problemOf } from '../app/problem.js';
import type { NamedNetworks } from '../app/resolve.js';
import type { ScoringPlan } from '../app/score/plan.js';
import type { ScoredNetwork } from '../app/score/record.js';
import type { ScorePool } from '../app/score/scorers.js';
import { NetworkScorer, type Samples } from '../app/score/scoring.js';
import type { FindTrunk } from '../app/train/applicable.js';
import type { ReadTableOptions } from '../datasets/importers/read-table.js';
import type { Table } from '../datasets/table.js';
import type { Model } from '../graph/graph.js';
import { type Network, Resolver } from '../networks/index.js';
import type { ReadOptions } from '../onnx/read.js';
import type { Predictor } from '../predictors/predictor.js';
import type { SessionOptions } from '../runtime/session.js';
import type { SearchLog } from '../search/log.js';
import { AuspexError } from '../util/errors.js';
import { pauses } from '../util/pauses.js';

export interface Environment {
  /** Turns references into networks. */
  resolver(): Resolver;
  /** The files of a folder or of a pattern; any other reference as it is. */
  listed(ref: string): readonly string[];
  readModel(path: string, options?: ReadOptions): Model;
  loadPredictor(path: string, options?: SessionOptions): Promise<Predictor>;
  readTable(
    path: string,
    options: ReadTableOptions & { readonly signal?: AbortSignal | undefined },
  ): Promise<Table>;
  /** Predictors of the package. */
  bundled(options: Pick<SessionOptions, 'threads'>): PredictorSource;
  trunk: FindTrunk;
  familyOf(network: Network): Family | undefined;
  equalRows: EqualRows;
  /** Samples that a plan names. */
  samples(plan: ScoringPlan): Samples | undefined;
  scorePool: ScorePool;
  /** A log in a file, and what closes it. */
  searchLog(path: string, resume: boolean): SearchLog & { close(): void };
  threads(): number;
}

function noFiles(path: string): never {
  throw new AuspexError('NETWORKS_UNREADABLE', `there are no files here to read '${path}' from`, {
    hint: 'give the bytes of the file',
  });
}

/** A place without files. */
export const PAGE: Environment = {
  resolver: () => new Resolver({ preferred: PREFERRED_SPACES }),
  listed: (ref) => [ref],
  readModel: noFiles,
  loadPredictor: async (path) => noFiles(path),
  readTable: async (path) => noFiles(path),
  bundled: () => ({
    for: async () => [],
    labels: () => [],
    recipes: () => [],
    dispose: async () => undefined,
  }),
  trunk: async () => undefined,
  familyOf: ({ arch }) => (arch === undefined ? undefined : { name: arch.space.title, by: 'space' }),
  equalRows: (table: Table, equality: Equality, work) =>
    equalRowsBy(table, equality, async (path) => archKeyOf(table.space)(path), work),
  samples: ({ images, inputs: [input] = [] }) => {
    const path = images?.folder ?? input?.file;
    return path === undefined ? undefined : noFiles(path);
  },
  scorePool: scoreInTurn,
  searchLog: noFiles,
  threads: () => 1,
};

/** One network after another, in this thread. */
async function* scoreInTurn(
  networks: NamedNetworks,
  plan: ScoringPlan,
  { signal }: { readonly signal?: AbortSignal | undefined },
): AsyncGenerator<ScoredNetwork> {
  const scorer = new NetworkScorer(plan);
  const pause = pauses(signal);
  for (let index = 0; index < networks.count; index++) {
    const about = { kind: 'network', index, network: networks.name(index) } as const;
    try {
      yield { ...about, ...(await scorer.score(networks.at(index))) };
    } catch (error) {
      if (!(error instanceof AuspexError)) throw error;
      yield { ...about, scores: {}, error: problemOf(error) };
    }
    await pause();
  }
}

let current = PAGE;

/** The place that the library runs in. */
export function here(): Environment {
  return current;
}

export function useEnvironment(environment: Environment): void {
  current = environment;
}
