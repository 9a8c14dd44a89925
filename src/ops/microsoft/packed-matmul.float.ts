// Weights of a few bits each, unpacked to floats.
import { computedTensor, numbersIn } from '../../graph/computed-tensor.js';
import { elementCount, type Tensor, tensorNumbers } from '../../graph/tensor.js';
import { positiveInt } from '../arguments.js';
import type { Dequantisation, FloatRule } from '../float.js';
import { isFloatType } from '../quantised-tensor.js';

/** Numbers `from` … `to` − 1 in bytes, the low bits first. */
function unpacked(tensor: Tensor, bits: number, from = 0, to = Number.POSITIVE_INFINITY): ArrayLike<number> {
  const each = tensor.dtype === 'uint8' ? 8 / bits : 1;
  const end = Math.min(to, elementCount(tensor) * each);
  const first = Math.floor(from / each);
  const stored = numbersIn(tensor, first, Math.ceil(end / each));
  if (each === 1) return stored;
  const mask = 2 ** bits - 1;
  return Float32Array.from({ length: end - from }, (_, i) => {
    const at = from + i - first * each;
    return (stored[Math.floor(at / each)]! >> ((at % each) * bits)) & mask;
  });
}

/** A zero point for each of `rows` · `columns` blocks. Where they are packed, a row begins with a byte of its own. */
function zeroPointsOf(
  tensor: Tensor | undefined,
  bits: number,
  rows: number,
  columns: number,
): ArrayLike<number> {
  if (tensor === undefined) return new Float64Array(rows * columns).fill(2 ** (bits - 1));
  if (tensor.dtype !== 'uint8' || bits === 8) return tensorNumbers(tensor);
  const numbers = unpacked(tensor, bits);
  const stored = numbers.length / rows;
  return Float64Array.from({ length: rows * columns }, (_, i) => {
    return numbers[Math.floor(i / columns) * stored + (i % columns)]!;
  });
}

/** The constants that a rule needs; undefined where one is given but computed. */
function constantsOf(node: Dequantisation, names: readonly string[]): (Tensor | undefined)[] | undefined {
  const values = names.map((name) => node.named(name));
  const tensors = values.map((value) => node.constant(value));
  return values.every((value, i) => value === undefined || tensors[i] !== undefined) ? tensors : undefined;
}

/** A · W + bias, where W (K, N) is stored as blocks along K: (N, K/block, bytes of a block). */
export const matMulNBitsFloat: FloatRule = (node) => {
  const { call, builder } = node;
  const tensors = constantsOf(node, ['B', 'scales', 'zero_points']);
  if (tensors === undefined || node.named('g_idx') !== undefined) return undefined;
  const [packed, scale, zeroPoint] = tensors as [Tensor, Tensor, Tensor | undefined];
  const [rows, columns, size] = [
    positiveInt(call, 'K'),
    positiveInt(call, 'N'),
    positiveInt(call, 'block_size'),
  ];
  const bits = call.int('bits', 4);
  const a = node.required('A');
  if (!isFloatType(a.dtype) || ![2, 4, 8].includes(bits)) return undefined;
  const blocks = Math.ceil(rows / size);
  const weights = computedTensor(builder.freshName('weights'), a.dtype, [rows, columns], (from, to) => {
    const scales = tensorNumbers(scale);
    const zeroPoints = zeroPointsOf(zeroPoint, bits, columns, blocks);
    const numbers = unpacked(packed, bits);
    return Float32Array.from({ length: to - from }, (_, i) => {
      const [k, n] = [Math.floor((from + i) / columns), (from + i) % columns];
      const block = n * blocks + Math.floor(k / size);
      return (numbers[n * blocks * size + k]! - zeroPoints[block]!) * scales[block]!;
    });
  });
  const product = a.matmul(builder.initializer(weights));
  const bias = node.named('bias');
  return [bias ? product.add(bias) : product];
};

/** Rows of a table of floats. */
export const gatherBlockQuantizedFloat: FloatRule = (node) => {
  const { call, builder } = node;
  const tensors = constantsOf(node, ['data', 'scales', 'zero_points']);
  if (tensors === undefined) return undefined;
  const [data, scale, zeroPoint] = tensors as [Tensor, Tensor, Tensor | undefined];
  const bits = call.int('bits', 4);
  const isPacked = data.dtype === 'uint8';
  const each = isPacked ? 8 / bits : 1;
  const dims = [...data.dims.slice(0, -1), data.dims.at(-1)! * each];
  const size = positiveInt(call, 'block_size');
  const axis = call.axis(call.int('quantize_axis', 1), dims.length);
  if (!isFloatType(scale.dtype) || (isPacked && axis !== dims.length - 1)) return undefined;
  const inner = dims.slice(axis + 1).reduce((n, d) => n * d, 1);
  const along = dims[axis]!;
  const blocks = Math.ceil(along / size);
  const table = computedTensor(builder.freshName('table'), scale.dtype, dims, (from, to) => {
    const numbers = unpacked(data, bits, from, to);
    const scales = tensorNumbers(scale);
    const rows = scales.length / (blocks * inner);
    const zeroPoints =
      zeroPoint === undefined && !isPacked
        ? new Float64Array(scales.length)
        : zeroPointsOf(zeroPoint, bits, rows, blocks * inner);
    return Float32Array.from({ length: to - from }, (_, i) => {
      const slice = Math.floor((from + i) / inner);
      const block =
        (Math.floor(slice / along) * blocks + Math.floor((slice % along) / size)) * inner +
        ((from + i) % inner);
      return (numbers[i]! - zeroPoints[block]!) * scales[block]!;
    });
  });
  return [builder.initializer(table).gather(node.required('indices'), call.int('gather_axis', 0))];
};
