import { describe, expect, it } from 'vitest';
import { inferShapes } from '../../../analysis/infer.js';
import { UNKNOWN } from '../../../graph/types.js';
import { apply, costOf, float } from '../../cases.testing.js';
import {
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  modelOf,
  shapesOf,
  type TestCase,
} from '../../ort.testing.js';

const hidden_size = 4;
const lstm = [float(5, 2, 3), float(1, 16, 3), float(1, 16, 4)];
const everything = [
  ...lstm,
  float(1, 32),
  input('int32', [2], [5, 3]),
  float(1, 2, 4),
  float(1, 2, 4),
  float(1, 12),
];

const CASES: readonly TestCase[] = [
  apply('LSTM', lstm, { hidden_size }, { outputs: 3 }),
  apply('LSTM', everything, { hidden_size }, { outputs: 3 }),
  apply(
    'LSTM',
    [float(5, 2, 3), float(2, 16, 3), float(2, 16, 4)],
    { hidden_size, direction: 'bidirectional' },
    { opset: 7, outputs: 3 },
  ),
  apply(
    'GRU',
    [float(5, 2, 3), float(1, 12, 3), float(1, 12, 4), float(1, 24)],
    { hidden_size },
    { outputs: 2 },
  ),
  apply(
    'RNN',
    [float(5, 2, 3), float(1, 4, 3), float(1, 4, 4)],
    { hidden_size, direction: 'reverse' },
    { opset: 14, outputs: 2 },
  ),
];

describe('recurrent layers', () => {
  it.each(CASES)('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('may have the batch first', () => {
    // From the standard: ONNX Runtime does not implement layout 1.
    const test = apply('LSTM', lstm, { hidden_size, layout: 1 }, { outputs: 3 });
    expect(shapesOf(inferTypes(test))).toEqual(['[5,2,1,4]', '[5,1,4]', '[5,1,4]']);
  });

  it('take the hidden size from the weights', () => {
    expect(shapesOf(inferTypes(apply('LSTM', lstm)))).toEqual(['[5,1,2,4]']);
    const misspelt = [float(5, 2, 3), float(1, 12, 3), float(1, 12, 4)];
    expect(shapesOf(inferTypes(apply('GRU', misspelt, {}, { opset: 1 })))).toEqual(['[5,1,2,4]']);
  });

  it('keep symbolic and unknown sizes', () => {
    const test = apply('LSTM', lstm, {}, { outputs: 2 });
    expect(shapesOf(inferSymbolic(test, { 0: ['s', 'n', '3'] }))).toEqual(['[s,1,n,4]', '[1,n,4]']);
    const unknown = inferShapes(modelOf(test), { types: { x0: UNKNOWN } }).graph.outputTypes;
    expect(shapesOf(unknown)).toEqual(['[y0[0],1,y0[2],4]', '[1,y0[2],4]']);
  });

  it('count gates', () => {
    expect(costOf(apply('LSTM', lstm))).toEqual({
      macs: 5 * 2 * 4 * (3 * 4 + 4 * 4),
      otherFlops: 5 * 2 * 4 * 22,
    });
    expect(costOf(apply('LSTM', everything))).toEqual({
      macs: 5 * 2 * 4 * (3 * 4 + 4 * 4),
      otherFlops: 5 * 2 * 4 * (22 + 4 + 6),
    });
    const both = [float(5, 2, 3), float(2, 12, 3), float(2, 12, 4)];
    expect(costOf(apply('GRU', both, { direction: 'bidirectional' }))).toEqual({
      macs: 5 * 2 * 2 * 3 * (3 * 4 + 4 * 4),
      otherFlops: 5 * 2 * 2 * 4 * 17,
    });
  });

  it.each([
    ['a direction that does not exist', lstm, { direction: 'sideways' }, /direction/],
    ['hidden_size 0', lstm, { hidden_size: 0 }, /hidden_size/],
    ['another hidden_size', lstm, { hidden_size: 5 }, /W \(input 1\)/],
    ['one direction of two', lstm, { direction: 'bidirectional' }, /W \(input 1\)/],
    ['other features', [float(5, 2, 6), ...lstm.slice(1)], {}, /W \(input 1\)/],
    ['rank 2', [float(5, 2), ...lstm.slice(1)], {}, /rank 3/],
  ])('refuse %s', (_, inputs, attributes, message) => {
    expect(() => inferTypes(apply('LSTM', inputs, attributes))).toThrowError(message);
  });
});
