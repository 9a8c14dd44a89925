// Two moves in a row as one: a transposition behind a transposition, a new shape behind a new shape. And targets of
// shapes that are computed although all but one of their sizes are known.
import { sameDim } from '../../graph/dim.js';
import { makeNode, type Node, nodeLabel, operatorName } from '../../graph/graph.js';
import { fromNumbers, type Tensor } from '../../graph/tensor.js';
import type { TensorType } from '../../graph/types.js';
import { inputsOf, traitsOf } from '../../ops/index.js';
import type { Change } from '../transform.js';
import type { Edit, GraphView } from './pass.js';

export function withShortChains(view: GraphView): Edit {
  const replacements = new Map<Node, readonly Node[]>();
  const constants = new Map<string, Tensor>();
  const changes: Change[] = [];
  const isTaken = (node: Node): boolean => replacements.has(node);
  for (const node of view.graph.nodes) {
    const before = view.maker(node.inputs[0]);
    // One step of a chain at a time: what comes before must not change in the same pass.
    const previous = before && !isTaken(before) ? before : undefined;
    const shorter =
      joinedTranspositions(node, previous) ??
      (view.options.isRepeated ? undefined : reshaped(node, previous, view));
    if (shorter === undefined) continue;
    replacements.set(node, [shorter.node]);
    if (shorter.target) constants.set(shorter.target.name, shorter.target);
    changes.push({
      transform: 'simplify',
      what: shorter.what,
      node: nodeLabel(node),
      operator: operatorName(node),
    });
  }
  return { replacements, constants, changes };
}

interface Shorter {
  readonly node: Node;
  readonly what: string;
  readonly target?: Tensor;
}

function permutation(node: Node): readonly number[] | undefined {
  if (traitsOf(node).moves !== 'axes') return undefined;
  const perm = node.attributes.get('perm');
  return perm?.type === 'ints' ? perm.value.map(Number) : undefined;
}

function joinedTranspositions(node: Node, before: Node | undefined): Shorter | undefined {
  const [second, first] = [permutation(node), before && permutation(before)];
  if (!second || !first) return undefined;
  const value = second.map((axis) => first[axis]!);
  const attributes = new Map(node.attributes).set('perm', { type: 'ints', value });
  return {
    node: { ...node, inputs: before!.inputs, attributes },
    what: `reads '${before!.inputs[0]}' directly: two transpositions are one`,
  };
}

/** A new shape as a Reshape with a constant target, of what the previous new shape was made from. */
function reshaped(node: Node, before: Node | undefined, view: GraphView): Shorter | undefined {
  if (traitsOf(node).moves !== 'shape' || node.domain !== '') return undefined;
  const isChain = before !== undefined && before.domain === '' && traitsOf(before).moves === 'shape';
  const shapeSlot = inputsOf(node, view.opset).slot('shape');
  const isComputed =
    shapeSlot > 0 && node.inputs[shapeSlot] !== undefined && !view.constant(node.inputs[shapeSlot]);
  if ((!isChain && !isComputed) || view.opset < 5) return undefined;
  const source = isChain ? before.inputs[0]! : node.inputs[0]!;
  const [from, to] = [view.tensor(source), view.tensor(node.outputs[0])];
  const sizes = from && to && targetOf(from, to);
  if (sizes === undefined) return undefined;
  const target = fromNumbers(`${node.outputs[0]}/shape`, 'int64', [sizes.length], sizes);
  if (view.type(target.name) !== undefined) return undefined;
  return {
    node: makeNode('Reshape', [source, target.name], node.outputs, {}, { name: node.name }),
    what: isChain ? `reads '${source}' directly: two new shapes are one` : 'its target shape is a constant',
    target,
  };
}

/** What a Reshape is told: sizes; 0 for one that stays where it is; −1 for one that is left. */
function targetOf({ shape: from }: TensorType, { shape: to }: TensorType): number[] | undefined {
  if (from === undefined || to === undefined || to.includes(0)) return undefined;
  let open = 0;
  const sizes = to.map((size, axis) => {
    if (typeof size === 'number') return size;
    if (from[axis] !== undefined && sameDim(from[axis], size)) return 0;
    open++;
    return -1;
  });
  return open <= 1 ? sizes : undefined;
}
