// The axes of reductions became an input: of ReduceSum in opset 13, of all others in 18.
import type { VersionChange, VersionRule } from '../../versions.js';

const axesAsInput: VersionRule = (step) => {
  const axes = step.node.attributes.get('axes');
  if (axes === undefined) return;
  // No axes are all axes, in both versions.
  const isEmpty = axes.type === 'ints' && axes.value.length === 0;
  const inputs = isEmpty ? step.node.inputs : [step.node.inputs[0]!, step.held('axes')!];
  step.change({ inputs, attributes: { axes: undefined } }, 'axes is an input');
};

const axesAsAttribute: VersionRule = (step) => {
  const { call, node } = step;
  const x = node.inputs[0]!;
  const isEmpty = !call.has('axes') || call.shape('axes')?.[0] === 0;
  if (isEmpty && call.int('noop_with_empty_axes', 0) !== 0) {
    return step.become('Identity', [x], {}, 'without axes it changes nothing');
  }
  const axes = isEmpty ? undefined : (call.numbers('axes') ?? step.refuse('its axes are computed'));
  step.change({ inputs: [x], attributes: { axes, noop_with_empty_axes: undefined } }, 'axes is an attribute');
};

/** @param since the opset that made the axes an input. */
export function reduceVersions(since: number): readonly VersionChange[] {
  return [{ since, upgrade: axesAsInput, downgrade: axesAsAttribute }];
}
