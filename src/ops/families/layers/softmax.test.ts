import { describe, expect, it } from 'vitest';
import {
  attributesOf,
  costOf,
  expectSameAsOrt,
  inferSymbolic,
  inferTypes,
  input,
  shapesOf,
} from '../../ort.testing.js';

const x = input('float32', [2, 3, 4]);

describe.each(['Softmax', 'LogSoftmax', 'Hardmax'])('%s', (op) => {
  it.each([11, 13])('keeps the shape at opset %d', async (opset) => {
    await expectSameAsOrt({ op, opset, inputs: [x] });
    await expectSameAsOrt({ op, opset, inputs: [x], attributes: attributesOf({ axis: -3 }) });
  });

  it('keeps symbols', () => {
    expect(shapesOf(inferSymbolic({ op, inputs: [x] }, { 0: ['batch', '3', 'n'] }))).toEqual(['[batch,3,n]']);
  });

  it('rejects an axis that does not exist', () => {
    expect(() => inferTypes({ op, inputs: [x], attributes: attributesOf({ axis: 3 }) })).toThrow(/axis 3/);
    expect(() => inferTypes({ op, inputs: [input('float32', [])] })).toThrow(/rank 0/);
  });
});

it('counts five steps per element of a softmax', () => {
  expect(costOf({ op: 'Softmax', inputs: [x] })).toEqual({ otherFlops: 120 });
});
