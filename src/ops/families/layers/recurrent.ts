// Recurrent layers over X (S, B, I): S steps of B sequences with I features, or (B, S, I) under layout 1.
// W (directions, gates·H, I) and R (directions, gates·H, H) weigh input and state, B their biases:
//
//   Y (S, directions, B, H) or (B, S, directions, H); last states (directions, B, H) or (B, directions, H)
import { add, type Dim, floorDivide, multiply, product } from '../../../graph/dim.js';
import { type Shape, TensorType } from '../../../graph/types.js';
import { expectShape, positiveInt, shapeOfRank } from '../../arguments.js';
import { counted } from '../../cost.js';
import type { Decomposition } from '../../gradient.js';
import { type Call, commonDtype, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { withVersions } from '../../versions.js';
import { recurrentDecompositions } from './recurrent.gradient.js';
import { recurrentVersions } from './recurrent.versions.js';

interface Cell {
  readonly gates: number;
  /** Whether it carries a second state, which LSTM does. */
  readonly memory: boolean;
  /**
   * FLOPs per step and hidden unit after the products, with the default activations as they are counted
   * elsewhere (sigmoid 4, tanh 1).
   */
  readonly flops: number;
}

interface Sizes {
  readonly steps: Dim;
  readonly batch: Dim;
  readonly features: Dim | undefined;
  readonly hidden: Dim;
  readonly directions: number;
  readonly batchFirst: boolean;
}

/** The first version of GRU misspelt its default. */
const DIRECTIONS: ReadonlyMap<string, number> = new Map([
  ['forward', 1],
  ['foward', 1],
  ['reverse', 1],
  ['bidirectional', 2],
]);

function directionsOf(call: Call): number {
  const direction = call.string('direction', 'forward');
  return DIRECTIONS.get(direction) ?? call.fail(`direction '${direction}' does not exist`, 'OP_ATTRIBUTE');
}

function hiddenSize(call: Call, { gates }: Cell): Dim | undefined {
  if (call.hasAttribute('hidden_size')) return positiveInt(call, 'hidden_size');
  const stacked = shapeOfRank(call, 1, 3)?.[1];
  return shapeOfRank(call, 2, 3)?.[2] ?? (stacked && floorDivide(stacked, gates));
}

function layerSizes(call: Call, cell: Cell): Sizes {
  const input = shapeOfRank(call, 0, 3);
  const batchFirst = call.int('layout', 0) !== 0;
  const [steps, batch] = batchFirst ? [1, 0] : [0, 1];
  return {
    steps: input?.[steps] ?? call.unknownSize(0, steps),
    batch: input?.[batch] ?? call.unknownSize(0, batchFirst ? 0 : 2),
    features: input?.[2] ?? shapeOfRank(call, 1, 3)?.[2],
    hidden: hiddenSize(call, cell) ?? call.unknownSize(0, 3),
    directions: directionsOf(call),
    batchFirst,
  };
}

function checkWeights(call: Call, cell: Cell, sizes: Sizes): void {
  const { directions, features, hidden } = sizes;
  const stacked = multiply(hidden, cell.gates);
  const state = stateShape(sizes);
  expectShape(call, 1, 'W', [directions, stacked, features]);
  expectShape(call, 2, 'R', [directions, stacked, hidden]);
  expectShape(call, 3, 'B', [directions, multiply(stacked, 2)]);
  expectShape(call, 4, 'sequence_lens', [sizes.batch]);
  expectShape(call, 5, 'initial_h', state);
  if (!cell.memory) return;
  expectShape(call, 6, 'initial_c', state);
  expectShape(call, 7, 'P', [directions, multiply(hidden, 3)]);
}

function stateShape({ directions, batch, hidden, batchFirst }: Sizes): Shape {
  return batchFirst ? [batch, directions, hidden] : [directions, batch, hidden];
}

function recurrent(cell: Cell, decompose: Decomposition): Operator {
  return {
    decompose,
    infer: (call) => {
      const sizes = layerSizes(call, cell);
      checkWeights(call, cell, sizes);
      const dtype = commonDtype(call, [call.tensor(0), call.tensor(1), call.tensor(2)]);
      const { steps, batch, directions, hidden, batchFirst } = sizes;
      const all = batchFirst ? [batch, steps, directions, hidden] : [steps, directions, batch, hidden];
      const state = new TensorType(dtype, stateShape(sizes));
      return [new TensorType(dtype, all), state, ...(cell.memory ? [state] : [])];
    },
    cost: counted(
      `MACs steps · batch · directions · ${cell.gates} · (features · hidden + hidden²); per hidden unit and step ` +
        `${cell.flops} FLOPs and ${cell.gates} more with biases${cell.memory ? ', 6 with peepholes' : ''}`,
      (call) => {
        const { steps, batch, directions, features, hidden } = layerSizes(call, cell);
        if (features === undefined) return undefined;
        const units = product([steps, batch, directions, hidden]);
        const biases = call.has('B') ? cell.gates : 0;
        const peepholes = cell.memory && call.has('P') ? 6 : 0;
        return {
          macs: product([units, cell.gates, add(features, hidden)]),
          otherFlops: multiply(units, cell.flops + biases + peepholes),
        };
      },
    ),
    // Initial states that are constants are zeros, hardly ever learned.
    roles: {
      weight: ['W', 'R', ...(cell.memory ? ['P'] : [])],
      bias: ['B'],
      setting: ['sequence_lens', 'initial_h', ...(cell.memory ? ['initial_c'] : [])],
    },
    traits: { recurrent: true },
  };
}

export const recurrentOperators: OperatorTable = withVersions(
  {
    // 3 sums, 2 sigmoids, 1 tanh, reset 1, (1 − z) · candidate + z · state 4.
    GRU: recurrent({ gates: 3, memory: false, flops: 17 }, recurrentDecompositions.GRU),
    // 4 sums, 3 sigmoids, 2 tanhs, f · c + i · g 3, o · tanh(c) 1.
    LSTM: recurrent({ gates: 4, memory: true, flops: 22 }, recurrentDecompositions.LSTM),
    // 1 sum, 1 tanh.
    RNN: recurrent({ gates: 1, memory: false, flops: 2 }, recurrentDecompositions.RNN),
  },
  recurrentVersions,
);
