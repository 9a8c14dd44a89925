import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { symbol } from '../../../graph/dim.js';
import { isTensor, TensorType, UNKNOWN } from '../../../graph/types.js';
import { apply, costOf, float } from '../../cases.testing.js';
import {
  expectSameAsOrt,
  inferTypes,
  input,
  known,
  knownScalar,
  modelOf,
  type TestCase,
} from '../../ort.testing.js';

const table = { ...known([1, 2, 3, 4, 5, 6]), dims: [2, 3] };

const CASES: readonly TestCase[] = [
  apply('CumSum', [float(2, 3), knownScalar(1)]),
  apply('CumSum', [table, knownScalar(0, 'int32')]),
  apply('CumSum', [table, knownScalar(-1)], { exclusive: 1 }),
  apply('CumSum', [table, knownScalar(1)], { reverse: 1 }),
  apply('CumSum', [table, knownScalar(1)], { reverse: 1, exclusive: 1 }, { opset: 11 }),
  apply('CumProd', [{ ...table, dtype: 'int64' }, knownScalar(1)], {}, { opset: 26 }),
  apply('CumProd', [table, knownScalar(0)], { exclusive: 1 }, { opset: 26 }),
];

describe('running sums and products', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives (%#)', (test) => expectSameAsOrt(test));

  it('adds up symbolic sizes', () => {
    const model = modelOf(apply('CumSum', [input('int64', [3]), knownScalar(0)]));
    const types = { x0: new TensorType('int64', [3], [1, symbol('n'), symbol('m')]) };
    const [type] = inferShapes(model, { types }).graph.outputTypes;
    expect(isTensor(type) && type.elements?.map(String)).toEqual(['1', 'n+1', 'm+n+1']);
  });

  it('fails when there is no such axis', () => {
    expect(() => inferTypes(apply('CumSum', [float(2), knownScalar(1)]))).toThrowError(/axis 1/);
  });

  it('degrades when its input is unknown', () => {
    const model = modelOf(apply('CumSum', [float(2), input('int64', [])]));
    expect(inferShapes(model).graph.outputTypes.map(String)).toEqual(['float32[2]']);
    expect(() => inferShapes(model, { types: { x0: UNKNOWN, x1: UNKNOWN } })).not.toThrow();
  });

  it('counts one FLOP per element', () => {
    expect(costOf(apply('CumSum', [float(2, 3), knownScalar(1)]))).toEqual({ otherFlops: 6 });
  });
});
