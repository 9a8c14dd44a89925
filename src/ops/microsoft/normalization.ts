// Normalisations together with what stands before them: residual connections, embeddings, gates.
//
// Counted as elsewhere: 7 FLOPs per element with statistics, scale and shift, 6 without a shift, 4 for the
// root mean square alone.
import { type Dim, isKnown } from '../../graph/dim.js';
import { dataTypeOfCode } from '../../graph/dtype.js';
import { isTensor, type Shape, TensorType, type ValueType } from '../../graph/types.js';
import { expectBroadcastTo, expectShape, likeInput, positiveInt, shapeOfRank } from '../arguments.js';
import { counted, times, total } from '../cost.js';
import { normalizationGradients } from '../families/layers/normalization.gradient.js';
import type { Call, Operator, OperatorCost } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { withLast } from './arguments.js';
import { qEmbedLayerNormalizationFloat } from './attention.float.js';
import { normalizationDecompositions as parts } from './normalization.gradient.js';

const LAYER_NORM = 7;
const RMS_NORM = 4;
const SILU = 5;

/** x / √(mean of squares + ε) · scale over all dimensions from `axis` on; it also gives 1/deviation. */
export const SimplifiedLayerNormalization: Operator = {
  infer: (call): ValueType[] => {
    const { shape } = call.tensor(0);
    const first = shape && call.axis(call.int('axis', -1), shape.length);
    expectBroadcastTo(call, 1, 'the scale', shape);
    const statistics = shape?.map((size, axis) => (axis < first! ? size : 1));
    return [
      new TensorType(call.dtype(1), shape),
      new TensorType(dataTypeOfCode(call.int('stash_type', 1)), statistics),
    ];
  },
  cost: counted(`${RMS_NORM} per output element (square, sum, quotient, scale)`, (call) => ({
    otherFlops: times(call.outputSize(), RMS_NORM),
  })),
  inputs: ['X', 'scale'],
  roles: { scale: ['scale'] },
  gradient: normalizationGradients.SimplifiedLayerNormalization,
  traits: { normalisation: 'layer' },
};

/** normalise(input + skip + bias) over the last dimension; the sum itself can be had as output 3. */
function skipNormalization(hasShift: boolean, describe: string): Operator {
  return {
    infer: (call): ValueType[] => {
      const { dtype, shape } = call.tensor(0);
      expectBroadcastTo(call, 1, 'the residual', shape);
      expectShape(call, 'gamma', 'the scale', [shape?.at(-1)]);
      if (hasShift) expectShape(call, 'beta', 'the shift', [shape?.at(-1)]);
      expectShape(call, 'bias', 'the bias', [shape?.at(-1)]);
      const statistics = new TensorType('float32', shape && withLast(shape, 1));
      return [new TensorType(dtype, shape), statistics, statistics, new TensorType(dtype, shape)];
    },
    cost: counted(describe, (call) => {
      const normalising = hasShift ? LAYER_NORM - (call.has('beta') ? 0 : 1) : RMS_NORM;
      const adding = call.has('bias') ? 2 : 1;
      return { otherFlops: times(call.outputSize(), normalising + adding) };
    }),
    roles: { scale: ['gamma'], bias: ['bias', ...(hasShift ? ['beta'] : [])] },
    traits: { normalisation: 'layer' },
  };
}

const SkipLayerNormalization = skipNormalization(
  true,
  'per output element 1 for the residual, 1 for a bias, 6 to normalise and scale, 1 for a shift',
);
const SkipSimplifiedLayerNormalization = skipNormalization(
  false,
  'per output element 1 for the residual, 1 for a bias, 4 to normalise and scale',
);

/** X · rms(X) · scale · SiLU(gate), in groups as long as `scale`. */
const GatedRMSNorm: Operator = {
  infer: (call) => {
    const { dtype, shape } = call.tensor(0);
    const group = shapeOfRank(call, 1, 1)?.[0];
    const last = shape?.at(-1);
    if (isKnown(group) && isKnown(last) && (group === 0 || last % group !== 0)) {
      call.fail(`a scale of ${group} elements does not fit an input of shape [${shape}]`);
    }
    expectBroadcastTo(call, 2, 'the gate', shape);
    return [new TensorType(dtype, shape)];
  },
  cost: counted('10 per output element (normalising 4, SiLU 5, product)', (call) => ({
    otherFlops: times(call.outputSize(), RMS_NORM + SILU + 1),
  })),
  roles: { scale: ['scale'] },
  traits: { normalisation: 'layer' },
};

/** Group normalisation of images in either layout, perhaps of a sum, perhaps with SiLU after it. */
function groupNorm(added: readonly string[]): Operator {
  return {
    infer: (call): ValueType[] => {
      const { dtype, shape } = call.tensor(0);
      const groups = positiveInt(call, 'groups');
      const channels = call.int('channels_last', 1) === 0 ? shape?.[1] : shape?.at(-1);
      if (isKnown(channels) && channels % groups !== 0) {
        call.fail(`${channels} channels cannot be split into ${groups} groups`);
      }
      expectShape(call, 1, 'the scale', [channels]);
      expectShape(call, 2, 'the shift', [channels]);
      return [new TensorType(dtype, shape), new TensorType(dtype, shape)];
    },
    cost: counted('7 per output element, 5 more with SiLU, 1 more for each of residual and bias', (call) => {
      const given = added.filter((name) => call.has(name)).length;
      const activation = call.int('activation', 0) === 1 ? SILU : 0;
      return { otherFlops: times(call.outputSize(), LAYER_NORM + activation + given) };
    }),
    roles: { scale: ['gamma'], bias: ['beta', ...(added.includes('bias') ? ['bias'] : [])] },
    traits: { normalisation: 'group' },
  };
}

/** The tables that an embedding adds up: those of words and positions, and that of segments if given. */
function embeddingTables(call: Call): number {
  return call.has('segment_ids') ? 3 : 2;
}

/** Reads one row of each table per token; the tables may hold quantised numbers. */
function embeddingCost(call: Call, dequantise: number): OperatorCost | undefined {
  const tables = embeddingTables(call);
  const [output] = call.outputs;
  const size = call.outputSize();
  const stored = call.tensor(2);
  const bytesPerElement = stored.dtype === undefined ? undefined : new TensorType(stored.dtype, [1]).bytes;
  const ids = isTensor(call.inputs[0]) ? call.inputs[0].bytes : undefined;
  const written = isTensor(output) ? output.bytes : undefined;
  const memoryBytes = total(times(size, bytesPerElement, tables), written, times(ids, tables));
  const otherFlops = times(size, LAYER_NORM + (tables - 1) + tables * dequantise);
  return memoryBytes === undefined ? { otherFlops } : { otherFlops, memoryBytes };
}

/** Ids (B, S) and tables (…, H) to normalised embeddings (B, S, H), the lengths (B), and the bare sum. */
function embeddingNormalization(quantised: '' | '_quant', dequantise: number): Operator {
  return {
    infer: (call): ValueType[] => {
      const ids = shapeOfRank(call, 0, 2);
      const table = shapeOfRank(call, 2, 2);
      const dtype = call.dtype(quantised ? 'word_embedding_scale' : 'word_embedding');
      const hidden: Dim | undefined = table?.[1] ?? shapeOfRank(call, 5, 1)?.[0];
      expectShape(call, 3, 'the position embedding', [undefined, hidden]);
      expectShape(call, 4, 'the segment embedding', [undefined, hidden]);
      expectShape(call, 5, 'the scale', [hidden]);
      expectShape(call, 6, 'the shift', [hidden]);
      const output: Shape | undefined = ids && hidden !== undefined ? [...ids, hidden] : undefined;
      return [
        new TensorType(dtype, output),
        new TensorType('int32', ids && [ids[0]!]),
        new TensorType(dtype, output),
      ];
    },
    cost: counted(
      `per output element 7 to normalise${dequantise ? `, ${dequantise} to dequantise each table` : ''}, and 1 to add each further table`,
      (call) => embeddingCost(call, dequantise),
    ),
    roles: {
      data: ['input_ids', 'segment_ids', 'mask'],
      weight: [`word_embedding${quantised}`, `position_embedding${quantised}`, 'segment_embedding'],
      scale: [`gamma${quantised}`],
      bias: [`beta${quantised}`],
      others: 'setting',
    },
    traits: { normalisation: 'layer' },
  };
}

/** int8 with a scale for what comes in and one for what goes out. */
const QOrderedLayerNormalization: Operator = {
  infer: likeInput(0),
  cost: counted('11 per output element (normalising 7, and 2 each to dequantise and quantise)', (call) => ({
    otherFlops: times(call.outputSize(), LAYER_NORM + 4),
  })),
  roles: { scale: ['scale'], bias: ['B'], setting: ['scale_X', 'scale_Y'] },
  traits: { normalisation: 'layer' },
};

export const normalizationOperators: OperatorTable = {
  EmbedLayerNormalization: {
    ...embeddingNormalization('', 0),
    decompose: parts.EmbedLayerNormalization,
  },
  GatedRMSNorm,
  GroupNorm: { ...groupNorm([]), decompose: parts.GroupNorm },
  QEmbedLayerNormalization: { ...embeddingNormalization('_quant', 2), float: qEmbedLayerNormalizationFloat },
  QOrderedLayerNormalization,
  SimplifiedLayerNormalization,
  SkipGroupNorm: { ...groupNorm(['skip', 'bias']), decompose: parts.SkipGroupNorm },
  SkipLayerNormalization: { ...SkipLayerNormalization, decompose: parts.SkipLayerNormalization },
  SkipSimplifiedLayerNormalization: {
    ...SkipSimplifiedLayerNormalization,
    decompose: parts.SkipSimplifiedLayerNormalization,
  },
};
