// Height, width and channels of the values in a network, whatever their layout; see `computationGraph` for what
// they are of tokens.
import { type Dim, divideExactly, product } from '../../../graph/dim.js';
import { isInteger } from '../../../graph/dtype.js';
import { isTensor, type ValueType } from '../../../graph/types.js';
import { traitsOf } from '../../../ops/index.js';
import type { Call } from '../../../ops/operator.js';
import { known, rankOf } from './primitive-details.js';
import type { Label } from './primitive-ops.js';

export type Sizes = readonly [height: number, width: number, channels: number];

/** Sizes of what goes in and comes out; 0 where a size is not known. */
export type Resolution = readonly [
  heightIn: number,
  heightOut: number,
  widthIn: number,
  widthOut: number,
  channelsIn: number,
  channelsOut: number,
];

export function resolution([hIn, wIn, cIn]: Sizes, [hOut, wOut, cOut]: Sizes): Resolution {
  return [hIn, hOut, wIn, wOut, cIn, cOut];
}

/** @param channelAxis negative ones count from the end; where it is not known, the usual one is taken. */
export function imageSizes(type: ValueType | undefined, channelAxis: number | undefined, batch: Dim): Sizes {
  if (!isTensor(type) || type.shape === undefined) return [0, 0, 0];
  const { shape, dtype } = type;
  const rank = shape.length;
  const isTokens = rank <= 2 && dtype !== undefined && (isInteger(dtype) || dtype === 'bool');
  const usual = rank === 3 ? 2 : 1;
  const axis = Math.min(channelAxis === undefined ? usual : (channelAxis + rank) % rank, rank - 1);
  const others = isTokens ? shape : shape.filter((_, i) => i !== axis);
  const channels = isTokens || rank === 0 ? 1 : known(shape[axis]!);
  if (others.length <= 2) {
    const positions = divideExactly(product(others), batch) ?? product(others.slice(1));
    return [known(positions), 1, channels];
  }
  return [known(product(others.slice(1, -1))), known(others.at(-1)!), channels];
}

/** Operators that take (B, C, …). */
function hasChannelsSecond(call: Call, label: Label): boolean {
  if (label === 'Conv' || label === 'Depthwise' || label === 'Maxpool' || label === 'Avgpool') return true;
  const { normalisation, pooling } = traitsOf(call.node);
  if (pooling?.keeps === 'average') return true;
  return normalisation === 'batch' || normalisation === 'instance' || normalisation === 'group';
}

export interface AxisHints {
  /** Where the channels of the first input that is no constant are, as far as that is known. */
  readonly axis: number | undefined;
  /** Which input that is. */
  readonly at: number;
  /** Which inputs are constants. */
  readonly constants: readonly number[];
}

/** Which axis holds the channels of an operator's input, and of its output. */
export function channelAxes(
  call: Call,
  label: Label,
  { axis, at, constants }: AxisHints,
): readonly [input: number | undefined, output: number | undefined] {
  const { opType, domain } = call.node;
  if (/nhwc$/i.test(domain) || /^nhwc/i.test(opType) || call.int('channels_last', 0) === 1) return [-1, -1];
  if (hasChannelsSecond(call, label)) return [1, 1];
  if (traitsOf(call.node).normalisation === 'layer') return [-1, -1];
  if (label === 'MatMul') {
    if (constants.length === 0) return [undefined, undefined];
    return at === 0 ? [-1, -1] : [-2, -2];
  }
  return [axis, rankOf(call.outputs[0]) === rankOf(call.inputs[at]) ? axis : undefined];
}

/** Where the channels are behind what only moves elements. */
export function movedAxis(call: Call, axis: number | undefined): number | undefined {
  const { moves } = traitsOf(call.node);
  const rank = rankOf(call.inputs[0]);
  if (axis === undefined || rank === undefined || rank !== rankOf(call.outputs[0])) return undefined;
  if (moves === 'shape') return undefined;
  const place = (axis + rank) % rank;
  if (moves !== 'axes') return place;
  const perm = call.ints('perm') ?? Array.from({ length: rank }, (_, i) => rank - 1 - i);
  return perm.indexOf(place);
}
