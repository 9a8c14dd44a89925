import { describe, expect, it } from 'vitest';
import { symbol } from '../graph/dim.js';
import type { DataType } from '../graph/dtype.js';
import { type Shape, TensorType } from '../graph/types.js';
import { typicalSizes } from './typical-sizes.js';

function sizesOfInput(name: string, dtype: DataType, shape: Shape): Record<string, number> {
  const types = new Map([[name, new TensorType(dtype, shape)]]);
  return Object.fromEntries(typicalSizes({ inputNames: [name], types }));
}

describe('typicalSizes', () => {
  it('suggests images for a face detector, not one pixel', () => {
    const [batch, height, width] = [symbol('batch'), symbol('height'), symbol('width')];
    expect(sizesOfInput('input', 'float32', [batch, 3, height, width])).toEqual({
      batch: 1,
      height: 224,
      width: 224,
    });
  });

  it('goes by the place of sizes without a name', () => {
    const at = (axis: number) => symbol(`x[${axis}]`);
    expect(sizesOfInput('x', 'float32', [at(0), 3, at(2), at(3)])).toEqual({
      'x[0]': 1,
      'x[2]': 224,
      'x[3]': 224,
    });
    expect(sizesOfInput('x', 'float32', [at(0), at(1), at(2), 3])).toEqual({
      'x[0]': 1,
      'x[1]': 224,
      'x[2]': 224,
    });
    expect(sizesOfInput('x', 'int64', [at(0), at(1)])).toEqual({ 'x[0]': 1, 'x[1]': 128 });
    expect(sizesOfInput('x', 'float32', [at(0), at(1)])).toEqual({ 'x[0]': 1, 'x[1]': 16000 });
  });

  it('goes by names of texts and caches', () => {
    expect(sizesOfInput('ids', 'int64', [symbol('batch_size'), symbol('sequence_length')])).toEqual({
      batch_size: 1,
      sequence_length: 128,
    });
    expect(
      sizesOfInput('past', 'float32', [symbol('batch_size'), 12, symbol('past_sequence_length'), 64]),
    ).toEqual({ batch_size: 1, past_sequence_length: 16 });
  });
});
