// Operators that leave every element but move or blank it: Trilu, ReverseSequence, DepthToSpace, SpaceToDepth.
import { divideExactly, floorDivide, multiply } from '../../../graph/dim.js';
import { type Shape, TensorType } from '../../../graph/types.js';
import { FREE } from '../../cost.js';
import { type Call, expectInteger, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { elementAt, expectShape, knownTensors, tabulate } from './data-movement.js';
import {
  depthToSpaceGradient,
  reverseSequenceGradient,
  spaceToDepthGradient,
  triluGradient,
} from './rearrange.gradient.js';

/** Keeps the part of matrices above (or below) the diagonal number `k`, and makes the rest 0. */
const Trilu: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    if (x.shape !== undefined && x.shape.length < 2) call.fail(`the input must be matrices, not ${x}`);
    expectInteger(call, 1);
    const k = call.has('k') ? call.scalar('k') : 0;
    const upper = call.int('upper', 1) !== 0;
    const [known] = knownTensors(x) ?? [];
    if (known === undefined || typeof k !== 'number') return [new TensorType(x.dtype, x.shape)];
    const elements = tabulate(x.shape, (index) => {
      const diagonal = index.at(-1)! - index.at(-2)!;
      return (upper ? diagonal >= k : diagonal <= k) ? elementAt(known, index) : 0;
    });
    return [new TensorType(x.dtype, x.shape, elements)];
  },
  cost: FREE,
  roles: { setting: ['k'] },
  gradient: triluGradient,
  traits: { knowsPlaces: 'matrix' },
};

/** Reverses the first `sequence_lens[i]` steps of sequence i. */
const ReverseSequence: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    if (x.shape !== undefined) {
      if (x.shape.length < 2) call.fail(`the input must be a batch of sequences, not ${x}`);
      const [time, batch] = [call.int('time_axis', 0), call.int('batch_axis', 1)];
      if (time + batch !== 1 || time * batch !== 0) {
        call.fail(`the axes of time and batch must be 0 and 1, not ${time} and ${batch}`, 'OP_ATTRIBUTE');
      }
      expectShape(call, call.shape(1), [x.shape[batch]!], 'sequence_lens');
    }
    return [new TensorType(x.dtype, x.shape)];
  },
  cost: FREE,
  roles: { setting: ['sequence_lens'] },
  gradient: reverseSequenceGradient,
  traits: { knowsPlaces: 'all' },
};

function blockSize(call: Call): number {
  const size = call.required(call.int('blocksize'), 'blocksize');
  if (!Number.isSafeInteger(size) || size < 1) call.fail(`blocksize cannot be ${size}`, 'OP_ATTRIBUTE');
  return size;
}

/** A size over a number; one that is symbolic is taken to be divisible. */
function part(call: Call, shape: Shape, axis: number, by: number): ReturnType<typeof floorDivide> {
  const size = shape[axis]!;
  if (typeof size === 'number' && divideExactly(size, by) === undefined) {
    call.fail(`dimension ${axis} of [${shape}] cannot be divided by ${by}`);
  }
  return floorDivide(size, by);
}

/** Channels become blocks of pixels: (N, C·b², H, W) → (N, C, H·b, W·b). */
const DepthToSpace: Operator = {
  traits: { isLinear: true },
  infer: (call) => {
    const { dtype, shape } = call.tensor(0);
    const b = blockSize(call);
    if (shape === undefined) return [new TensorType(dtype, undefined)];
    if (shape.length !== 4) call.fail(`the input must be images, not [${shape}]`);
    const [n, , h, w] = shape;
    return [new TensorType(dtype, [n!, part(call, shape, 1, b * b), multiply(h!, b), multiply(w!, b)])];
  },
  cost: FREE,
  gradient: depthToSpaceGradient,
};

/** Blocks of pixels become channels: (N, C, H·b, W·b) → (N, C·b², H, W). */
const SpaceToDepth: Operator = {
  traits: { isLinear: true },
  infer: (call) => {
    const { dtype, shape } = call.tensor(0);
    const b = blockSize(call);
    if (shape === undefined) return [new TensorType(dtype, undefined)];
    if (shape.length !== 4) call.fail(`the input must be images, not [${shape}]`);
    const [n, c] = shape;
    return [
      new TensorType(dtype, [n!, multiply(c!, b * b), part(call, shape, 2, b), part(call, shape, 3, b)]),
    ];
  },
  cost: FREE,
  gradient: spaceToDepthGradient,
};

export const rearrangeOperators: OperatorTable = { DepthToSpace, ReverseSequence, SpaceToDepth, Trilu };
