// Inputs to try a file on: sizes that it leaves open are typical ones, floats are normal numbers, indices are those of
// tables. Several tries, as the first may not be what the network takes.
import { inferShapes } from '../../analysis/infer.js';
import { typicalSizes } from '../../analysis/typical-sizes.js';
import { isKnown } from '../../graph/dim.js';
import { type DataType, isFloat } from '../../graph/dtype.js';
import type { Model, ValueInfo } from '../../graph/graph.js';
import { parseDim } from '../../graph/parse-dim.js';
import { fromNumbers, tensorBytes } from '../../graph/tensor.js';
import { isTensor, TensorType, type ValueType } from '../../graph/types.js';
import { streamFor } from '../../nn/stream.js';
import { findLookups, type Lookup } from '../../proxies/subject/batch.js';
import type { TypedArray } from '../../runtime/session.js';
import { attempt } from '../../util/attempt.js';
import { AuspexError } from '../../util/errors.js';

/** A tensor that a network is run on. */
export interface DrawnInput {
  readonly type: DataType;
  readonly dims: readonly number[];
  readonly data: TypedArray;
}

export type DrawnInputs = Readonly<Record<string, DrawnInput>>;

/** Sizes that are tried in the place of a typical one. */
const OTHERS: Readonly<Record<number, readonly number[]>> = {
  224: [320, 640, 256, 64, 48],
  128: [512, 64, 16, 1],
  16000: [512, 576, 4096, 784],
};

/** How numbers are drawn, in turn. Whole ones that index no table are flags, positions, samples per second. */
const NUMBERS = [
  { floats: 'normal', whole: 1 },
  { floats: 'share', whole: 1 },
  { floats: 'normal', whole: 0 },
  { floats: 'normal', whole: 16_000 },
] as const;

type ArrayOf = new (buffer: ArrayBuffer) => TypedArray;

const ARRAYS: Partial<Record<DataType, ArrayOf>> = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int8: Int8Array,
  uint8: Uint8Array,
  bool: Uint8Array,
};

/**
 * Inputs of a model, one try after another.
 *
 * @throws AuspexError CONVERT_INPUTS where inputs are not tensors of numbers
 */
export function* drawnInputs(model: Model, seed = 0): Generator<DrawnInputs> {
  const { graph } = inferShapes(model);
  const open = typicalSizes(graph);
  const lookups = attempt(() => findLookups(model, graph.types)) ?? [];
  for (const dims of sizesToTry(open)) {
    const inputs = graph.inputNames.map(
      (name): ValueInfo => ({ name, type: bound(graph.types.get(name)!, dims) }),
    );
    for (const numbers of NUMBERS) {
      yield Object.fromEntries(
        inputs.map((input, i) => [input.name, draw(input, { seed, i, numbers, lookups })]),
      );
    }
  }
}

/** A type with its sizes filled in. */
function bound(type: ValueType, dims: Readonly<Record<string, number>>): ValueType {
  if (!isTensor(type) || type.shape === undefined) return type;
  const sizes = new Map(Object.entries(dims));
  return new TensorType(
    type.dtype,
    type.shape.map((d) => (isKnown(d) ? d : parseDim(d.toString(), sizes))),
  );
}

/** The typical sizes, then others for all sizes of a kind. */
function* sizesToTry(open: ReadonlyMap<string, number>): Generator<Record<string, number>> {
  yield Object.fromEntries(open);
  for (const [usual, others] of Object.entries(OTHERS)) {
    if (![...open.values()].includes(Number(usual))) continue;
    for (const other of others) {
      yield Object.fromEntries(
        [...open].map(([name, size]) => [name, size === Number(usual) ? other : size]),
      );
    }
  }
}

interface Drawing {
  readonly seed: number;
  readonly i: number;
  readonly numbers: (typeof NUMBERS)[number];
  readonly lookups: readonly Lookup[];
}

function draw({ name, type }: ValueInfo, { seed, i, numbers, lookups }: Drawing): DrawnInput {
  const dtype = isTensor(type) ? type.dtype : undefined;
  const Numbers = dtype && ARRAYS[dtype];
  const dims = isTensor(type) ? type.shape : undefined;
  if (!Numbers || !dims?.every(isKnown)) {
    throw new AuspexError(
      'CONVERT_INPUTS',
      `input '${name}' is not made up: it is no tensor of numbers of known sizes`,
      {
        where: { path: `input '${name}'` },
      },
    );
  }
  const length = (dims as number[]).reduce((n, d) => n * d, 1);
  const random = streamFor(seed, `input ${i}`, 0);
  const rows = lookups.filter((lookup) => lookup.input === name).map((lookup) => lookup.rows);
  const below = dtype === 'uint8' ? 256 : Math.min(...rows);
  const values = new Float64Array(length).fill(numbers.whole);
  if (isFloat(dtype) && numbers.floats === 'normal') random.normals(values);
  else if (isFloat(dtype)) for (let at = 0; at < length; at++) values[at] = random.below(2 ** 24) / 2 ** 24;
  else if (below < Number.POSITIVE_INFINITY)
    for (let at = 0; at < length; at++) values[at] = random.below(below);
  const bytes = tensorBytes(fromNumbers(name, dtype!, dims as number[], values));
  return { type: dtype!, dims: dims as number[], data: new Numbers(Uint8Array.from(bytes).buffer) };
}
