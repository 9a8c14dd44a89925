// Whether two files compute the same: both are run in ONNX Runtime on the same drawn inputs, one after the other, so that
// only one is in memory.
import type { Model } from '../../graph/graph.js';
import type { InputBatch } from '../../inputs/drawn.js';
import { feedsOf, firstRun, type Trial } from '../../inputs/trial.js';
import { difference, type OutputDifference } from '../../runtime/difference.js';
import { type HostTensor, Session } from '../../runtime/session.js';
import { AuspexError } from '../../util/errors.js';

export type Verification =
  | {
      readonly status: 'same' | 'different';
      readonly outputs: readonly OutputDifference[];
      readonly inputs: InputBatch;
    }
  /** The original does not run here; `isRun` says whether the converted file does. */
  | { readonly status: 'not run'; readonly reason: string; readonly isRun: boolean };

type Results = Readonly<Record<string, HostTensor>>;

/** Kernels as they are, so that what ONNX Runtime makes of the graphs is not compared. */
const AS_WRITTEN = { optimization: 'disabled' } as const;

/**
 * Runs both files.
 *
 * @param model the original, for its inputs
 * @param tolerance the largest relative difference that counts as the same
 * @throws AuspexError CONVERT_BROKEN where only the original runs
 */
export async function verified(
  model: Model,
  before: string,
  after: string,
  tolerance: number,
): Promise<Verification> {
  const first = await original(model, before);
  if (typeof first === 'string') return { status: 'not run', reason: first, isRun: await loads(after) };
  let results: Results;
  try {
    const session = await Session.ofFile(after, AS_WRITTEN);
    try {
      results = await session.run(await feedsOf(first.inputs));
    } finally {
      await session.dispose();
    }
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    throw new AuspexError(
      'CONVERT_BROKEN',
      `the original runs, but the converted file does not: ${error.message}`,
      {
        kind: 'failure',
        cause: error,
      },
    );
  }
  const outputs = Object.keys(first.result).map((name) =>
    difference(name, first.result[name]!, results[name]),
  );
  const isSame = outputs.every(({ relative }) => relative <= tolerance);
  return { status: isSame ? 'same' : 'different', outputs, inputs: first.inputs };
}

/** The original on the first inputs that it takes, or why it takes none. */
async function original(model: Model, path: string): Promise<Trial<Results> | string> {
  let session: Session | undefined;
  try {
    const opened = await Session.ofFile(path, AS_WRITTEN);
    session = opened;
    return await firstRun(model, (feeds) => opened.run(feeds));
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    return error.message;
  } finally {
    await session?.dispose();
  }
}

async function loads(path: string): Promise<boolean> {
  try {
    await (await Session.ofFile(path, AS_WRITTEN)).dispose();
    return true;
  } catch {
    return false;
  }
}
