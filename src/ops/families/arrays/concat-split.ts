// Operators that put tensors together, take them apart and repeat them: Concat, Split, Tile, Expand.
import {
  add,
  axisSize,
  ceilDivide,
  type Dim,
  floorDivide,
  isKnown,
  multiply,
  subtract,
  sum,
} from '../../../graph/dim.js';
import { isInteger } from '../../../graph/dtype.js';
import { nodeLabel } from '../../../graph/graph.js';
import { type Shape, TensorType } from '../../../graph/types.js';
import { FREE } from '../../cost.js';
import { type Call, commonDtype, expectInteger, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { withVersions } from '../../versions.js';
import { broadcastShapes, foldElementwise, smallShape } from '../arithmetic/broadcast.js';
import { concatGradient, expandGradient, splitGradient, tileGradient } from './concat-split.gradient.js';
import { concatSplitVersions } from './concat-split.versions.js';
import {
  checkSize,
  elementAt,
  type KnownTensor,
  knownTensors,
  sizeOf,
  sizesFrom,
  tabulate,
  unknownSizes,
} from './data-movement.js';

/** The sizes along `axis` add up; all others agree. Before opset 4 the axis was 1 unless given. */
const Concat: Operator = {
  infer: (call) => {
    const inputs = call.inputs.map((_, i) => call.tensor(i));
    if (inputs.length === 0) call.fail('at least one input is needed', 'OP_INPUT');
    const dtype = commonDtype(call, inputs);
    const given = call.int('axis') ?? (call.opset < 4 ? 1 : undefined);
    const rank = inputs.find((t) => t.shape !== undefined)?.rank;
    if (rank === undefined) return [new TensorType(dtype, undefined)];
    const axis = call.axis(call.required(given, 'axis'), rank);
    const shape = concatShape(call, inputs, rank, axis);
    const elements = concatElements(inputs, shape, axis) ?? partlyKnown(call, inputs, shape);
    return [new TensorType(dtype, shape, elements)];
  },
  cost: FREE,
  gradient: concatGradient,
  traits: { moves: 'join' },
};

function concatShape(call: Call, inputs: readonly TensorType[], rank: number, axis: number): Shape {
  let common: Dim[] | undefined;
  let along: Dim | undefined = 0;
  for (const { shape } of inputs) {
    if (shape === undefined) {
      along = undefined;
      continue;
    }
    if (shape.length !== rank) call.fail(`the inputs have different ranks: ${inputs.join(', ')}`);
    along = along === undefined ? undefined : add(along, shape[axis]!);
    common = common?.map((d, i) => (i === axis ? d : agreeing(call, d, shape[i]!, inputs))) ?? [...shape];
  }
  return common!.map((d, i) => (i === axis ? (along ?? call.unknownSize(0, axis)) : d));
}

/** Two sizes that must be equal: a number tells more than a symbol. */
function agreeing(call: Call, a: Dim, b: Dim, inputs: readonly TensorType[]): Dim {
  if (typeof a !== 'number') return typeof b === 'number' ? b : a;
  if (typeof b === 'number' && a !== b) call.fail(`the inputs do not fit together: ${inputs.join(', ')}`);
  return a;
}

function concatElements(
  inputs: readonly TensorType[],
  shape: Shape,
  axis: number,
): readonly Dim[] | undefined {
  const small = smallShape(shape);
  if (small === undefined) return undefined;
  if (sizeOf(small) === 0) return [];
  const parts = knownTensors(...inputs);
  if (parts === undefined) return undefined;
  if (shape.length === 1) return parts.flatMap((part) => part.elements);
  const owners: { part: KnownTensor; offset: number }[] = [];
  for (const part of parts) {
    const offset = owners.length;
    for (let i = 0; i < part.shape[axis]!; i++) owners.push({ part, offset });
  }
  const at = new Array<number>(shape.length);
  return tabulate(shape, (index) => {
    const { part, offset } = owners[index[axis]!]!;
    index.forEach((i, k) => {
      at[k] = k === axis ? i - offset : i;
    });
    return elementAt(part, at);
  });
}

/**
 * A list of sizes of which some are known is worth keeping: the others become symbols, named after the value
 * and the place they come from.
 */
function partlyKnown(call: Call, inputs: readonly TensorType[], shape: Shape): readonly Dim[] | undefined {
  if (shape.length !== 1 || smallShape(shape) === undefined) return undefined;
  if (!inputs.every((t) => isInteger(t.dtype)) || inputs.every((t) => t.elements === undefined)) {
    return undefined;
  }
  const elements: Dim[] = [];
  for (const [n, input] of inputs.entries()) {
    const [length] = input.shape as readonly number[];
    const name = call.node.inputs[n] ?? nodeLabel(call.node);
    for (let i = 0; i < length!; i++) elements.push(input.elements?.[i] ?? axisSize(name, i));
  }
  return elements.length === shape[0] ? elements : undefined;
}

/**
 * The sizes of the parts are a list (an attribute, since opset 13 an input) or equal. What cannot be divided
 * equally leaves the last part smaller (since opset 18) or is a mistake.
 */
const Split: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    const { shape } = x;
    const count = call.outputCount;
    if (shape === undefined) return Array.from({ length: count }, () => new TensorType(x.dtype, undefined));
    const axis = call.axis(call.int('axis', 0), shape.length);
    const sizes = splitSizes(call, shape[axis]!, count, axis);
    const [known] = (sizes.every(isKnown) && knownTensors(x)) || [];
    let end = 0;
    return sizes.map((size) => {
      const part = shape.map((d, i) => (i === axis ? size : d));
      if (known === undefined) return new TensorType(x.dtype, part);
      const start = end;
      end += size as number;
      const elements = tabulate(part, (index) =>
        elementAt(
          known,
          index.map((i, k) => (k === axis ? i + start : i)),
        ),
      );
      return new TensorType(x.dtype, part, elements);
    });
  },
  cost: FREE,
  roles: { setting: ['split'] },
  gradient: splitGradient,
  traits: { moves: 'part' },
};

function splitSizes(call: Call, size: Dim, count: number, axis: number): Dim[] {
  const asked = call.int('num_outputs', count);
  if (asked !== count) call.fail(`num_outputs is ${asked}, but there are ${count} outputs`, 'OP_ATTRIBUTE');
  let given: readonly Dim[] | undefined = call.ints('split');
  if (given === undefined && call.has('split')) {
    expectInteger(call, 1);
    given = call.elements(1);
    if (given === undefined) return Array.from({ length: count }, (_, i) => call.unknownSize(i, axis));
  }
  if (given === undefined) return equalParts(call, size, count);
  if (given.length !== count) call.fail(`${given.length} sizes are given for ${count} outputs`, 'OP_INPUT');
  const total = sum(given.map((part) => checkSize(call, part)));
  if (typeof total === 'number' && typeof size === 'number' && total !== size) {
    call.fail(`parts of [${given}] do not make up a dimension of ${size}`);
  }
  return [...given];
}

function equalParts(call: Call, size: Dim, count: number): Dim[] {
  if (count === 0) return [];
  if (call.opset >= 18) {
    const part = ceilDivide(size, count);
    const last = subtract(size, multiply(part, count - 1));
    if (isKnown(last) && last < 0) call.fail(`a dimension of ${size} is too small for ${count} parts`);
    return Array.from({ length: count }, (_, i) => (i < count - 1 ? part : last));
  }
  const part = floorDivide(size, count);
  if (typeof size === 'number' && size % count !== 0) {
    call.fail(`a dimension of ${size} cannot be split into ${count} equal parts`);
  }
  return Array.from({ length: count }, () => part);
}

/** Repeats the whole tensor `repeats[i]` times along dimension i; in opset 1 along one axis only. */
const Tile: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    const { shape } = x;
    if (shape === undefined) return [new TensorType(x.dtype, undefined)];
    const repeats = call.opset < 6 ? repeatsAlongAxis(call, shape) : repeatsPerDimension(call, shape);
    const tiled =
      repeats === undefined
        ? unknownSizes(call, shape.length)
        : shape.map((d, i) => multiply(d, repeats[i]!));
    const [known] = knownTensors(x) ?? [];
    const elements =
      known &&
      tabulate(tiled, (index) =>
        elementAt(
          known,
          index.map((i, k) => i % known.shape[k]!),
        ),
      );
    return [new TensorType(x.dtype, tiled, elements)];
  },
  cost: FREE,
  roles: { data: ['input'], others: 'setting' },
  gradient: tileGradient,
  traits: { moves: 'repeat' },
};

function repeatsPerDimension(call: Call, shape: Shape): readonly Dim[] | undefined {
  expectInteger(call, 1);
  const repeats = call.elements(1);
  if (repeats !== undefined && repeats.length !== shape.length) {
    call.fail(`${repeats.length} repeats do not fit [${shape}]`);
  }
  return repeats?.map((n) => checkSize(call, n, 'a repeat of'));
}

function repeatsAlongAxis(call: Call, shape: Shape): readonly Dim[] | undefined {
  const [tiles, axis] = [call.scalar(1), call.scalar(2)];
  if (tiles === undefined || typeof axis !== 'number') return undefined;
  const at = call.axis(axis, shape.length);
  return shape.map((_, i) => (i === at ? checkSize(call, tiles, 'a repeat of') : 1));
}

/** Broadcasts the input and a shape with each other, so the result may be larger than what is asked for. */
const Expand: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    expectInteger(call, 1);
    const target = sizesFrom(call, 1);
    const shape = call.elements(1)
      ? broadcastShapes(call, [x.shape, target])
      : expandedShape(call, x.shape, target?.length);
    return [
      new TensorType(
        x.dtype,
        shape,
        foldElementwise([x], shape, (e) => e),
      ),
    ];
  },
  cost: FREE,
  roles: { setting: ['shape'] },
  gradient: expandGradient,
  traits: { moves: 'broadcast' },
};

/** By a shape of which only the rank is known: sizes of 1 are open, all others stay. */
function expandedShape(call: Call, shape: Shape | undefined, rank: number | undefined): Shape | undefined {
  if (shape === undefined || rank === undefined) return undefined;
  const size = Math.max(shape.length, rank);
  return unknownSizes(call, size).map((open, i) => {
    const own = shape[i - size + shape.length];
    return own === undefined || own === 1 ? open : own;
  });
}

export const concatSplitOperators: OperatorTable = withVersions(
  { Concat, Expand, Split, Tile },
  concatSplitVersions,
);
