// Operators that look at a tensor's shape or give it another one: Shape, Size, Reshape, Flatten, Squeeze,
// Unsqueeze, Transpose, and Identity. Sizes leave the world of shapes here and come back as elements, so
// this is where symbolic sizes become known elements and the other way round.
import { type Dim, divideExactly, floorDivide, isKnown, product, sameDim } from '../../../graph/dim.js';
import { isTensor, type Shape, TensorType } from '../../../graph/types.js';
import { FREE } from '../../cost.js';
import { type Call, type CostRule, expectInteger, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { withVersions } from '../../versions.js';
import {
  checkRank,
  checkSize,
  elementAt,
  knownTensors,
  tabulate,
  unknownSizes,
  vectorLength,
} from './data-movement.js';
import { reshapeGradient, transposeGradient } from './reshape.gradient.js';
import { reshapeVersions } from './reshape.versions.js';

/** Looks at a shape and never at the elements. */
const READS_SHAPE: CostRule = {
  describe: '0',
  of: ({ outputs: [output] }) => (isTensor(output) ? { memoryBytes: output.bytes } : {}),
};

/** The same elements under another shape. */
function reshaped(x: TensorType, shape: Shape | undefined): TensorType {
  return new TensorType(x.dtype, shape, x.mayBeKnown ? x.elements : undefined);
}

/** Since opset 15 of the dimensions from `start` to `end`, which count from the end when negative. */
const ShapeOperator: Operator = {
  infer: (call) => {
    const { shape } = call.tensor(0);
    if (shape === undefined) return [new TensorType('int64', [call.unknownSize(0, 0)])];
    const part = shape.slice(call.int('start', 0), call.int('end', shape.length));
    return [new TensorType('int64', [part.length], part)];
  },
  cost: READS_SHAPE,
  traits: { ignoresElementsOf: ['data'] },
};

const Size: Operator = {
  infer: (call) => {
    const { size } = call.tensor(0);
    return [new TensorType('int64', [], size === undefined ? undefined : [size])];
  },
  cost: READS_SHAPE,
  traits: { ignoresElementsOf: ['data'] },
};

/** The new shape was an attribute before opset 5. */
const Reshape: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    if (call.opset < 5) {
      const target = call.required(call.ints('shape'), 'shape');
      return [reshaped(x, reshapeTo(call, x.shape, target))];
    }
    expectInteger(call, 1);
    const target = call.tensor(1);
    if (target.shape !== undefined && target.shape.length !== 1) {
      call.fail(`the new shape must be a list of sizes, not ${target}`, 'OP_INPUT');
    }
    if (target.elements !== undefined) return [reshaped(x, reshapeTo(call, x.shape, target.elements))];
    const rank = vectorLength(target);
    if (rank === undefined) return [reshaped(x, undefined)];
    // Whatever is asked for, one dimension holds all the elements.
    if (rank === 1 && x.size !== undefined) return [reshaped(x, [x.size])];
    return [reshaped(x, unknownSizes(call, rank))];
  },
  cost: FREE,
  roles: { setting: ['shape'] },
  gradient: reshapeGradient,
  traits: { moves: 'shape', isView: true, reshapes: 'target' },
};

/** In a requested shape, 0 keeps the size of the input (unless `allowzero`) and one −1 takes what is left. */
function reshapeTo(call: Call, shape: Shape | undefined, target: readonly Dim[]): Shape {
  checkRank(call, target.length);
  const allowZero = call.int('allowzero', 0) !== 0;
  const sizes = target.map((size, i): Dim => {
    if (size === -1) return -1;
    if (size !== 0 || allowZero) return checkSize(call, size);
    if (shape === undefined) return call.unknownSize(0, i);
    return shape[i] ?? call.fail(`[${target}] keeps size ${i}, but the input is [${shape}]`);
  });
  const free = sizes.indexOf(-1);
  if (free < 0) {
    const [from, to] = [shape && product(shape), product(sizes)];
    if (typeof from === 'number' && typeof to === 'number' && from !== to) {
      call.fail(`[${shape}] cannot be reshaped to [${target}]: ${from} elements are not ${to}`);
    }
    return sizes;
  }
  const others = sizes.filter((_, i) => i !== free);
  if (others.includes(-1)) call.fail(`[${target}] asks for more than one free size`, 'OP_INPUT');
  if (others.includes(0)) call.fail(`the free size in [${target}] is undefined beside a size of 0`);
  sizes[free] =
    shape === undefined
      ? call.unknownSize(0, free)
      : (quotient(shape, others) ?? call.fail(`[${shape}] cannot be reshaped to [${target}]`));
  return sizes;
}

/** The product of some sizes over that of others; undefined if it cannot be whole. */
function quotient(dividend: Shape, divisor: readonly Dim[]): Dim | undefined {
  const left = [...dividend];
  const right = divisor.filter((size) => {
    const same = left.findIndex((d) => sameDim(d, size));
    if (same >= 0) left.splice(same, 1);
    return same < 0;
  });
  const [from, by] = [product(left), product(right)];
  const exact = divideExactly(from, by);
  if (exact !== undefined) return exact;
  return typeof from === 'number' && typeof by === 'number' ? undefined : floorDivide(from, by);
}

/** Two dimensions: those before `axis`, and the others. */
const Flatten: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    const { shape } = x;
    if (shape === undefined) return [reshaped(x, unknownSizes(call, 2))];
    const axis = call.int('axis', 1);
    // The axis may also be the rank: then all dimensions are before it.
    const at = axis === shape.length ? axis : call.axis(axis, shape.length);
    return [reshaped(x, [product(shape.slice(0, at)), product(shape.slice(at))])];
  },
  cost: FREE,
  gradient: reshapeGradient,
  traits: { moves: 'shape', isView: true, reshapes: 'flat' },
};

/** Axes became an input in opset 13. Undefined where none are given. */
function axesOf(call: Call): readonly number[] | 'unknown' | undefined {
  if (call.opset < 13) return call.ints('axes');
  if (!call.has('axes')) return undefined;
  expectInteger(call, 1);
  return call.numbers(1) ?? 'unknown';
}

/**
 * Drops dimensions of size 1: the given ones, or all there are. A symbolic size is taken to be 1 when it is
 * named, and to be more when it is not, as long as nothing contradicts that.
 */
const Squeeze: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    const { shape } = x;
    const given = axesOf(call);
    if (shape === undefined) return [reshaped(x, undefined)];
    if (given === 'unknown') {
      const count = vectorLength(call.tensor(1));
      if (count === undefined) return [reshaped(x, undefined)];
      return [reshaped(x, unknownSizes(call, Math.max(0, shape.length - count)))];
    }
    if (given === undefined || given.length === 0) {
      if (!shape.every(isKnown) && !call.mayAssume()) return [reshaped(x, undefined)];
      const rest = shape.filter((d) => d !== 1);
      return [reshaped(x, rest)];
    }
    const axes = new Set(given.map((a) => call.axis(a, shape.length)));
    for (const axis of axes) {
      const size = shape[axis];
      if (typeof size === 'number' && size !== 1) {
        call.fail(`dimension ${axis} of [${shape}] cannot be squeezed: it is not 1`);
      }
    }
    const rest = shape.filter((_, i) => !axes.has(i));
    return [reshaped(x, rest)];
  },
  cost: FREE,
  roles: { setting: ['axes'] },
  gradient: reshapeGradient,
  traits: { moves: 'shape', isView: true, reshapes: 'drops' },
};

/** Puts dimensions of size 1 at the given places of the output. */
const Unsqueeze: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    const { shape } = x;
    const given = axesOf(call);
    if (given === undefined) return call.fail('no axes are given', 'OP_INPUT');
    if (shape === undefined) return [reshaped(x, undefined)];
    if (given === 'unknown') {
      const count = vectorLength(call.tensor(1));
      if (count === undefined) return [reshaped(x, undefined)];
      return [reshaped(x, unknownSizes(call, shape.length + count))];
    }
    const rank = checkRank(call, shape.length + given.length);
    const axes = new Set(call.axes(given, rank));
    const rest = shape[Symbol.iterator]();
    const unsqueezed = Array.from({ length: rank }, (_, i) => (axes.has(i) ? 1 : (rest.next().value as Dim)));
    return [reshaped(x, unsqueezed)];
  },
  cost: FREE,
  roles: { setting: ['axes'] },
  gradient: reshapeGradient,
  traits: { moves: 'shape', isView: true, reshapes: 'inserts' },
};

/** Dimension i of the output is dimension `perm[i]` of the input; all of them reversed by default. */
const Transpose: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    const { shape } = x;
    const given = call.ints('perm');
    if (shape === undefined) return [new TensorType(x.dtype, given && unknownSizes(call, given.length))];
    const perm = given ?? shape.map((_, i) => shape.length - 1 - i);
    if (perm.length !== shape.length) {
      call.fail(`perm names ${perm.length} dimensions, but the input is [${shape}]`, 'OP_ATTRIBUTE');
    }
    const axes = call.axes(perm, shape.length);
    const transposed = axes.map((a) => shape[a]!);
    const [known] = knownTensors(x) ?? [];
    const at = new Array<number>(axes.length);
    const elements =
      known &&
      tabulate(transposed, (index) => {
        axes.forEach((axis, i) => {
          at[axis] = index[i]!;
        });
        return elementAt(known, at);
      });
    return [new TensorType(x.dtype, transposed, elements)];
  },
  cost: FREE,
  gradient: transposeGradient,
  traits: { moves: 'axes' },
};

/** Of any kind of value. */
const Identity: Operator = {
  infer: (call) => [call.input(0) ?? call.fail('input 0 is missing', 'OP_INPUT')],
  cost: FREE,
  gradient: (g) => [g.dy],
  traits: { moves: 'same', isView: true },
};

export const reshapeOperators: OperatorTable = withVersions(
  {
    Flatten,
    Identity,
    Reshape,
    Shape: ShapeOperator,
    Size,
    Squeeze,
    Transpose,
    Unsqueeze,
  },
  reshapeVersions,
);
