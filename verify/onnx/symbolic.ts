// The second check of a test: inference with symbols for sizes agrees with inference with numbers. Every size
// over 1 of a floating-point input becomes a symbol of its own, and its elements are withheld; what comes out,
// with the numbers put back in, must be what the test expects. A size of 1 stays: it decides what is broadcast.
import { type Dim, symbol } from '../../src/graph/dim.js';
import { isFloat } from '../../src/graph/dtype.js';
import type { Model } from '../../src/graph/graph.js';
import { parseDim } from '../../src/graph/parse-dim.js';
import { isTensor, TensorType, type ValueType } from '../../src/graph/types.js';
import type { DataSet } from './corpus.js';
import { checkDataSet, type ShapeResult } from './shapes.js';

/**
 * Tests that cut beyond the end of a tensor on purpose. Of a size that is not known, inference takes a slice
 * to lie inside.
 */
const CUTS_BEYOND_THE_END = new Set(['test_slice_end_out_of_bounds', 'test_slice_neg_steps']);

/** Checks a data set of a model without declarations, with symbols for sizes. */
export function checkSymbolic(name: string, model: Model, data: DataSet): ShapeResult {
  if (CUTS_BEYOND_THE_END.has(name)) return { verdict: 'unknown' };
  const sizes = new Map<string, number>();
  return checkDataSet(model, data, {
    given: (type) => withSymbols(type, sizes),
    found: (type) => withNumbers(type, sizes),
  });
}

function withSymbols(type: ValueType, sizes: Map<string, number>): ValueType {
  if (!isTensor(type) || !isFloat(type.dtype)) return type;
  const shape = type.shape!.map((size): Dim => {
    if (typeof size !== 'number' || size <= 1) return size;
    const name = `s${sizes.size}`;
    sizes.set(name, size);
    return symbol(name);
  });
  return new TensorType(type.dtype, shape);
}

function withNumbers(type: ValueType, sizes: ReadonlyMap<string, number>): ValueType {
  if (!isTensor(type)) return type;
  const number = (d: Dim): Dim => (typeof d === 'number' ? d : parseDim(String(d), sizes));
  return new TensorType(type.dtype, type.shape?.map(number), type.elements?.map(number));
}
