import { describe, expect, it } from 'vitest';
import { expectSameAsOrt, inferSymbolic, inferTypes, input, shapesOf } from '../ort.testing.js';
import { costOf, float, ms } from './cases.testing.js';

const bytes = (...dims: number[]) => ({ ...input('uint8', dims), constant: true });
/** 5 steps of 2 sequences with 3 features, 4 hidden units. */
const quantised = [
  ...[float(5, 2, 3), bytes(1, 3, 16), bytes(1, 4, 16), float(1, 32), null, null, null, null],
  ...[float(1), bytes(1), float(1), bytes(1)],
];
/** The same with a memory of 6 entries of 7 numbers, attention over 8 units, and an attention layer of 9. */
const attending = [
  ...[float(5, 2, 3), float(1, 16, 3 + 9), float(1, 16, 4), float(1, 32), null, null, null, null],
  ...[float(1, 4, 8), float(1, 7, 8), float(1, 8), float(2, 6, 7), null, float(1, 7 + 4, 9)],
];

describe('recurrent layers', () => {
  it.each([
    ms('DynamicQuantizeLSTM', quantised, { hidden_size: 4 }, 3),
    ms('AttnLSTM', attending, { hidden_size: 4 }, 3),
  ])('$op gives what ONNX Runtime gives', (test) => expectSameAsOrt(test));

  it('keeps symbols', () => {
    const types = inferSymbolic(ms('DynamicQuantizeLSTM', quantised, { hidden_size: 4 }, 3), {
      0: ['steps', 'batch', '3'],
    });
    expect(shapesOf(types)).toEqual(['[steps,1,batch,4]', '[1,batch,4]', '[1,batch,4]']);
  });

  it('counts the gates, and what attention adds', () => {
    const quantisedCost = costOf(ms('DynamicQuantizeLSTM', quantised, { hidden_size: 4 }, 3));
    expect(quantisedCost?.macs).toBe(5 * 2 * 4 * 4 * (3 + 4));
    const cell = 5 * 2 * 4 * 4 * (12 + 4);
    const keys = 2 * 6 * 7 * 8;
    const steps = 5 * 2 * (4 * 8 + 6 * (8 + 7) + 11 * 9);
    expect(costOf(ms('AttnLSTM', attending, { hidden_size: 4 }, 3))?.macs).toBe(cell + keys + steps);
  });

  it('refuses weights that do not fit', () => {
    const test = ms('DynamicQuantizeLSTM', quantised, { hidden_size: 5 }, 3);
    expect(() => inferTypes(test)).toThrowError(expect.objectContaining({ code: 'SHAPE_MISMATCH' }));
  });
});
