import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeTensor } from '../onnx/read.js';
import { ByteRange } from '../util/bytes.js';
import type { DataType } from './dtype.js';
import {
  type ExternalFiles,
  elementCount,
  hasData,
  rawRange,
  type Tensor,
  type TypedField,
  tensorByteLength,
  tensorBytes,
  tensorNumbers,
} from './tensor.js';

/** What ONNX's own library reads from tensors of every type; see tools/dtypes.py. */
const golden = JSON.parse(
  readFileSync(new URL('../../test/fixtures/dtypes.json', import.meta.url), 'utf8'),
) as { tensors: { dtype: DataType; storage: string; tensor: string; elements: string }[] };

/** Python's text for a number. Integers beyond 2^53 are rounded, as `tensorNumbers` does. */
function fromPython(text: string): number {
  const special: Record<string, number> = { nan: Number.NaN, inf: Infinity, '-inf': -Infinity };
  return special[text] ?? Number(text);
}

function raw(dtype: DataType, dims: readonly number[], bytes: readonly number[]): Tensor {
  return { name: 't', dtype, dims, data: { kind: 'raw', bytes: ByteRange.of(Uint8Array.from(bytes)) } };
}

function inField(
  dtype: DataType,
  dims: readonly number[],
  field: TypedField,
  ...chunks: readonly number[][]
): Tensor {
  const ranges = chunks.map((c) => ByteRange.of(Uint8Array.from(c)));
  return { name: 't', dtype, dims, data: { kind: 'fields', field, chunks: ranges } };
}

describe('elements of tensors', () => {
  it.each(golden.tensors)('$dtype in $storage are what onnx reads', ({ dtype, tensor, elements }) => {
    const decoded = decodeTensor(Buffer.from(tensor, 'base64'));
    expect(decoded.dtype).toBe(dtype);
    expect(tensorNumbers(decoded)).toEqual(elements.split(' ').map(fromPython));
  });

  it('may come in several pieces', () => {
    expect(tensorNumbers(inField('int32', [3], 'int32_data', [1, 2], [0x80, 0x01]))).toEqual([1, 2, 128]);
  });

  it('are one for a scalar and none for an empty tensor', () => {
    expect(tensorNumbers(raw('uint8', [], [7]))).toEqual([7]);
    expect(tensorNumbers(raw('uint8', [3, 0], []))).toEqual([]);
    expect(elementCount({ dims: [] })).toBe(1);
    expect(elementCount({ dims: [...new Array<number>(40).fill(2 ** 53), 0] })).toBe(0);
  });

  it('under a byte are packed', () => {
    expect(tensorByteLength(raw('int4', [3], []))).toBe(2);
    expect(tensorByteLength(raw('uint2', [5], []))).toBe(2);
    expect(tensorByteLength(raw('float6e2m3', [4], []))).toBe(3);
  });
});

describe('tensors that say something else than they hold', () => {
  const refused: readonly [string, Tensor, string][] = [
    ['too few raw bytes', raw('float32', [2], [0, 0, 0, 0]), 'TENSOR_DATA'],
    ['too many raw bytes', raw('int8', [1], [0, 0]), 'TENSOR_DATA'],
    ['a huge shape over little data', inField('int32', [2 ** 40], 'int32_data', [1]), 'TENSOR_DATA'],
    ['a huge shape over floats', inField('float32', [2 ** 40], 'float_data', [0, 0, 0, 0]), 'TENSOR_DATA'],
    ['too few numbers', inField('int64', [3], 'int64_data', [0x80, 0x80, 0x01]), 'TENSOR_DATA'],
    ['too many numbers', inField('int64', [1], 'int64_data', [1, 2]), 'TENSOR_DATA'],
    [
      'floats of another width',
      inField('float16', [2], 'float_data', [0, 0, 0, 0, 0, 0, 0, 0]),
      'TENSOR_DATA',
    ],
    ['a number that is cut off', inField('int64', [1], 'int64_data', [0x80]), 'ONNX_MALFORMED'],
    [
      'a number of eleven bytes',
      inField('int64', [11], 'int64_data', [...new Array<number>(10).fill(0x80), 1]),
      'ONNX_MALFORMED',
    ],
    ['complex numbers', raw('complex64', [1], new Array<number>(8).fill(0)), 'TENSOR_DATA'],
    [
      'complex numbers as integers',
      inField('complex128', [1], 'int64_data', new Array(16).fill(1)),
      'TENSOR_DATA',
    ],
  ];
  it.each(refused)('%s', (_, tensor, code) => {
    expect(() => tensorNumbers(tensor)).toThrowError(expect.objectContaining({ code }));
  });

  it('strings have no raw bytes', () => {
    const values = [new TextEncoder().encode('é'), new Uint8Array()];
    const tensor: Tensor = { name: 't', dtype: 'string', dims: [2], data: { kind: 'strings', values } };
    expect(tensorByteLength(tensor)).toBe(2);
    expect(() => tensorBytes(tensor)).toThrowError(expect.objectContaining({ code: 'TENSOR_DATA' }));
  });
});

describe('external data', () => {
  const file = ByteRange.of(Uint8Array.from([9, 9, 1, 2, 3, 4]));
  const files: ExternalFiles = { open: () => file };
  const external = (offset: number, length: number | undefined, dims: readonly number[]): Tensor => ({
    name: 't',
    dtype: 'uint8',
    dims,
    data: { kind: 'external', location: 'w.bin', offset, length, files },
  });

  it('is read at its offset', () => {
    expect(tensorNumbers(external(2, 4, [4]))).toEqual([1, 2, 3, 4]);
    expect(tensorNumbers(external(4, undefined, [2]))).toEqual([3, 4]);
    expect(rawRange(external(3, 2, [2]))!.read()).toEqual(Uint8Array.from([2, 3]));
  });

  it.each<[number, number | undefined, number[], string]>([
    [5, 2, [2], 'DATA_TRUNCATED'],
    [2 ** 52, 1, [1], 'DATA_TRUNCATED'],
    [0, undefined, [2 ** 50], 'DATA_TRUNCATED'],
    [0, 3, [2], 'TENSOR_DATA'],
  ])('offset %s, length %s, shape [%s] ends in %s', (offset, length, dims, code) => {
    expect(() => tensorBytes(external(offset, length, dims))).toThrowError(expect.objectContaining({ code }));
  });

  it('that was not given is an error only when it is asked for', () => {
    const tensor: Tensor = {
      name: 't',
      dtype: 'uint8',
      dims: [1],
      data: { kind: 'external', location: 'w.bin', offset: 0, length: 1 },
    };
    expect(hasData(tensor)).toBe(false);
    expect(() => tensorBytes(tensor)).toThrowError(expect.objectContaining({ code: 'DATA_MISSING' }));
  });
});
