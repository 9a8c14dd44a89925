// Whether a network with another batch gives for every sample what the network gave alone: both are run.
import type { Model } from '../../graph/graph.js';
import { type Feeds, type HostTensor, hostTensor, Session, type TypedArray } from '../../runtime/session.js';
import { AuspexError } from '../../util/errors.js';
import type { Rebatched } from '../batch.js';

/** How far samples of a batch are from what they gave alone. */
interface BatchDifference {
  /** The largest difference of an output's numbers, over the largest of its numbers. */
  readonly relative: number;
  /** The output that has it. */
  readonly output: string;
  /** Outputs that were compared. */
  readonly outputs: number;
}

/** Kernels of ONNX Runtime are off by some 1e-8 where an output is nothing but the end of a sigmoid. */
const LEAST_SCALE = 1e-4;

type Plain = Pick<HostTensor, 'type' | 'dims' | 'data'>;
type Inputs = Readonly<Record<string, Plain>>;

/**
 * Runs a network for each of several batches of its own, and another one for all of them at once.
 *
 * @param model the network before
 * @param single inputs for the network before, one for each run
 * @throws AuspexError BATCH_DIFFERS if an output has another shape, and what ONNX Runtime refuses
 */
export async function batchDifference(
  model: Model,
  { model: rebatched, axes }: Rebatched,
  single: readonly Inputs[],
): Promise<BatchDifference> {
  const alone = await Session.create(model, { threads: 2 });
  const rows: Record<string, HostTensor>[] = [];
  for (const inputs of single) rows.push(await alone.run(await feedsOf(inputs)));
  await alone.dispose();
  const together: Record<string, Plain> = {};
  for (const [name, first] of Object.entries(single[0]!)) {
    const axis = axes.get(name);
    together[name] =
      axis === undefined
        ? first
        : joined(
            single.map((inputs) => inputs[name]!),
            axis,
          );
  }
  const session = await Session.create(rebatched, { threads: 2 });
  const found = await session.run(await feedsOf(together));
  await session.dispose();
  let worst = { relative: 0, output: '', outputs: 0 };
  for (const [name, whole] of Object.entries(found)) {
    const axis = axes.get(name);
    const given = rows.map((row) => row[name]!);
    const isExtra = whole.dims.length === given[0]!.dims.length + 1;
    const expected =
      axis === undefined
        ? given[0]!
        : joined(
            given.map((t) => (isExtra ? withAxis(t) : t)),
            axis,
          );
    if (String(expected.dims) !== String(whole.dims)) {
      throw new AuspexError(
        'BATCH_DIFFERS',
        `output '${name}' is [${whole.dims}] for a batch, not [${expected.dims}]`,
      );
    }
    const relative = difference(expected, whole);
    worst = {
      outputs: worst.outputs + 1,
      ...(relative >= worst.relative
        ? { relative, output: name }
        : { relative: worst.relative, output: worst.output }),
    };
  }
  return worst;
}

async function feedsOf(inputs: Inputs): Promise<Feeds> {
  const entries = Object.entries(inputs).map(
    async ([name, { type, data, dims }]) => [name, await hostTensor(type, data, dims)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

function withAxis(tensor: HostTensor): Plain {
  return { type: tensor.type, data: tensor.data, dims: [1, ...tensor.dims] };
}

/** Tensors one after the other along an axis. */
function joined(tensors: readonly Plain[], axis: number): Plain {
  const [first] = tensors as readonly [Plain, ...Plain[]];
  const inner = first.dims.slice(axis + 1).reduce((n, d) => n * d, 1);
  const outer = first.dims.slice(0, axis).reduce((n, d) => n * d, 1);
  const length = tensors.reduce((n, { data }) => n + data.length, 0);
  const data = new (first.data.constructor as new (length: number) => TypedArray)(length);
  let at = 0;
  for (let i = 0; i < outer; i++) {
    for (const tensor of tensors) {
      const size = tensor.dims[axis]! * inner;
      const part = tensor.data.subarray(i * size, (i + 1) * size);
      (data as Float32Array).set(part as Float32Array, at);
      at += size;
    }
  }
  const size = tensors.reduce((n, { dims }) => n + dims[axis]!, 0);
  return { type: first.type, data, dims: first.dims.with(axis, size) };
}

/** The largest difference of two tensors of one shape, over the largest number (at least 1e-4); Infinity where one is not a number. */
function difference(expected: Plain, found: Plain): number {
  let [largest, scale] = [0, 0];
  for (let i = 0; i < expected.data.length; i++) {
    const [a, b] = [Number(expected.data[i]), Number(found.data[i])];
    if (Number.isFinite(a)) scale = Math.max(scale, Math.abs(a));
    if (a === b || (Number.isNaN(a) && Number.isNaN(b))) continue;
    const gap = Math.abs(a - b);
    largest = Math.max(largest, Number.isNaN(gap) ? Number.POSITIVE_INFINITY : gap);
  }
  return largest === 0 ? 0 : largest / Math.max(scale, LEAST_SCALE);
}
