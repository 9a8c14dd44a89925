import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { multiply, symbol } from '../../../graph/dim.js';
import { codeOfDataType, type DataType } from '../../../graph/dtype.js';
import { isTensor, TensorType, UNKNOWN } from '../../../graph/types.js';
import { apply, float } from '../../cases.testing.js';
import {
  expectSameAsOrt,
  inferTypes,
  input,
  known,
  modelOf,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const to = (dtype: DataType) => ({ to: codeOfDataType(dtype) });
const fractions = known([1.9, -1.9, 0, -0.5], 'float32');

const CASES: readonly TestCase[] = [
  apply('Cast', [float(2, 3)], to('float16')),
  apply('Cast', [float(2, 3)], to('bool'), { opset: 9 }),
  apply('Cast', [fractions], to('int64')),
  apply('Cast', [fractions], to('int32')),
  apply('Cast', [fractions], to('bool')),
  apply('Cast', [fractions], to('float64')),
  apply('Cast', [known([300, -200, 5])], to('int8')),
  apply('Cast', [known([300, -200, 5])], to('uint8')),
  apply('Cast', [known([0, 7, -3])], to('bool')),
  apply('Cast', [known([16777217])], to('float32')),
  apply('Cast', [known([1, 0], 'bool')], to('int64')),
  apply('CastLike', [known([1, 2]), float(3)]),
  apply('CastLike', [float(2, 3), input('int32', [])]),
  apply('BitCast', [float(2, 3)], to('int32'), { opset: 26 }),
];

const WRONG: readonly [why: string, test: TestCase, code: string][] = [
  ['there is no such type', apply('Cast', [float(1)], { to: 99 }), 'OP_ATTRIBUTE'],
  ['there is no type', apply('Cast', [float(1)]), 'OP_ATTRIBUTE'],
  [
    'there is no type of that name',
    apply('Cast', [float(1)], { to: 'FLOAT128' }, { opset: 1 }),
    'OP_ATTRIBUTE',
  ],
  ['widths differ', apply('BitCast', [float(1)], to('int64'), { opset: 26 }), 'TYPE_MISMATCH'],
  ['strings have no bits', apply('BitCast', [float(1)], to('string'), { opset: 26 }), 'TYPE_MISMATCH'],
];

/** The elements that a cast of some leaves known. */
function castElements(
  from: DataType,
  elements: TensorType['elements'],
  dtype: DataType,
): string[] | undefined {
  const model = modelOf(apply('Cast', [input(from, [elements!.length])], to(dtype)));
  const types = { x0: new TensorType(from, [elements!.length], elements!) };
  const [type] = inferShapes(model, { types }).graph.outputTypes;
  return isTensor(type) ? type.elements?.map(String) : undefined;
}

describe('operators that change types', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives (%#)', (test) => expectSameAsOrt(test));

  it.each(WRONG)('fails when %s', (_, test, code) => {
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code }));
  });

  it('keeps sizes symbolic between numbers', () => {
    const n = symbol('n');
    expect(castElements('int64', [n], 'float32')).toEqual(['n']);
    expect(castElements('float32', [multiply(n, 0.5), multiply(n, 2)], 'int64')).toEqual([
      'floor(n/2)',
      '2*n',
    ]);
    expect(castElements('int64', [n], 'bool')).toBeUndefined();
  });

  it('forgets what it cannot convert for certain', () => {
    expect(castElements('float32', [Number.NaN], 'int64')).toBeUndefined();
    expect(castElements('int64', [2 ** 63], 'int32')).toBeUndefined();
    expect(castElements('float32', [0.1], 'float16')).toBeUndefined();
    expect(castElements('float32', [1], 'float8e4m3fn')).toBeUndefined();
    expect(castElements('float32', [224, 0.5, 0], 'float16')).toEqual(['224', '0.5', '0']);
    expect(castElements('int64', [2 ** 63], 'int64')).toEqual([String(2 ** 63)]);
  });

  it('reads the names of types in opset 1', () => {
    const [type] = inferTypes(apply('Cast', [float(2)], { to: 'INT32' }, { opset: 1 }));
    expect(String(type)).toBe('int32[2]');
  });

  it('degrades beside the unknown', () => {
    const model = modelOf(apply('CastLike', [float(2), float(1)]));
    const { graph } = inferShapes(model, { types: { x1: UNKNOWN } });
    expect(graph.outputTypes.map(String)).toEqual(['unknown[2]']);
    expect(shapesOf(inferShapes(model, { types: { x0: UNKNOWN } }).graph.outputTypes)).toEqual(['[?]']);
  });
});
