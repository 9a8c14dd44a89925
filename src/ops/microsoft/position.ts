// Positions: rotary embeddings, which turn pairs of elements by an angle that grows with the position, and
// biases that attention adds to the scores of a query and a key by their distance.
import { type Dim, multiply, product } from '../../graph/dim.js';
import { TensorType, type ValueType } from '../../graph/types.js';
import { partOf, positiveInt, shapeOfRank } from '../arguments.js';
import { counted, FREE, times, total } from '../cost.js';
import type { Call, Operator } from '../operator.js';
import type { OperatorTable } from '../registry.js';
import { countAttribute, lengthInput } from './arguments.js';
import { rotaryEmbeddingParts } from './position.gradient.js';

/** Tokens (B, S, N·H), or (B, N, S, H): x·cos + rotated(x)·sin for all of a head or its first elements. */
const RotaryEmbedding: Operator = {
  infer: (call) => [new TensorType(call.dtype(0), shapeOfRank(call, 0, 3, 4))],
  cost: counted('3 per rotated element (two products, one sum)', (call) => ({
    otherFlops: times(rotatedElements(call), 3),
  })),
  roles: { data: ['input'], others: 'setting' },
  decompose: rotaryEmbeddingParts,
};

function rotatedElements(call: Call): Dim | undefined {
  const shape = shapeOfRank(call, 0, 3, 4);
  const rotated = countAttribute(call, 'rotary_embedding_dim');
  if (shape === undefined || rotated === 0) return call.inputSize(0);
  const heads = shape.length === 4 ? 1 : positiveInt(call, 'num_heads');
  return product([...shape.slice(0, -1), heads, rotated]);
}

/** emb (B, S, H) holds angles; queries and keys (B, N, S, H) come with their rotated halves. */
const GemmaRotaryEmbedding: Operator = {
  infer: (call): ValueType[] => [1, 3].map((i) => new TensorType(call.dtype(i), shapeOfRank(call, i, 4))),
  cost: counted('2 per angle, 3 per element of queries and keys', (call) => {
    const [angles, queries, keys] = [0, 1, 3].map((i) => call.inputSize(i));
    return { otherFlops: total(times(angles, 2), times(queries, 3), times(keys, 3)) };
  }),
  roles: { setting: ['emb'] },
};

/** A table (buckets, N) looked up by the distance of every query and key: (1, N, S, T). */
const RelativePositionBias: Operator = {
  infer: (call) => {
    const table = shapeOfRank(call, 0, 2);
    const length = (index: number) => lengthInput(call, index) ?? call.unknownSize(0, index + 1);
    return [new TensorType(call.dtype(0), table && [1, table[1]!, length(1), length(2)])];
  },
  cost: FREE,
  roles: { weight: ['bias_table'], others: 'setting' },
};

/** Sizes (B, N, S, H) of the queries that gate a bias (1, N, S, S). */
function gatedSizes(call: Call): { batch: Dim; heads: number; length: Dim; headSize: Dim } | undefined {
  const heads = positiveInt(call, 'num_heads');
  const query = shapeOfRank(call, 0, 2, 3);
  // Without padding the tokens come as (tokens, N·H), and their places (B, S) as an input.
  const places = query?.length === 2 ? shapeOfRank(call, 6, 2) : query;
  if (query === undefined || places === undefined) return undefined;
  const headSize = partOf(call, query.at(-1)!, heads, 'the hidden size');
  return { batch: places[0]!, heads, length: places[1]!, headSize };
}

const GatedRelativePositionBias: Operator = {
  infer: (call) => {
    const sizes = gatedSizes(call);
    const shape = sizes && [sizes.batch, sizes.heads, sizes.length, sizes.length];
    return [new TensorType(call.dtype(0), shape)];
  },
  cost: counted(
    'MACs tokens·heads·headSize·columns of the weight; 1 FLOP per output element and per query element',
    (call) => {
      const sizes = gatedSizes(call);
      const weight = shapeOfRank(call, 3, 2);
      if (sizes === undefined || weight === undefined) return undefined;
      const queries = times(sizes.batch, sizes.heads, sizes.length, sizes.headSize)!;
      return {
        macs: multiply(queries, weight[1]!),
        otherFlops: total(queries, call.outputSize()),
      };
    },
  ),
  roles: {
    weight: ['weight', 'eco_a'],
    bias: ['query_bias', 'bias'],
    setting: ['token_offset'],
  },
};

export const positionOperators: OperatorTable = {
  GatedRelativePositionBias,
  GemmaRotaryEmbedding,
  MRotaryEmbedding: RotaryEmbedding,
  RelativePositionBias,
  RotaryEmbedding,
};
