// Operators that give a tensor another shape, for another batch.
import type { Dim } from '../../graph/dim.js';
import { makeNode, type Node } from '../../graph/graph.js';
import { isTensor, sameShape } from '../../graph/types.js';
import { EXTRA, type Position, reshapedPositions } from './position.js';
import { BATCH_SIZE, isOfBatch, type Rebatching } from './rebatching.js';
import type { Visit } from './rules.js';

/** Reshape and Flatten: samples stay in their order. */
export function reshaped(walk: Rebatching, { node, carried }: Visit): void {
  if (carried.some(({ slot }) => slot > 0)) walk.refuse(node, 'the shape that it gives depends on samples');
  const { name, position } = carried[0]!;
  const [from, to] = [walk.oldShape(name), walk.oldShape(node.outputs[0]!)];
  if (from === undefined || to === undefined) return walk.refuse(node, 'its shape is unknown');
  const options = reshapedPositions(from, position, to, walk.sizes.was);
  const natural = naturalPosition(walk, node, options);
  if (options.length === 0) walk.refuse(node, 'samples of the batch come together in it');
  const chosen = natural ?? walk.decisions.choose(options);
  if (chosen.isExtra) return walk.finish(node, intoSamples(walk, node, name, to), EXTRA);
  const wanted = to.with(chosen.axis, walk.scaled(to[chosen.axis]!));
  const [type] = attempted(walk, node);
  if (isTensor(type) && sameShape(type.shape, wanted)) return walk.keep(node, chosen);
  walk.note(
    node,
    `[${to}] becomes [${wanted.map((d) => (isOfBatch(d) ? `${d}`.replace(String(BATCH_SIZE), 'batch') : d))}]`,
  );
  const target = targetFor(walk, node, wanted, chosen.axis);
  walk.keep(makeNode('Reshape', [name, target], node.outputs, {}, { name: node.name }), chosen);
}

/** Where the node itself puts the samples, if sizes that go into it tell. */
function naturalPosition(walk: Rebatching, node: Node, options: readonly Position[]): Position | undefined {
  const [type] = attempted(walk, node);
  const shape = isTensor(type) ? type.shape : undefined;
  const target = walk.callOf(node).elements(1);
  if (shape === undefined || node.inputs.length < 2 || !target?.some(isOfBatch)) return undefined;
  return options.find(({ axis, isExtra }) => !isExtra && isOfBatch(shape[axis]!) && isOfBatch(target[axis]!));
}

function attempted(walk: Rebatching, node: Node): ReturnType<Rebatching['infer']> {
  return walk.fits(node) ? walk.infer(node) : [];
}

/** One axis for the samples in front of the shape of one. */
export function intoSamples(walk: Rebatching, node: Node, name: string, to: readonly Dim[]): string {
  const hint = node.outputs[0]!;
  const isKnown = to.every((d) => typeof d === 'number' && d > 0);
  const open = to.filter((d) => typeof d !== 'number').length;
  if (to.includes(0)) walk.refuse(node, 'a sample has no elements');
  if (!isKnown && open > 1) walk.refuse(node, `the sizes [${to}] are not known`);
  const target = isKnown
    ? walk.ints(hint, [-1, ...(to as number[])])
    : walk.vector(node, [BATCH_SIZE, ...to.map((d) => (typeof d === 'number' ? d : -1))]);
  return walk.op('Reshape', hint, [name, target]);
}

/** The new shape for a Reshape: the batch is what is left, where all other sizes are numbers. */
function targetFor(walk: Rebatching, node: Node, wanted: readonly Dim[], axis: number): string {
  const hint = node.outputs[0]!;
  const isFree = wanted.every((d, i) => i === axis || (typeof d === 'number' && d > 0));
  if (isFree)
    return walk.ints(
      hint,
      wanted.map((d, i) => (i === axis ? -1 : (d as number))),
    );
  const given = walk.callOf(node).elements(1);
  const raw = wanted.map((d, i): Dim => (typeof d === 'number' || i === axis ? d : (given?.[i] ?? -1)));
  const others = raw.filter((_, i) => i !== axis);
  if (others.every((d) => typeof d === 'number') && others.filter((d) => d === -1).length <= 1) {
    return others.includes(-1) ? walk.vector(node, raw) : walk.vector(node, raw.with(axis, -1));
  }
  if (given === undefined) return walk.refuse(node, `the sizes [${wanted}] are not known`);
  // The sizes are computed: all but that of the batch stay.
  const size = walk.vector(node, [wanted[axis]!]);
  const part = (indices: number[]): string[] =>
    indices.length === 0 ? [] : [walk.op('Gather', hint, [node.inputs[1]!, walk.ints(hint, indices)])];
  const places = [...wanted.keys()];
  return walk.op('Concat', hint, [...part(places.slice(0, axis)), size, ...part(places.slice(axis + 1))], {
    axis: { type: 'int', value: 0 },
  });
}

/** Squeeze: without the axis of the batch, samples get one in front. */
export function dropped(walk: Rebatching, { node, call, carried }: Visit): void {
  const { name, position } = carried[0]!;
  const shape = walk.oldShape(name);
  if (shape === undefined) return walk.refuse(node, 'its shape is unknown');
  const given = walk.list(call, 'axes');
  if (given === undefined && node.inputs[1]) walk.refuse(node, 'its axes are not known');
  const ones = [...shape.keys()].filter((i) => shape[i] === 1);
  const axes = given === undefined || given.length === 0 ? ones : call.axes(given, shape.length);
  const rest = axes.filter((axis) => axis !== position.axis);
  if (rest.length === axes.length) {
    return walk.keep(given === axes ? node : walk.withList(node, call.opset, 'axes', axes), position);
  }
  walk.note(node, 'keeps the axis of the batch');
  const value = rest.length === 0 ? name : squeezed(walk, node, call.opset, name, rest);
  const at = position.axis - rest.filter((axis) => axis < position.axis).length;
  walk.finish(node, walk.front(node, value, at), EXTRA);
}

function squeezed(
  walk: Rebatching,
  node: Node,
  opset: number,
  name: string,
  axes: readonly number[],
): string {
  const output = walk.fresh(node.outputs[0]!);
  const fewer = walk.withList(
    { ...makeNode('Squeeze', [name], [output]), name: output },
    opset,
    'axes',
    axes,
  );
  walk.types.set(output, walk.infer(fewer)[0]!);
  walk.nodes.push(fewer);
  return output;
}
