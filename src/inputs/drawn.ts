// Inputs made up for a network whose sizes are all known, by what they mean: token ids below the vocabulary, masks of ones,
// positions, states of zeros, images of normal numbers or bytes. All are drawn from a seed.
import { inferShapes } from '../analysis/infer.js';
import type { DataType } from '../graph/dtype.js';
import type { Model, ValueInfo } from '../graph/graph.js';
import { fromNumbers, tensorBytes } from '../graph/tensor.js';
import { isTensor, type TensorType, type ValueType } from '../graph/types.js';
import { streamFor } from '../nn/stream.js';
import type { TypedArray } from '../runtime/session.js';
import { AuspexError } from '../util/errors.js';
import type { Random } from '../util/random.js';
import { findLookups, type Lookup } from './lookups.js';
import { type Meaning, meaningOf, meaningText } from './meaning.js';

/** A tensor as one gives it. */
export interface InputTensor {
  readonly type: DataType;
  readonly dims: readonly number[];
  readonly data: TypedArray;
}

/** The inputs of a network, by name. */
export type InputBatch = Readonly<Record<string, InputTensor>>;

interface Drawing {
  readonly seed: number;
  /** Which of several batches. */
  readonly index?: number;
  /** How many different tokens there are where tables do not tell; 100 by default. */
  readonly vocabulary?: number;
  /** Types of values, where they were inferred before. */
  readonly types?: ReadonlyMap<string, ValueType>;
  readonly lookups?: readonly Lookup[];
}

const VOCABULARY = 100;

/** What an input was taken for. */
interface InputDescription {
  readonly name: string;
  readonly meaning: Meaning;
  /** For people: 'token ids below 30522'. */
  readonly text: string;
}

/** What every input that has to be given is taken for. */
export function describeInputs(model: Model, drawing: Omit<Drawing, 'seed'> = {}): InputDescription[] {
  const types = drawing.types ?? inferShapes(model).graph.types;
  const lookups = drawing.lookups ?? findLookups(model, types);
  const context = { model, types, lookups, vocabulary: drawing.vocabulary ?? VOCABULARY };
  return givenInputs(model).map((info) => {
    const typed = { ...info, type: types.get(info.name) ?? info.type };
    const meaning = meaningOf(typed, context);
    return { name: info.name, meaning, text: meaningText(meaning) };
  });
}

/**
 * Inputs for a network.
 *
 * @throws AuspexError INPUT_SIZES if a size is open, INPUT_KIND for inputs that are not made up
 *
 * @example
 * const inputs = drawInputs(readModel('bert.onnx'), { seed: 1 });
 */
export function drawInputs(model: Model, drawing: Drawing): InputBatch {
  const { seed, index = 0 } = drawing;
  const types = drawing.types ?? inferShapes(model).graph.types;
  const described = describeInputs(model, { ...drawing, types });
  return Object.fromEntries(
    described.map(({ name, meaning }, position) => {
      const { dtype, dims } = sizedType(name, types.get(name));
      const random = streamFor(seed, `input ${position}`, index);
      return [
        name,
        { type: dtype, dims, data: typedArray(name, dtype, dims, numbersOf(meaning, dims, random)) },
      ];
    }),
  );
}

/** Inputs that have no value of their own in the file. */
export function givenInputs({ graph }: Model): readonly ValueInfo[] {
  return graph.inputs.filter(({ name }) => !graph.initializers.has(name));
}

function sizedType(name: string, type: ValueType | undefined): { dtype: DataType; dims: readonly number[] } {
  if (!isTensor(type) || type.dtype === undefined) {
    throw new AuspexError('INPUT_KIND', `input '${name}' is not a tensor, so random values cannot be drawn`, {
      hint: 'give the inputs yourself',
    });
  }
  const { dtype, shape } = type as TensorType & { dtype: DataType };
  if (!shape?.every((d) => typeof d === 'number')) {
    throw new AuspexError(
      'INPUT_SIZES',
      `input '${name}' is ${type}: its sizes must be known to draw random values`,
      {
        hint: 'fix open sizes with --dim, or the whole shape with --shape',
      },
    );
  }
  return { dtype, dims: shape };
}

function numbersOf(meaning: Meaning, dims: readonly number[], random: Random): Float64Array {
  const numbers = new Float64Array(dims.reduce((n, d) => n * d, 1));
  switch (meaning.kind) {
    case 'numbers':
      random.normals(numbers);
      return numbers;
    case 'tokens':
      return numbers.map(() => random.below(meaning.below));
    case 'bytes':
      return numbers.map(() => random.below(256));
    case 'positions':
      return numbers.map((_, i) => i % (dims.at(-1) ?? 1));
    case 'same':
      return numbers.fill(meaning.value);
    case 'row':
      return numbers.map((_, i) => meaning.values[i % meaning.values.length]!);
  }
}

const ARRAYS: Partial<Record<DataType, new (buffer: ArrayBuffer) => TypedArray>> = {
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

/** Numbers as the elements of a tensor. */
export function typedArray(
  name: string,
  dtype: DataType,
  dims: readonly number[],
  numbers: ArrayLike<number>,
): TypedArray {
  const Elements = ARRAYS[dtype];
  if (Elements === undefined) {
    throw new AuspexError(
      'INPUT_KIND',
      `input '${name}' is ${dtype}; random values are not drawn for this type`,
      {
        hint: 'give the inputs yourself',
      },
    );
  }
  return new Elements(tensorBytes(fromNumbers(name, dtype, dims, numbers)).slice().buffer as ArrayBuffer);
}
