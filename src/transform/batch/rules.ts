// What becomes of a node when the samples that go into it become more: nothing for most; those that name sizes or places of
// the batch get others. Which rule applies is told by the operator's traits.
import type { InferredNode } from '../../analysis/infer.js';
import { divideExactly, sameDim } from '../../graph/dim.js';
import { makeNode, type Node } from '../../graph/graph.js';
import { usedNames } from '../../graph/order.js';
import { isTensor, type ValueType } from '../../graph/types.js';
import { inputsOf, traitsOf } from '../../ops/index.js';
import type { Call } from '../../ops/operator.js';
import type { Traits } from '../../ops/traits.js';
import { bothBranches, checkBodies } from './branches.js';
import { withExtraAxis } from './extra-axis.js';
import { EXTRA, type Position } from './position.js';
import { BATCH_SIZE, isOfBatch, type Rebatching } from './rebatching.js';
import { dropped, intoSamples, reshaped } from './reshaping.js';
import { convolvedBySample, hasSampleWeights } from './sample-weights.js';
import { cut, looked, taken } from './taking.js';

/** An input with samples. */
export interface Carried {
  readonly slot: number;
  readonly name: string;
  readonly position: Position;
}

/** A node to be given a larger batch. */
export interface Visit {
  readonly node: Node;
  /** With the types of inputs as they are for the network's own batch. */
  readonly call: Call;
  readonly traits: Traits;
  readonly carried: readonly Carried[];
}

/** Adds what becomes of a node. */
export function visit(walk: Rebatching, { node, call }: InferredNode): void {
  const used = usedNames(node);
  if (!used.some((name) => walk.types.has(name))) {
    walk.nodes.push(node);
    return;
  }
  const traits = traitsOf(node);
  const ignored = new Set((traits.ignoresElementsOf ?? []).map((name) => inputsOf(node).slot(name)));
  const all = node.inputs.flatMap((name, slot): Carried[] => {
    const position = walk.positions.get(name);
    return position ? [{ slot, name, position }] : [];
  });
  const carried = all.filter(({ slot }) => !ignored.has(slot));
  const extra = all.find(({ slot, position }) => position.isExtra && ignored.has(slot));
  if (extra !== undefined) return sizesOfSample(walk, node, extra.name);
  const isCaptured = used.some((name) => !node.inputs.includes(name) && walk.positions.has(name));
  if (carried.length === 0 && !isCaptured) {
    if (traits.knowsPlaces && walk.infer(node).some(hasBatch))
      checkPlaces(walk, { node, call, traits, carried });
    return walk.pass(node);
  }
  const one: Visit = { node, call, traits, carried };
  if (traits.activation === 'clip' && carried.some(({ slot }) => slot > 0)) return bounded(walk, one);
  checkPlaces(walk, one);
  if (hasSampleWeights(one)) return convolvedBySample(walk, one);
  if (carried.some(({ position }) => position.isExtra)) return withExtraAxis(walk, one);
  ruleFor(traits)(walk, one);
}

/** Operators whose result depends on the number of a sample. */
function checkPlaces(walk: Rebatching, { node, traits, carried }: Visit): void {
  const { knowsPlaces, pooling } = traits;
  const isInMatrix = carried.some(({ name, position }) => {
    const rank = walk.newShape(name)?.length ?? 0;
    return !position.isExtra && position.axis >= rank - 2;
  });
  const isReached = knowsPlaces === 'all' || (knowsPlaces === 'matrix' && isInMatrix);
  if (isReached) walk.refuse(node, 'what it gives depends on the place in the batch');
  // Places are counted over all samples.
  if (pooling?.keeps === 'maximum' && node.outputs[1]) walk.refuse(node, 'it counts places over the batch');
}

/** Bounds of a Clip are single numbers; those that depend on the sample are a maximum and a minimum instead. */
function bounded(walk: Rebatching, { node, call }: Visit): void {
  walk.note(node, 'its bounds depend on the sample');
  const [low = '', high = ''] = node.inputs.slice(1);
  const [output] = node.outputs as [string];
  const between = low === '' || high === '' ? output : walk.freshLike(output);
  const apply = (opType: string, inputs: readonly string[], to: string): void =>
    visit(walk, {
      node: makeNode(opType, inputs, [to], {}, { name: to === output ? node.name : to }),
      call,
      operator: undefined,
      isFunction: false,
    });
  if (low !== '') apply('Max', [node.inputs[0]!, low], between);
  if (high !== '') apply('Min', [low === '' ? node.inputs[0]! : between, high], output);
}

/** Whether a value has an axis for the samples. */
function hasBatch(type: ValueType): boolean {
  return isTensor(type) && (type.shape?.some(isOfBatch) ?? false);
}

type Rule = (walk: Rebatching, visit: Visit) => void;

function ruleFor({ reshapes, moves, reduction, recurrent, isElementwise, controlFlow }: Traits): Rule {
  if (reshapes === 'target' || reshapes === 'flat') return reshaped;
  if (reshapes === 'drops') return dropped;
  if (moves === 'join') return joined;
  if (moves === 'part') return cut;
  if (moves === 'rows') return taken;
  if (moves === 'lookup') return looked;
  if (moves === 'repeat') return repeated;
  if (reduction !== undefined) return reduced;
  if (recurrent) return recurred;
  if (isElementwise) return elementwise;
  if (controlFlow) return ran;
  return applied;
}

/** The sizes of a tensor that has an axis more than the network knows of. */
function sizesOfSample(walk: Rebatching, node: Node, input: string): void {
  const rank = walk.oldShape(input)?.length;
  const isShape = walk.oldShape(node.outputs[0]!)?.[0] === rank && node.inputs.length === 1;
  if (rank === undefined || !isShape || node.attributes.size > 0) walk.refuse(node, 'it reads a shape');
  const sizes = walk.op(node.opType, node.outputs[0]!, node.inputs);
  const axes = Array.from({ length: rank }, (_, i) => i + 1);
  const own = { ...node, opType: 'Gather', inputs: [sizes, walk.ints(node.outputs[0]!, axes)] };
  walk.pass(own);
}

/** All samples of all inputs are at the same axis of the output; numbers for one sample are repeated. */
function elementwise(walk: Rebatching, { node, carried }: Visit): void {
  if (node.inputs.some((name) => walk.tellsBatch(name)))
    walk.refuse(node, 'it computes with the size of the batch');
  const rank = walk.oldShape(node.outputs[0]!)?.length ?? 0;
  const places = carried.map(({ name, position }) => ({
    ...position,
    axis: position.axis + rank - (walk.newShape(name)?.length ?? 0),
  }));
  const [place, ...others] = places;
  if (others.some(({ axis, outer }) => axis !== place!.axis || !sameDim(outer, place!.outer))) {
    walk.refuse(node, 'its inputs have the batch at different axes');
  }
  walk.keep(withRepeated(walk, node, place!, rank), place);
}

/** With what is as large as the samples together, but has none, repeated. */
function withRepeated(walk: Rebatching, node: Node, { axis, outer }: Position, rank: number): Node {
  const inputs = node.inputs.map((name) => {
    if (name === '' || walk.positions.has(name)) return name;
    const shape = walk.oldShape(name) ?? [];
    const at = axis - (rank - shape.length);
    const isWhole = at >= 0 && shape[at] !== 1;
    return isWhole && outer === 1 ? walk.repeated(node, name, at) : name;
  });
  return { ...node, inputs };
}

function joined(walk: Rebatching, { node, call, carried }: Visit): void {
  const { position } = carried[0]!;
  const rank = walk.oldShape(node.outputs[0]!)?.length ?? 0;
  const axis = call.axis(call.int('axis', 1), rank);
  const isAligned = carried.every(
    ({ position: p }) => p.axis === position.axis && sameDim(p.outer, position.outer),
  );
  if (!isAligned) walk.refuse(node, 'its inputs have the batch at different axes');
  if (axis !== position.axis) {
    const inputs = node.inputs.map((name) =>
      walk.positions.has(name) ? name : walk.repeated(node, name, position.axis),
    );
    return walk.keep({ ...node, inputs }, position);
  }
  // One batch after another: each part has all samples.
  const isWhole = carried.every(({ name }) => walk.oldShape(name)?.[axis] === walk.sizes.was);
  if (carried.length < node.inputs.length || !isWhole) walk.refuse(node, 'it adds samples to the batch');
  walk.keep(node, { outer: carried.length });
}

function repeated(walk: Rebatching, { node, call, carried }: Visit): void {
  const { axis, outer } = carried[0]!.position;
  const times = call.numbers(1)?.[axis] ?? walk.refuse(node, 'how often it repeats samples is unknown');
  walk.keep(node, { outer: times === 1 ? outer : times });
}

/** A mean over samples and places is one over places only. */
function reduced(walk: Rebatching, { node, call, traits, carried }: Visit): void {
  const { name, position } = carried[0]!;
  const shape = walk.oldShape(name)!;
  const given = walk.list(call, 'axes');
  if (given === undefined && node.inputs[1]) walk.refuse(node, 'its axes are not known');
  const axes = given === undefined || given.length === 0 ? [...shape.keys()] : call.axes(given, shape.length);
  if (!axes.includes(position.axis)) return walk.keep(node, position);
  if (shape[position.axis] !== 1) return reducedApart(walk, node, call, { name, position, axes });
  const rest = axes.filter((a) => a !== position.axis);
  const isKept = call.int('keepdims', 1) !== 0;
  if (rest.length === 0 && traits.reduction === 'other') walk.refuse(node, 'it adds up samples of the batch');
  walk.note(node, 'leaves the axis of the batch');
  if (rest.length === 0 && isKept) return walk.finish(node, name, position);
  if (isKept) return walk.keep(walk.withList(node, call.opset, 'axes', rest), position);
  const output = walk.fresh(node.outputs[0]!);
  let value = name;
  if (rest.length > 0) {
    const fewer = walk.withList({ ...node, name: output, outputs: [output] }, call.opset, 'axes', rest);
    walk.types.set(output, walk.infer(fewer)[0]!);
    walk.nodes.push(fewer);
    value = output;
  }
  const at = position.axis - rest.filter((a) => a < position.axis).length;
  walk.finish(node, walk.front(node, value, at), { axis: 0, outer: 1, isExtra: true });
}

/** Samples are among others in an axis that is reduced: they get one of their own first. */
function reducedApart(
  walk: Rebatching,
  node: Node,
  call: Call,
  { name, position, axes }: { name: string; position: Position; axes: readonly number[] },
): void {
  const shape = walk.oldShape(name)!;
  const { axis, outer } = position;
  const inner = divideExactly(shape[axis]!, outer);
  const to = walk.oldShape(node.outputs[0]!);
  if (walk.sizes.was !== 1 || inner === undefined || to === undefined || shape.includes(0))
    return walk.refuse(node, 'it adds up samples of the batch');
  const split = [...shape.slice(0, axis), outer, BATCH_SIZE, inner, ...shape.slice(axis + 1)];
  const apart = walk.op('Reshape', node.outputs[0]!, [name, walk.vector(node, split)]);
  const moved = axes.flatMap((a) => (a === axis ? [a, a + 2] : [a < axis ? a : a + 2]));
  const output = walk.fresh(node.outputs[0]!);
  const fewer = walk.withInt(
    walk.withList(
      { ...node, name: output, inputs: node.inputs.with(0, apart), outputs: [output] },
      call.opset,
      'axes',
      moved,
    ),
    'keepdims',
    0,
  );
  walk.types.set(output, walk.infer(fewer)[0]!);
  walk.nodes.push(fewer);
  walk.note(node, 'leaves the samples apart');
  const at = axis - axes.filter((a) => a < axis).length;
  const first = walk.front(node, output, at);
  walk.finish(node, intoSamples(walk, node, first, to), EXTRA);
}

/** (time, batch, features); states and lengths that are constants are those of every sample. */
function recurred(walk: Rebatching, { node, call, carried }: Visit): void {
  const first = carried.find(({ slot }) => slot === 0) ?? walk.refuse(node, 'its weights depend on samples');
  const axis = call.int('layout', 0) === 0 ? 1 : 0;
  if (first.position.axis !== axis) walk.refuse(node, 'it goes through the samples as through a sequence');
  const formal = inputsOf(node, call.opset);
  if (carried.some(({ slot }) => ['weight', 'bias'].includes(formal.role(slot))))
    walk.refuse(node, 'its weights depend on samples');
  const { names } = formal;
  const inputs = node.inputs.map((name, slot) => {
    const role = names[slot] ?? '';
    const at = /^initial/.test(role) ? axis : /len/.test(role) ? 0 : undefined;
    if (name === '' || at === undefined) return name;
    const position = walk.positions.get(name);
    if (position === undefined) return walk.repeated(node, name, at);
    return position.axis === at && !position.isExtra
      ? name
      : walk.refuse(node, `'${name}' has the batch elsewhere`);
  });
  walk.keep({ ...node, inputs });
}

function ran(walk: Rebatching, one: Visit): void {
  const { node, carried, traits } = one;
  const isBySample = traits.controlFlow === 'branch' && carried.some(({ slot }) => slot === 0);
  if (isBySample) return bothBranches(walk, one, visit);
  checkBodies(walk, one, visit);
  walk.keep(node);
}

/** Everything else: it works on each sample, unless an attribute says otherwise. */
function applied(walk: Rebatching, { node, call, traits, carried }: Visit): void {
  const { name, position } = carried[0]!;
  const rank = walk.oldShape(name)?.length ?? 0;
  const { convolution, pooling, normalisation, moves, softmax } = traits;
  if (convolution && carried.some((c) => c.slot > 0)) walk.refuse(node, 'its weights depend on samples');
  const isImage =
    convolution ?? pooling ?? ['batch', 'instance', 'group', 'local'].includes(normalisation ?? '');
  if (isImage && position.axis !== 0) walk.refuse(node, 'the batch is not the first axis');
  const given = inputsOf(node, call.opset).slot('axis');
  const axis = given >= 0 ? call.numbers(given)?.[0] : call.int('axis');
  if (given >= 0 && call.has(given) && axis === undefined) walk.refuse(node, 'its axis is not known');
  const axes = normalisation === 'axes' ? call.ints('axes') : undefined;
  if (axes?.some((a) => (a < 0 ? a + rank : a) === position.axis)) {
    if (walk.sizes.was !== 1) walk.refuse(node, 'it takes statistics of all samples');
    const others = axes.filter((a) => (a < 0 ? a + rank : a) !== position.axis);
    return walk.keep(walk.withList(node, call.opset, 'axes', others), position);
  }
  if (axis !== undefined && moves !== 'quantisation') {
    const at = axis < 0 ? axis + rank : axis;
    // Softmax took all axes from one on together once.
    const mixes = softmax && call.opset < 13 ? position.axis >= at : position.axis === at;
    if (mixes || (normalisation === 'layer' && position.axis >= at)) {
      walk.refuse(node, 'it works along the axis of the batch');
    }
  }
  const isElsewhere = carried.some(({ position: other }) => other.axis !== position.axis);
  if (isElsewhere && !traits.product) walk.refuse(node, 'its inputs have the batch at different axes');
  if (walk.fits(node, position)) return walk.keep(node, position);
  const sized = withSizes(walk, node, call, position);
  if (sized !== undefined) {
    walk.note(node, 'its sizes follow the batch');
    return walk.keep(sized, position);
  }
  const inputs = node.inputs.map((input, i) => {
    const isData = inputsOf(node, call.opset).role(i) === 'data';
    const isOne = walk.oldShape(input)?.[position.axis] === 1 && walk.oldShape(input)?.length === rank;
    return isData && isOne && !walk.positions.has(input) ? walk.repeated(node, input, position.axis) : input;
  });
  walk.keep({ ...node, inputs }, position);
}

/** With other sizes in the place of those that are a constant input: Resize, Expand. */
function withSizes(walk: Rebatching, node: Node, call: Call, { axis }: Position): Node | undefined {
  const old = walk.oldShape(node.outputs[0]!);
  const rank = walk.oldShape(node.inputs[0]!)?.length;
  if (old === undefined || rank === undefined) return undefined;
  const at = axis + old.length - rank;
  const slot = node.inputs.findIndex((_, i) => {
    const given = i === 0 ? undefined : call.elements(i);
    return given?.length === old.length && given[at] === walk.sizes.was;
  });
  if (slot < 0 || old[at] !== walk.sizes.was) return undefined;
  const given = call.elements(slot)!;
  return walk.withInput(node, slot, walk.vector(node, given.with(at, walk.scaled(walk.sizes.was))));
}
