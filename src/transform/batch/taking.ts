// Operators that take a part of a tensor, for another batch.
import { type Dim, multiply, sameDim } from '../../graph/dim.js';
import type { Node } from '../../graph/graph.js';
import { inputsOf } from '../../ops/index.js';
import { EXTRA, type Position } from './position.js';
import { BATCH_SIZE, type Rebatching } from './rebatching.js';
import type { Visit } from './rules.js';

/** A bound behind the end of every axis. */
const END = 2 ** 31 - 1;

/** Slice and Split. */
export function cut(walk: Rebatching, visit: Visit): void {
  const { node, carried } = visit;
  if (carried.some(({ slot }) => slot !== 0)) walk.refuse(node, 'where it cuts depends on samples');
  const { name, position } = carried[0]!;
  const shape = walk.oldShape(name);
  if (shape === undefined) return walk.refuse(node, 'its shape is unknown');
  const isSlice = inputsOf(node, 99).slot('ends') >= 0;
  if (isSlice) sliced(walk, visit, shape[position.axis]!);
  else split(walk, visit);
}

function sliced(walk: Rebatching, { node, call, carried }: Visit, size: Dim): void {
  const { position } = carried[0]!;
  const rank = walk.oldShape(carried[0]!.name)!.length;
  const [starts, ends, steps] = ['starts', 'ends', 'steps'].map((name) =>
    name === 'steps' && call.opset < 10 ? undefined : walk.list(call, name),
  );
  const given = walk.list(call, 'axes') ?? starts?.map((_, i) => i);
  const at = given === undefined ? -1 : call.axes(given, rank).indexOf(position.axis);
  if (at < 0) return walk.keep(node, position);
  const taken = walk.oldShape(node.outputs[0]!)?.[position.axis];
  if (starts === undefined || ends === undefined) {
    // Bounds that are computed follow the batch.
    return walk.keep(node, position);
  }
  if ((steps?.[at] ?? 1) !== 1) walk.refuse(node, 'it takes samples of the batch in another order');
  if (taken !== undefined && sameDim(taken, size)) {
    return walk.keep(
      ends[at]! >= END ? node : walk.withList(node, call.opset, 'ends', ends.with(at, END)),
      position,
    );
  }
  const part = blocks(walk, position, size);
  if (part === undefined || call.opset < 10)
    return walk.refuse(node, 'it takes some samples of the batch only');
  const bound = (list: readonly number[]): string => {
    const value = list[at]! < 0 ? list[at]! + part : Math.min(list[at]!, part);
    return walk.vector(node, (list as readonly Dim[]).with(at, multiply(value, BATCH_SIZE)));
  };
  const cutNode = walk.withInput(walk.withInput(node, 1, bound(starts)), 2, bound(ends));
  walk.keep(cutNode, { ...position, outer: taken as number });
}

/** Into how many batches an axis is divided, where it is nothing else. */
function blocks(walk: Rebatching, { outer }: Position, size: Dim): number | undefined {
  return walk.sizes.was === 1 && typeof outer === 'number' && size === outer ? outer : undefined;
}

function split(walk: Rebatching, { node, call, carried }: Visit): void {
  const { name, position } = carried[0]!;
  const shape = walk.oldShape(name)!;
  if (call.axis(call.int('axis', 0), shape.length) !== position.axis) return walk.keep(node, position);
  const sizes = node.outputs.map((output) => walk.oldShape(output)?.[position.axis]);
  const isWhole = node.outputs.length === 1;
  const part = blocks(walk, position, shape[position.axis]!);
  const slot = inputsOf(node, call.opset).slot('split');
  if (slot < 0 || !sizes.every((d) => typeof d === 'number') || !(isWhole || part !== undefined)) {
    return walk.refuse(node, 'it divides the batch');
  }
  const list = walk.vector(
    node,
    isWhole ? [walk.scaled(sizes[0]!)] : sizes.map((d) => multiply(d, BATCH_SIZE)),
  );
  const attributes = new Map([...node.attributes].filter(([key]) => key !== 'num_outputs'));
  const [first] = sizes;
  walk.keep(
    { ...node, attributes, inputs: [name, list] },
    isWhole ? position : { ...position, outer: first! },
  );
}

/** Gather. */
export function taken(walk: Rebatching, { node, call, carried }: Visit): void {
  const [first, second] = carried;
  if (second !== undefined) return walk.refuse(node, 'it looks samples up by samples');
  const { slot, name, position } = first!;
  const shape = walk.oldShape(name);
  if (slot !== 0 || shape === undefined) return walk.keep(node, position);
  if (call.axis(call.int('axis', 0), shape.length) !== position.axis) return walk.keep(node, position);
  const indices = call.numbers(1);
  const rank = walk.oldShape(node.inputs[1]!)?.length;
  const part = blocks(walk, position, shape[position.axis]!);
  if (indices?.length !== 1 || part === undefined || rank === undefined || rank > 1) {
    return walk.refuse(node, 'it takes some samples of the batch only');
  }
  const index = indices[0]! < 0 ? indices[0]! + part : indices[0]!;
  const block = part === 1 ? name : oneBlock(walk, node, name, position.axis, index);
  walk.note(node, 'takes all samples');
  if (rank === 1) return walk.finish(node, block, { ...position, outer: 1 });
  walk.finish(node, walk.front(node, block, position.axis), EXTRA);
}

function oneBlock(walk: Rebatching, node: Node, name: string, axis: number, index: number): string {
  if ((walk.model.opsetImports.get('') ?? 1) < 10) walk.refuse(node, 'it takes a part of the batch');
  const bounds = [index, index + 1].map((i) => walk.vector(node, [multiply(i, BATCH_SIZE)]));
  return walk.op('Slice', node.outputs[0]!, [name, ...bounds, walk.ints(node.outputs[0]!, [axis])]);
}

/** GatherElements and GatherND: the indices of one sample are those of all. */
export function looked(walk: Rebatching, { node, call, carried }: Visit): void {
  const { slot, name, position } = carried[0]!;
  const rank = walk.oldShape(name)?.length;
  const other = node.inputs[1 - slot]!;
  const isAligned = walk.oldShape(other)?.length === rank && node.attributes.has('axis');
  if (carried.length === 2) {
    const same = carried[1]!.position.axis === position.axis;
    const depth = call.int('batch_dims', 0);
    const isOwn = isAligned ? true : position.axis < depth;
    return same && isOwn ? walk.keep(node, position) : walk.refuse(node, 'it looks samples up by samples');
  }
  if (isAligned && walk.oldShape(other)?.[position.axis] === 1) {
    return walk.keep(walk.withInput(node, 1 - slot, walk.repeated(node, other, position.axis)), position);
  }
  if (slot === 1 && walk.fits(node, position)) return walk.keep(node, position);
  walk.refuse(node, 'it looks up places of one sample');
}
