// A convolution whose weights are made of the sample (trackers compare two images so): all samples become groups of one
// convolution of one sample.
import { TensorType } from '../../graph/types.js';
import { inputsOf } from '../../ops/index.js';
import { FIRST, type Position } from './position.js';
import type { Rebatching } from './rebatching.js';
import { intoSamples } from './reshaping.js';
import type { Visit } from './rules.js';

const SECOND: Position = { ...FIRST, axis: 1 };

/** Whether a convolution has weights of the samples. */
export function hasSampleWeights({ node, call, traits, carried }: Visit): boolean {
  if (traits.convolution === undefined || traits.convolution === 'deformable') return false;
  const formal = inputsOf(node, call.opset);
  return carried.some(({ slot }) => formal.role(slot) === 'weight') && formal.role(1) === 'weight';
}

/** Data (1, batch · C, …), weights (batch · M, C/groups, …), as many groups for every sample as before. */
export function convolvedBySample(walk: Rebatching, { node, call, carried }: Visit): void {
  const { was, becomes } = walk.sizes;
  const [data, weight, bias = ''] = node.inputs as [string, string, string?];
  const output = node.outputs[0]!;
  const shape = walk.oldShape(output);
  if (becomes === undefined) return walk.refuse(node, 'its weights depend on samples: a group for each');
  if (was !== 1 || shape === undefined || carried.some(({ slot }) => slot > 2))
    return walk.refuse(node, 'its weights depend on samples');
  const x = joined(walk, node, data, 1);
  const inputs = [x, ...[weight, bias].map((name) => (name === '' ? '' : joined(walk, node, name, 0)))];
  if (bias === '') inputs.length = 2;
  walk.note(node, 'every sample has groups of its own');
  const groups = becomes * call.int('group', 1);
  // Shapes are those of an open batch, which groups cannot have.
  const dtype = (walk.old.types.get(output) as TensorType | undefined)?.dtype;
  const whole = shape.with(1, walk.scaled(shape[1]!));
  const isSeparate = walk.positions.get(data)?.axis !== 1;
  const value = isSeparate ? walk.freshLike(output) : output;
  walk.types.set(value, new TensorType(dtype, whole));
  walk.nodes.push(walk.withInt({ ...node, inputs, outputs: [value] }, 'group', groups));
  if (isSeparate)
    walk.finish({ ...node, name: output }, intoSamples(walk, node, value, shape.slice(1)), FIRST);
  else walk.positions.set(output, SECOND);
}

/** A value with all samples in one axis; one without samples is repeated for each. */
function joined(walk: Rebatching, node: Visit['node'], name: string, axis: 0 | 1): string {
  const position = walk.positions.get(name);
  if (position === undefined) return walk.repeated(node, name, axis);
  const isThere = !position.isExtra && position.axis === axis && position.outer === 1;
  if (isThere) return name;
  const shape = walk.oldShape(name)!;
  const isFirst = position.axis === 0 && position.outer === 1;
  if (!isFirst || (axis === 1 && (position.isExtra || shape[0] !== 1)))
    return walk.refuse(node, 'its weights depend on samples that are in other axes');
  const target = shape.with(axis, walk.scaled(shape[axis]!));
  return walk.op('Reshape', name, [name, walk.vector(node, target)]);
}
