// Nodes that a network wrote for one sample without an axis for it (behind a Squeeze, or x[0]). For a batch their tensors
// have an axis more, the first one: axes that nodes name move on by one.
import { divideExactly, sameDim } from '../../graph/dim.js';
import type { Node } from '../../graph/graph.js';
import { inputsOf } from '../../ops/index.js';
import { EXTRA, reshapedPositions } from './position.js';
import { BATCH_SIZE, type Rebatching } from './rebatching.js';
import { intoSamples } from './reshaping.js';
import type { Carried, Visit } from './rules.js';

export function withExtraAxis(walk: Rebatching, visit: Visit): void {
  const { node, traits } = visit;
  if (traits.reshapes !== undefined) return reshapedSample(walk, visit);
  if (traits.isElementwise) return elementwise(walk, visit);
  if (traits.convolution || traits.recurrent || traits.controlFlow) {
    walk.refuse(node, 'it has no axis for the batch');
  }
  const all = traits.moves === 'join' ? withAllSamples(walk, node) : node;
  walk.keep(shifted(walk, all, visit), EXTRA);
}

/** Axes of size 1 that a sample gets are for the batch, the first ones first. */
function reshapedSample(walk: Rebatching, { node, carried }: Visit): void {
  const { name, position } = carried[0]!;
  const [from, to] = [walk.oldShape(name), walk.oldShape(node.outputs[0]!)];
  if (from === undefined || to === undefined) return walk.refuse(node, 'its shape is unknown');
  const chosen = walk.decisions.choose(reshapedPositions(from, position, to, walk.sizes.was));
  if (chosen.isExtra) return walk.finish(node, intoSamples(walk, node, name, to), EXTRA);
  const rest = to.filter((_, i) => i !== chosen.axis);
  const value = intoSamples(walk, node, name, rest);
  if (chosen.axis === 0) return walk.finish(node, value, chosen);
  const order = rest.map((_, i) => i + 1);
  const perm = [...order.slice(0, chosen.axis), 0, ...order.slice(chosen.axis)];
  const moved = walk.op('Transpose', node.outputs[0]!, [value], { perm: { type: 'ints', value: perm } });
  walk.finish(node, moved, chosen);
}

/** Samples of all inputs are brought to the same axis, in front of those that inputs are aligned by. */
function elementwise(walk: Rebatching, { node, carried }: Visit): void {
  const rank = walk.oldShape(node.outputs[0]!)?.length ?? 0;
  const own = carried.find(({ position }) => !position.isExtra);
  const axis = own ? own.position.axis + rank - walk.newShape(own.name)!.length : -1;
  const isMixed = own !== undefined && !isAlone(walk, own);
  const inputs = node.inputs.map((name) => {
    if (!walk.positions.get(name)?.isExtra) return name;
    const sample = walk.oldShape(name)!;
    const free = rank - sample.length;
    if (own === undefined) {
      return free === 0
        ? name
        : intoSamples(walk, node, name, [...new Array<number>(free).fill(1), ...sample]);
    }
    if (isMixed) return spread(walk, node, name, own, rank);
    if (axis >= free) walk.refuse(node, 'its inputs have the batch at different axes');
    const ones = new Array<number>(free - axis - 1).fill(1);
    return ones.length === 0 ? name : intoSamples(walk, node, name, [...ones, ...sample]);
  });
  walk.keep({ ...node, inputs }, own ? own.position : EXTRA);
}

/** Whether the samples are an axis of their own. */
function isAlone(walk: Rebatching, { name, position }: Carried): boolean {
  return sameDim(position.outer, 1) && walk.oldShape(name)?.[position.axis] === walk.sizes.was;
}

/** One number for every sample, beside a value that has samples among others in an axis. */
function spread(walk: Rebatching, node: Node, name: string, own: Carried, rank: number): string {
  const sample = walk.oldShape(name)!;
  const shape = walk.oldShape(own.name)!;
  const { axis, outer } = own.position;
  const inner = divideExactly(shape[axis]!, outer);
  if (walk.sizes.was !== 1 || inner === undefined || sample.some((d) => d !== 1))
    return walk.refuse(node, 'its inputs have the batch at different axes');
  const apart = intoSamples(walk, node, name, [1]);
  const all = walk.op('Expand', name, [apart, walk.vector(node, [outer, BATCH_SIZE, inner])]);
  const ones = new Array<number>(rank - (shape.length - axis)).fill(1);
  const rest = new Array<number>(shape.length - axis - 1).fill(1);
  return walk.op('Reshape', name, [all, walk.ints(name, [...ones, -1, ...rest])]);
}

function withAllSamples(walk: Rebatching, node: Node): Node {
  const inputs = node.inputs.map((name) => {
    const position = walk.positions.get(name);
    if (position === undefined) return walk.repeated(node, name, 0, true);
    return position.isExtra ? name : walk.refuse(node, 'its inputs have the batch at different axes');
  });
  return { ...node, inputs };
}

/** The node with all axes that it names moved on by one. */
function shifted(walk: Rebatching, node: Node, { call, traits, carried }: Visit): Node {
  const first = carried[0]!;
  const rank = walk.oldShape(first.name)?.length;
  if (rank === undefined) return walk.refuse(node, 'its shape is unknown');
  const next = (axis: number): number => (axis < 0 ? axis + rank : axis) + 1;
  if (traits.moves === 'axes') {
    const perm = call.ints('perm') ?? Array.from({ length: rank }, (_, i) => rank - 1 - i);
    const attributes = new Map([
      ...node.attributes,
      ['perm', { type: 'ints', value: [0, ...perm.map(next)] }],
    ] as const);
    return { ...node, attributes };
  }
  if (traits.moves === 'rows' && first.slot === 1) return node;
  if (traits.softmax && call.opset < 13) return walk.refuse(node, 'it takes several axes together');
  const axis = call.int('axis');
  const isAxis = axis !== undefined && traits.moves !== 'quantisation';
  if (isAxis) return walk.withInt(node, 'axis', next(axis));
  const isListed = inputsOf(node, 99).slot('axes') >= 0 || call.ints('axes') !== undefined;
  if (inputsOf(node, 99).slot('axis') >= 0) return walk.refuse(node, 'it has no axis for the batch');
  if (!isListed || traits.recurrent) return node;
  const starts = inputsOf(node, 99).slot('starts') >= 0 ? walk.list(call, 'starts') : undefined;
  const given = walk.list(call, 'axes');
  const all = starts?.map((_, i) => i) ?? Array.from({ length: rank }, (_, i) => i);
  const axes = given === undefined || given.length === 0 ? all : given;
  return walk.withList(node, call.opset, 'axes', axes.map(next));
}
