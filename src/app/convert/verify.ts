// Whether two files compute the same: both are run in ONNX Runtime on the same drawn inputs, one after the other, so that
// only one is in memory.
import { endRounding } from '../../analysis/end-rounding.js';
import { isKnown } from '../../graph/dim.js';
import type { DataType } from '../../graph/dtype.js';
import type { Model } from '../../graph/graph.js';
import { isTensor } from '../../graph/types.js';
import { givenInputs, type InputBatch, type InputTensor, typedArray } from '../../inputs/drawn.js';
import { feedsOf, firstRun, type Trial } from '../../inputs/trial.js';
import { difference, numbersOf, type OutputDifference } from '../../runtime/difference.js';
import { withOrderedSeeds } from '../../runtime/seeds.js';
import { type HostTensor, Session } from '../../runtime/session.js';
import type { GivenSizes } from '../../transform/sizes.js';
import { AuspexError } from '../../util/errors.js';
import { type BatchPlaces, joined, piecesOf } from './rows.js';

export type Verification =
  | {
      readonly status: 'same' | 'different';
      readonly outputs: readonly OutputDifference[];
      readonly inputs: InputBatch;
    }
  /** The original does not run here; `isRun` says whether the converted file does. */
  | { readonly status: 'not run'; readonly reason: string; readonly isRun: boolean };

type Results = Readonly<Record<string, HostTensor>>;

/**
 * Kernels as they are, so that what ONNX Runtime makes of the graphs is not compared. Weights that are constant in one
 * graph and computed in the other would be packed in one only, and summed up in another order.
 */
const AS_WRITTEN = { optimization: 'disabled', prepacking: false } as const;

/** What is compared, and how. */
interface Comparison {
  /** The original and what became of it. */
  readonly models: readonly [before: Model, after: Model];
  /** Their files. */
  readonly files: readonly [before: string, after: string];
  /** The largest relative difference that counts as the same. */
  readonly tolerance: number;
  /** Or the least cosine of both outputs. */
  readonly cosine?: number | undefined;
  /** Sizes of inputs that are fixed. */
  readonly given?: GivenSizes | undefined;
  /** Where the batch is, if it is another: the original is run on its samples. */
  readonly batch?: BatchPlaces | undefined;
}

/**
 * Runs both files.
 *
 * @throws AuspexError CONVERT_BROKEN where only the original runs
 */
export async function verified(comparison: Comparison): Promise<Verification> {
  const { models, files, tolerance, cosine, batch } = comparison;
  const others = givenInputs(comparison.models[1]).filter(({ name }) => !isInput(comparison.models[0], name));
  const first =
    others.length > 0
      ? `it has no input '${others[0]!.name}'`
      : await (batch ? inPieces(comparison, batch) : whole(comparison));
  if (typeof first === 'string') return { status: 'not run', reason: first, isRun: await loads(files[1]) };
  let results: Results;
  try {
    const inputs = inTypesOf(comparison.models[1], first.inputs);
    results = await within(models[1], files[1], async (session) => session.run(await feedsOf(inputs)));
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
    difference(name, first.result[name]!, results[name], endRounding(models[0], name)),
  );
  const isSame = outputs.every(
    (output) => output.relative <= tolerance || (cosine !== undefined && output.cosine >= cosine),
  );
  return { status: isSame ? 'same' : 'different', outputs, inputs: first.inputs };
}

function isInput({ graph }: Model, name: string): boolean {
  return graph.inputs.some((input) => input.name === name);
}

/** Inputs in the types that a network takes them in; those that it does not take are left out. */
function inTypesOf(model: Model, inputs: InputBatch): InputBatch {
  const converted: Record<string, InputTensor> = {};
  for (const { name, type } of givenInputs(model)) {
    const given = inputs[name];
    if (given === undefined) continue;
    const dtype = isTensor(type) ? type.dtype : undefined;
    converted[name] = dtype === undefined || dtype === given.type ? given : cast(name, given, dtype);
  }
  return converted;
}

function cast(name: string, given: InputTensor, dtype: DataType): InputTensor {
  const numbers = Float64Array.from(numbersOf(given as HostTensor), Number);
  return { type: dtype, dims: given.dims, data: typedArray(name, dtype, given.dims, numbers) };
}

/** With a session of a file; of the model with seeds where it draws numbers, which would be others in every run. */
async function within<T>(model: Model, path: string, work: (session: Session) => Promise<T>): Promise<T> {
  const seeded = withOrderedSeeds(model);
  const session = await (seeded ? Session.create(seeded, AS_WRITTEN) : Session.ofFile(path, AS_WRITTEN));
  try {
    return await work(session);
  } finally {
    await session.dispose();
  }
}

type FirstRun = Pick<Trial<Results>, 'inputs' | 'result'>;

/** The original on the first inputs that it takes, or why it takes none. */
async function whole({ models: [before], files, given = {} }: Comparison): Promise<FirstRun | string> {
  return orReason(async () => {
    const found = await within(before, files[0], (session) =>
      firstRun(before, (feeds) => session.run(feeds), { given }),
    );
    if (withOrderedSeeds(before) === undefined) return found;
    // Inputs that were tried before have drawn numbers, too: what is compared is the first run of a session.
    const { inputs } = found;
    const result = await within(before, files[0], async (session) => session.run(await feedsOf(inputs)));
    return { inputs, result };
  });
}

/** Batches of this many pieces, where their number is open. */
const PIECES = 2;

/** The original on the samples of a batch that the other network takes. */
async function inPieces({ models, files }: Comparison, places: BatchPlaces): Promise<FirstRun | string> {
  const [before, after] = models;
  const dims: Record<string, number> = {};
  for (const { name, type } of after.graph.inputs) {
    const size = isTensor(type) ? type.shape?.[places.axes.get(name) ?? -1] : undefined;
    if (size !== undefined && !isKnown(size)) dims[size.toString()] = PIECES * places.was;
  }
  return orReason(async () => {
    const { inputs } = await within(after, files[1], (session) =>
      firstRun(after, (feeds) => session.run(feeds), { given: { dims } }),
    );
    const result = await within(before, files[0], async (session) => {
      const results: Results[] = [];
      for (const piece of piecesOf(inputs, places)) results.push(await session.run(await feedsOf(piece)));
      return joined(results, places);
    });
    return { inputs, result };
  });
}

async function orReason<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AuspexError)) throw error;
    return error.message;
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
