// Operators that add to a tensor's borders, or take from them: Pad, CenterCropPad.
import { add, type Dim } from '../../../graph/dim.js';
import { type Shape, TensorType } from '../../../graph/types.js';
import { FREE } from '../../cost.js';
import { type Call, expectInteger, type Operator } from '../../operator.js';
import type { OperatorTable } from '../../registry.js';
import { withVersions } from '../../versions.js';
import { checkSize, elementAt, knownTensors, tabulate, unknownSizes } from './data-movement.js';
import { padFloat } from './pad.float.js';
import { centerCropPadGradient, type Padding, padGradient } from './pad.gradient.js';
import { padVersions } from './pad.versions.js';

const MODES = ['constant', 'reflect', 'edge', 'wrap'];

/** The amounts were attributes before opset 11; since opset 18 they may be for some axes only. */
const Pad: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    const { shape } = x;
    const mode = call.string('mode', 'constant');
    if (!MODES.includes(mode)) call.fail(`unknown mode '${mode}'`, 'OP_ATTRIBUTE');
    if (shape === undefined) return [new TensorType(x.dtype, undefined)];
    const axes = axesOf(call, shape);
    if (axes === undefined) return [new TensorType(x.dtype, unknownSizes(call, shape.length))];
    const pads = padsOf(call);
    if (pads === undefined) {
      const padded = shape.map((d, i) => (axes.includes(i) ? call.unknownSize(0, i) : d));
      return [new TensorType(x.dtype, padded)];
    }
    const { before, after } = paddingOf(call, shape, axes, pads);
    const padded = shape.map((d, i) => add(add(d, before[i]!), after[i]!));
    if (padded.some((d) => typeof d === 'number' && d < 0)) {
      call.fail(`[${shape}] padded by [${before}] before and [${after}] after is [${padded}]`);
    }
    const elements = mode === 'constant' ? paddedElements(call, x, padded, before) : undefined;
    return [new TensorType(x.dtype, padded, elements)];
  },
  cost: FREE,
  roles: { data: ['data'], others: 'setting' },
  gradient: (g) => {
    const { shape } = g.input(0);
    const [axes, pads] = [axesOf(g.call, shape), padsOf(g.call)];
    return padGradient(g, axes && pads && paddingOf(g.call, shape, axes, pads));
  },
  traits: { moves: 'pad' },
  float: padFloat,
};

function paddingOf(call: Call, shape: Shape, axes: readonly number[], pads: readonly Dim[]): Padding {
  if (pads.length !== 2 * axes.length) {
    call.fail(`${pads.length} pads are given where [${shape}] needs ${2 * axes.length}`);
  }
  if (pads.some((p) => typeof p === 'number' && !Number.isSafeInteger(p))) {
    call.fail(`pads cannot be [${pads}]`, 'OP_INPUT');
  }
  const before: Dim[] = shape.map(() => 0);
  const after: Dim[] = shape.map(() => 0);
  axes.forEach((axis, i) => {
    before[axis] = pads[i]!;
    after[axis] = pads[i + axes.length]!;
  });
  return { before, after };
}

function padsOf(call: Call): readonly Dim[] | undefined {
  if (call.opset < 2) return call.required(call.ints('paddings'), 'paddings');
  if (call.opset < 11) return call.required(call.ints('pads'), 'pads');
  expectInteger(call, 1);
  return call.tensor(1).elements;
}

/** The dimensions that are padded: all unless an input names some. Undefined where its values are unknown. */
function axesOf(call: Call, shape: Shape): readonly number[] | undefined {
  if (!call.has('axes')) return shape.map((_, i) => i);
  expectInteger(call, 3);
  const given = call.numbers(3);
  return given && call.axes(given, shape.length);
}

function paddedElements(
  call: Call,
  x: TensorType,
  shape: Shape,
  before: readonly Dim[],
): readonly Dim[] | undefined {
  const [known] = knownTensors(x) ?? [];
  const fill =
    call.opset < 11 ? call.float('value', 0) : call.has('constant_value') ? call.scalar('constant_value') : 0;
  if (known === undefined || fill === undefined || !before.every((b) => typeof b === 'number')) {
    return undefined;
  }
  return tabulate(shape, (index) => {
    const at = index.map((i, axis) => i - before[axis]!);
    const inside = at.every((i, axis) => i >= 0 && i < known.shape[axis]!);
    return inside ? elementAt(known, at) : fill;
  });
}

/** Cuts or pads at both ends so that the middle stays in the middle; the sizes are given. */
const CenterCropPad: Operator = {
  infer: (call) => {
    const x = call.tensor(0);
    const { shape } = x;
    expectInteger(call, 1);
    const sizes = call.tensor(1).elements?.map((size) => checkSize(call, size));
    if (shape === undefined) return [new TensorType(x.dtype, undefined)];
    const axes = call.axes(call.ints('axes') ?? shape.map((_, i) => i), shape.length);
    if (sizes !== undefined && sizes.length !== axes.length) {
      call.fail(`${sizes.length} sizes are given for ${axes.length} dimensions of [${shape}]`);
    }
    const fitted = [...shape];
    axes.forEach((axis, i) => {
      fitted[axis] = sizes?.[i] ?? call.unknownSize(0, axis);
    });
    return [new TensorType(x.dtype, fitted)];
  },
  cost: FREE,
  roles: { setting: ['shape'] },
  gradient: centerCropPadGradient,
};

export const padOperators: OperatorTable = withVersions({ CenterCropPad, Pad }, padVersions);
