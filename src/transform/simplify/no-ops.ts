// Nodes that give back what they get: copies, Dropout in inference, casts to the type that is there, moves that move
// nothing, arithmetic with the neutral element.
import { sameDim } from '../../graph/dim.js';
import { type Node, nodeLabel, operatorName } from '../../graph/graph.js';
import { elementCount, type Tensor, tensorNumbers } from '../../graph/tensor.js';
import type { TensorType } from '../../graph/types.js';
import { inputsOf, traitsOf } from '../../ops/index.js';
import type { Arithmetic, Movement } from '../../ops/traits.js';
import { attempt } from '../../util/attempt.js';
import type { Change } from '../transform.js';
import type { Edit, GraphView } from './pass.js';

export function withoutNoOps(view: GraphView): Edit {
  const aliases = new Map<Node, string>();
  const changes: Change[] = [];
  for (const node of view.graph.nodes) {
    const source = sourceOf(node, view);
    if (source === undefined || isNeeded(node, source, view)) continue;
    aliases.set(node, source);
    const what = 'removed: it gives back its input';
    changes.push({ transform: 'simplify', what, node: nodeLabel(node), operator: operatorName(node) });
  }
  return { aliases, changes };
}

/** A copy of an input, or of a constant, to an output of the graph has to stay. */
function isNeeded(node: Node, source: string, view: GraphView): boolean {
  return view.isOutput(node.outputs[0]!) && (view.maker(source) === undefined || view.isOutput(source));
}

/** The input that a node gives back unchanged. */
function sourceOf(node: Node, view: GraphView): string | undefined {
  const [first] = node.inputs;
  // A second output, such as the mask of Dropout, says more than the first.
  if (
    !first ||
    !node.outputs[0] ||
    node.outputs.slice(1).some((name) => name !== '' && view.uses(name) > 0)
  ) {
    return undefined;
  }
  const { moves, arithmetic, draws, sequence } = traitsOf(node);
  if (sequence !== undefined || draws === 'always') return undefined;
  if (moves !== undefined) return movesNothing(node, moves, view) ? first : undefined;
  return arithmetic === undefined ? undefined : neutral(node, arithmetic, view);
}

function movesNothing(node: Node, moves: Movement, view: GraphView): boolean {
  const [before, after] = [view.tensor(node.inputs[0]), view.tensor(node.outputs[0])];
  if (moves === 'same') return !isTraining(node, view);
  if (moves === 'join') return node.inputs.length === 1;
  // Sizes inside a body that runs several times are those of one run.
  if (before === undefined || after === undefined || view.options.isRepeated) return false;
  if (moves === 'type') return before.dtype !== undefined && before.dtype === after.dtype;
  if (!haveSameShape(before, after)) return false;
  switch (moves) {
    case 'shape':
      return true;
    case 'axes': {
      const perm = node.attributes.get('perm');
      return perm?.type === 'ints' && perm.value.every((axis, i) => Number(axis) === i);
    }
    case 'broadcast':
    case 'repeat':
      return after.shape!.every((size) => size !== 0);
    case 'part':
      return node.outputs.length === 1 && elementsAt(node, 'steps', view).every((step) => step > 0);
    case 'pad':
      return hasNoPads(node, view);
    default:
      return false;
  }
}

function haveSameShape({ shape: a }: TensorType, { shape: b }: TensorType): boolean {
  return a !== undefined && a.length === b?.length && a.every((size, i) => sameDim(size, b[i]!));
}

function isTraining(node: Node, view: GraphView): boolean {
  const slot = inputsOf(node, view.opset).slot('training_mode');
  const mode = slot < 0 ? undefined : node.inputs[slot];
  if (!mode)
    return Number(node.attributes.get('is_test')?.value ?? 1) === 0 && traitsOf(node).draws !== undefined;
  const known = view.constant(mode);
  return known === undefined || tensorNumbers(known)[0] !== 0;
}

/** The known elements of an input; none where it is not given, NaN where nothing is known of it. */
function elementsAt(node: Node, name: string, view: GraphView): readonly number[] {
  const slot = inputsOf(node, view.opset).slot(name);
  const value = slot < 0 ? undefined : node.inputs[slot];
  if (!value) return [];
  const elements = view.tensor(value)?.elements;
  return elements?.every((e) => typeof e === 'number') ? (elements as readonly number[]) : [Number.NaN];
}

function hasNoPads(node: Node, view: GraphView): boolean {
  const attribute = node.attributes.get('pads');
  const pads = attribute?.type === 'ints' ? attribute.value.map(Number) : elementsAt(node, 'pads', view);
  return pads.length > 0 && pads.every((pad) => pad === 0);
}

/** The constant that changes nothing, at the second input, and whether it may be at the first as well. */
const NEUTRAL: Partial<Record<Arithmetic, { readonly value: number; readonly isEitherSide: boolean }>> = {
  add: { value: 0, isEitherSide: true },
  subtract: { value: 0, isEitherSide: false },
  multiply: { value: 1, isEitherSide: true },
  divide: { value: 1, isEitherSide: false },
  power: { value: 1, isEitherSide: false },
};

function neutral(node: Node, arithmetic: Arithmetic, view: GraphView): string | undefined {
  const rule = NEUTRAL[arithmetic];
  if (rule === undefined || node.inputs.length !== 2 || view.options.isRepeated) return undefined;
  const [a, b] = node.inputs as [string, string];
  const output = view.tensor(node.outputs[0]);
  const leaves = (value: string, constant: string): boolean => {
    const [kept, tensor] = [view.tensor(value), view.constant(constant)];
    if (!kept || !tensor || !output || view.constant(value) || kept.dtype !== output.dtype) return false;
    return haveSameShape(kept, output) && isAll(tensor, rule.value);
  };
  if (leaves(a, b)) return a;
  return rule.isEitherSide && leaves(b, a) ? b : undefined;
}

/** Constants larger than this are not looked at for their elements. */
const LOOKED_AT = 4096;

function isAll(tensor: Tensor, value: number): boolean {
  if (elementCount(tensor) > LOOKED_AT) return false;
  return attempt(() => tensorNumbers(tensor))?.every((e) => e === value) ?? false;
}
