// What two networks compute on the same inputs. One is run after the other, so that only one is in memory.
import { endRounding } from '../../analysis/end-rounding.js';
import { inferShapes } from '../../analysis/infer.js';
import type { Model } from '../../graph/graph.js';
import { formatType } from '../../graph/types.js';
import { drawInputs, givenInputs, type InputBatch } from '../../inputs/drawn.js';
import { feedsOf, firstRun } from '../../inputs/trial.js';
import { difference, type OutputDifference } from '../../runtime/difference.js';
import { withOrderedSeeds } from '../../runtime/seeds.js';
import { type HostTensor, Session } from '../../runtime/session.js';
import type { GivenSizes } from '../../transform/sizes.js';
import { AuspexError } from '../../util/errors.js';

export type OutputComparison =
  | {
      readonly status: 'run';
      /** How many inputs both were run on. */
      readonly samples: number;
      readonly seed: number;
      /** Sizes that were chosen for the first network, by name. */
      readonly sizes: Readonly<Record<string, number>>;
      /** The largest difference of every output, over all inputs. */
      readonly outputs: readonly OutputDifference[];
    }
  | { readonly status: 'not run'; readonly reason: string };

export interface RunOptions {
  readonly samples: number;
  readonly seed: number;
  readonly given?: GivenSizes;
  readonly threads?: number;
  readonly signal?: AbortSignal;
}

/**
 * Kernels as they are, so that what ONNX Runtime makes of the graphs is not compared. Weights that are constant in one
 * graph and computed in the other would be packed in one only, and summed up in another order.
 */
const AS_WRITTEN = { optimization: 'disabled', prepacking: false } as const;

/** Runs both networks on drawn inputs. Inputs and outputs correspond by name, or by place if names differ. */
export async function compareOutputs(a: Model, b: Model, options: RunOptions): Promise<OutputComparison> {
  const inputs = correspondence(
    givenInputs(a).map(({ name }) => name),
    givenInputs(b).map(({ name }) => name),
  );
  const outputs = correspondence(
    a.graph.outputs.map(({ name }) => name),
    b.graph.outputs.map(({ name }) => name),
  );
  if (inputs === undefined) {
    return { status: 'not run', reason: `inputs differ: ${signature(a)} and ${signature(b)}` };
  }
  if (outputs === undefined)
    return { status: 'not run', reason: 'the networks have different numbers of outputs' };
  try {
    const first = await resultsOfFirst(a, options);
    const second = await withSession(b, options, async (session) => {
      const results: Results[] = [];
      for (const batch of first.batches) {
        options.signal?.throwIfAborted();
        results.push(await session.run(await feedsOf(renamed(batch, inputs))));
      }
      return results;
    });
    const worst = [...outputs].map(([name, other]) =>
      first.results
        .map((result, i) => difference(name, result[name]!, second[i]![other], endRounding(a, name)))
        .reduce((p, q) => (q.relative > p.relative ? q : p)),
    );
    const { samples, seed } = options;
    return { status: 'run', samples, seed, sizes: first.sizes, outputs: worst };
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    return { status: 'not run', reason: error.message };
  }
}

type Results = Readonly<Record<string, HostTensor>>;

interface FirstResults {
  readonly batches: readonly InputBatch[];
  readonly results: readonly Results[];
  readonly sizes: Readonly<Record<string, number>>;
}

function resultsOfFirst(model: Model, options: RunOptions): Promise<FirstResults> {
  const { samples, seed, given = {}, signal } = options;
  return withSession(model, options, async (session) => {
    const { inputs, sizes, result } = await firstRun(model, (feeds) => session.run(feeds), { seed, given });
    const { types } = inferShapes(model, { ...given, dims: { ...given.dims, ...sizes } }).graph;
    const [batches, results]: [InputBatch[], Results[]] = [[inputs], [result]];
    for (let index = 1; index < samples; index++) {
      signal?.throwIfAborted();
      const batch = drawInputs(model, { seed, index, types });
      batches.push(batch);
      results.push(await session.run(await feedsOf(batch)));
    }
    return { batches, results, sizes };
  });
}

/** What the names of the first network are called in the second: by name, or else by place. */
function correspondence(a: readonly string[], b: readonly string[]): Map<string, string> | undefined {
  if (a.length !== b.length) return undefined;
  const isSame = a.every((name) => b.includes(name));
  return new Map(a.map((name, i) => [name, isSame ? name : b[i]!]));
}

function renamed(batch: InputBatch, names: ReadonlyMap<string, string>): InputBatch {
  return Object.fromEntries(Object.entries(batch).map(([name, tensor]) => [names.get(name)!, tensor]));
}

function signature(model: Model): string {
  return givenInputs(model)
    .map(({ name, type }) => `${name} ${formatType(type)}`)
    .join(', ');
}

async function withSession<T>(
  model: Model,
  { threads }: RunOptions,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  // Random operators draw the same numbers in both networks.
  const session = await Session.create(withOrderedSeeds(model) ?? model, {
    ...AS_WRITTEN,
    ...(threads === undefined ? {} : { threads }),
  });
  try {
    return await use(session);
  } finally {
    await session.dispose();
  }
}
