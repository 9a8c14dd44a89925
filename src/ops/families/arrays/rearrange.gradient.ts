// Gradients of operators that move or blank elements: the way back.
import type { AttributeValues } from '../../build.js';
import type { GradientRule } from '../../gradient.js';

/** What is blanked has no gradient; the rest keeps its place. */
export const triluGradient: GradientRule = (g) => {
  const inputs = [g.dy, g.optionalInput(1)].filter((value) => value !== undefined);
  return [g.builder.op('Trilu', inputs, { upper: g.call.int('upper', 1) })];
};

/** Reversed twice is as before. */
export const reverseSequenceGradient: GradientRule = (g) => {
  const axes: AttributeValues = {
    time_axis: g.call.int('time_axis', 0),
    batch_axis: g.call.int('batch_axis', 1),
  };
  return [g.builder.op('ReverseSequence', [g.dy, g.input(1)], axes)];
};

/** SpaceToDepth undoes mode DCR; CRD has the channels first, (N, C, H, b, W, b) → (N, C, b, b, H, W). */
export const depthToSpaceGradient: GradientRule = (g) => {
  const blocksize = g.call.required(g.call.int('blocksize'), 'blocksize');
  if (g.call.string('mode', 'DCR') === 'DCR') return [g.builder.op('SpaceToDepth', [g.dy], { blocksize })];
  const x = g.input(0);
  const [n, , h, w] = x.sizes;
  const blocks = g.dy.reshape([n!, -1, h!, blocksize, w!, blocksize]);
  return [blocks.transpose([0, 1, 3, 5, 2, 4]).reshapeTo(x)];
};

export const spaceToDepthGradient: GradientRule = (g) => {
  const blocksize = g.call.required(g.call.int('blocksize'), 'blocksize');
  return [g.builder.op('DepthToSpace', [g.dy], { blocksize })];
};
