// Whether two files compute the same: both are run in ONNX Runtime on the same drawn inputs, one after the other, so that
// only one is in memory.
import type { DataType } from '../../graph/dtype.js';
import type { Model } from '../../graph/graph.js';
import { fromNumbers, tensorNumbers } from '../../graph/tensor.js';
import type { InputBatch } from '../../inputs/drawn.js';
import { feedsOf, firstRun, type Trial } from '../../inputs/trial.js';
import { type HostTensor, Session } from '../../runtime/session.js';
import { ByteRange } from '../../util/bytes.js';
import { AuspexError } from '../../util/errors.js';

/** How far an output of the converted file is from that of the original. */
export interface OutputDifference {
  readonly name: string;
  /** Largest difference of two elements; infinite where shapes differ, or only one is a number. */
  readonly absolute: number;
  /** The same, relative to the largest number of the original. */
  readonly relative: number;
}

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
    throw new AuspexError('CONVERT_BROKEN', `only the original runs: ${error.message}`, {
      kind: 'failure',
      cause: error,
    });
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

/** How far apart two results are. */
export function difference(name: string, a: HostTensor, b: HostTensor | undefined): OutputDifference {
  const apart = { name, absolute: Number.POSITIVE_INFINITY, relative: Number.POSITIVE_INFINITY };
  if (b === undefined || a.type !== b.type || String(a.dims) !== String(b.dims)) return apart;
  const [x, y] = [numbersOf(a), numbersOf(b)];
  if (typeof x[0] === 'string')
    return x.every((text, i) => text === y[i]) ? { name, absolute: 0, relative: 0 } : apart;
  let [absolute, largest] = [0, 0];
  for (let i = 0; i < x.length; i++) {
    const [own, other] = [Number(x[i]), Number(y[i])];
    if (Object.is(own, other) || own === other) {
      if (Number.isFinite(own)) largest = Math.max(largest, Math.abs(own));
      continue;
    }
    const gap = Math.abs(own - other);
    if (!(gap < Number.POSITIVE_INFINITY)) return apart;
    absolute = Math.max(absolute, gap);
    largest = Math.max(largest, Math.abs(own));
  }
  return { name, absolute, relative: absolute === 0 ? 0 : absolute / (largest || absolute) };
}

/** Elements; halves come as their bits. */
function numbersOf({
  type,
  data,
  dims,
}: HostTensor): ArrayLike<number | bigint | string> & { every: unknown[]['every'] } {
  if ((type as DataType) !== 'float16') return data as never;
  const bits = data as Uint16Array;
  const bytes = ByteRange.of(new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength));
  return tensorNumbers({ ...fromNumbers('', 'float16', [0], []), dims, data: { kind: 'raw', bytes } });
}
