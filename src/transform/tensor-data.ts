// Elements of weights as arrays that can be computed with, without a number object for each.
import { type Tensor, tensorBytes, tensorNumbers } from '../graph/tensor.js';

/** The elements; a view where that is possible, so not to be written to. */
export function floatData(tensor: Tensor): Float32Array | Float64Array {
  if (tensor.dtype === 'float32' || tensor.dtype === 'float64') {
    const bytes = tensorBytes(tensor);
    const size = tensor.dtype === 'float32' ? 4 : 8;
    const { buffer, byteOffset, byteLength } = bytes.byteOffset % size === 0 ? bytes : bytes.slice();
    return size === 4
      ? new Float32Array(buffer, byteOffset, byteLength / size)
      : new Float64Array(buffer, byteOffset, byteLength / size);
  }
  return Float64Array.from(tensorNumbers(tensor));
}
