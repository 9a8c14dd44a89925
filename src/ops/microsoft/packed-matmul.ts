// Products of A (…, K) with a matrix of weights that have only a few bits each and are packed into bytes, with
// a scale for every block of them. They are dequantised on the way: subtract a zero point, multiply.
import { type Dim, isKnown } from '../../graph/dim.js';
import { bitsOf } from '../../graph/dtype.js';
import { isTensor, type Shape, TensorType, type ValueType } from '../../graph/types.js';
import { expectShape, mayEqual, positiveInt, shapeOfRank, shapeOfRankFrom } from '../arguments.js';
import { counted, times, total } from '../cost.js';
import type { Call, Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { activationFlops } from './activation.js';
import { withLast } from './arguments.js';
import { gatherBlockQuantizedFloat, matMulNBitsFloat } from './packed-matmul.float.js';

/** Subtract a zero point, multiply by a scale. */
const DEQUANTISE = 2;

/** (…, inner) to (…, outer). */
function projected(call: Call, inner: Dim | undefined, outer: Dim | undefined): Shape | undefined {
  const input = shapeOfRankFrom(call, 0, 1);
  if (!mayEqual(input?.at(-1), inner)) {
    call.fail(`an input of shape [${input}] does not fit weights with ${inner} rows`);
  }
  return input && outer !== undefined ? withLast(input, outer) : undefined;
}

/** Sizes of the weights of an operator; undefined where they are unknown. */
interface Weights {
  /** Rows, K. */
  readonly inner: Dim | undefined;
  /** Columns, N. */
  readonly outer: Dim | undefined;
}

interface PackedProduct {
  readonly weights: (call: Call) => Weights;
  readonly isBiased?: true;
}

function packedProduct({ weights, isBiased }: PackedProduct): Operator {
  return {
    infer: (call) => {
      const { inner, outer } = weights(call);
      if (isBiased) expectShape(call, 'bias', 'the bias', [outer]);
      return [new TensorType(call.dtype(0), projected(call, inner, outer))];
    },
    cost: counted(
      `MACs output elements · K; ${DEQUANTISE} per weight to dequantise it${isBiased ? ', 1 per output element for a bias' : ''}`,
      (call) => {
        const { inner, outer } = weights(call);
        return {
          macs: times(call.outputSize(), inner),
          otherFlops: total(
            times(inner, outer, DEQUANTISE),
            isBiased && call.has('bias') ? call.outputSize() : 0,
          ),
        };
      },
    ),
    weightsIn: (call, input) => {
      const { inner, outer } = weights(call);
      return input === 1 && isKnown(inner) && isKnown(outer) ? inner * outer : undefined;
    },
    roles: { data: ['A'], weight: ['B'], ...(isBiased && { bias: ['bias'] }), others: 'setting' },
    traits: { product: 'packed' },
  };
}

const attributes = (call: Call): Weights => ({
  inner: positiveInt(call, 'K'),
  outer: positiveInt(call, 'N'),
});

/** Weights (N, K/block, bytes of a block). */
const MatMulNBits = packedProduct({ weights: attributes, isBiased: true });

/** 4-bit floats, stored as (N, K), multiplied as they are or transposed. */
const MatMulBnb4 = packedProduct({
  weights: (call) => {
    const { inner, outer } = attributes(call);
    return call.int('transB', 1) === 0 ? { inner: outer, outer: inner } : { inner, outer };
  },
});

/** The sizes of the weights are an input. */
const MatMulFpQ4 = packedProduct({
  weights: (call) => {
    const sizes = call.elements('B_shape');
    if (sizes === undefined) return { inner: undefined, outer: undefined };
    const [inner, outer] = sizes;
    if (sizes.length !== 2 || sizes.some((d) => isKnown(d) && !(Number.isSafeInteger(d) && d > 0))) {
      call.fail(`[${sizes}] is not the shape of a weight matrix`, 'OP_INPUT');
    }
    return { inner, outer };
  },
});

/** (N, K/2), two 4-bit floats per byte. */
const MatMulBlockQuantizedFp4Weight = packedProduct({
  weights: (call) => {
    const stored = shapeOfRank(call, 1, 2);
    return { inner: times(stored?.[1], 2), outer: stored?.[0] };
  },
  isBiased: true,
});

/** (N, K). */
const MatMulBlockQuantizedFp8Weight = packedProduct({
  weights: (call) => {
    const stored = shapeOfRank(call, 1, 2);
    return { inner: stored?.[1], outer: stored?.[0] };
  },
  isBiased: true,
});

/** One of several products of the same input: what its weights, scales and bias begin with, and its columns. */
interface Projection {
  readonly name: string;
  readonly columns: string;
}

/** RMS normalisation before the projections (4 per element), with a residual before that (1). */
function normalisingFlops(call: Call): Dim | undefined {
  const flops = (call.has('skip') ? 1 : 0) + (call.has('norm_scale') ? 4 : 0);
  return times(call.inputSize(0), flops);
}

/** Several projections of one input that may be normalised first; the residual sum comes out last. */
function projections(
  parts: readonly Projection[],
  outputs: (shapes: readonly (Shape | undefined)[]) => readonly (Shape | undefined)[],
  remark: string,
  flopsPerOutput: (call: Call) => number,
): Operator {
  return {
    infer: (call): ValueType[] => {
      const { dtype, shape } = call.tensor(0);
      const inner = positiveInt(call, 'K');
      const shapes = parts.map(({ columns }) => projected(call, inner, positiveInt(call, columns)));
      return [...outputs(shapes), shape].map((output) => new TensorType(dtype, output));
    },
    cost: counted(
      `MACs tokens · K · columns; ${DEQUANTISE} per weight to dequantise it, 1 per projected element for biases, 1 per input element for a residual and 4 for a normalisation${remark}`,
      (call) => {
        const inner = positiveInt(call, 'K');
        const tokens = times(...(call.shape(0)?.slice(0, -1) ?? [undefined]));
        const columns = parts.reduce((n, part) => n + positiveInt(call, part.columns), 0);
        const biased = parts.reduce(
          (n, p) => n + (call.has(`${p.name}_bias`) ? positiveInt(call, p.columns) : 0),
          0,
        );
        return {
          macs: times(tokens, inner, columns),
          otherFlops: total(
            times(inner, columns, DEQUANTISE),
            times(tokens, biased),
            normalisingFlops(call),
            times(call.outputSize(), flopsPerOutput(call)),
          ),
        };
      },
    ),
    weightsIn: (call, input) => {
      const part = parts.find(({ name }) => call.slot(`${name}_B`) === input);
      return part && positiveInt(call, 'K') * positiveInt(call, part.columns);
    },
    roles: {
      scale: ['norm_scale'],
      weight: parts.map(({ name }) => `${name}_B`),
      bias: parts.map(({ name }) => `${name}_bias`),
      setting: parts.map(({ name }) => `${name}_scales`),
    },
    traits: { product: 'packed' },
  };
}

/** activation(A · gate) · (A · up). */
const MatMulNBitsMlp = projections(
  [
    { name: 'gate', columns: 'N' },
    { name: 'up', columns: 'N' },
  ],
  ([gate]) => [gate],
  '; per output element the activation and 1 for the product',
  (call) => activationFlops(call) + 1,
);

/** Queries, keys and values of one input. */
const MatMulNBitsQkv = projections(
  [
    { name: 'q', columns: 'Nq' },
    { name: 'k', columns: 'Nkv' },
    { name: 'v', columns: 'Nkv' },
  ],
  (shapes) => shapes,
  '',
  () => 0,
);

/** Quantised numbers in one element of the table: several in a byte, along the last dimension. */
function numbersPerElement(call: Call): number {
  const bits = positiveInt(call, 'bits');
  if (![2, 4, 8].includes(bits)) call.fail(`attribute 'bits' cannot be ${bits}`, 'OP_ATTRIBUTE');
  return call.dtype(0) === 'uint8' ? 8 / bits : 1;
}

/** Rows of a quantised table, dequantised: the dimensions of `indices` in place of the gathered one. */
const GatherBlockQuantized: Operator = {
  infer: (call) => {
    const table = shapeOfRankFrom(call, 0, 1);
    const indices = call.shape(1);
    const dtype = call.dtype(2);
    if (table === undefined || indices === undefined) return [new TensorType(dtype, undefined)];
    const unpacked = withLast(table, times(table.at(-1)!, numbersPerElement(call))!);
    const axis = call.axis(call.int('gather_axis', 0), table.length, 'gather_axis');
    call.axis(call.int('quantize_axis', 1), table.length, 'quantize_axis');
    return [new TensorType(dtype, [...unpacked.slice(0, axis), ...indices, ...unpacked.slice(axis + 1)])];
  },
  cost: counted(`${DEQUANTISE} per output element to dequantise it`, (call) => {
    const size = call.outputSize();
    const [output] = call.outputs;
    const stored = call.dtype(0);
    const bits = stored && bitsOf(stored) / numbersPerElement(call);
    const indices = call.tensor(1).bytes;
    const written = isTensor(output) ? output.bytes : undefined;
    const memoryBytes = total(times(size, bits && bits / 8), written, indices);
    const otherFlops = times(size, DEQUANTISE);
    return memoryBytes === undefined ? { otherFlops } : { otherFlops, memoryBytes };
  }),
  weightsIn: (call, input) => {
    const size = input === 0 ? call.inputSize(0) : undefined;
    return isKnown(size) ? size * numbersPerElement(call) : undefined;
  },
  roles: { weight: ['data'], setting: ['scales', 'zero_points'] },
};

export const packedMatMulOperators: OperatorTable = {
  GatherBlockQuantized: { ...GatherBlockQuantized, float: gatherBlockQuantizedFloat },
  MatMulBlockQuantizedFp4Weight,
  MatMulBlockQuantizedFp8Weight,
  MatMulBnb4,
  MatMulFpQ4,
  MatMulNBits: { ...MatMulNBits, float: matMulNBitsFloat },
  MatMulNBitsMlp,
  MatMulNBitsQkv,
};
