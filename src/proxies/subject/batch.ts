// The data a network is scored on where none is given: normal numbers, tokens of its vocabulary, all drawn from a
// seed.
import type { DataType } from '../../graph/dtype.js';
import type { Model } from '../../graph/graph.js';
import { isTensor, type TensorType, type ValueType } from '../../graph/types.js';
import { streamFor } from '../../nn/stream.js';
import { traitsOf } from '../../ops/index.js';
import type { Arithmetic, Movement } from '../../ops/traits.js';
import type { TypedArray } from '../../runtime/session.js';
import { AuspexError } from '../../util/errors.js';

/** A tensor as one gives it. */
export interface InputTensor {
  readonly type: DataType;
  readonly dims: readonly number[];
  readonly data: TypedArray;
}

/** The inputs of a network, by name. */
export type InputBatch = Readonly<Record<string, InputTensor>>;

/** A table that a network reads by an integer input. */
export interface Lookup {
  /** What was read: a float value. */
  readonly output: string;
  readonly input: string;
  /** Rows of the table. */
  readonly rows: number;
  /** Whether the input is the index as it is, so that it must be smaller than `rows`. */
  readonly isDirect: boolean;
}

/** The same indices, elsewhere. */
const PASSES: ReadonlySet<Movement | undefined> = new Set(['same', 'type', 'shape', 'axes']);
/** Indices made from others. */
const SHIFTS: ReadonlySet<Arithmetic | undefined> = new Set([
  ...(['add', 'subtract', 'maximum', 'minimum', 'remainder', 'select'] as const),
]);

/** Where integer inputs are looked up in tables: embeddings. */
export function findLookups({ graph }: Model, types: ReadonlyMap<string, ValueType>): Lookup[] {
  const from = new Map<string, { input: string; isDirect: boolean }>();
  for (const { name, type } of graph.inputs) {
    if (isTensor(type) && /^u?int/.test(type.dtype ?? '')) from.set(name, { input: name, isDirect: true });
  }
  const found: Lookup[] = [];
  for (const node of graph.nodes) {
    const { moves, arithmetic, activation } = traitsOf(node);
    if (moves === 'rows') {
      const source = from.get(node.inputs[1]!);
      const table = types.get(node.inputs[0]!) as TensorType;
      const isFloatTable = /float/.test(table.dtype ?? '');
      if (source && isFloatTable) {
        const axis = node.attributes.get('axis');
        const rows = table.shape!.at(axis?.type === 'int' ? Number(axis.value) : 0) as number;
        found.push({ output: node.outputs[0]!, ...source, rows });
      }
      continue;
    }
    const isPart = moves === 'part' && node.outputs.length === 1;
    const isShift = isPart || SHIFTS.has(arithmetic) || activation === 'clip';
    if (!isShift && !PASSES.has(moves)) continue;
    const source = node.inputs.map((name) => from.get(name)).find((s) => s !== undefined);
    if (source) from.set(node.outputs[0]!, { input: source.input, isDirect: source.isDirect && !isShift });
  }
  return found;
}

export interface Drawing {
  readonly seed: number;
  /** Which batch. */
  readonly index: number;
  /** How many different tokens there are where the tables do not tell. */
  readonly vocabulary: number;
  readonly lookups: readonly Lookup[];
}

/** Draws inputs: floats from N(0, 1), indices of tables evenly, other whole numbers and booleans 1. */
export function drawBatch(model: Model, drawing: Drawing): InputBatch {
  const { seed, index } = drawing;
  return Object.fromEntries(
    model.graph.inputs.map(({ name, type }, position) => {
      const { dtype, shape } = type as TensorType;
      const dims = shape as readonly number[];
      const length = dims.reduce((n, d) => n * d, 1);
      const random = streamFor(seed, `input ${position}`, index);
      const below = boundOf(name, drawing);
      const token = (): number => (below === undefined ? 1 : random.below(below));
      const numbers = new Float64Array(/^float/.test(dtype!) ? length : 0);
      random.normals(numbers);
      let drawn = 0;
      const data = fill(dtype!, length, { number: () => numbers[drawn++]!, token }, name);
      return [name, { type: dtype!, dims, data }];
    }),
  );
}

/** Inputs of ones, also masks; indices of tables are 0, as what they read is replaced. */
export function onesBatch(model: Model, { lookups }: Pick<Drawing, 'lookups'>): InputBatch {
  const indices = new Set(lookups.map((lookup) => lookup.input));
  return Object.fromEntries(
    model.graph.inputs.map(({ name, type }) => {
      const { dtype, shape } = type as TensorType;
      const dims = shape as readonly number[];
      const length = dims.reduce((n, d) => n * d, 1);
      const data = fill(dtype!, length, { number: () => 1, token: () => Number(!indices.has(name)) }, name);
      return [name, { type: dtype!, dims, data }];
    }),
  );
}

function boundOf(input: string, { lookups, vocabulary }: Drawing): number | undefined {
  const own = lookups.filter((lookup) => lookup.input === input);
  if (own.length === 0) return undefined;
  const direct = own.filter((lookup) => lookup.isDirect).map((lookup) => lookup.rows);
  return direct.length > 0 ? Math.min(...direct) : Math.max(vocabulary, ...own.map((lookup) => lookup.rows));
}

function fill(
  dtype: DataType,
  length: number,
  { number, token }: { number: () => number; token: () => number },
  name: string,
): TypedArray {
  switch (dtype) {
    case 'float32':
      return new Float32Array(length).map(number);
    case 'float64':
      return new Float64Array(length).map(number);
    case 'int64':
      return BigInt64Array.from({ length }, () => BigInt(token()));
    case 'int32':
      return Int32Array.from({ length }, token);
    case 'uint8':
      return Uint8Array.from({ length }, token);
    case 'bool':
      return Uint8Array.from({ length }, () => 1);
    default:
      throw new AuspexError('PROXY_INPUT', `input '${name}' is of ${dtype}, which is not made up`, {
        hint: 'give the inputs',
      });
  }
}
