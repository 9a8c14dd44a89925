// Hostile numbers, names and types to draw from: limits of what formats and machines can hold, and their
// neighbours; with ordinary ones among them, or nothing would get past the first check.

import { type DataType, dataTypeOfCode } from '../../src/graph/dtype.js';
import type { Attribute, AttributeTypeName } from '../../src/graph/graph.js';
import { parseDim } from '../../src/graph/parse-dim.js';
import type { Tensor, TypedField } from '../../src/graph/tensor.js';
import { optionalType, sequenceType, TensorType, UNKNOWN, type ValueType } from '../../src/graph/types.js';
import { ByteRange } from '../../src/util/bytes.js';
import type { Random } from '../../src/util/random.js';
import { float32, graphOf, int64 } from './built-models.js';

const INTS: readonly (number | bigint)[] = [
  ...[0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 7, 8, 16, 100, 1000, -1, -1, -2, -3, -100],
  ...[65536, 1e6, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 40, 1e15, 2 ** 53 - 1, -(2 ** 53 - 1)],
  ...[2n ** 53n, 2n ** 62n, 2n ** 63n - 1n, -(2n ** 63n), -(2n ** 63n) + 1n, 10n ** 18n],
];

const FLOATS: readonly number[] = [
  ...[0, -0, 0.5, 1, 1, 2, 3, -1, 1.5, 1e-3, 0.1, 100, 1e9, 1e18, 3.4e38, -3.4e38, 1e-45],
  ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
];

/** Sizes as networks have them; only so do operators get to work. */
const SIZES: readonly (number | string)[] = [
  ...[1, 1, 1, 2, 2, 3, 4, 4, 8, 16, 224],
  ...['n', 'n', 'm', 'batch', '2*n', 'n+1', 'n*m', 'floor(n/2)'],
];

const ODD_SIZES: readonly (number | string)[] = [
  ...[0, 0, 7, 1e6, 2 ** 31, 2 ** 40, 2 ** 53 - 1],
  ...['max(n, m)', 'n-m', '-1', '?', 'floor((5-n)/2)', 'n^2'],
];

const RANKS = [0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5, 6];

const DATA_TYPES: readonly DataType[] = Array.from({ length: 28 }, (_, i) => dataTypeOfCode(i + 1)!);
const COMMON_TYPES: readonly DataType[] = [
  'float32',
  'float32',
  'int64',
  'int64',
  'int32',
  'bool',
  'float16',
];

export function anyInt(random: Random): number | bigint {
  return random.pick(INTS);
}

export function anyFloat(random: Random): number {
  return random.pick(FLOATS);
}

/** Mostly a type that networks use; sometimes one that exists only in the standard. */
export function anyDtype(random: Random): DataType {
  return random.pick(random.chance(0.8) ? COMMON_TYPES : DATA_TYPES);
}

/** A list of random length: mostly short, now and then very long. */
export function anyList<T>(random: Random, item: (random: Random) => T, longest = 20_000): T[] {
  const length = random.chance(0.02) ? longest : random.pick([0, 1, 1, 2, 2, 3, 4, 4, 6, 8, 30]);
  // What repeats in a very long list does not matter; drawing every item would take the time.
  const drawn = Array.from({ length: Math.min(length, 40) }, () => item(random));
  return Array.from({ length }, (_, i) => drawn[i % drawn.length]!);
}

const EQUATIONS = [
  ...['ij,jk->ik', 'bij,bjk->bik', 'ii->i', 'ij->', 'i,j', '...ij,...jk->...ik', 'ij,ij->ij'],
  ...['', '->', ',', '->->', 'i->jj', 'ij->iij', '.', '....', '...', 'i1->', 'ij,jk->zz', ' i j -> j i '],
];

const WORDS = [
  ...[
    'SAME_UPPER',
    'SAME_LOWER',
    'VALID',
    'NOTSET',
    'constant',
    'reflect',
    'edge',
    'wrap',
    'linear',
    'cubic',
  ],
  ...[
    'nearest',
    'forward',
    'reverse',
    'bidirectional',
    'add',
    'mul',
    'DCR',
    'CRD',
    'asymmetric',
    'none',
    'sum',
  ],
  ...['half_pixel', 'align_corners', 'not_larger', 'not_smaller', 'stretch', 'mean', 'NCHW', 'NHWC', 'zeros'],
  ...['', 'nonsense', 'constructor', '__proto__', 'Tanh'],
];

export function anyWord(random: Random): string {
  if (random.chance(0.03)) return `${'ab'.repeat(50_000)},${'ba'.repeat(50_000)}->ab`;
  return random.pick(random.chance(0.4) ? EQUATIONS : WORDS);
}

export function anyShape(random: Random): TensorType['shape'] {
  if (random.chance(0.08)) return undefined;
  const oddness = random.chance(0.2) ? 0.5 : 0;
  return Array.from({ length: random.chance(0.01) ? 40 : random.pick(RANKS) }, () => {
    const size = random.pick(random.chance(oddness) ? ODD_SIZES : SIZES);
    return typeof size === 'number' ? size : parseDim(size);
  });
}

/** A type of a value: a tensor most of the time. */
export function anyType(random: Random, depth = 0): ValueType {
  const kind = depth > 3 ? 0 : random.below(20);
  if (kind === 1) return UNKNOWN;
  if (kind === 2) return sequenceType(anyType(random, depth + 1));
  if (kind === 3) return optionalType(anyType(random, depth + 1));
  if (kind === 4) return { kind: 'map', key: 'int64', value: anyType(random, depth + 1) };
  if (kind === 5) return { kind: 'sparse', dtype: anyDtype(random), shape: anyShape(random) };
  return new TensorType(random.chance(0.9) ? anyDtype(random) : undefined, anyShape(random));
}

/** A constant: small and readable for the most part, so that operators look at its elements. */
export function anyTensor(random: Random, name: string): Tensor {
  const kind = random.below(12);
  const length = random.pick([0, 1, 1, 1, 2, 2, 3, 4, 4, 6, 8, 64]);
  const dims = length === 1 && random.chance(0.5) ? [] : [length];
  if (kind < 6)
    return int64(
      name,
      dims,
      Array.from({ length }, () => anyInt(random)),
    );
  if (kind < 8)
    return float32(
      name,
      dims,
      Array.from({ length }, () => anyFloat(random)),
    );
  if (kind < 10) return mismatched(random, name);
  const matrix = [random.pick([0, 1, 2, 3]), random.pick([1, 2, 4])];
  return int64(
    name,
    matrix,
    Array.from({ length: matrix[0]! * matrix[1]! }, () => anyInt(random)),
  );
}

/** A constant whose data does not fit its type and shape, or is not there. */
export function mismatched(random: Random, name: string): Tensor {
  const dims = random.pick([[], [0], [1], [2], [3, 4], [4097], [2 ** 30], [2 ** 31, 2 ** 21], [2 ** 53 - 1]]);
  const range = (): ByteRange => {
    const length = random.pick([0, 1, 7, 8, 16, 100]);
    return ByteRange.of(Uint8Array.from({ length }, () => random.below(256)));
  };
  const location = random.pick([
    'w.bin',
    '../../etc/passwd',
    '/etc/passwd',
    '',
    'a\0b',
    'C:\\w',
    'x'.repeat(9999),
  ]);
  const data: Tensor['data'] = random.pick([
    { kind: 'raw', bytes: range() },
    {
      kind: 'fields',
      field: random.pick<TypedField>(['int32_data', 'int64_data', 'float_data']),
      chunks: [range()],
    },
    { kind: 'strings', values: [new Uint8Array(random.below(5))] },
    {
      kind: 'external',
      location,
      offset: random.pick([0, 1, 2 ** 53 - 1]),
      length: random.pick([undefined, 0, 8, 2 ** 53 - 1]),
    },
  ]);
  return { name, dtype: anyDtype(random), dims, data };
}

/** An attribute of a type. */
export function anyAttribute(random: Random, type: AttributeTypeName): Attribute {
  switch (type) {
    case 'float':
      return { type, value: anyFloat(random) };
    case 'floats':
      return { type, value: anyList(random, anyFloat) };
    case 'int':
      return { type, value: anyInt(random) };
    case 'ints':
      return { type, value: anyList(random, anyInt) };
    case 'string':
      return { type, value: random.chance(0.05) ? Uint8Array.of(0xff) : anyWord(random) };
    case 'strings':
      return { type, value: anyList(random, anyWord, 50) };
    case 'tensor':
      return { type, value: anyTensor(random, 'value') };
    case 'tensors':
      return { type, value: [anyTensor(random, 'a'), anyTensor(random, 'b')] };
    case 'sparse_tensor': {
      const [values, indices] = [anyTensor(random, 'values'), anyTensor(random, 'indices')];
      return { type, value: { values, indices, dims: random.pick([[], [3], [2 ** 40, 2 ** 40]]) } };
    }
    case 'type_proto':
      return { type, value: anyType(random) };
    case 'graph':
      return { type, value: graphOf({}, [], []) };
    default:
      return { type: 'reference', value: 'nothing', of: type };
  }
}

const ATTRIBUTE_TYPES: readonly AttributeTypeName[] = [
  ...(['float', 'floats', 'int', 'ints', 'string', 'strings'] as const),
  ...(['tensor', 'tensors', 'sparse_tensor', 'type_proto', 'graph', 'undefined'] as const),
];

export function anyAttributeType(random: Random): AttributeTypeName {
  return random.pick(ATTRIBUTE_TYPES);
}
